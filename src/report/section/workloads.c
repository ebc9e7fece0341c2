#include <math.h>

#include "base/fs.h"
#include "model/names.h"
#include "report/section.h"
#include "report/workload_report.h"
#include "workload/compare.h"

/* Below that a change of a mean may be noise. */
#define NOTABLE_PCT 5.0

static const char *change_text(double x, double y, struct arena *a)
{
    double change = workload_change(x, y);
    if (isnan(change))
        return "-";
    return fabs(change) >= 1e6 ? arena_printf(a, "%+.1e %%", change)
                               : arena_printf(a, "%+.1f %%", change);
}

static void columns(struct block *t, const char *first)
{
    doc_column(t, first, COLUMN_KEEP);
    doc_column(t, "A", COLUMN_NUMBER);
    doc_column(t, "B", COLUMN_NUMBER);
    doc_column(t, "change", COLUMN_NUMBER);
    doc_column(t, "unit", COLUMN_KEEP);
}

static void row(struct block *t, const char *name, double x, double y, const char *unit)
{
    struct arena *a = t->arena;
    doc_cell(t, "%s", name);
    doc_cell(t, "%s", workload_number_text(x, a));
    doc_cell(t, "%s", workload_number_text(y, a));
    doc_cell(t, "%s", change_text(x, y, a));
    doc_cell(t, "%s", unit);
}

/* Rows that neither knows are left out, and those that changed by less than `least` percent. */
static void panel(struct doc *d, const struct workload_comparison *c,
                  const struct workload_pair *pair, const struct workload_panel *p, double least)
{
    size_t n;
    const struct workload_metric *m = workload_metrics(&n);
    struct block *t = NULL;
    for (size_t i = 0; i < n; i++) {
        double x = pair->a->values[i].mean, y = pair->b->values[i].mean;
        if (m[i].panel != p->id || (isnan(x) && isnan(y)))
            continue;
        if (least > 0 && !(fabs(workload_change(x, y)) >= least))
            continue;
        if (!t) {
            doc_heading(d, 3, "%d. %s", p->id, p->title);
            t = doc_table(d, least > 0 ? arena_printf(d->arena,
                                                      "means that changed by %.0f %% or "
                                                      "more",
                                                      least)
                                       : "means over the dispatches");
            columns(t, "metric");
        }
        row(t, m[i].name, x, y, workload_unit(c->a, &m[i]));
    }
}

static void times(struct doc *d, const struct workload_pair *pair)
{
    struct block *t = doc_table(d, "duration");
    columns(t, "");
    row(t, "dispatches", (double)pair->a->n, (double)pair->b->n, "");
    row(t, "total", pair->a->total_ns, pair->b->total_ns, "ns");
    row(t, "mean", pair->a->mean_ns, pair->b->mean_ns, "ns");
    row(t, "median", pair->a->median_ns, pair->b->median_ns, "ns");
}

static void only(struct doc *d, const char *which, const char *const *names, size_t n)
{
    enum { MOST = 10 };
    for (size_t i = 0; i < n && i < MOST; i++)
        doc_item(d, "only in %s: %s", which,
                 name_short(d->arena, name_demangle(d->arena, names[i])));
    if (n > MOST)
        doc_item(d, "and %zu more that are only in %s", n - MOST, which);
}

static const char *label(const struct workload_report *r, struct arena *a)
{
    const struct workload_system *s = &r->w->system;
    return arena_printf(a, "%s%s%s (%s)", *s->name ? s->name : fs_basename(r->w->dir),
                        *s->model ? " on " : "", s->model, r->w->dir);
}

static bool has(const struct subject *s)
{
    return s->workloads != NULL;
}

static void runs(const struct subject *s, struct doc *d)
{
    const struct workload_comparison *c = s->workloads;
    doc_fact(d, "A", "%s", label(c->a, d->arena));
    doc_fact(d, "B", "%s", label(c->b, d->arena));
    for (size_t i = 0; i < c->notes.n; i++)
        doc_callout(d, TONE_WARN, "%s", c->notes.v[i]);
    only(d, "A", c->only_a.v, c->only_a.n);
    only(d, "B", c->only_b.v, c->only_b.n);
}

/* All panels for all dispatches; for each kernel the speed-of-light, and what else changed. */
static void pairs(const struct subject *s, struct doc *d)
{
    const struct workload_comparison *c = s->workloads;
    struct arena *a = d->arena;
    size_t n;
    const struct workload_panel *p = workload_panels(&n);
    /* a single kernel is all there is */
    bool one = c->pairs.n == 2 && !c->only_a.n && !c->only_b.n;
    for (size_t k = 0; k < c->pairs.n && k <= s->top && !(one && k); k++) {
        const struct workload_pair *pair = &c->pairs.v[k];
        const char *name =
            !k && !one ? NULL : name_short(a, name_demangle(a, c->pairs.v[k ? k : 1].name));
        doc_section(d, arena_printf(a, "pair-%zu", k), name ? name : "All kernels", "%s%s",
                    k ? "Kernel " : "", name ? name : "All kernels");
        times(d, pair);
        for (size_t i = 0; i < n; i++)
            if (p[i].id != PANEL_CHANNELS)
                panel(d, c, pair, &p[i],
                      k == 0 || p[i].id == PANEL_SPEED_OF_LIGHT ? 0 : NOTABLE_PCT);
    }
}

const struct section section_workloads_runs = {"runs", "Runs", "Runs", IN(REPORT_WORKLOADS),
                                               has,    runs};
const struct section section_workloads_pairs = {"kernels", "Kernels", "", IN(REPORT_WORKLOADS),
                                                has,       pairs};

struct doc *workloads_report(struct subject *s, const char *sections, struct arena *arena,
                             struct gs_error *err)
{
    struct doc *d = doc_new(arena);
    s->kind = REPORT_WORKLOADS;
    doc_title(d, "Two workloads");
    return sections_build(d, s, sections, err) ? d : NULL;
}
