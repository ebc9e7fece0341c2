#include <math.h>

#include "base/sat.h"
#include "report/chart/parts.h"

static bool has(const struct analysis *a)
{
    return a->copy_sizes.n > 0;
}

static int height(const struct analysis *a, size_t top)
{
    (void)a;
    (void)top;
    return 230;
}

struct sizes {
    enum copy_kind kinds[COPY_KINDS]; /* in the order in which they are met */
    size_t n_kinds;
    uint64_t count[COPY_SIZES];
    int64_t ns[COPY_SIZES];
    double most;
};

static size_t place(struct sizes *s, enum copy_kind kind)
{
    size_t i = 0;
    while (i < s->n_kinds && s->kinds[i] != kind)
        i++;
    if (i == s->n_kinds)
        s->kinds[s->n_kinds++] = kind;
    return i;
}

static void draw(struct canvas *c)
{
    const struct analysis *a = c->a;
    struct sizes s = {.most = 1};
    struct bar_row columns[COPY_SIZES] = {0};
    struct legend_item items[COPY_KINDS];
    for (size_t i = 0; i < a->copy_sizes.n; i++) {
        const struct copy_size_row *r = &a->copy_sizes.v[i];
        enum copy_size k = r->size_class;
        s.count[k] += r->count;
        s.ns[k] = add_ns(s.ns[k], r->duration_ns);
        s.most = fmax(s.most, (double)s.ns[k]);
    }
    for (size_t i = 0; i < a->copy_sizes.n; i++) {
        const struct copy_size_row *r = &a->copy_sizes.v[i];
        size_t d = place(&s, r->kind);
        struct bar_part part = {(double)r->duration_ns / s.most, series_ink(d), NULL, NULL};
        part.tip =
            arena_printf(c->d->arena, "%s, %s: %s copies, %s, %.1f GB/s", copy_directions[r->kind],
                         copy_size_labels[r->size_class], chart_count(c, r->count),
                         chart_ns(c, r->duration_ns), r->bandwidth_gbps);
        vec_push(&columns[r->size_class].parts, c->d->arena, part);
    }
    for (size_t k = 0; k < COPY_SIZES; k++) {
        columns[k].label = copy_size_labels[k];
        columns[k].value = !s.count[k] ? ""
                                       : arena_printf(c->d->arena, "%s in %s", chart_ns(c, s.ns[k]),
                                                      chart_count(c, s.count[k]));
    }
    for (size_t d = 0; d < s.n_kinds; d++)
        items[d] = (struct legend_item){series_ink(d), copy_directions[s.kinds[d]]};
    chart_legend(c, items, s.n_kinds);
    chart_columns(c, columns, COPY_SIZES);
}

const struct chart chart_copy_sizes = {
    .name = "copy_sizes",
    .title = "Copies by size",
    .doc = "Height is the time spent in copies of that size. Many small copies never fill a link.",
    .absent = "no copy of known size in this trace",
    .has = has,
    .height = height,
    .draw = draw,
};
