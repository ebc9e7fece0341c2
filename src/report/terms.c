#include "report/terms.h"

#include <string.h>
#include <strings.h>

#include "advise/overview.h"
#include "att/att.h"
#include "base/array.h"
#include "base/str.h"
#include "depend/path.h"
#include "job/job.h"
#include "metric/metrics.h"
#include "plan/plan.h"
#include "report/compare_tables.h"
#include "workload/panels.h"

const struct quality_check_doc quality_check_docs[] = {
#define QUALITY_CHECK(code, weight, doc) {code, weight, doc},
#include "report/quality_checks.def"
#undef QUALITY_CHECK
    {0},
};

static const struct {
    const char *name, *doc;
} counters[] = {
#define COUNTER_DOC(name, doc) {name, doc},
#include "report/counter_docs.def"
#undef COUNTER_DOC
};

static const char *const api_docs[API_CLASSES] = {
    [API_OTHER] = "any other call into the runtime",
    [API_LAUNCH] = "launches kernels or graphs, or enqueues a collective",
    [API_SYNC] = "waits for the GPU: synchronises a device, a stream or an event",
    [API_COPY] = "copies memory and waits until that is done",
    [API_COPY_ASYNC] = "enqueues a copy or a memset and returns",
    [API_ALLOC] = "allocates, frees, registers or maps memory",
    [API_MODULE] = "loads or compiles code, or starts the runtime",
    [API_EVENT] = "records, queries or waits for events",
    [API_CREATE] = "creates or destroys streams, events and their like",
    [API_COMM] = "MPI",
    [API_IO] = "the operating system: files, locks, sleep",
    [API_HOST] = "functions of the program that were instrumented: they say where, not why",
};

const char *const rule_need_names[] = {"kernels", "API calls", "copies",
                                       "markers", "counters",  NULL};

const char *rule_needs_text(unsigned needs, struct arena *a)
{
    struct str s;
    str_init(&s, a);
    for (unsigned i = 0; rule_need_names[i]; i++)
        if (needs >> i & 1)
            str_printf(&s, "%s%s", s.len ? ", " : "", rule_need_names[i]);
    return s.len ? s.buf : "nothing";
}

static void add(struct terms *t, struct arena *a, enum term_kind kind, const char *name,
                const char *doc)
{
    vec_push(t, a, ((struct term){.kind = kind, .name = name, .unit = "", .doc = doc}));
}

static void add_fields(struct terms *t, struct arena *a, const struct fields *f)
{
    for (size_t i = 0; i < f->n; i++)
        vec_push(t, a,
                 ((struct term){.kind = TERM_METRIC,
                                .name = f->v[i].key,
                                .alias = arena_printf(a, "%s.%s", f->key, f->v[i].key),
                                .where = f->key,
                                .unit = unit_word(f->v[i].unit),
                                .doc = f->v[i].doc}));
}

/* Metrics of workloads: their doc, and the formula. */
static void add_workload_metrics(struct terms *t, struct arena *a)
{
    size_t n;
    const struct workload_metric *m = workload_metrics(&n);
    for (size_t i = 0; i < n; i++)
        vec_push(t, a,
                 ((struct term){.kind = TERM_METRIC,
                                .name = m[i].name,
                                .alias = arena_printf(a, "workload.%d.%s", m[i].panel, m[i].key),
                                .where = arena_printf(a, "workload panel %d", m[i].panel),
                                .unit = workload_unit_name(m[i].unit, a),
                                .doc = arena_printf(a, "%s: %s", m[i].doc, m[i].formula)}));
}

static void add_tables(struct terms *t, struct arena *a)
{
    static const struct fields *const others[] = {
        &execution_fields,  &timeline_fields,        &region_fields,      &counter_fields,
        &straggler_fields,  &efficiency_fields,      &job_stats_fields,   &capture_fields,
        &att_kernel_fields, &att_instruction_fields, &att_class_fields,   &att_block_fields,
        &att_state_fields,  &att_occupancy_fields,   &att_finding_fields, &att_dispatch_fields};
    struct results tables = {0};
    analysis_results(arena_new(a, struct analysis), &tables, a);
    for (size_t i = 0; i < tables.n; i++)
        add_fields(t, a, tables.v[i].fields);
    for (size_t i = 0; i < ARRAY_LEN(others); i++)
        add_fields(t, a, others[i]);
    add_workload_metrics(t, a);
    for (size_t i = 0; i < tables.n; i++)
        add(t, a, TERM_TABLE, tables.v[i].fields->key, tables.v[i].fields->doc);
    for (size_t i = 0; i < ARRAY_LEN(others); i++)
        add(t, a, TERM_TABLE, others[i]->key, others[i]->doc);
}

