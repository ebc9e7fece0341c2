#include <math.h>

#include "report/chart/parts.h"

enum { MOST_GPUS = 32 };

static bool has(const struct analysis *a)
{
    return a->ledger.n_gpus && a->ledger.window_ns > 0;
}

static size_t bars_of(const struct analysis *a)
{
    size_t gpus = a->ledger.n_gpus;
    return gpus > MOST_GPUS ? MOST_GPUS + 1 : gpus > 1 ? gpus + 1 : 1;
}

static size_t causes_of(const struct analysis *a)
{
    size_t n = 0;
    for (enum cause k = 0; k < CAUSES; k++)
        n += a->ledger.ns[k] > 0;
    return n;
}

static int height(const struct analysis *a, size_t top)
{
    (void)top;
    return (int)bars_of(a) * 30 + chart_legend_height(causes_of(a)) + 8;
}

static struct bar_row row_of(struct canvas *c, const char *label, const int64_t *ns, double whole)
{
    struct bar_row row = {.label = label, .mark = NAN};
    VEC(const char *) links = {0};
    double idle = 0;
    for (enum cause k = 0; k < CAUSES; k++) {
        const char *pct = chart_pct(c, percent_of((double)ns[k], whole));
        struct bar_part part = {(double)ns[k] / whole, cause_ink(k), NULL, pct};
        if (ns[k] <= 0)
            continue;
        part.tip = arena_printf(c->d->arena, "%s, %s: %s (%s)", label, cause_info(k)->label,
                                chart_ns(c, ns[k]), pct);
        vec_push(&row.parts, c->d->arena, part);
        vec_push(&links, c->d->arena, arena_printf(c->d->arena, "cause-%s", cause_info(k)->key));
        idle += cause_info(k)->kind == CAUSE_IDLE ? (double)ns[k] : 0;
    }
    row.links = links.v;
    row.value = arena_printf(c->d->arena, "idle %s", chart_pct(c, percent_of(idle, whole)));
    return row;
}

static void legend(struct canvas *c, double whole)
{
    VEC(struct legend_item) items = {0};
    for (enum cause k = 0; k < CAUSES; k++) {
        int64_t ns = c->a->ledger.ns[k];
        struct legend_item item = {cause_ink(k), NULL};
        item.text = arena_printf(c->d->arena, "%s: %s, %s", cause_info(k)->label, chart_ns(c, ns),
                                 chart_pct(c, percent_of((double)ns, whole)));
        if (ns > 0)
            vec_push(&items, c->d->arena, item);
    }
    chart_legend(c, items.v, items.n);
}

static void draw(struct canvas *c)
{
    const struct ledger *l = &c->a->ledger;
    double window = (double)l->window_ns, all = window * (double)l->n_gpus;
    VEC(struct bar_row) rows = {0};
    if (l->n_gpus > 1)
        vec_push(&rows, c->d->arena, row_of(c, "all GPUs", l->ns, all));
    for (size_t g = 0; g < l->n_gpus; g++)
        vec_push(&rows, c->d->arena, row_of(c, chart_gpu_name(c, g), l->gpus[g].ns, window));
    if (!c->bare) /* a page lists the causes below */
        legend(c, all);
    chart_rows(c, rows.v, rows.n);
}

const struct chart chart_ledger = {
    .name = "ledger",
    .title = "Where the GPU time went",
    .doc = "Every nanosecond of every GPU in the window has one cause; a bar is the whole window.",
    .absent = "no GPU in this trace",
    .has = has,
    .height = height,
    .draw = draw,
};
