/*
 * gpusight summary TRACE...: the facts of a trace in one page, without judgement.
 */
#include "base/str.h"
#include "cli/analyzed.h"
#include "cli/output.h"
#include "report/summary_json.h"

struct summary_opts {
    struct output_opts out;
    const char *reader;
};

static const struct opt opts[] = {
    OUTPUT_OPTS(struct summary_opts, out, RENDERER_CHOICES),
    SECTION_OPTS(struct summary_opts, out),
    OPT_CHOICE(struct summary_opts, reader, 0, "reader", "auto|fast|sqlite|check",
               "how to read databases"),
    OPT_END,
};

static void defaults(void *settings)
{
    struct summary_opts *o = settings;
    o->reader = "auto";
}

static void json_form(const struct report *r, struct str *out, bool in_page)
{
    struct jwrite w;
    jw_init(&w, out, in_page ? 0 : 2);
    summary_json(r->ctx, &w);
}

static bool run(struct cli *cli, void *settings, struct gs_error *err)
{
    const struct summary_opts *o = settings;
    struct summary *summary = arena_new(cli->arena, struct summary);
    struct subject about = {.summary = summary};
    struct report report = {.ctx = summary,
                            .arena = cli->arena,
                            .about = &about,
                            .make = summary_report,
                            .json = json_form,
                            .kind = "summary"};
    struct run_opts ro = RUN_DEFAULTS;
    ro.paths = cli->operands;
    ro.reader = reader_mode_of(o->reader);
    ro.threads = cli->threads;
    ro.apart = ro.facts_only = true;
    struct output *out = output_begin(cli, &o->out, RENDERER_CHOICES, err);
    struct run *r = out ? cli_run(cli, &ro, err) : NULL;
    if (!r)
        return false;
    if (!r->trace.kernels.n && !r->trace.copies.n)
        return fail(err, GS_E_EMPTY, "no GPU work in '%s'; 'gpusight info' shows what there is",
                    cli->operands.v[0]);
    summary_make(summary, r->analysis, cli->arena);
    summary_phases(summary, cli->arena);
    about.a = r->analysis;
    return output_named(out, NULL, err) && output_report(out, &report, err) &&
           output_finish(out, err);
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