/* Metrics derived from counters, each once; architectures differ only in the counters used. */
static void add_derived(struct terms *t, struct arena *a)
{
    size_t n;
    const struct metric_def *defs = metric_defs(&n);
    for (size_t i = 0; i < n; i++) {
        bool seen = false;
        for (size_t k = 0; k < i; k++)
            seen |= defs[k].metric == defs[i].metric;
        if (!seen)
            vec_push(
                t, a,
                ((struct term){.kind = TERM_METRIC,
                               .name = defs[i].id,
                               .alias = arena_printf(a, "counter_metrics.%s", defs[i].id),
                               .where = "derived from counters",
                               .unit = unit_word(defs[i].unit),
                               .doc = arena_printf(a, "%s; on %s: %s", defs[i].doc,
                                                   metric_archs(&defs[i], a), defs[i].formula)}));
    }
}

static const char *rules_of(enum rule_category category, struct arena *a)
{
    struct str s;
    str_init(&s, a);
    for (const struct rule *const *r = rules; *r; r++)
        if ((*r)->category == category)
            str_printf(&s, "%s%s", s.len ? ", " : "findings of the rules ", (*r)->name);
    return s.buf;
}

static void add_rules(struct terms *t, struct arena *a)
{
    for (const struct rule *const *r = rules; *r; r++)
        vec_push(t, a,
                 ((struct term){.kind = TERM_RULE,
                                .name = (*r)->name,
                                .alias = (*r)->id,
                                .unit = "",
                                .doc = (*r)->doc,
                                .rule = *r}));
    for (const struct rule *const *r = rules; *r; r++) {
        bool seen = false;
        for (const struct rule *const *q = rules; q < r; q++)
            seen |= (*q)->category == (*r)->category;
        if (!seen)
            add(t, a, TERM_CATEGORY, rule_categories[(*r)->category], rules_of((*r)->category, a));
    }
}

static void add_capabilities(struct terms *t, struct arena *a)
{
    struct capabilities amd = {0}, nvidia = {0};
    capabilities_words(&amd, VENDOR_AMD, a);
    capabilities_words(&nvidia, VENDOR_NVIDIA, a);
    for (size_t i = 0; i < amd.n; i++)
        add(t, a, TERM_CAPABILITY, amd.v[i].key,
            arena_printf(
                a,
                "With it a trace tells %s. Without it this stays open: %s. Captured by '%s' on "
                "AMD, '%s' on NVIDIA.",
                amd.v[i].answers, amd.v[i].lacking, amd.v[i].command, nvidia.v[i].command));
}

static void add_compare(struct terms *t, struct arena *a)
{
    struct fields *tables = arena_array(a, struct fields, COMPARE_TABLES);
    compare_term_list(tables);
    for (size_t i = 0; i < COMPARE_TABLES; i++) {
        add_fields(t, a, &tables[i]);
        add(t, a, TERM_TABLE, tables[i].key, tables[i].doc);
    }
}

void terms_list(struct terms *out, struct arena *a)
{
    *out = (struct terms){0};
    add_derived(out, a); /* before the tables: metrics stand together */
    add_tables(out, a);
    for (enum cause c = 0; c < CAUSES; c++)
        add(out, a, TERM_CAUSE, cause_info(c)->key, cause_info(c)->doc);
    for (enum path_kind k = 0; k < PATH_KINDS; k++)
        add(out, a, TERM_PATH, path_info(k)->key, path_info(k)->doc);
    add_rules(out, a);
    for (unsigned r = 0; r < ROLE_COUNT; r++)
        add(out, a, TERM_ROLE, kernel_role_info((enum kernel_role)r)->label,
            kernel_role_info((enum kernel_role)r)->doc);
    for (unsigned c = 0; c < API_CLASSES; c++)
        add(out, a, TERM_API, api_class_name((enum api_class)c), api_docs[c]);
    add_capabilities(out, a);
    for (const struct quality_check_doc *q = quality_check_docs; q->code; q++)
        add(out, a, TERM_QUALITY, q->code, q->doc);
    for (size_t i = 0; i < ARRAY_LEN(counters); i++)
        add(out, a, TERM_COUNTER, counters[i].name, counters[i].doc);
    for (unsigned c = 0; c < ATT_CLASSES; c++)
        add(out, a, TERM_STALL, att_class_info((enum att_class)c)->key,
            att_class_info((enum att_class)c)->doc);
    add_compare(out, a);
}
