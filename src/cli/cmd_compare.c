/*
 * gpusight compare A B: did the change help, why, and is that more than noise?
 */
#include "base/fs.h"
#include "base/str.h"
#include "cli/analyze_workload.h"
#include "cli/fleet_opts.h"
#include "cli/llm_opts.h"
#include "cli/output.h"
#include "cli/runs.h"
#include "compare/gate.h"
#include "render/compare_json.h"
#include "report/compare_tables.h"
#include "run/run_words.h"
#include "source/source.h"

struct compare_opts {
    struct opt_list fail_on;
    enum reader_mode reader;
    const char *junit, *sarif, *source_dir, *annotations, *save, *baseline, *baseline_dir;
    int64_t top;
    bool gate;
    struct output_opts out;
    struct fleet_settings fleet;
    struct llm_settings llm;
};

static const struct opt opts[] = {
    OPT_GROUP("Output"),
    OUTPUT_OPTS(struct compare_opts, out, RENDERER_CHOICES_AND(xlsx)),
    SECTION_OPTS(struct compare_opts, out),
    OPT_INT(struct compare_opts, top, 0, "top", 1, 1000000, "N", "rows in tables (10)"),
    FLEET_OPT(struct compare_opts, fleet,
              "runs may be named as in this database of 'gpusight collect'"),
    READER_OPT(struct compare_opts, reader),
    OPT_GROUP("Gate"),
    OPT_LIST(struct compare_opts, fail_on, 0, "fail-on", "CONDITION",
             "exit with 1 when this holds, like 'wall>5%' or 'idle>10ms'"),
    OPT_FLAG(struct compare_opts, gate, 0, "gate",
             "the same as --fail-on 'wall>5%', unless conditions are given"),
    OPT_NAMES(NAMES_TARGET, struct compare_opts, junit, 0, "junit", "FILE",
              "write the conditions as JUnit XML"),
    OPT_NAMES(NAMES_TARGET, struct compare_opts, sarif, 0, "sarif", "FILE",
              "write what failed and what became slower as SARIF"),
    OPT_TEXT(struct compare_opts, source_dir, 0, "source-dir", "DIR",
             "source code, for the lines of kernels in --sarif"),
    OPT_CHOICE(struct compare_opts, annotations, 0, "annotations", "github|gitlab",
               "github: workflow commands on standard error; gitlab: gl-code-quality-report.json"),
    OPT_GROUP("Baselines"),
    OPT_NAMES(NAMES_STORED, struct compare_opts, save, 0, "save-baseline", "NAME",
              "keep B, or all runs given, under this name"),
    OPT_TEXT(struct compare_opts, baseline, 0, "baseline", "NAME",
             "the run kept under this name is A"),
    OPT_NAMES(NAMES_STORE, struct compare_opts, baseline_dir, 0, "baseline-dir", "DIR",
              "where baselines are kept (.gpusight/baselines)"),
    LLM_OPTS(struct compare_opts, llm),
    OPT_END,
};

static void defaults(void *settings)
{
    struct compare_opts *o = settings;
    *o = (struct compare_opts){
        .top = 10, .baseline_dir = ".gpusight/baselines", .llm = LLM_DEFAULTS};
}

struct call {
    struct cli *cli;
    struct compare_opts *o;
    struct gate gate;
    const struct explanation *explanation; /* NULL: no model was asked */
    struct run_profile a, b;
    struct comparison c;
    struct fleet_entries stored; /* with --db */
    struct output *out;
    struct gs_error *err;
    bool ok;
};

static void workbook_form(const struct report *r, struct workbook *w)
{
    const struct subject *s = r->about;
    workbook_compare(w, s->comparison, s->gate, s->explanation, r->arena);
}

