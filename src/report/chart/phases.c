#include <math.h>

#include "base/sat.h"
#include "report/chart/parts.h"

static bool has(const struct analysis *a)
{
    return a->phases.n > 1 && view_window(&a->view) > 0;
}

static int height(const struct analysis *a, size_t top)
{
    (void)top;
    return (int)a->phases.n * ROW_HEIGHT + chart_legend_height(3);
}

static void add(struct canvas *c, struct bar_row *row, double share, enum ink ink, const char *tip)
{
    struct bar_part part = {share, ink, tip, NULL};
    if (share > 0)
        vec_push(&row->parts, c->d->arena, part);
}

static const char *tip_of(struct canvas *c, const struct phase_row *p, const char *what, int64_t ns)
{
    double all = (double)p->compute_ns + (double)p->exposed_ns + (double)p->idle_ns;
    return arena_printf(c->d->arena, "%s, %s: %s (%s of its GPU time)", p->name, what,
                        chart_ns(c, ns), chart_pct(c, percent_of((double)ns, all)));
}

/* Where the phase lies in the window, divided as its GPU time is. */
static struct bar_row row_of(struct canvas *c, const struct phase_row *p)
{
    double window = (double)view_window(&c->a->view);
    double all = (double)p->compute_ns + (double)p->exposed_ns + (double)p->idle_ns;
    double scale = all > 0 ? (double)p->duration_ns / window / all : 0;
    struct bar_row row = {.mark = NAN};
    row.label = arena_printf(c->d->arena, "%u %s", p->phase, p->name);
    row.value = arena_printf(c->d->arena, "%s, busy %s", chart_ns(c, p->duration_ns),
                             chart_pct(c, p->busy_pct));
    add(c, &row, (double)sub_ns(p->start_ns, c->a->view.start_ns) / window, INK_TRACK, NULL);
    add(c, &row, (double)p->compute_ns * scale, INK_GREEN, tip_of(c, p, "compute", p->compute_ns));
    add(c, &row, (double)p->exposed_ns * scale, INK_ORANGE,
        tip_of(c, p, "exposed copies and communication", p->exposed_ns));
    add(c, &row, (double)p->idle_ns * scale, INK_GREY, tip_of(c, p, "idle", p->idle_ns));
    return row;
}

static void draw(struct canvas *c)
{
    static const struct legend_item items[] = {{INK_GREEN, "compute"},
                                               {INK_ORANGE, "exposed copies and communication"},
                                               {INK_GREY, "idle"}};
    size_t n = c->a->phases.n;
    struct bar_row *rows = arena_array(c->d->arena, struct bar_row, n);
    for (size_t i = 0; i < n; i++)
        rows[i] = row_of(c, &c->a->phases.v[i]);
    chart_legend(c, items, 3);
    chart_rows(c, rows, n);
}

const struct chart chart_phases = {
    .name = "phases",
    .title = "Phases of the run",
    .doc = "Each phase where it lies in the window, divided as its GPU time is.",
    .absent = "the run is one phase",
    .has = has,
    .height = height,
    .draw = draw,
};
