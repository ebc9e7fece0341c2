/*
 * Commands that show an analysis: the options they share, and loading, analyzing and advising.
 *
 *     struct plot_opts { struct analyzed_opts in; ... };
 *     static const struct opt opts[] = {ANALYZED_OPTS(struct plot_opts), ...};
 */
#ifndef GS_CLI_ANALYZED_H
#define GS_CLI_ANALYZED_H

#include "cli/command.h"
#include "run/run.h"

struct analyzed_opts {
    const char *window, *iteration, *gpu, *reader;
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
#define WINDOW_OPTS(T, m)                                                                          \
    OPT_TEXT(T, m.window, 0, "window", "START..END",                                               \
             "only this part: 10%..90%, 1s..2.5s, absolute ns, marker:NAME or "                    \
             "marker:A..marker:B")
#define OWNER_OPTS(T, m)                                                                           \
    OPT_TEXT(T, m.gpu, 0, "gpu", "N|HOST:N", "only this GPU, as numbered by 'info'"),              \
    OPT_INT(T, m.process, 0, "process", 0, 1e15, "PID", "only this process")
/* Of commands that show rows as they are. */
#define ROWS_OPTS(T, m)                                                                            \
    WINDOW_OPTS(T, m), OWNER_OPTS(T, m),                                                           \
    OPT_INT(T, m.rank, 0, "rank", 0, 1000000000, "N", "only this rank of a job"),                  \
    FILTER_OPTS(T, m),                                                                             \
    OPT_CHOICE(T, m.reader, 0, "reader", "auto|fast|sqlite|check", "how to read databases")
/* clang-format on */

/* clang-format off */
#define ANALYZED_OPTS(T)                                                                           \
    WINDOW_OPTS(T, in),                                                                            \
    OPT_INT(T, in.phase, 0, "phase", 1, 32, "N", "only this phase, as the report numbers them"),   \
    OPT_TEXT(T, in.iteration, 0, "iteration", "N|A..B",                                            \
             "only this repetition of the step, or these; from 1, of the phase when --phase "      \
             "is given"),                                                                          \
    OWNER_OPTS(T, in),                                                                             \
    OPT_INT(T, in.rank, 0, "rank", 0, 1000000000, "N",                                             \
            "of a job, this rank in detail; all are compared nevertheless"),                       \
    FILTER_OPTS(T, in),                                                                            \
    OPT_INT(T, in.max_phases, 0, "max-phases", 1, 32, "N",                                         \
            "divide the run into at most this many phases (12); 1 does not look for any"),         \
    OPT_NUM(T, in.short_us, 0, "short-kernel-threshold-us", 0, 1e9, "US",                          \
            "what counts as a short kernel (10)"),                                                 \
    OPT_FLAG(T, in.no_replay, 0, "no-replay",                                                      \
             "do without the dependency graph: no critical path, no predicted times"),             \
    OPT_CHOICE(T, in.reader, 0, "reader", "auto|fast|sqlite|check", "how to read databases")
/* clang-format on */

#define ANALYZED_DEFAULTS                                                                          \
    {                                                                                              \
        .reader = "auto", .process = -1, .rank = -1, .max_phases = 12, .short_us = 10              \
    }

/* What the options amount to, for the operands of the command. */
struct run_opts cli_run_opts(const struct cli *cli, const struct analyzed_opts *o);

/*
 * As run_make(), in the arena of cli; says it better where a path is no trace but something else
 * that we know.
 */
struct run *cli_run(struct cli *cli, const struct run_opts *o, struct gs_error *err);

/* Only loaded: the rows, as they are. `reader` is the word of the --reader option. */
/* What filters leave. What that is goes to *only, or is said in a note where that is NULL. */
const struct trace *cli_load_rows(struct cli *cli, const struct run_opts *o, const char **only,
                                  struct gs_error *err);
const struct trace *cli_load(struct cli *cli, const char *reader, struct gs_error *err);

#endif
