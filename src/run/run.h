/*
 * A run: from files and options to everything that is known about them, made in one go. Commands,
 * the library, servers and sessions all begin here.
 *
 *     struct run_opts o = RUN_DEFAULTS;
 *     vec_push(&o.paths, arena, "results.db");
 *     struct run *r = run_make(&o, arena, &err);
 *     if (!r) ...
 *     r->analysis->ledger, r->advice.findings ...
 *
 * The stages follow each other once: source code and thread traces are read, the traces are loaded,
 * analyzed and, last, judged. What run_make() returns is final. All of it belongs to the arena, the
 * trace included, and goes with it; a failed run leaves what it had read to the arena, too.
 */
#ifndef GS_RUN_RUN_H
#define GS_RUN_RUN_H

#include "advise/advise.h"
#include "base/opt.h"
#include "base/progress.h"
#include "job/job.h"
#include "run/filter.h"

struct run_opts {
    struct opt_list paths; /* traces and folders of them; none: only source and thread trace */
    struct sightings
        *seen; /* what is known of these files already (ingest/detect.h); may be NULL */
    enum reader_mode reader;
    int threads;                    /* 0: all cores */
    const char *window, *iteration; /* only this part, see window.h; NULL: all */
    int64_t phase;                  /* from 1; 0: all */
    const char *gpu;                /* "2", "node7:2"; NULL: all */
    int64_t process, rank;          /* as users number them; -1: all */
    int64_t short_ns;               /* what counts as a short kernel */
    int64_t min_duration_ns;        /* shorter kernels are left out of the hotspots */
    uint32_t max_phases;
    bool by_gpu, by_process, by_stream; /* split the hotspots */
    const char *source_dir;             /* NULL: no source */
    struct opt_list att_dirs;           /* thread traces */
    bool att_beside;                    /* look for one beside the traces, or instead of them */
    bool apart;                         /* several files are no job: ranks are not compared */
    bool facts_only;                    /* no findings and no verdict */
    bool replay;                        /* dependency graph, critical path, gains by replay */
    const char *cache;                  /* folder of loaded traces (cache/cache.h); NULL: none */
    struct progress *progress; /* counts what is read, for a caller that shows it; NULL: a bar */
    unsigned leave_out;        /* run_load_only(): parts not needed, enum ingest_part */
    bool mixed;                /* run_load_only(): traces of any formats */
    bool align;                /* run_load_only(): clocks of different hosts are brought together */
    struct filter_opts filter; /* what of the rows is looked at */
    bool as_columns;           /* the caller hands them out: none is packed */
    bool says_only;            /* the output says what that is: no note is needed */
};

enum { RUN_MAX_PHASES = 12, RUN_SHORT_US = 10 };
#define RUN_DEFAULTS                                                                               \
    {                                                                                              \
        .process = -1, .rank = -1, .short_ns = RUN_SHORT_US * 1000, .max_phases = RUN_MAX_PHASES   \
    }

struct run {
    struct arena *arena;
    struct trace trace;
    const char *only;          /* what filters left of it, in words; NULL: all */
    struct analysis *analysis; /* NULL: there was no trace, only source or thread trace */
    struct job *job;           /* NULL: not the ranks of a job */
    struct advice advice;
    struct source_scan *source; /* NULL: not asked for */
    struct source_links links;  /* lines of what the trace shows */
    struct att *att;            /* NULL: none */
    double load_seconds, analysis_seconds;
    struct run_call *left; /* of run_begin(): what run_finish() goes on with; NULL: all is done */
};

/* NULL, with the error, when it cannot be made; GS_E_EMPTY when there is nothing to analyze. */
struct run *run_make(const struct run_opts *o, struct arena *arena, struct gs_error *err);

/*
 * The same in two steps, for those who may never need the second: what is read, with all checks that
 * need no analysis, and what is made of it. The rows are final after the first and only read by the
 * second, which may be tried again where it failed or was ended.
 */
struct run *run_begin(const struct run_opts *o, struct arena *arena, struct gs_error *err);
bool run_finish(struct run *r, struct gs_error *err);

/*
 * Only the first stage, for those who look at rows: the traces, as they are, or what filters leave of
 * them (window, GPU, process and rank as well). *only says what is left; NULL: all.
 */
bool run_load_only(struct trace *t, const struct run_opts *o, const char **only,
                   struct gs_error *err);

#endif