static bool write_report(struct call *k)
{
    struct subject about = {.comparison = &k->c,
                            .gate = &k->gate,
                            .explanation = k->explanation,
                            .top = (size_t)k->o->top};
    struct report r = report_about(REPORT_COMPARISON, &about, k->cli->arena);
    r.workbook = workbook_form;
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
    for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
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

static bool write_sarif(struct call *k)
{
    struct arena *a = k->cli->arena;
    struct source_scan *scan = NULL;
    struct str *out = arena_new(a, struct str);
    if (!k->o->sarif)
        return !k->o->source_dir ||
               fail(k->err, GS_E_USAGE, "option '--source-dir' needs '--sarif'");
    if (k->o->source_dir && !(scan = source_scan_in(a, k->o->source_dir, parallel_cores(), k->err)))
        return false;
    str_init(out, a);
    gate_sarif(out, &k->gate, &k->c, scan);
    return output_extra(k->out, k->o->sarif, out, k->err);
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

/* A run of the database, or of the disk where that has none of the name. */
static bool load_run(struct call *k, struct run_profile *p, const char *what)
{
    struct arena *a = k->cli->arena;
    if (!k->o->fleet.db)
        return profile_load(k->cli, p, what, k->o->reader, k->err);
    struct fleet *f = fleet_opts_open(k->cli, &k->o->fleet, FLEET_READ, k->err);
    if (!f || (!k->stored.v.n && !fleet_list(f, NULL, &k->stored, a, k->err)))
        return false;
    const struct fleet_entry *e = fleet_choose(&k->stored, what, f, k->err);
    if (e)
        return fleet_profile(f, e, p, a, k->err);
    return fs_exists(what) && profile_load(k->cli, p, what, k->o->reader, k->err);
}

/* Runs of one program, from `first` on, as one. */
static bool load_runs(struct call *k, struct run_profile *out, size_t first, size_t n)
{
    struct run_profile *all = arena_array(k->cli->arena, struct run_profile, n);
    for (size_t i = 0; i < n; i++)
        if (!load_run(k, &all[i], k->cli->operands.v[first + i]))
            return false;
    for (size_t i = 1; i < n; i++) {
        struct comparison c;
        compare(&c, &all[0], &all[i], k->cli->arena);
        if (!c.comparable || c.steps < 0.99 || c.steps > 1.01)
            return fail(k->err, GS_E_USAGE, "'%s' is no repeat of '%s': %s", all[i].label,
                        all[0].label, c.reasons.n ? c.reasons.v[0] : "other work");
    }
    profile_join(out, all, n, k->cli->arena);
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

/*
 * How many of the operands are A; the others are B. A B; A... -- B...; all are B with --baseline,
 * and where runs are only saved.
 */
static bool split_operands(const struct call *k, size_t *of_a, bool *only_save)
{
    size_t n = k->cli->operands.n, behind = k->cli->behind;
    bool divided = behind && behind < n;
    *of_a = divided ? n - behind : n == 2 ? 1 : 0;
    *only_save = k->o->save && !k->o->baseline && !divided && n != 2 && n;
    if (k->o->baseline ? n && !divided : divided || n == 2 || *only_save) {
        *of_a = k->o->baseline ? 0 : *of_a;
        return true;
    }
    return fail(k->err, GS_E_USAGE, "%s; see 'gpusight compare --help'",
                k->o->baseline ? "with '--baseline' give only the runs of B"
                : n > 2        ? "put '--' between the runs of A and those of B"
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
    if (k->o->gate || k->o->fail_on.n || k->o->save || k->o->junit || k->o->sarif ||
        k->o->annotations)
        fail(k->err, GS_E_USAGE, "gates and baselines are for traces, not for workloads");
    else if (cli_llm_asked(&k->o->llm))
        fail(k->err, GS_E_USAGE, "option '--llm' is for traces, not for workloads");
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
    size_t of_a, n = cli->operands.n;
    bool only_save;
    k->out = output_begin(cli, &o->out, RENDERER_CHOICES_AND(xlsx), err);
    if (!k->out)
        return false;
    if (compare_workloads(k))
        return k->ok;
    if (o->gate && !o->fail_on.n)
        vec_push(&o->fail_on, cli->arena, "wall>5%");
    for (size_t i = 0; i < o->fail_on.n; i++)
        if (!gate_parse(&k->gate, o->fail_on.v[i], cli->arena, err))
            return false;
    if (!split_operands(k, &of_a, &only_save) || (o->baseline && !load_baseline(k)) ||
        (of_a && !load_runs(k, &k->a, 0, of_a)) || !load_runs(k, &k->b, of_a, n - of_a) ||
        !save_baseline(k, &k->b))
        return false;
    if (only_save)
        return output_finish(k->out, err); /* there is nothing to compare with: it was saved */
    compare(&k->c, &k->a, &k->b, cli->arena);
    gate_run(&k->gate, &k->c, cli->arena);
    struct explain_of of = {.comparison = &k->c};
    bool done;
    k->explanation = cli_llm_explain(cli, &o->llm, &of, &done, err);
    if (done || (o->llm.o.preview && !k->explanation))
        return done;
    if (!write_report(k) || !write_forms(k) || !write_sarif(k) || !output_finish(k->out, err))
        return false;
    return !k->gate.failed || fail(err, GS_E_GATE, "%s", ""); /* the report says why */
}

static bool before(struct cli *cli, void *settings, struct gs_error *err)
{
    struct compare_opts *o = settings;
    cli_llm_form(&o->llm, &o->out);
    if (!fleet_opts_before(cli, &o->fleet, FLEET_READ, err))
        return false;
    o->llm.versus = true;
    return cli_llm_before(cli, &o->llm, err);
}

const struct command command_compare = {
    .name = "compare",
    .summary = "did the change help: verdict, noise, ranked causes; a gate for CI",
    .operands = "[RUN...]",
    .doc =
        "Compares run A with run B. A run is a trace, a folder or several files divided by commas "
        "(the ranks of a job), a saved baseline, or the JSON of 'gpusight analyze'. Formats and "
        "vendors may differ.\n\n"
        "With --db a run may also be one that 'gpusight collect' has put into a database, by its "
        "name, the first letters of its hash, or as latest, latest~1 and so on.\n\n"
        "Several runs of each are given as 'A1 A2 A3 -- B1 B2 B3': noise then is what the runs "
        "of one program differ by, instead of what one run alone can tell. A baseline may stand "
        "for several runs, too.\n\n"
        "First it checks whether both did the same work; where they did not, it says so instead "
        "of giving a number. The clock on the wall for the same work decides where it can tell; "
        "where it cannot, the parts that surely changed do: kernels, exposed copies, "
        "communication, and idle time where it is regular. A change smaller than its noise "
        "counts as none.\n\n"
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
                "gpusight compare a1.db a2.db a3.db -- b1.db b2.db b3.db  # repeated runs\n"
                "gpusight compare --save-baseline main results.db  # keep a run\n"
                "gpusight compare --baseline main --fail-on 'wall>5%' results.db  # a gate for CI\n"
                "gpusight compare --db fleet.db latest~1 latest  # of a fleet\n"
                "gpusight compare --format markdown a.sqlite b.db > ticket.md  # across vendors\n"
                "gpusight compare before.db after.db -o change.html  # a page, side by side\n"
                "gpusight compare before.db after.db -o change.xlsx  # a workbook",
    .opts = opts,
    .settings_size = sizeof(struct compare_opts),
    .defaults = defaults,
    .before = before,
    .run = run,
    .spreads = true,
};
