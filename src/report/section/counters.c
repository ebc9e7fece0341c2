/* What hardware counters say about kernels: verdicts, roofline, metrics, and what is missing. */
#include "base/str.h"
#include "report/section.h"

static bool has(const struct subject *s)
{
    const struct counter_summary *c = &s->a->counters.summary;
    return c->values || c->without_kernel;
}

static void part(const struct subject *s, struct doc *d, const char *id, const char *title,
                 const char *key, const char *shown, size_t top)
{
    const struct result *r = section_result(s, key);
    if (r && r->n)
        doc_part(d, id, title);
    doc_rows(d, r, &(struct rows){.shown = shown, .top = top});
}

static void losses(struct doc *d, const struct counter_summary *s)
{
    struct arena *a = d->arena;
    if (s->bad_values)
        doc_item(d, "%s values below zero or not finite were left out",
                 value_count(a, s->bad_values));
    if (s->odd_dispatches)
        doc_item(d,
                 "%s dispatches have more or fewer instances of a counter than usual; it was left "
                 "out there",
                 value_count(a, s->odd_dispatches));
    if (s->without_kernel)
        doc_item(d, "%s values belong to no dispatch in the window",
                 value_count(a, s->without_kernel));
    if (s->left_out_passes)
        doc_item(d, "passes beyond the 32nd were left out");
    if (*s->unknown_arch)
        doc_item(d, "the counters of a GPU's architecture are not known (%s): few metrics or none",
                 s->unknown_arch);
}

static void roofline(const struct subject *s, struct doc *d)
{
    const struct counter_results *c = &s->a->counters;
    if (!c->roofline.n)
        return;
    doc_part(d, "roofline", "Roofline");
    doc_chart(d, "roofline");
    doc_rows(d, section_result(s, "roofline"),
             &(struct rows){.caption = c->roofs.n && c->roofs.v[0].source == ROOF_THEORY
                                           ? "roofs by theory: clock times width"
                                           : NULL,
                            .shown = "kernel level intensity gflops gbps roof_pct",
                            .top = 4 * s->top});
}

/* Types of numbers that a kernel does not use would fill the table with zeros. */
static void metrics(const struct subject *s, struct doc *d)
{
    enum { DETAILED = 2 };
    const struct counter_results *c = &s->a->counters;
    const struct result *r = section_result(s, "counter_metrics");
    VEC(struct counter_metric) rows = {0};
    size_t first = 0;
    for (size_t i = 0; i < c->metrics.n; i++) {
        const struct counter_metric *m = &c->metrics.v[i];
        if (m->group == GROUP_FLOPS && m->value <= 0)
            continue;
        vec_push(&rows, d->arena, *m);
        first += m->rank <= DETAILED;
    }
    if (!r || !rows.n)
        return;
    doc_part(d, "counter-metrics", "Metrics and speed of light");
    doc_rows(d, &(struct result){r->fields, rows.v, rows.n, false},
             &(struct rows){.shown = "kernel label unit value peak pct_of_peak",
                            .top = first ? first : rows.n});
    for (size_t i = 0; i < first; i++)
        if (rows.v[i].remark)
            doc_item(d, "%s, %s: %s", rows.v[i].kernel, rows.v[i].label, rows.v[i].remark);
}

static void build(const struct subject *s, struct doc *d)
{
    const struct counter_results *c = &s->a->counters;
    const struct counter_stats *stats = &s->a->counter_stats;
    doc_rows(d, section_result(s, "counter_kernels"),
             &(struct rows){
                 .caption = "of memory, of compute: percent of what the hardware can do",
                 .shown = c->passes.n > 1
                              ? "short_name bound cross_pass occupancy_pct memory_pct compute_pct "
                                "l2_hit_pct"
                              : "short_name bound occupancy_pct memory_pct compute_pct "
                                "l2_hit_pct lds_conflict_pct",
                 .never = "rank",
                 .top = s->top});
    for (size_t i = 0; i < c->kernels.n && i < s->top; i++)
        doc_item(d, "%s: %s", c->kernels.v[i].short_name, c->kernels.v[i].why);
    if (c->passes.n > 1)
        doc_text(d,
                 "%zu passes were joined by rank, GPU, kernel, grid and occurrence; 'several "
                 "passes' marks what puts their numbers together. The times of this report are "
                 "those of %s.",
                 c->passes.n, s->a->times_of ? s->a->times_of : "all passes");
    losses(d, &c->summary);
    roofline(s, d);
    metrics(s, d);
    if (c->missing.n)
        doc_part(d, "counter-missing", "What these counters leave open");
    for (size_t i = 0; i < c->missing.n; i++) {
        const struct counter_missing *m = &c->missing.v[i];
        doc_item(d, "%s: %u more pass%s, %s", m->question, m->passes, m->passes == 1 ? "" : "es",
                 m->capture);
    }
    part(s, d, "counter-passes", "Passes", "counter_passes", NULL, s->top);
    part(s, d, "counter-dispatches", "The longest measured dispatches", "counter_dispatches",
         "kernel dispatch gpu duration_ns bound occupancy_pct memory_pct compute_pct", 5);
    part(s, d, "roofs", "Roofs", "roofs", NULL, s->top);
    if (stats->rows.n)
        doc_part(d, "counters", "Counters of a dispatch");
    doc_rows(d, RESULT(counter_fields, stats->rows),
             &(struct rows){.key = "counters",
                            .shown = "counter sample_count instances reduction avg_value min_value "
                                     "max_value",
                            .top = 2 * s->top});
    doc_part(d, "counter-summary", "How much was counted");
    doc_facts(d, section_result(s, "counter_summary"), NULL);
}

const struct section section_counters = {
    "hardware-counters", "Counters", "What hardware counters say", IN(REPORT_ANALYSIS), has, build};
