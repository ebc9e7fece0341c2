/*
 * gpusight report TRACE...: a workbook.
 */
#include <string.h>

#include "base/fs.h"
#include "base/human.h"
#include "base/str.h"
#include "cli/analyzed.h"
#include "cli/output.h"
#include "cli/tallied.h"
#include "compat/tracelens.h"
#include "workload/workload.h"

struct report_opts {
    struct analyzed_opts in;
    struct output_opts out; /* always xlsx */
    const char *csv_dir;
    int64_t topk_kernels, histogram_bins;
    bool kernel_details, short_kernel_study, disable_kernel_summary, full_names;
};

static const struct opt opts[] = {
    OPT_GROUP("Output"),
    OPT_NAMES(NAMES_OUTPUT, struct report_opts, out.name, 'o', "output", "FILE.xlsx",
              "the workbook (NAME_perf_report.xlsx in the current folder)"),
    OPT_NAMES(NAMES_TARGET, struct report_opts, csv_dir, 0, "csv-dir", "DIR",
              "write each sheet as SHEET.csv into this folder; no workbook unless -o is given too"),
    OPT_GROUP("Sheets"),
    OPT_FLAG(struct report_opts, kernel_details, 0, "kernel-details",
             "add kernel_details: every dispatch, longest first"),
    OPT_INT(struct report_opts, topk_kernels, 0, "topk-kernels", 1, 1e15, "K",
            "only the K longest dispatches in kernel_details"),
    OPT_FLAG(struct report_opts, short_kernel_study, 0, "short-kernel-study",
             "add short_kernels_summary and short_kernel_histogram"),
    OPT_INT(struct report_opts, histogram_bins, 0, "short-kernel-histogram-bins", 1, 100000, "N",
            "bins of that histogram (100)"),
    OPT_FLAG(struct report_opts, disable_kernel_summary, 0, "disable-kernel-summary",
             "leave out kernel_summary and kernel_summary_by_category"),
    OPT_FLAG(struct report_opts, full_names, 0, "full-names",
             "tell kernels apart by their full names, not by truncated ones"),
    OPT_GROUP("What to analyze"),
    ANALYZED_OPTS(struct report_opts),
    OPT_END,
};

static void defaults(void *settings)
{
    struct report_opts *o = settings;
    *o = (struct report_opts){.in = ANALYZED_DEFAULTS, .histogram_bins = 100};
}

struct call {
    struct cli *cli;
    struct report_opts *o;
    struct workbook workbook;
    struct output *out;
    struct gs_error *err;
};

/* TraceLens' name for it: 908_results.json gives 908_perf_report.xlsx. */
static const char *default_name(const char *trace, struct arena *a)
{
    const char *base = fs_basename(trace), *dot = strchr(base, '.');
    size_t n = dot && dot > base ? (size_t)(dot - base) : strlen(base);
    const char *stem = arena_strndup(a, base, n);
    if (str_ends(stem, "_results"))
        stem = arena_strndup(a, stem, n - strlen("_results"));
    return arena_printf(a, "%s_perf_report.xlsx", *stem ? stem : "trace");
}

static void workbook_form(const struct report *r, struct workbook *w)
{
    *w = ((const struct call *)r->ctx)->workbook;
}

/* A folder of rocprof-compute has files of these names, which would be lost. */
static bool folder_is_free(const char *dir, struct arena *a, struct gs_error *err)
{
    const char *found;
    return !workload_find(dir, a, &found) ||
           fail(err, GS_E_USAGE,
                "cannot write tables into '%s': it holds a workload of rocprof-compute; give "
                "another folder",
                dir);
}

static bool write_all(struct call *c)
{
    const struct report_opts *o = c->o;
    struct report r = {.ctx = c, .arena = c->cli->arena, .workbook = workbook_form};
    if (o->csv_dir) {
        if (!folder_is_free(o->csv_dir, c->cli->arena, c->err) ||
            !render_csv(&c->workbook, o->csv_dir, &c->out->set, c->err))
            return false;
        output_note(c->out, "wrote %zu file%s into %s", c->workbook.sheets.n,
                    human_s(c->workbook.sheets.n), o->csv_dir);
    }
    if (!o->csv_dir || o->out.name)
        return output_only(c->out, &r, c->err);
    return output_finish(c->out, c->err);
}

static bool run(struct cli *cli, void *settings, struct gs_error *err)
{
    struct report_opts *o = settings;
    struct call *c = arena_new(cli->arena, struct call);
    *c = (struct call){.cli = cli, .o = o, .err = err};
    struct workbook_opts wo = {
        .kernel_details = o->kernel_details,
        .short_kernel_study = o->short_kernel_study,
        .disable_kernel_summary = o->disable_kernel_summary,
        .full_names = o->full_names,
        .topk_kernels = (uint64_t)o->topk_kernels,
        .histogram_bins = (uint64_t)o->histogram_bins,
    };
    if (o->out.name && str_ends(o->out.name, ".csv"))
        return fail(err, GS_E_USAGE, "cannot write all sheets into '%s'; use --csv-dir",
                    o->out.name);
    if (!o->out.name && !o->csv_dir)
        o->out.name = default_name(cli->operands.v[0], cli->arena);
    c->out = output_begin(cli, &o->out, "xlsx", err);
    struct tally *tables = NULL;
    if (!c->out || !tally_only(&cli->operands, &tables, cli->seen, cli->arena, err))
        return false;
    if (tables) {
        tallied_workbook(tables, &c->workbook, cli->arena);
        return write_all(c);
    }
    struct run_opts ro = cli_run_opts(cli, &o->in);
    struct run *r = cli_run(cli, &ro, err);
    if (!r)
        return false;
    tracelens_workbook(&c->workbook, r->analysis, &r->advice, &wo, cli->arena);
    if (c->workbook.detail_bytes > trace_text_most(&r->trace))
        return trace_text_fail(&r->trace, err);
    return write_all(c);
}

const struct command command_report = {
    .name = "report",
    .summary = "a workbook of all tables, as XLSX or CSV",
    .operands = "TRACE...",
    .doc =
        "Writes the tables of an analysis as sheets: first those of TraceLens' rocprof report, "
        "with "
        "its names and columns (gpu_timeline, kernel_summary, kernel_summary_by_category and, when "
        "asked for, kernel_details, short_kernels_summary, short_kernel_histogram), then the "
        "ledger, findings, hotspots, copies, host calls, gaps, streams, marker ranges, GPUs and "
        "the rest. The sheet 'about' says what each holds.\n\n"
        "Times are in the units their titles say; TraceLens' microseconds are nanoseconds. "
        "Cumulative percentages follow the order of the rows. Times of several GPUs are unions per "
        "GPU, summed, and total_time is multiplied by the number of GPUs.\n\n"
        "A table longer than an Excel sheet goes on in another. In CSV (RFC 4180: commas, CRLF, "
        "UTF-8) a text that a spreadsheet would run as a formula, because it starts with = + - "
        "or @, gets an apostrophe before it; numbers are never altered. Control characters are "
        "shown "
        "as escapes. Whole numbers above 2^53 are text in XLSX, where they would lose digits.",
    .examples =
        "gpusight report results.db -o results.xlsx  # for the manager\n"
        "gpusight report --kernel-details --topk-kernels 1000 results.db  # with the longest "
        "dispatches\n"
        "gpusight report --csv-dir tables results.db  # for a program",
    .writes_here = true,
    .opts = opts,
    .settings_size = sizeof(struct report_opts),
    .defaults = defaults,
    .run = run,
    .spreads = true,
};
