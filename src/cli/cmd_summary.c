/*
 * gpusight summary TRACE...: the facts of a trace in one page, without judgement.
 */
#include "base/str.h"
#include "cli/analyzed.h"
#include "cli/output.h"
#include "cli/summary_domains.h"
#include "cli/tallied.h"
#include "report/summary_json.h"

struct summary_opts {
    struct output_opts out;
    struct analyzed_opts in;
    struct domain_args domains;
};

static const struct opt opts[] = {
    OUTPUT_OPTS(struct summary_opts, out, RENDERER_CHOICES_AND(tables)),
    OPT_NAMES(NAMES_TARGET, struct summary_opts, out.dir, 'd', "dir", "DIR",
              "--by-domain: write into this folder, as CSV a file for each table"),
    SECTION_OPTS(struct summary_opts, out),
    DOMAIN_OPTS(struct summary_opts, domains),
    OPT_GROUP("What to sum"),
    ROWS_OPTS(struct summary_opts, in),
    OPT_END,
};

static void defaults(void *settings)
{
    struct summary_opts *o = settings;
    *o = (struct summary_opts){.in = ANALYZED_DEFAULTS};
}

static bool run(struct cli *cli, void *settings, struct gs_error *err)
{
    const struct summary_opts *o = settings;
    struct summary *summary = arena_new(cli->arena, struct summary);
    struct subject about = {.summary = summary};
    struct report report = report_about(REPORT_SUMMARY, &about, cli->arena);
    struct run_opts ro = cli_run_opts(cli, &o->in);
    ro.apart = ro.facts_only = true;
    ro.replay = false;
    ro.says_only = true;
    bool domains = domain_args_given(&o->domains);
    struct output *out =
        output_begin(cli, &o->out, domains ? RENDERER_CHOICES_AND(tables) : RENDERER_CHOICES, err);
    struct tally *tables = NULL;
    if (!out || !tally_only(&cli->operands, &tables, cli->seen, cli->arena, err))
        return false;
    if (tables)
        return tallied_output(tables, out, false, err);
    if (domains)
        return summary_domains(cli, &o->domains, &o->in, out, err);
    if (o->out.dir)
        return fail(err, GS_E_USAGE, "option '--dir' goes with '--by-domain'; give -o FILE");
    ro.paths = cli->operands;
    struct run *r = cli_run(cli, &ro, err);
    if (!r)
        return false;
    if (!r->trace.kernels.n && !r->trace.copies.n)
        return fail(err, GS_E_EMPTY, "no GPU work in '%s'; 'gpusight info' shows what there is",
                    cli->operands.v[0]);
    summary_make(summary, r->analysis, cli->arena);
    summary_phases(summary, cli->arena);
    about.a = r->analysis;
    return output_only(out, &report, err);
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
        "is the first of them.\n\n"
        "With --by-domain, or any option of that group, the tables of rocpd's summary are printed "
        "instead: kernels, copies, allocations, scratch memory, each kind of host call and "
        "markers by name, and the domains as wholes. Means and deviations of a domain are those of "
        "all its calls, deviations are of a sample (n - 1), scratch memory is counted once, and "
        "ranks are processes, not pids. CSV and xlsx are for these tables.",
    .examples = "gpusight summary results.db  # one page\n"
                "gpusight summary --by-domain results.db  # rocpd's tables\n"
                "gpusight summary --summary-by-rank --format csv -d sums job/  # of each rank\n"
                "gpusight summary --json results.db | jq .top_kernels[0]  # for a program",
    .opts = opts,
    .settings_size = sizeof(struct summary_opts),
    .defaults = defaults,
    .run = run,
    .spreads = true,
};
