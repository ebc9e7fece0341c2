#include <math.h>

#include "model/names.h"
#include "report/section.h"
#include "report/workload_report.h"
#include "workload/rows.h"

/* Below that a change of a mean may be noise. */
#define NOTABLE_PCT 5.0

#define CHANGES "metric a b change_pct unit"

/* Rows that neither knows are left out, and those that changed by less than `least` percent. */
static void panel(struct doc *d, const struct workload_comparison *c, size_t k,
                  const struct workload_panel *p, double least)
{
    workload_changes all = workload_panel_changes(c, &c->pairs.v[k], p->id, d->arena), rows = {0};
    for (size_t i = 0; i < all.n; i++)
        if (least > 0 ? fabs(all.v[i].pct) >= least : !isnan(all.v[i].a) || !isnan(all.v[i].b))
            vec_push(&rows, d->arena, all.v[i]);
    if (!rows.n)
        return;
    doc_heading(d, 3, "%d. %s", p->id, p->title);
    doc_rows(d, RESULT(workload_change_fields, rows),
             &(struct rows){
                 .key = arena_printf(d->arena, "pair-%zu-%d", k, p->id),
                 .caption = least > 0 ? arena_printf(d->arena,
                                                     "means that changed by %.0f %% or more", least)
                                      : "means over the dispatches",
                 .shown = CHANGES,
                 .empty_too = true});
}

static void times(struct doc *d, const struct workload_pair *pair, size_t k)
{
    const struct workload_view *a = pair->a, *b = pair->b;
    workload_changes rows = {0};
    vec_push(&rows, d->arena, workload_change_of("dispatches", (double)a->n, (double)b->n));
    vec_push(&rows, d->arena, workload_change_of("total", a->total_ns, b->total_ns));
    vec_push(&rows, d->arena, workload_change_of("mean", a->mean_ns, b->mean_ns));
    vec_push(&rows, d->arena, workload_change_of("median", a->median_ns, b->median_ns));
    for (size_t i = 1; i < rows.n; i++)
        rows.v[i].unit = unit_word(IN_NS);
    doc_rows(d, RESULT(workload_change_fields, rows),
             &(struct rows){.key = arena_printf(d->arena, "pair-%zu", k),
                            .caption = "duration",
                            .shown = CHANGES,
                            .empty_too = true});
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
    return arena_printf(a, "%s%s%s (%s)", workload_title(r), *s->model ? " on " : "", s->model,
                        r->w->dir);
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
        const char *name =
            !k && !one ? NULL : name_short(a, name_demangle(a, c->pairs.v[k ? k : 1].name));
        doc_section(d, arena_printf(a, "pair-%zu", k), name ? name : "All kernels", "%s%s",
                    k ? "Kernel " : "", name ? name : "All kernels");
        times(d, &c->pairs.v[k], k);
        for (size_t i = 0; i < n; i++)
            if (p[i].id != PANEL_CHANNELS)
                panel(d, c, k, &p[i], k == 0 || p[i].id == PANEL_SPEED_OF_LIGHT ? 0 : NOTABLE_PCT);
    }
}

const struct section section_workloads_runs = {"runs", "Runs", "Runs", IN(REPORT_WORKLOADS),
                                               has,    runs};
const struct section section_workloads_pairs = {"kernels", "Kernels", "", IN(REPORT_WORKLOADS),
                                                has,       pairs};

struct doc *workloads_report(struct subject *s, const char *sections, struct arena *arena,
                             struct gs_error *err)
{
    return sections_doc(s, REPORT_WORKLOADS, "Two workloads", sections, arena, err);
}
