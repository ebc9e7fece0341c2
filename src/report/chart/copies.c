#include <math.h>

#include "base/human.h"
#include "report/chart/parts.h"

static bool has(const struct analysis *a)
{
    return a->copies.n > 0;
}

static int height(const struct analysis *a, size_t top)
{
    (void)top;
    return (int)a->copies.n * 30 + chart_legend_height(2);
}

static void draw(struct canvas *c)
{
    const struct analysis *a = c->a;
    static const struct legend_item items[] = {{INK_ORANGE, "reached"},
                                               {INK_TEXT, "peak of the link"}};
    struct bar_row *rows = arena_array(c->d->arena, struct bar_row, a->copies.n);
    double most = 1e-9;
    for (size_t i = 0; i < a->copies.n; i++)
        most = fmax(most, fmax(a->copies.v[i].bandwidth_gbps,
                               isnan(a->copies.v[i].link_gbps) ? 0 : a->copies.v[i].link_gbps));
    for (size_t i = 0; i < a->copies.n; i++) {
        const struct copy_row *r = &a->copies.v[i];
        char bytes[HUMAN_MAX];
        struct bar_part part = {r->bandwidth_gbps / most, INK_ORANGE, copy_directions[r->kind],
                                NULL};
        rows[i] = (struct bar_row){.label = copy_directions[r->kind], .mark = r->link_gbps / most};
        rows[i].value = isnan(r->link_gbps)
                            ? arena_printf(c->d->arena, "%.1f GB/s, %s", r->bandwidth_gbps,
                                           human_bytes(bytes, r->total_bytes))
                            : arena_printf(c->d->arena, "%.1f of %.1f GB/s, %s", r->bandwidth_gbps,
                                           r->link_gbps, human_bytes(bytes, r->total_bytes));
        vec_push(&rows[i].parts, c->d->arena, part);
    }
    chart_legend(c, items, 2);
    chart_rows(c, rows, a->copies.n);
}

const struct chart chart_copies = {
    .name = "copies",
    .title = "Copies: bandwidth against the link",
    .doc = "Bytes over summed durations, by direction; the mark is what the link can do.",
    .absent = "no copy in this trace",
    .has = has,
    .height = height,
    .draw = draw,
};
