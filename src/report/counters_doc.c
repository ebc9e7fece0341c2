#include "report/counters_doc.h"

#include <math.h>

#include "analyze/counters/stats.h"
#include "base/human.h"
#include "base/sat.h"
#include "base/str.h"

enum { EXPLAINED = 3, DETAILED = 2 };

static void columns(struct block *b, const char *const *titles, size_t n)
{
    for (size_t i = 0; i < n; i++)
        doc_column(b, titles[i], i ? COLUMN_NUMBER : COLUMN_TEXT);
}

static void pct_cell(struct block *b, double v)
{
    char text[HUMAN_MAX];
    doc_cell(b, "%s", isnan(v) ? "-" : human_pct(text, v));
}

static void number_cell(struct block *b, double v)
{
    if (isnan(v))
        doc_cell(b, "-");
    else
        doc_cell(b, fabs(v) < 1000 ? "%.3g" : "%.0f", v);
}

/* What a value from several passes is marked with. */
static const char *mark(bool cross)
{
    return cross ? " †" : "";
}

static void verdicts(struct doc *d, const struct counter_results *c, size_t top)
{
    struct block *b = doc_table(d, "memory and compute: percent of what the hardware can do");
    static const char *const titles[] = {"kernel",  "bound by", "occupancy", "memory", "compute",
                                         "L1 hits", "L2 hits",  "LDS conf.", "waiting"};
    columns(b, titles, sizeof(titles) / sizeof(*titles));
    for (size_t i = 0; i < c->kernels.n && i < top; i++) {
        const struct counter_kernel *k = &c->kernels.v[i];
        doc_cell(b, "%s", k->short_name);
        doc_cell(b, "%s%s%s%s", k->bound, k->level ? " " : "", k->level ? k->level : "",
                 mark(k->cross_pass));
        pct_cell(b, k->occupancy_pct);
        pct_cell(b, k->memory_pct);
        pct_cell(b, k->compute_pct);
        pct_cell(b, k->l1_hit_pct);
        pct_cell(b, k->l2_hit_pct);
        pct_cell(b, k->lds_conflict_pct);
        pct_cell(b, k->wait_pct);
    }
    for (size_t i = 0; i < c->kernels.n && i < top && i < EXPLAINED; i++)
        doc_item(d, "%s: %s", c->kernels.v[i].short_name, c->kernels.v[i].why);
}

static void metric_row(struct block *b, const struct counter_metric *m)
{
    char text[HUMAN_MAX];
    bool is_bytes = str_eq(m->unit, "bytes") && m->value >= 0 && m->value < 0x1p63;
    doc_cell(b, "%s%s", m->label, mark(m->cross_pass));
    if (is_bytes)
        doc_cell(b, "%s", human_bytes(text, count_from(m->value)));
    else
        number_cell(b, m->value);
    doc_cell(b, "%s", is_bytes ? "" : m->unit);
    number_cell(b, m->peak);
    pct_cell(b, m->pct_of_peak);
}

static bool is_shown(const struct counter_metric *m, uint32_t rank)
{
    /* Types of numbers that a kernel does not use would fill the table with zeros. */
    return m->rank == rank && !(str_eq(m->group, "flops") && m->value <= 0);
}

static void speed_of_light(struct doc *d, const struct counter_results *c,
                           const struct counter_kernel *k)
{
    struct block *b = NULL;
    for (size_t i = 0; i < c->metrics.n; i++) {
        if (!is_shown(&c->metrics.v[i], k->rank))
            continue;
        if (!b) {
            doc_heading(d, 3, "Metrics of %s", k->short_name);
            b = doc_table(d, "");
            doc_column(b, "metric", COLUMN_TEXT);
            doc_column(b, "value", COLUMN_NUMBER);
            doc_column(b, "unit", COLUMN_KEEP);
            doc_column(b, "peak", COLUMN_NUMBER);
            doc_column(b, "of peak", COLUMN_NUMBER);
        }
        metric_row(b, &c->metrics.v[i]);
    }
    for (size_t i = 0; i < c->metrics.n; i++)
        if (is_shown(&c->metrics.v[i], k->rank) && c->metrics.v[i].remark)
            doc_item(d, "%s: %s", c->metrics.v[i].label, c->metrics.v[i].remark);
}

