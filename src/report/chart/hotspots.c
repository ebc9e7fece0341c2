#include <math.h>

#include "report/chart/parts.h"

enum { MOST_KINDS = 8 };

static bool has(const struct analysis *a)
{
    return a->hotspots.n > 0;
}

static int height(const struct analysis *a, size_t top)
{
    size_t kinds = a->categories.n < MOST_KINDS ? a->categories.n : MOST_KINDS;
    return (int)(a->hotspots.n < top ? a->hotspots.n : top) * ROW_HEIGHT +
           (kinds > 1 ? chart_legend_height(kinds) : 0);
}

/* Kernels of one kind share a colour. */
static enum ink ink_of(struct canvas *c, enum kernel_role category)
{
    for (size_t i = 0; i < c->a->categories.n; i++)
        if (c->a->categories.v[i].category == category)
            return series_ink(i);
    return INK_GREY;
}

static void legend(struct canvas *c, size_t n)
{
    struct legend_item items[MOST_KINDS];
    size_t used = 0;
    for (size_t k = 0; k < c->a->categories.n && used < MOST_KINDS; k++) {
        enum kernel_role category = c->a->categories.v[k].category;
        bool shown = false;
        for (size_t i = 0; i < n; i++)
            shown |= c->a->hotspots.v[i].category == category;
        if (shown)
            items[used++] = (struct legend_item){series_ink(k), kernel_role_labels[category]};
    }
    if (used > 1)
        chart_legend(c, items, used);
}

static void draw(struct canvas *c)
{
    const struct analysis *a = c->a;
    size_t n = a->hotspots.n < c->top ? a->hotspots.n : c->top;
    struct bar_row *rows = arena_array(c->d->arena, struct bar_row, n);
    double most = (double)a->hotspots.v[0].total_duration_ns;
    for (size_t i = 0; i < n; i++) {
        const struct hotspot *h = &a->hotspots.v[i];
        struct bar_part part = {(double)h->total_duration_ns / most, ink_of(c, h->category),
                                h->name, NULL};
        rows[i] = (struct bar_row){.label = h->short_name, .mark = NAN};
        rows[i].value = arena_printf(c->d->arena, "%s, %s", chart_ns(c, h->total_duration_ns),
                                     chart_pct(c, h->pct_of_total));
        vec_push(&rows[i].parts, c->d->arena, part);
    }
    if (c->box.h > PX(120))
        legend(c, n);
    chart_rows(c, rows, n);
}

const struct chart chart_hotspots = {
    .name = "hotspots",
    .title = "Kernels that take longest",
    .doc = "Summed duration of each kernel, and its share of all kernel time.",
    .absent = "no kernel in this trace",
    .has = has,
    .height = height,
    .draw = draw,
};
