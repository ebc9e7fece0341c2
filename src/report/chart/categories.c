#include <math.h>

#include "base/human.h"
#include "report/chart/parts.h"

static bool has(const struct analysis *a)
{
    return a->categories.n > 0;
}

static int height(const struct analysis *a, size_t top)
{
    (void)top;
    return (int)a->categories.n * ROW_HEIGHT;
}

static void draw(struct canvas *c)
{
    const struct analysis *a = c->a;
    struct bar_row *rows = arena_array(c->d->arena, struct bar_row, a->categories.n);
    for (size_t i = 0; i < a->categories.n; i++) {
        const struct category_row *r = &a->categories.v[i];
        struct bar_part part = {r->pct_of_kernel_time / 100, series_ink(i),
                                kernel_role_labels[r->category], NULL};
        rows[i] = (struct bar_row){.label = kernel_role_labels[r->category], .mark = NAN};
        rows[i].value =
            arena_printf(c->d->arena, "%s, %s, %s call%s", chart_pct(c, r->pct_of_kernel_time),
                         chart_ns(c, r->total_ns), chart_count(c, r->count), human_s(r->count));
        vec_push(&rows[i].parts, c->d->arena, part);
    }
    chart_rows(c, rows, a->categories.n);
}

const struct chart chart_categories = {
    .name = "categories",
    .title = "Kernel time by kind",
    .doc = "Summed duration of the kernels of each kind; a full bar is all kernel time.",
    .absent = "no kernel in this trace",
    .has = has,
    .height = height,
    .draw = draw,
};
