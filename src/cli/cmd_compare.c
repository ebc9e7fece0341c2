/*
 * gpusight compare A B: did the change help, why, and is that more than noise?
 */
#include <stdio.h>

#include "base/fs.h"
#include "base/fs_out.h"
#include "base/str.h"
#include "cli/analyze_workload.h"
#include "cli/report_form.h"
#include "cli/runs.h"
#include "compare/gate.h"
#include "render/compare_json.h"
#include "render/workbook_out.h"
#include "report/compare_tables.h"

struct compare_opts {
    struct opt_list fail_on;
    const char *format, *output, *reader, *junit, *annotations, *save, *baseline, *baseline_dir,
        *sections;
    int64_t top;
    bool json, list_sections;
};

static const struct opt opts[] = {
    OPT_GROUP("Output"),
    OPT_CHOICE(struct compare_opts, format, 0, "format", "text|json|markdown|html|webview|pdf|xlsx",
               "form of the report (text, or what the name of the output ends in)"),
    OPT_FLAG(struct compare_opts, json, 0, "json", "the same as --format json"),
    OPT_TEXT(struct compare_opts, output, 'o', "output", "FILE",
             "write to FILE instead of standard output"),
    OPT_INT(struct compare_opts, top, 0, "top", 1, 1000000, "N", "rows in tables (10)"),
    SECTION_OPTS(struct compare_opts, sections, list_sections),
    OPT_CHOICE(struct compare_opts, reader, 0, "reader", "auto|fast|sqlite|check",
               "how to read databases"),
    OPT_GROUP("Gate"),
    OPT_LIST(struct compare_opts, fail_on, 0, "fail-on", "CONDITION",
             "exit with 1 when this holds, like 'wall>5%' or 'idle>10ms'"),
    OPT_TEXT(struct compare_opts, junit, 0, "junit", "FILE", "write the conditions as JUnit XML"),
    OPT_CHOICE(struct compare_opts, annotations, 0, "annotations", "github|gitlab",
               "github: workflow commands on standard error; gitlab: gl-code-quality-report.json"),
    OPT_GROUP("Baselines"),
    OPT_TEXT(struct compare_opts, save, 0, "save-baseline", "NAME",
             "keep the last run given under this name"),
    OPT_TEXT(struct compare_opts, baseline, 0, "baseline", "NAME",
             "the run kept under this name is A"),
    OPT_TEXT(struct compare_opts, baseline_dir, 0, "baseline-dir", "DIR",
             "where baselines are kept (.gpusight/baselines)"),
    OPT_END,
};

static void defaults(void *settings)
{
    struct compare_opts *o = settings;
    *o = (struct compare_opts){
        .output = "-", .reader = "auto", .top = 10, .baseline_dir = ".gpusight/baselines"};
}

struct call {
    struct cli *cli;
    const struct compare_opts *o;
    struct gate gate;
    struct run_profile a, b;
    struct comparison c;
    struct gs_error *err;
    bool ok;
};

/* As asked, or by the name of the output. */
static const char *output_form(const struct compare_opts *o)
{
    static const char *const endings[][2] = {{".html", "html"},
                                             {".xlsx", "xlsx"},
                                             {".pdf", "pdf"},
                                             {".json", "json"},
                                             {".md", "markdown"}};
    if (o->json)
        return "json";
    if (o->format)
        return str_eq(o->format, "webview") ? "html" : o->format;
    for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++)
        if (str_ends(o->output, endings[i][0]))
            return endings[i][1];
    return "text";
}

static bool write_workbook(struct call *k)
{
    struct workbook w;
    size_t split;
    workbook_compare(&w, &k->c, &k->gate, k->cli->arena);
    return render_xlsx(&w, k->o->output, &split, k->err);
}

static void write_json(struct jwrite *w, const void *of)
{
    const struct call *k = of;
    compare_json(w, &k->c, &k->gate);
}

static struct report_form form_of(const struct call *k)
{
    return (struct report_form){
        .format = k->o->format,
        .sections = k->o->sections,
        .list = k->o->list_sections,
        .top = (size_t)k->o->top,
        .text = {k->cli->columns, k->cli->color && str_eq(k->o->output, "-")}};
}

static bool write_report(struct call *k)
{
    const char *format = k->o->format;
    if (str_eq(format, "xlsx"))
        return write_workbook(k);
    struct str out;
    str_init(&out, k->cli->arena);
    if (str_eq(format, "json") && !k->o->list_sections) {
        struct jwrite w;
        jw_init(&w, &out, 2);
        compare_json(&w, &k->c, &k->gate);
        str_putc(&out, '\n');
        return fs_write(k->o->output, out.buf, out.len, k->err);
    }
    struct report_form f = form_of(k);
    struct subject about = {.comparison = &k->c, .gate = &k->gate, .top = f.top};
    struct doc *d = report_doc(&about, compare_report, &f, k->cli->arena, k->err);
    if (!d)
        return false;
    d->kind = "comparison";
    d->json = write_json;
    d->json_of = k;
    return render_doc(&out, d, format, &f.text, k->err) &&
           fs_write(k->o->output, out.buf, out.len, k->err);
}

static bool write_forms(struct call *k)
{
    struct str out;
    str_init(&out, k->cli->arena);
    if (k->o->junit) {
        gate_junit(&out, &k->gate, &k->c);
        if (!fs_write(k->o->junit, out.buf, out.len, k->err))
            return false;
        str_clear(&out);
    }
    if (k->o->annotations && str_eq(k->o->annotations, "github")) {
        gate_github(&out, &k->gate, &k->c);
        fputs(out.buf, stderr);
    } else if (k->o->annotations) {
        gate_gitlab(&out, &k->gate, &k->c);
        return fs_write("gl-code-quality-report.json", out.buf, out.len, k->err);
    }
    return true;
}

