/* The verdict, the ledger and the findings; and all of it in short for a part of the run. */
#include "advise/rule.h"
#include "base/str.h"
#include "render/analysis_json_in.h"
#include "tool/ask.h"

/* ---- findings ---- */

struct finding_row {
    uint32_t place;
    const struct finding *f;
    const char *rule, *impact;
};

struct finding_rows {
    struct finding_row *v;
    size_t n, cap;
};

static void take_findings(struct finding_rows *out, const struct tool_ask *ask)
{
    const struct advice *advice = &ask->run->advice;
    enum priority only = priority_of(ask->args.priority);
    for (size_t i = 0; i < advice->findings.n; i++) {
        const struct finding *f = advice->findings.v[i];
        if (ask->args.priority && f->priority != only)
            continue;
        vec_push(out, ask->arena,
                 ((struct finding_row){(uint32_t)i + 1, f, f->rule->name,
                                       finding_impact(f, ask->arena)}));
    }
}

#define T struct finding
PART(finding_short, T, ALWAYS(T, id, FIELD_TEXT, "id", "'finding' tells all about it"),
     ALWAYS(T, priority, FIELD_ENUM, "priority", "from what was claimed", .words = priority_names),
     ALWAYS(T, title, FIELD_TEXT, "title", "what is wrong"),
     OR_NULL(T, issue, FIELD_TEXT, "issue", "what is wrong here"),
     ALWAYS(T, claimed_ns, FIELD_I64, "claimed_ns",
            "GPU time that it explains; nobody else has it"),
     ALWAYS(T, runtime_fraction_pct, FIELD_NUM, "runtime_fraction_pct",
            "100 x claimed_ns / (window x GPUs)"),
     ALWAYS(T, confidence, FIELD_NUM, "confidence", "0 to 1"));
#undef T
#define T struct finding_row
PART(finding_row_fields, T, ALWAYS(T, place, FIELD_U32, "place", "by what can be won, from 1"),
     SPREAD(T, f, FIELD_REF, &finding_short), ALWAYS(T, rule, FIELD_TEXT, "rule", "its rule"),
     ALWAYS(T, impact, FIELD_TEXT, "estimated_impact", "what following it wins"));
#undef T

struct findings_doc {
    struct tool_head head;
    struct finding_rows findings;
};

static const void *call_findings(struct tool_ask *ask, struct gs_error *err)
{
    struct findings_doc *d = arena_new(ask->arena, struct findings_doc);
    struct finding_rows rows = {0};
    (void)err;
    tool_head_set(ask, &d->head);
    take_findings(&rows, ask);
    tool_rows(ask, &d->findings, rows.v, rows.n);
    return d;
}

#define T struct findings_doc
PART(findings_result, T, TOOL_HEAD(T),
     ALWAYS(T, findings, FIELD_LIST, "findings", "largest gain first", .of = &finding_row_fields));
#undef T
static const struct field findings_params_list[] = {
    P_TRACE,
    P(priority, FIELD_TEXT, "only of this priority", .words = priority_names),
    P_PAGE,
};
static const struct fields findings_params = FIELDS("", "", struct tool_args, findings_params_list);

const struct tool tool_findings = {
    .name = "findings",
    .title = "What is wrong",
    .description = "What costs time, ranked by what can be won; no nanosecond is claimed twice. "
                   "'finding' gives the evidence and the advice of one",
    .params = &findings_params,
    .result = &findings_result,
    .needs_run = true,
    .call = call_findings,
};

struct finding_doc {
    struct tool_head head;
    struct finding_json finding;
};

static const struct finding *find_finding(const struct advice *a, const char *id)
{
    for (size_t i = 0; i < a->findings.n; i++)
        if (str_eq(a->findings.v[i]->id, id) || str_eq(a->findings.v[i]->rule->name, id))
            return a->findings.v[i];
    return NULL;
}

static const void *call_finding(struct tool_ask *ask, struct gs_error *err)
{
    struct finding_doc *d = arena_new(ask->arena, struct finding_doc);
    const struct finding *f = find_finding(&ask->run->advice, ask->args.id);
    tool_head_set(ask, &d->head);
    if (!f) {
        fail(err, GS_E_USAGE, "no finding '%.80s'; 'findings' lists all", ask->args.id);
        return NULL;
    }
    finding_json_make(&d->finding, f, ask->arena);
    tool_rows(ask, &d->finding.f.evidence, d->finding.f.evidence.v, d->finding.f.evidence.n);
    return d;
}

#define T struct finding_doc
PART(finding_result, T, TOOL_HEAD(T),
     ALWAYS(T, finding, FIELD_OBJECT, "finding", "with evidence, actions and commands",
            .of = &finding_json_fields));
