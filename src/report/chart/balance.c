#include <math.h>

#include "report/chart/parts.h"

static bool has(const struct analysis *a)
{
    return a->gpus.n > 0 && a->breakdown.window_ns > 0;
}

static int height(const struct analysis *a, size_t top)
{
    (void)top;
    return (int)(a->gpus.n < 32 ? a->gpus.n : 32) * ROW_HEIGHT + chart_legend_height(3);
}

static void draw(struct canvas *c)
{
    const struct analysis *a = c->a;
    static const struct legend_item items[] = {{INK_GREEN, "compute"},
                                               {INK_ORANGE, "other work: copies, communication"},
                                               {INK_TRACK, "idle"}};
    double window = (double)a->breakdown.window_ns;
    struct bar_row *rows = arena_array(c->d->arena, struct bar_row, a->gpus.n);
    for (size_t i = 0; i < a->gpus.n; i++) {
        const struct gpu_row *g = &a->gpus.v[i];
        const char *compute = chart_ns(c, g->compute_ns);
        struct bar_part work = {(double)g->compute_ns / window, INK_GREEN, "compute", compute};
        struct bar_part other = {(double)(g->busy_ns - g->compute_ns) / window, INK_ORANGE,
                                 "other work", NULL};
        rows[i] = (struct bar_row){.label = chart_gpu_name(c, i), .mark = NAN};
        rows[i].value = arena_printf(c->d->arena, "busy %s, %s kernels", chart_pct(c, g->busy_pct),
                                     chart_count(c, g->kernels));
        vec_push(&rows[i].parts, c->d->arena, work);
        vec_push(&rows[i].parts, c->d->arena, other);
    }
    chart_legend(c, items, 3);
    chart_rows(c, rows, a->gpus.n);
}

const struct chart chart_balance = {
    .name = "balance",
    .title = "How evenly the GPUs work",
    .doc =
        "A full bar is the window. A GPU that computes much less than the others waits for them.",
    .absent = "no GPU in this trace",
    .has = has,
    .height = height,
    .draw = draw,
};
