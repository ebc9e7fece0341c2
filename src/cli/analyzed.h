/*
 * Commands that show an analysis: the options they share, and loading, analyzing and advising.
 *
 *     struct plot_opts { struct analyzed_opts in; ... };
 *     static const struct opt opts[] = {ANALYZED_OPTS(struct plot_opts), ...};
 */
#ifndef GS_CLI_ANALYZED_H
#define GS_CLI_ANALYZED_H

#include "advise/advise.h"
#include "cli/analyze_job.h"
#include "cli/command.h"

struct analyzed_opts {
    const char *window, *iteration, *reader;
    int64_t gpu, process, rank, phase, max_phases;
    double short_us;
    bool no_replay;
};

#define ANALYZED_OPTS(T)                                                                           \
    OPT_TEXT(T, in.window, 0, "window", "START..END",                                              \
             "only this part: 10%..90%, 1s..2.5s, absolute ns, marker:NAME or "                    \
             "marker:A..marker:B"),                                                                \
        OPT_INT(T, in.phase, 0, "phase", 1, 32, "N",                                               \
                "only this phase, as the report numbers them"),                                    \
        OPT_TEXT(T, in.iteration, 0, "iteration", "N|A..B",                                        \
                 "only this repetition of the step, or these; from 1, of the phase when --phase "  \
                 "is given"),                                                                      \
        OPT_INT(T, in.gpu, 0, "gpu", 0, 100000, "N", "only this GPU, as numbered by 'info'"),      \
        OPT_INT(T, in.process, 0, "process", 0, 1e15, "PID", "only this process"),                 \
        OPT_INT(T, in.rank, 0, "rank", 0, 1000000000, "N",                                         \
                "of a job, this rank in detail; all are compared nevertheless"),                   \
        OPT_INT(T, in.max_phases, 0, "max-phases", 1, 32, "N",                                     \
                "divide the run into at most this many phases (12); 1 does not look for any"),     \
        OPT_NUM(T, in.short_us, 0, "short-kernel-threshold-us", 0, 1e9, "US",                      \
                "what counts as a short kernel (10)"),                                             \
        OPT_FLAG(T, in.no_replay, 0, "no-replay",                                                  \
                 "do without the dependency graph: no critical path, no predicted times"),         \
        OPT_CHOICE(T, in.reader, 0, "reader", "auto|fast|sqlite|check", "how to read databases")

#define ANALYZED_DEFAULTS                                                                          \
    {                                                                                              \
        .reader = "auto", .gpu = -1, .process = -1, .rank = -1, .max_phases = 12, .short_us = 10   \
    }

/*
 * Loads the operands into t, which the caller initialises and releases; the analysis lives in the
 * arena of cli. Fails with GS_E_EMPTY when there is nothing to analyze.
 */
bool cli_analyzed(struct cli *cli, const struct analyzed_opts *o, struct trace *t,
                  struct analysis *a, struct advice *advice, struct gs_error *err);

/* Its steps, for a command that does something in between. */
struct analysis_opts analyzed_base(const struct cli *cli, const struct analyzed_opts *o);
bool analyzed_choose(struct analysis_opts *out, const struct analyzed_opts *o,
                     const struct trace *t, const struct analyze_job *job, struct gs_error *err);
bool analyzed_run(struct analysis *a, struct advice *advice, const struct trace *t,
                  struct analysis_opts *ao, const struct analyzed_opts *o, struct analyze_job *job,
                  struct arena *arena, struct gs_error *err);

#endif
