/*
 * The capture planner: the fewest further runs under a profiler that answer some questions.
 *
 * From what traces hold (kinds of records, counters) and what goals need, it works out which tools
 * to run, with which options, on which kernels. Nothing that is already there is asked for again.
 * Every command is one that the tool takes (command.h) and counters are divided into passes that
 * the GPU can do (pack.h).
 *
 *     struct plan_request q = {.analysis = &a, .goals = ON(roofline), .form = form};
 *     struct plan p;
 *     plan_make(&p, &q, arena);
 *     for (size_t i = 0; i < p.captures.n; i++)
 *         puts(p.captures.v[i].command.text);
 *
 * Estimates say what they rest on; without a trace there are none (NaN).
 */
#ifndef GS_PLAN_PLAN_H
#define GS_PLAN_PLAN_H

#include "analyze/analysis.h"
#include "base/opt.h"
#include "metric/pack.h"
#include "plan/command.h"
#include "plan/goals.h"

struct plan_request {
    const struct analysis *analysis; /* NULL: no trace */
    unsigned goals;                  /* ON(roofline) | ... */
    unsigned tools;                  /* TOOL_ROCPROFV3 | ...; 0: any */
    bool installed;                  /* those are the ones of this machine, not of --tool */
    const struct hardware *gpu;      /* NULL: of the trace */
    const char *kernel; /* regular expression instead of the hottest kernels, or NULL */
    const char *out;    /* folder for results */
    struct launch_form form;
};

/* The same in words, as options give it. */
struct plan_words {
    struct opt_list goals, tools;
    const char *gpu, *kernel;
    int64_t rank; /* -1: all */
};

#define PLAN_WORDS_OPTS(T, m)                                                                      \
    OPT_LIST(T, m.goals, 'g', "goal", "GOAL",                                                      \
             "what to find out: timeline, roofline, memory, occupancy...; several with commas; "   \
             "all (what the findings call for)"),                                                  \
        OPT_LIST(T, m.tools, 't', "tool", "TOOL",                                                  \
                 "only this profiler: rocprofv3, rocprof-sys, rocprof-compute, nsys or ncu"),      \
        OPT_TEXT(T, m.gpu, 0, "gpu", "GPU",                                                        \
                 "the GPU to run on: gfx942, MI300X, sm_90, H100... (that of the trace)"),         \
        OPT_TEXT(T, m.kernel, 'k', "kernel", "REGEX",                                              \
                 "look at these kernels instead of the hottest ones")

/* Fills goals, tools, GPU, kernel and rank. */
bool plan_request_read(struct plan_request *q, const struct plan_words *w, struct gs_error *err);

/* The GPU alone: an architecture or a product; NULL: none is given. */
bool plan_request_gpu(struct plan_request *q, const char *name, struct gs_error *err);

/* The program, with variables and the launcher in front of it; `launcher` as given, or NULL. */
bool plan_request_app(struct plan_request *q, const char *launcher, const struct words *command,
                      struct arena *a, struct gs_error *err);

/* Something a trace already holds, and the goals it serves. */
struct plan_have {
    const char *what; /* "kernels", "counter SQ_WAVES" */
    uint64_t count;   /* records; of counters: values */
    unsigned goals;
};

/* One command line. What its numbers mean is in capture_fields. */
struct capture {
    const char *title; /* "counters, pass 1 of 3" */
    unsigned goals;
    struct tool_command command;
    struct passes passes; /* counters, where the tool is told which: one, or none */
    uint64_t runs;        /* of the program; the tool's own repetitions included */
    bool runs_exact;
    double overhead_pct, size_bytes; /* NaN: not known */
    const char *basis;               /* what both rest on */
    VEC(const char *) answers;
};

/* Systems that run scripts when their turn comes. */
enum batch_system { BATCH_SLURM, BATCH_PBS, BATCH_LSF, BATCH_FLUX, BATCH_NONE };
#define BATCH_WORDS "slurm|pbs|lsf|flux"

/* How the GPU is known that a plan is made for. */
enum plan_gpu_source { GPU_FROM_TRACE, GPU_AS_GIVEN, GPU_ASSUMED };
extern const char *const plan_gpu_sources[]; /* "from the trace", ... by value; NULL at the end */

struct plan {
    enum vendor vendor;
    const char *arch, *product; /* "gfx942", "AMD Instinct MI300X"; "" where not known */
    enum plan_gpu_source gpu_source;
    unsigned goals;
    unsigned open; /* goals that stay unanswered, in whole or in part; notes say why */
    VEC(struct plan_have) have;
    VEC(struct capture) captures;
    VEC(const char *) notes;
    uint64_t runs; /* sum over captures */
    struct launch_form form;
    const char *out;          /* folder for results */
    enum batch_system batch;  /* as a script for this, see plan_shell() */
    struct words batch_lines; /* further directives: "--account=x" */
};

extern const struct fields capture_fields, plan_have_fields;

/* Fails when a tool that was asked for is of another vendor. */
bool plan_check_tools(const struct plan *p, unsigned asked, struct gs_error *err);

void plan_make(struct plan *p, const struct plan_request *q, struct arena *a);

/* ---- pieces that findings use as well (advise/commands.c) ---- */

/* The counters that are not in the trace and that the GPU has, in passes. */
void plan_counters(struct passes *out, const struct analysis *a, const char *const *names, size_t n,
                   struct arena *arena);

/* The architecture whose counters are meant: of the first GPU that worked; "" unknown. */
const char *plan_trace_arch(const struct trace *t);

/*
 * Options that tell rocprofv3 to record items (goals.h). Calls say why a GPU is idle only beside
 * the kernels of the same run: these come along.
 */
void plan_trace_flags(struct tool_command *c, unsigned items);

#endif
