/*
 * gpusight compare A B: did the change help, why, and is that more than noise?
 */
#include "base/fs.h"
#include "base/str.h"
#include "cli/analyze_workload.h"
#include "cli/output.h"
#include "cli/runs.h"
#include "compare/gate.h"
#include "render/compare_json.h"
#include "report/compare_tables.h"

struct compare_opts {
    struct opt_list fail_on;
    const char *reader, *junit, *annotations, *save, *baseline, *baseline_dir;
    int64_t top;
    struct output_opts out;
};

static const struct opt opts[] = {
    OPT_GROUP("Output"),
    OUTPUT_OPTS(struct compare_opts, out, RENDERER_CHOICES_AND(xlsx)),
    SECTION_OPTS(struct compare_opts, out),
    OPT_INT(struct compare_opts, top, 0, "top", 1, 1000000, "N", "rows in tables (10)"),
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
    *o = (struct compare_opts){.reader = "auto", .top = 10, .baseline_dir = ".gpusight/baselines"};
}

struct call {
    struct cli *cli;
    const struct compare_opts *o;
    struct gate gate;
    struct run_profile a, b;
    struct comparison c;
    struct output *out;
    struct gs_error *err;
    bool ok;
};

static void json_form(const struct report *r, struct str *out, bool in_page)
{
    const struct call *k = r->ctx;
    struct jwrite w;
    jw_init(&w, out, in_page ? 0 : 2);
    compare_json(&w, &k->c, &k->gate);
    str_putc(out, '\n');
}

static void workbook_form(const struct report *r, struct workbook *w)
{
    struct call *k = r->ctx;
    workbook_compare(w, &k->c, &k->gate, r->arena);
}

static bool write_report(struct call *k)
{
    struct subject about = {.comparison = &k->c, .gate = &k->gate, .top = (size_t)k->o->top};
    struct report r = {.ctx = k,
                       .arena = k->cli->arena,
                       .about = &about,
                       .make = compare_report,
                       .json = json_form,
                       .kind = "comparison",
                       .workbook = workbook_form};
    return output_named(k->out, NULL, k->err) && output_report(k->out, &r, k->err);
}

/* What other programs read of the gate: NAME of --annotations, or --junit. */
static bool write_forms(struct call *k)
{
    static const struct {
        const char *name, *path;
        void (*write)(struct str *out, const struct gate *gate, const struct comparison *c);
    } forms[] = {{"junit", NULL, gate_junit},
                 {"github", "/dev/stderr", gate_github},
                 {"gitlab", "gl-code-quality-report.json", gate_gitlab}};
    for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
        const char *path = forms[i].path ? forms[i].path : k->o->junit;
        bool asked = forms[i].path ? k->o->annotations && str_eq(k->o->annotations, forms[i].name)
                                   : k->o->junit != NULL;
        struct str *out = arena_new(k->cli->arena, struct str);
        if (!asked)
            continue;
        str_init(out, k->cli->arena);
        forms[i].write(out, &k->gate, &k->c);
        if (!output_extra(k->out, path, out, k->err))
            return false;
    }
    return true;
}

static bool save_baseline(struct call *k, const struct run_profile *p)
{
    const char *path;
    struct str *text = arena_new(k->cli->arena, struct str);
    if (!k->o->save)
        return true;
    str_init(text, k->cli->arena);
    profile_text(p, text);
    return baseline_path(k->cli, k->o->baseline_dir, k->o->save, &path, k->err) &&
           fs_set_folder(&k->out->set, k->o->baseline_dir, k->err) &&
           output_extra(k->out, path, text, k->err);
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
    if (runs->n != 2 || !workload_find(runs->v[0], a, &first) ||
        !workload_find(runs->v[1], a, &second))
        return false;
    if (k->o->fail_on.n || k->o->save || k->o->junit || k->o->annotations)
        fail(k->err, GS_E_USAGE, "gates and baselines are for traces, not for workloads");
    else
        k->ok = workload_compare_report(k->out, first, second, (size_t)k->o->top, k->err) &&
                output_finish(k->out, k->err);
    return true;
}

static bool run(struct cli *cli, void *settings, struct gs_error *err)
{
    struct compare_opts *o = settings;
    struct call *k = arena_new(cli->arena, struct call);
    *k = (struct call){.cli = cli, .o = o, .err = err};
    const struct opt_list *runs = &cli->operands;
    k->out = output_begin(cli, &o->out, RENDERER_CHOICES_AND(xlsx), err);
    if (!k->out)
        return false;
    if (compare_workloads(k))
        return k->ok;
    for (size_t i = 0; i < o->fail_on.n; i++)
        if (!gate_parse(&k->gate, o->fail_on.v[i], cli->arena, err))
            return false;
    if (!check_operands(k) || (o->baseline && !load_baseline(k)) ||
        (runs->n == 2 && !profile_load(cli, &k->a, runs->v[0], o->reader, err)) ||
        !profile_load(cli, &k->b, runs->v[runs->n - 1], o->reader, err) || !save_baseline(k, &k->b))
        return false;
    if (runs->n == 1 && !o->baseline)
        return output_finish(k->out, err); /* there is nothing to compare with: it was saved */
    compare(&k->c, &k->a, &k->b, cli->arena);
    gate_run(&k->gate, &k->c, cli->arena);
    if (!write_report(k) || !write_forms(k) || !output_finish(k->out, err))
        return false;
    return !k->gate.failed || fail(err, GS_E_GATE, "%s", ""); /* the report says why */
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
