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
        OPT_TEXT(T, in.gpu, 0, "gpu", "N|HOST:N", "only this GPU, as numbered by 'info'"),         \
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
const struct trace *cli_load_rows(struct cli *cli, const struct run_opts *o, struct gs_error *err);
const struct trace *cli_load(struct cli *cli, const char *reader, struct gs_error *err);

#endif
