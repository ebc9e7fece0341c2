#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "base/human.h"
#include "base/mem.h"
#include "base/str.h"
#include "cli/analyze_workload.h"
#include "cli/analyzed.h"
#include "cli/output.h"
#include "cli/tallied.h"
#include "report/inventory.h"

struct info_opts {
    struct output_opts out;
    bool stats;
    enum reader_mode reader;
};

static const struct opt opts[] = {
    OUTPUT_OPTS(struct info_opts, out, RENDERER_CHOICES),
    COLUMN_OPTS(struct info_opts, out),
    OPT_WORD(struct info_opts, reader, 0, "reader", "auto|fast|sqlite|check",
             "how to read databases: our own page scan where it can (auto, fast), libsqlite3 only, "
             "or both and compare"),
    OPT_FLAG(struct info_opts, stats, 0, "stats", "print time and memory used, on standard error"),
    OPT_END,
};

static double seconds_since(const struct timespec *then)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - then->tv_sec) + (double)(now.tv_nsec - then->tv_nsec) / 1e9;
}

static void print_stats(const struct trace *t, double load_seconds, double all_seconds)
{
    char events[HUMAN_MAX], held[HUMAN_MAX], peak[HUMAN_MAX];
    uint64_t n = trace_events(t);
    fprintf(
        stderr,
        "stats: %s events, load %.3f s, total %.3f s, tables %s, peak %s, %.1f bytes per event\n",
        human_count(events, n), load_seconds, all_seconds, human_bytes(held, trace_bytes(t)),
        human_bytes(peak, mem_peak()), n ? (double)mem_peak() / (double)n : 0);
}

static bool run(struct cli *cli, void *settings, struct gs_error *err)
{
    const struct info_opts *o = settings;
    struct inventory *inventory = arena_new(cli->arena, struct inventory);
    struct timespec begin;
    struct report report = report_about_inventory(inventory, cli->arena);
    const char *workload;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    struct output *out = output_begin(cli, &o->out, RENDERER_CHOICES, err);
    if (!out)
        return false;
    if (workload_operand(&cli->operands, cli->arena, &workload))
        return workload_info(out, workload, err) && output_finish(out, err);
    struct tally *tables;
    if (!tally_only(&cli->operands, &tables, cli->seen, cli->arena, err))
        return false;
    if (tables)
        return tallied_output(tables, out, true, err);
    const struct trace *t = cli_load(cli, o->reader, err);
    if (!t)
        return false;
    double loaded = seconds_since(&begin);
    inventory_make(inventory, t, o->reader == READER_CHECK, cli->threads, cli->arena);
    bool ok = output_only(out, &report, err);
    if (o->stats)
        print_stats(t, loaded, seconds_since(&begin));
    return ok;
}

const struct command command_info = {
    .name = "info",
    .summary = "what a trace holds, and how far it can be trusted",
    .operands = "TRACE...",
    .doc =
        "Loads the whole trace and prints its format, processes, GPUs, counts of every kind of "
        "record, the time span, what the trace can and cannot answer (with the command that "
        "would capture the rest), and a data-quality grade from A to F with every reason.\n\n"
        "A folder stands for the traces in it and below. Several files are read as one job; "
        "one that is met twice, by name or through a link, is read once. "
        "Files are opened read-only; nothing is written beside them.\n\n"
        "In the counts, regions are all host-side intervals, marker ranges included; markers are "
        "ranges and instants.",
    .examples = "gpusight info results.db  # one trace\n"
                "gpusight info --json job/ | jq .counts  # all traces of a folder, for a program\n"
                "gpusight info --reader=check results.db  # read twice and compare",
    .opts = opts,
    .settings_size = sizeof(struct info_opts),
    .run = run,
    .spreads = true,
};
