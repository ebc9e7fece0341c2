#include <math.h>

#include "report/chart/parts.h"

static bool has(const struct analysis *a)
{
    return a->short_kernels.short_kernel_count > 0 && a->short_histogram.n > 0;
}

static int height(const struct analysis *a, size_t top)
{
    (void)a;
    (void)top;
    return 200;
}

static void draw(struct canvas *c)
{
    const struct analysis *a = c->a;
    size_t n = a->short_histogram.n;
    struct bar_row *columns = arena_array(c->d->arena, struct bar_row, n);
    double most = 1;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, (double)a->short_histogram.v[i].count);
    for (size_t i = 0; i < n; i++) {
        const struct short_bucket *b = &a->short_histogram.v[i];
        struct bar_part part = {(double)b->count / most, INK_BLUE, chart_ns(c, b->total_ns), NULL};
        columns[i].label = b->bucket_label;
        columns[i].value = chart_count(c, b->count);
        vec_push(&columns[i].parts, c->d->arena, part);
    }
    chart_columns(c, columns, n);
}

const struct chart chart_short_kernels = {
    .name = "short_kernels",
    .title = "Kernels by duration",
    .doc = "How many dispatches last that long. Launching one costs the host several microseconds.",
    .absent = "no short kernel in this trace",
    .has = has,
    .height = height,
    .draw = draw,
};
