/*
 * gpusight summary TRACE...: the facts of a trace in one page, without judgement.
 */
#include "base/fs.h"
#include "base/str.h"
#include "cli/analyzed.h"
#include "render/render.h"
#include "report/section.h"
#include "report/summary.h"

struct summary_opts {
    bool json;
    const char *reader, *output;
};

static const struct opt opts[] = {
    OPT_FLAG(struct summary_opts, json, 0, "json", "print JSON, for programs"),
    OPT_TEXT(struct summary_opts, output, 'o', "output", "FILE",
             "write to FILE instead of standard output"),
    OPT_CHOICE(struct summary_opts, reader, 0, "reader", "auto|fast|sqlite|check",
               "how to read databases"),
    OPT_END,
};

static void defaults(void *settings)
{
    struct summary_opts *o = settings;
    o->reader = "auto";
    o->output = "-";
}

static bool run(struct cli *cli, void *settings, struct gs_error *err)
{
    const struct summary_opts *o = settings;
    struct arena *arena = cli->arena;
    struct run_opts ro = RUN_DEFAULTS;
    ro.paths = cli->operands;
    ro.reader = reader_mode_of(o->reader);
    ro.threads = cli->threads;
    ro.apart = ro.facts_only = true;
    struct run *r = cli_run(cli, &ro, err);
    if (!r)
        return false;
    if (!r->trace.kernels.n && !r->trace.copies.n)
        return fail(err, GS_E_EMPTY, "no GPU work in '%s'; 'gpusight info' shows what there is",
                    cli->operands.v[0]);
    struct summary summary;
    summary_make(&summary, r->analysis, arena);
    summary_phases(&summary, arena);
    struct str out;
    str_init(&out, arena);
    if (o->json) {
        struct jwrite w;
        jw_init(&w, &out, 2);
        summary_json(&summary, &w);
    } else {
        struct render_opts text = {cli->columns, cli->color && str_eq(o->output, "-")};
        struct subject s = {.summary = &summary, .a = r->analysis};
        render_text(&out, summary_report(&s, NULL, arena, err), &text);
    }
    return fs_write(o->output, out.buf, out.len, err);
}

const struct command command_summary = {
    .name = "summary",
    .summary = "the facts of a trace on one page, without judgement",
    .operands = "TRACE...",
    .doc =
        "Prints the span, kernel, copy and waiting times, the top 15 kernels with registers and "
        "launch latency, copies by direction, gaps, streams, marker ranges and MPI operations. "
        "'gpusight analyze' goes on from there to causes and advice.\n\n"
        "The JSON has the keys and units of PerfAdvisor's summary. Where its numbers mislead, "
        "these "
        "do not: busy and idle times are per GPU and then summed, utilization is of span x GPUs, "
        "copies between GPUs are a kind of their own and are compared with the link they used, "
        "launch overhead leaves out waiting behind earlier work, and registers, shared memory and "
        "launches are there for AMD as well. The list 'gpus' has every device; 'device_info' "
        "is the first of them.",
    .examples = "gpusight summary results.db  # one page\n"
                "gpusight summary --json results.db | jq .top_kernels[0]  # for a program",
    .opts = opts,
    .settings_size = sizeof(struct summary_opts),
    .defaults = defaults,
    .run = run,
};
