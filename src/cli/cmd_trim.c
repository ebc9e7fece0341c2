/*
 * gpusight trim TRACE... -o FILE: a part of a trace as a trace of its own.
 */
#include "base/fs.h"
#include "base/human.h"
#include "base/log.h"
#include "base/sat.h"
#include "base/str.h"
#include "cli/rewritten.h"

struct trim_settings {
    struct rewritten_opts out;
    struct analyzed_opts in;
};

static const struct opt opts[] = {
    OPT_GROUP("What is kept"),
    WINDOW_OPTS(struct trim_settings, in),
    OPT_INT(struct trim_settings, in.phase, 0, "phase", 1, 32, "N",
            "only this phase, as the report numbers them"),
    OPT_TEXT(struct trim_settings, in.iteration, 0, "iteration", "N|A..B",
             "only this repetition of the step, or these"),
    OPT_TEXT(struct trim_settings, in.gpu, 0, "gpu", "N|HOST:N",
             "only this GPU, as numbered by 'info'"),
    OPT_INT(struct trim_settings, in.process, 0, "process", 0, 1e15, "PID", "only this process"),
    OPT_INT(struct trim_settings, in.rank, 0, "rank", 0, 1000000000, "N", "only this rank"),
    FILTER_OPTS(struct trim_settings, in),
    OPT_GROUP("Output"),
    REWRITTEN_OPTS(struct trim_settings, out),
    READER_OPT(struct trim_settings, in.reader),
    OPT_END,
};

static void defaults(void *settings)
{
    struct trim_settings *s = settings;
    *s = (struct trim_settings){.in = ANALYZED_DEFAULTS};
}

static uint64_t sizes(const struct opt_list *paths)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < paths->n; i++) {
        int64_t n = fs_is_file(paths->v[i]) ? fs_size(paths->v[i]) : 0;
        sum = add_bytes(sum, (uint64_t)(n > 0 ? n : 0));
    }
    return sum;
}

/* Of all files that were read; sets of tables of one database stand one after the other. */
static uint64_t size_read(const struct trace *t)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < t->files.n; i++)
        if (!i || !str_eq(t->files.v[i].path, t->files.v[i - 1].path))
            sum = add_bytes(sum, t->files.v[i].bytes);
    return sum;
}

static bool run(struct cli *cli, void *settings, struct gs_error *err)
{
    struct trim_settings *s = settings;
    const char *only = NULL;
    struct opt_list files = {0};
    char from[HUMAN_MAX], to[HUMAN_MAX], events[HUMAN_MAX], length[HUMAN_MAX];
    int64_t start, end;
    s->out.in = s->in;
    struct trace *t = rewritten_load(cli, &s->out, &only, err);
    if (!t)
        return false;
    if (!trace_span(t, cli->threads, &start, &end))
        return fail(err, GS_E_EMPTY, "nothing is left of the trace: %s",
                    only ? only : "it is empty");
    if (!rewritten_write(cli, &s->out, t, true, &files, err))
        return false;
    log_say("kept %s: %s events in %s", only ? only : "everything",
            human_count(events, trace_events(t)), human_time(length, sub_ns(end, start)));
    for (size_t i = 0; i < files.n; i++)
        log_say("wrote %s", files.v[i]);
    log_say("%s of %s", human_bytes(to, sizes(&files)), human_bytes(from, size_read(t)));
    return true;
}

const struct command command_trim = {
    .name = "trim",
    .summary = "a part of a trace as a trace of its own",
    .operands = "TRACE...",
    .doc =
        "Keeps what the filters leave (docs/filters.md: time, markers, phase, iteration, GPU, rank, "
        "stream, thread, kernel, category) and writes it as a rocpd database, or in any form that "
        "'gpusight convert' knows. Events, arguments of launches and counters of what is kept go "
        "along. The trace itself is never touched.",
    .examples =
        "gpusight trim results.db --window 2.5s..3s -o part.db\n"
        "gpusight trim report.sqlite --iteration 5 -o step.pftrace  # one step, for Perfetto\n"
        "gpusight trim job/ --rank 3 --kernel gemm -o rank3.db",
    .opts = opts,
    .settings_size = sizeof(struct trim_settings),
    .defaults = defaults,
    .run = run,
};