#undef T
static const struct field finding_params_list[] = {
    P_TRACE,
    ALWAYS(struct tool_args, id, FIELD_TEXT, "id", "of the finding, or its rule"),
    P_PAGE,
};
static const struct fields finding_params = FIELDS("", "", struct tool_args, finding_params_list);

const struct tool tool_finding = {
    .name = "finding",
    .title = "One finding in full",
    .description =
        "Evidence with numbers, thresholds, moments and ids to look up with 'event', how "
        "sure it is and why, what to do, what that wins, commands that capture more",
    .params = &finding_params,
    .result = &finding_result,
    .needs_run = true,
    .call = call_finding,
};

/* ---- the ledger ---- */

struct ledger_doc {
    struct tool_head head;
    int64_t window_ns;
    uint64_t gpu_count;
    VEC(struct ledger_gpu_json) gpus;
    VEC(struct cause_json) causes;
};

static struct cause_json cause_of(enum cause c, int64_t ns, double whole)
{
    const struct cause_info *info = cause_info(c);
    return (struct cause_json){info->key, info->label, info->kind, ns,
                               percent_of((double)ns, whole)};
}

struct causes {
    struct cause_json *v;
    size_t n, cap;
};

static void take_causes(struct causes *out, const struct analysis *a, bool zeros,
                        struct arena *arena)
{
    for (enum cause c = 0; c < CAUSES; c++)
        if (zeros || a->ledger.ns[c])
            vec_push(out, arena,
                     cause_of(c, a->ledger.ns[c],
                              (double)a->ledger.window_ns * (double)a->ledger.n_gpus));
}

static const void *call_ledger(struct tool_ask *ask, struct gs_error *err)
{
    const struct analysis *a = ask->a;
    struct ledger_doc *d = arena_new(ask->arena, struct ledger_doc);
    struct causes all = {0};
    VEC(struct ledger_gpu_json) gpus = {0};
    (void)err;
    tool_head_set(ask, &d->head);
    d->window_ns = a->ledger.window_ns;
    d->gpu_count = a->ledger.n_gpus;
    take_causes(&all, a, true, ask->arena);
    d->causes.v = all.v;
    d->causes.n = all.n;
    for (size_t g = 0; g < a->ledger.n_gpus; g++) {
        uint32_t gpu = a->view.gpus[g].gpu;
        struct ledger_gpu_json *row = vec_add(&gpus, ask->arena);
        row->gpu = analysis_gpu_index(a, g);
        row->name = gpu == NO_INDEX ? "" : trace_str(a->trace, a->trace->gpus.v[gpu].name);
        for (enum cause c = 0; c < CAUSES; c++)
            if (a->ledger.gpus[g].ns[c])
                vec_push(&row->causes, ask->arena,
                         cause_of(c, a->ledger.gpus[g].ns[c], (double)a->ledger.window_ns));
    }
    tool_rows(ask, &d->gpus, gpus.v, gpus.n);
    return d;
}

#define T struct ledger_doc
PART(ledger_result, T, TOOL_HEAD(T),
     ALWAYS(T, window_ns, FIELD_I64, "window_ns",
            "end_ns - start_ns, without pauses of the recording"),
     ALWAYS(T, gpu_count, FIELD_U64, "gpu_count", "GPUs looked at"),
     ALWAYS(T, causes, FIELD_LIST, "causes", "they add up to window_ns x gpu_count, exactly",
            .of = &cause_json_fields),
     ALWAYS(T, gpus, FIELD_LIST, "gpus", "the same per GPU, causes with time only",
            .of = &ledger_gpu_json_fields));
#undef T

static const struct analysis_kind *const breakdown_only[] = {&analysis_breakdown, NULL};

const struct tool tool_ledger = {
    .name = "ledger",
    .title = "Where the GPU time went",
    .description = "Every nanosecond of every GPU by its one cause: compute, exposed communication "
                   "and copies, idle time by what the host was doing; also of a part of the run",
    .params = &tool_params_part,
    .result = &ledger_result,
    .kinds = breakdown_only,
    .needs_run = true,
    .call = call_ledger,
};

/* ---- in short ---- */

struct analyze_doc {
    struct tool_head head;
    const char *path;
    const struct verdict *verdict;
    const struct breakdown *breakdown;
    struct overview overview;
    VEC(const char *) key_findings;
    struct finding_rows findings;
    struct causes causes;
};

