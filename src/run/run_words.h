/*
 * What of a run is looked at, as people write it: the options that commands and the library share.
 *
 *     struct plot_opts { struct analyzed_opts in; ... };
 *     static const struct opt opts[] = {ANALYZED_OPTS(struct plot_opts), ...};
 *     struct run_opts o = run_opts_of(&settings->in);
 */
#ifndef GS_RUN_RUN_WORDS_H
#define GS_RUN_RUN_WORDS_H

#include "run/run.h"

struct analyzed_opts {
    const char *window, *iteration, *gpu;
    enum reader_mode reader;
    int64_t process, rank, phase, max_phases;
    double short_us;
    bool no_replay;
    struct filter_opts filter;
};

/* What of a trace is looked at, for every command that looks at one (run/filter.h). */
/* clang-format off */
#define FILTER_OPTS(T, m)                                                                          \
    OPT_LIST(T, m.filter.kernels, 0, "kernel", "PATTERN",                                          \
             "only kernels of this name: a part of it, one with * or ?, /regex/, or ! and what not"), \
    OPT_LIST(T, m.filter.streams, 0, "stream", "ID|NAME", "only work of this stream, or these"),   \
    OPT_LIST(T, m.filter.threads, 0, "thread", "TID|NAME",                                         \
             "only this thread, or these: its calls, and the work it launched"),                   \
    OPT_LIST(T, m.filter.categories, 0, "category", "WORD,...",                                    \
             "only rows of these kinds: kernel, copy, marker, hip, hsa, mpi, os ...; !hsa: all others"), \
    OPT_LIST(T, m.filter.markers, 0, "marker", "PATTERN",                                          \
             "only what was called or launched inside marker ranges of this name"),                \
    OPT_TEXT(T, m.filter.start, 0, "start", "TIME",                                                \
             "rocpd's word for the start of a window: ns, 10%, 2.5s"),                             \
    OPT_TEXT(T, m.filter.end, 0, "end", "TIME", "and for its end"),                                \
    OPT_TEXT(T, m.filter.start_marker, 0, "start-marker", "NAME",                                  \
             "the window starts with the one marker of this name"),                                \
    OPT_TEXT(T, m.filter.end_marker, 0, "end-marker", "NAME",                                      \
             "the window ends with the one marker of this name"),                                  \
    OPT_CHOICE(T, m.filter.inclusive, 0, "inclusive", "true|false",                                \
               "rows of a window: true: those that start or end in it; false: only those that do both")
#define READER_OPT(T, m)                                                                           \
    OPT_WORD(T, m, 0, "reader", "auto|fast|sqlite|check", "how to read databases")
#define WINDOW_OPTS(T, m)                                                                          \
    OPT_TEXT(T, m.window, 0, "window", "START..END",                                               \
             "only this part: 10%..90%, 1s..2.5s, absolute ns, marker:NAME or "                    \
             "marker:A..marker:B")
#define STEP_OPTS(T, m)                                                                            \
    OPT_INT(T, m.phase, 0, "phase", 1, 32, "N", "only this phase, as the report numbers them"),    \
    OPT_TEXT(T, m.iteration, 0, "iteration", "N|A..B",                                             \
             "only this repetition of the step, or these; from 1, of the phase when --phase "      \
             "is given")
#define OWNER_OPTS(T, m)                                                                           \
    OPT_TEXT(T, m.gpu, 0, "gpu", "N|HOST:N", "only this GPU, as numbered by 'info'"),              \
    OPT_INT(T, m.process, 0, "process", 0, 1e15, "PID", "only this process")
/* Of commands that show rows as they are. */
#define ROWS_OPTS(T, m)                                                                            \
    WINDOW_OPTS(T, m), OWNER_OPTS(T, m),                                                           \
    OPT_INT(T, m.rank, 0, "rank", 0, 1000000000, "N", "only this rank of a job"),                  \
    FILTER_OPTS(T, m),                                                                             \
    READER_OPT(T, m.reader)
/* Of those that analyze what is left. */
#define ANALYZED_OPTS(T)                                                                           \
    PART_OPTS(T),                                                                                  \
    OPT_FLAG(T, in.no_replay, 0, "no-replay",                                                      \
             "do without the dependency graph: no critical path, no predicted times"),             \
    READER_OPT(T, in.reader)
#define PART_OPTS(T)                                                                               \
    WINDOW_OPTS(T, in),                                                                            \
    STEP_OPTS(T, in),                                                                              \
    OWNER_OPTS(T, in),                                                                             \
    OPT_INT(T, in.rank, 0, "rank", 0, 1000000000, "N",                                             \
            "of a job, this rank in detail; all are compared nevertheless"),                       \
    FILTER_OPTS(T, in),                                                                            \
    OPT_INT(T, in.max_phases, 0, "max-phases", 1, 32, "N",                                         \
            "divide the run into at most this many phases (12); 1 does not look for any"),         \
    OPT_NUM(T, in.short_us, 0, "short-kernel-threshold-us", 0, 1e9, "US",                          \
            "what counts as a short kernel (10)")
/* clang-format on */

#define ANALYZED_DEFAULTS                                                                          \
    {                                                                                              \
        .process = -1, .rank = -1, .max_phases = RUN_MAX_PHASES, .short_us = RUN_SHORT_US          \
    }

/* What they amount to; the rest is RUN_DEFAULTS. */
struct run_opts run_opts_of(const struct analyzed_opts *o);

/* "gpu", "process" and "stream"; `option` is how an error calls it: "--by". */
bool run_split_by(struct run_opts *out, const struct opt_list *by, const char *option,
                  struct gs_error *err);

#endif