static bool save_baseline(struct call *k, const struct run_profile *p)
{
    const char *path;
    if (!k->o->save)
        return true;
    if (!baseline_path(k->cli, k->o->baseline_dir, k->o->save, &path, k->err) ||
        !fs_make_folders(k->o->baseline_dir, k->cli->arena, k->err) ||
        !profile_save(k->cli, p, path, k->err))
        return false;
    fprintf(stderr, "wrote %s\n", path);
    return true;
}

static bool load_baseline(struct call *k)
{
    const char *path;
    if (!baseline_path(k->cli, k->o->baseline_dir, k->o->baseline, &path, k->err))
        return false;
    if (!fs_exists(path))
        return fail(k->err, GS_E_IO, "no baseline '%s' in '%s'; save one with '--save-baseline %s'",
                    k->o->baseline, k->o->baseline_dir, k->o->baseline);
    return profile_load(k->cli, &k->a, path, k->o->reader, k->err);
}

/* Operands: A B; B with --baseline; only A to save a baseline. */
static bool check_operands(const struct call *k)
{
    size_t n = k->cli->operands.n, want = k->o->baseline ? 1 : 2;
    if (n == want || (n == 1 && k->o->save))
        return true;
    return fail(k->err, GS_E_USAGE, "%s; see 'gpusight compare --help'",
                k->o->baseline ? "with '--baseline' give exactly one run"
                               : "give two runs, A and B");
}

/* Two folders of rocprof-compute; false when they are something else. */
static bool compare_workloads(struct call *k)
{
    const struct opt_list *runs = &k->cli->operands;
    struct arena *a = k->cli->arena;
    const char *first, *second;
    struct report_form f = form_of(k);
    struct str out;
    if (runs->n != 2 || !workload_find(runs->v[0], a, &first) ||
        !workload_find(runs->v[1], a, &second))
        return false;
    str_init(&out, a);
    if (k->o->fail_on.n || k->o->save || k->o->junit || k->o->annotations)
        fail(k->err, GS_E_USAGE, "gates and baselines are for traces, not for workloads");
    else
        k->ok = workload_compare_report(k->cli, first, second, &f, &out, k->err) &&
                fs_write(k->o->output, out.buf, out.len, k->err);
    return true;
}

static bool run(struct cli *cli, void *settings, struct gs_error *err)
{
    struct compare_opts *o = settings;
    struct call k = {.cli = cli, .o = o, .err = err};
    const struct opt_list *runs = &cli->operands;
    o->format = output_form(o);
    if (compare_workloads(&k))
        return k.ok;
    for (size_t i = 0; i < o->fail_on.n; i++)
        if (!gate_parse(&k.gate, o->fail_on.v[i], cli->arena, err))
            return false;
    if (!check_operands(&k) || (o->baseline && !load_baseline(&k)) ||
        (runs->n == 2 && !profile_load(cli, &k.a, runs->v[0], o->reader, err)) ||
        !profile_load(cli, &k.b, runs->v[runs->n - 1], o->reader, err) || !save_baseline(&k, &k.b))
        return false;
    if (runs->n == 1 && !o->baseline)
        return true; /* there is nothing to compare with: it was saved */
    compare(&k.c, &k.a, &k.b, cli->arena);
    gate_run(&k.gate, &k.c, cli->arena);
    if (!write_report(&k) || !write_forms(&k))
        return false;
    return !k.gate.failed || fail(err, GS_E_GATE, "%s", ""); /* the report says why */
}

const struct command command_compare = {
    .name = "compare",
    .summary = "did the change help: verdict, noise, ranked causes; a gate for CI",
    .operands = "[RUN...]",
    .doc =
        "Compares run A with run B. A run is a trace, a folder or several files divided by commas "
        "(the ranks of a job), a saved baseline, or the JSON of 'gpusight analyze'. Formats and "
        "vendors may differ.\n\n"
        "First it checks whether both did the same work; where they did not, it says so instead "
        "of giving a number. The verdict is about the time that can be compared: compute, exposed "
        "copies, communication, and idle time where it is regular. A change smaller than its "
        "noise counts as none.\n\n"
        "--fail-on takes METRIC OP LIMIT, several divided by commas. A limit with % is the change "
        "from A to B, any other is B's own value. Metrics: wall, window, kernel_time, busy, "
        "busy_pct, idle, idle_pct, copy, copy_bytes, communication, launches, launch_latency, "
        "allocations, peak_memory, kernel:NAME, and each cause of the ledger (compute, copy_h2d, "
        "launch, sync, allocation, host, ...). The exit code is 1 when a condition holds.\n\n"
        "The page (html) holds everything and needs no network; the workbook (xlsx) has a sheet "
        "for "
        "each table.\n\n"
        "Two folders of rocprof-compute are compared metric by metric, kernels by name.\n\n"
        "docs/compare.md has every formula.",
    .examples = "gpusight compare before.db after.db  # the verdict, and why\n"
                "gpusight compare --save-baseline main results.db  # keep a run\n"
                "gpusight compare --baseline main --fail-on 'wall>5%' results.db  # a gate for CI\n"
                "gpusight compare --format markdown a.sqlite b.db > ticket.md  # across vendors\n"
                "gpusight compare before.db after.db -o change.html  # a page, side by side\n"
                "gpusight compare before.db after.db -o change.xlsx  # a workbook",
    .opts = opts,
    .settings_size = sizeof(struct compare_opts),
    .defaults = defaults,
    .run = run,
};