static const void *call_analyze(struct tool_ask *ask, struct gs_error *err)
{
    struct analyze_doc *d = arena_new(ask->arena, struct analyze_doc);
    const struct run *r = ask->run;
    struct finding_rows rows = {0};
    (void)err;
    tool_head_set(ask, &d->head);
    d->path = r->trace.files.v[0].path;
    d->verdict = &r->advice.verdict;
    d->breakdown = &ask->a->breakdown;
    d->overview = r->advice.overview;
    take_findings(&rows, ask);
    tool_rows(ask, &d->findings, rows.v, rows.n);
    tool_rows(ask, &d->key_findings, d->overview.key_findings.v, d->overview.key_findings.n);
    take_causes(&d->causes, ask->a, false, ask->arena);
    return d;
}

#define T struct analyze_doc
#define CAUSES_WITH_TIME                                                                           \
    ALWAYS(T, causes, FIELD_LIST, "ledger", "causes with time; 'ledger' tells more",               \
           .of = &cause_json_fields)
PART(analyze_result, T, TOOL_HEAD(T), ALWAYS(T, path, FIELD_TEXT, "path", "first file"),
     ALWAYS(T, overview.assessment, FIELD_TEXT, "overall_assessment",
            "the verdict and the size of the run"),
     ALWAYS(T, overview.bottleneck, FIELD_ENUM, "primary_bottleneck", "in one word",
            .words = primary_names),
     ALWAYS(T, overview.confidence, FIELD_NUM, "confidence", "0 to 1"),
     ALWAYS(T, overview.tier, FIELD_I32, "analysis_tier",
            "1: trace, 2: trace and counters, 3: PC samples, instructions"),
     ALWAYS(T, verdict, FIELD_REF, "verdict", "is there anything to win",
            .of = &verdict_json_fields),
     ALWAYS(T, breakdown, FIELD_REF, "breakdown", "totals of the run", .of = &breakdown_fields),
     CAUSES_WITH_TIME,
     ALWAYS(T, findings, FIELD_LIST, "findings", "largest gain first; 'finding' tells more",
            .of = &finding_row_fields),
     ALWAYS(T, key_findings, FIELD_LIST, "key_findings", "sentences, most important first",
            .of = &field_texts));
#undef T

const struct tool tool_analyze = {
    .name = "analyze",
    .title = "Analyze a trace",
    .description = "Loads a trace and gives the verdict, the ledger, totals and ranked findings. "
                   "The first question about any trace; its answer has the id for the others",
    .params = &tool_params_whole,
    .result = &analyze_result,
    .needs_run = true,
    .call = call_analyze,
};

struct window_doc {
    struct tool_head head;
    const struct breakdown *breakdown;
    struct causes causes;
    VEC(struct hotspot) hotspots;
    VEC(struct copy_row) copies;
    VEC(struct api_row) calls;
    VEC(struct long_gap) gaps;
};

static const void *call_window(struct tool_ask *ask, struct gs_error *err)
{
    const struct analysis *a = ask->a;
    struct window_doc *d = arena_new(ask->arena, struct window_doc);
    (void)err;
    tool_head_set(ask, &d->head);
    d->breakdown = &a->breakdown;
    take_causes(&d->causes, a, false, ask->arena);
    tool_rows(ask, &d->hotspots, a->hotspots.v, a->hotspots.n);
    tool_rows(ask, &d->copies, a->copies.v, a->copies.n);
    tool_rows(ask, &d->calls, a->api.v, a->api.n);
    tool_rows(ask, &d->gaps, a->long_gaps.v, a->long_gaps.n);
    if (!ask->args.has_limit)
        ask->limit = 8;
    return d;
}

#define T struct window_doc
PART(window_result, T, TOOL_HEAD(T),
     ALWAYS(T, breakdown, FIELD_REF, "breakdown", "totals of the window", .of = &breakdown_fields),
     CAUSES_WITH_TIME,
     ALWAYS(T, hotspots, FIELD_LIST, "hotspots", "kernels, most time first", .of = &hotspot_fields),
     ALWAYS(T, copies, FIELD_LIST, "copies", "by direction", .of = &copy_fields),
     ALWAYS(T, calls, FIELD_LIST, "calls", "of the host, most time first", .of = &api_call_fields),
     ALWAYS(T, gaps, FIELD_LIST, "long_gaps", "longest first", .of = &long_gap_fields));
#undef T

static const struct analysis_kind *const window_kinds[] = {
    &analysis_breakdown, &analysis_hotspots, &analysis_api, &analysis_copies, &analysis_gaps, NULL};

const struct tool tool_window = {
    .name = "window",
    .title = "A part of the run",
    .description = "What happened between two moments, in a phase or inside a marker: totals, "
                   "ledger, kernels, copies, host calls and gaps, the first 8 of each",
    .params = &tool_params_part,
    .result = &window_result,
    .kinds = window_kinds,
    .needs_run = true,
    .call = call_window,
};
