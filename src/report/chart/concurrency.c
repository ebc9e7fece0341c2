#include <math.h>

#include "analyze/concurrency.h"
#include "report/chart/parts.h"

enum { MOST_ROWS = 32 };

static bool has(const struct analysis *a)
{
    return concurrency_of(a)->stats.most > 1;
}

static int height(const struct analysis *a, size_t top)
{
    (void)top;
    size_t n = a->view.n_gpus < MOST_ROWS ? a->view.n_gpus : MOST_ROWS;
    return (int)n * ROW_HEIGHT + chart_legend_height(CONCURRENCY_LEVELS);
}

static void draw(struct canvas *c)
{
    const struct concurrency *all = concurrency_of(c->a);
    static const struct legend_item items[CONCURRENCY_LEVELS] = {
        {INK_SILVER, "1 kernel"},  {INK_BLUE, "2 at once"},          {INK_GREEN, "3 at once"},
        {INK_ORANGE, "4 at once"}, {INK_SKY, "5 at once"},           {INK_VERMILLION, "6 at once"},
        {INK_PURPLE, "7 at once"}, {INK_YELLOW, "8 or more at once"}};
    struct bar_row *rows = arena_array(c->d->arena, struct bar_row, c->a->view.n_gpus);
    size_t n = 0;
    for (size_t i = 0; i < all->levels.n; i++) {
        const struct concurrency_level *l = &all->levels.v[i];
        if (!i || all->levels.v[i - 1].slot != l->slot)
            rows[n++] = (struct bar_row){.label = chart_gpu_name(c, l->slot), .mark = NAN};
        struct bar_row *row = &rows[n - 1];
        const struct legend_item *item = &items[l->at_once - 1];
        struct bar_part part = {l->pct_of_kernel_union / 100, item->ink, item->text,
                                chart_ns(c, l->total_ns)};
        vec_push(&row->parts, c->d->arena, part);
        if (l->at_once == 1)
            row->value =
                arena_printf(c->d->arena, "%s alone", chart_pct(c, l->pct_of_kernel_union));
        else if (!row->value)
            row->value = "none alone";
    }
    chart_legend(c, items, CONCURRENCY_LEVELS);
    chart_rows(c, rows, n);
}

const struct chart chart_concurrency = {
    .name = "concurrency",
    .title = "Kernels at once",
    .doc = "A full bar is the time in which the GPU runs any kernel, divided by how many it runs.",
    .absent = "no two kernels run at once",
    .has = has,
    .height = height,
    .draw = draw,
};