static void roofline(struct doc *d, const struct counter_results *c, size_t top)
{
    if (!c->roofline.n)
        return;
    doc_heading(d, 3, "Roofline");
    struct block *b = doc_table(d, c->roofs.n && str_eq(c->roofs.v[0].source, "theory")
                                       ? "roofs by theory: clock times width"
                                       : "");
    static const char *const titles[] = {"kernel", "level", "FLOP/byte", "GFLOP/s",
                                         "GB/s",   "peak",  "of roof"};
    columns(b, titles, sizeof(titles) / sizeof(*titles));
    for (size_t i = 0; i < c->roofline.n; i++) {
        const struct roofline_row *r = &c->roofline.v[i];
        if (r->rank > top)
            break;
        doc_cell(b, "%s", r->kernel);
        doc_cell(b, "%s%s", r->level, mark(r->cross_pass));
        number_cell(b, r->intensity);
        number_cell(b, r->gflops);
        number_cell(b, r->gbps);
        number_cell(b, r->peak_gbps);
        pct_cell(b, r->roof_pct);
    }
    doc_chart(d, "roofline");
}

/* As the profiler counted, before anything is derived. */
static void raw(struct doc *d, const struct analysis *a, size_t top)
{
    struct counter_stats stats;
    char n[HUMAN_MAX];
    counter_stats_make(&stats, a, d->arena);
    size_t shown = stats.rows.n < 2 * top ? stats.rows.n : 2 * top;
    if (!shown)
        return;
    doc_heading(d, 3, "Counters of a dispatch");
    struct block *b = doc_table(
        d, shown < stats.rows.n ? arena_printf(d->arena, "%zu of %zu", shown, stats.rows.n) : "");
    static const char *const titles[] = {"counter", "dispatches", "instances", "by",
                                         "mean",    "least",      "most"};
    columns(b, titles, sizeof(titles) / sizeof(*titles));
    for (size_t i = 0; i < shown; i++) {
        const struct counter_row *r = &stats.rows.v[i];
        doc_cell(b, "%s", r->counter);
        doc_cell(b, "%s", human_count(n, r->sample_count));
        doc_cell(b, "%u", r->instances);
        doc_cell(b, "%s", r->reduction);
        number_cell(b, r->avg_value);
        number_cell(b, r->min_value);
        number_cell(b, r->max_value);
    }
}

static void losses(struct doc *d, const struct counter_summary *s)
{
    char n[HUMAN_MAX];
    if (s->bad_values)
        doc_item(d, "%s values below zero or not finite were left out",
                 human_count(n, s->bad_values));
    if (s->odd_dispatches)
        doc_item(d,
                 "%s dispatches have more or fewer instances of a counter than usual; it was left "
                 "out there",
                 human_count(n, s->odd_dispatches));
    if (s->without_kernel)
        doc_item(d, "%s values belong to no dispatch in the window",
                 human_count(n, s->without_kernel));
    if (s->left_out_passes)
        doc_item(d, "passes beyond the 32nd were left out");
    if (*s->unknown_arch)
        doc_item(d, "the counters of a GPU's architecture are not known (%s): few metrics or none",
                 s->unknown_arch);
}

static void missing(struct doc *d, const struct counter_results *c)
{
    if (!c->missing.n)
        return;
    doc_heading(d, 3, "What these counters leave open");
    for (size_t i = 0; i < c->missing.n; i++) {
        const struct counter_missing *m = &c->missing.v[i];
        doc_item(d, "%s: %u more pass%s, %s", m->question, m->passes, m->passes == 1 ? "" : "es",
                 m->capture);
    }
}

void counters_doc(struct doc *d, const struct analysis *a, size_t top)
{
    const struct counter_results *c = &a->counters;
    if (!c->summary.values && !c->summary.without_kernel)
        return;
    doc_heading(d, 2, "Hardware counters");
    if (c->kernels.n)
        verdicts(d, c, top);
    if (c->passes.n > 1)
        doc_text(d,
                 "%zu passes were joined by rank, GPU, kernel, grid and occurrence. † marks what "
                 "puts numbers of several passes together. The times of this report are those of "
                 "%s.",
                 c->passes.n, a->times_of ? a->times_of : "all passes");
    losses(d, &c->summary);
    for (size_t i = 0; i < c->kernels.n && i < top && i < DETAILED; i++)
        speed_of_light(d, c, &c->kernels.v[i]);
    roofline(d, c, top);
    raw(d, a, top);
    missing(d, c);
}
