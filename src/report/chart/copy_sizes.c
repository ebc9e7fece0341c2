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

/* The place of a word in the order in which words are met. */
static size_t place(const char **words, size_t *n, size_t most, const char *word)
{
    size_t i = 0;
    while (i < *n && !str_eq(words[i], word))
        i++;
    if (i == *n && *n < most)
        words[(*n)++] = word;
    return i;
}

enum { MOST_CLASSES = 8, MOST_DIRECTIONS = 8 };

struct sizes {
    const char *classes[MOST_CLASSES], *directions[MOST_DIRECTIONS];
    size_t n_classes, n_directions;
    uint64_t count[MOST_CLASSES];
    int64_t ns[MOST_CLASSES];
    double most;
};

static void draw(struct canvas *c)
{
    const struct analysis *a = c->a;
    struct sizes s = {
        .classes = {"<4 KiB", "4-64 KiB", "64 KiB-1 MiB", "1-16 MiB", ">16 MiB"},
        .n_classes = 5,
        .most = 1,
    };
    struct bar_row columns[MOST_CLASSES] = {0};
    struct legend_item items[MOST_DIRECTIONS];
    for (size_t i = 0; i < a->copy_sizes.n; i++) {
        const struct copy_size_row *r = &a->copy_sizes.v[i];
        size_t k = place(s.classes, &s.n_classes, MOST_CLASSES, r->size_class);
        if (k == MOST_CLASSES)
            continue;
        s.count[k] += r->count;
        s.ns[k] = add_ns(s.ns[k], r->duration_ns);
        s.most = fmax(s.most, (double)s.ns[k]);
    }
    for (size_t i = 0; i < a->copy_sizes.n; i++) {
        const struct copy_size_row *r = &a->copy_sizes.v[i];
        size_t k = place(s.classes, &s.n_classes, MOST_CLASSES, r->size_class);
        size_t d = place(s.directions, &s.n_directions, MOST_DIRECTIONS, r->direction);
        struct bar_part part = {(double)r->duration_ns / s.most, series_ink(d), NULL, NULL};
        part.tip = arena_printf(c->d->arena, "%s, %s: %s copies, %s, %.1f GB/s", r->direction,
                                r->size_class, chart_count(c, r->count),
                                chart_ns(c, r->duration_ns), r->bandwidth_gbps);
        if (k < MOST_CLASSES && d < MOST_DIRECTIONS)
            vec_push(&columns[k].parts, c->d->arena, part);
    }
    for (size_t k = 0; k < s.n_classes; k++) {
        columns[k].label = s.classes[k];
        columns[k].value = !s.count[k] ? ""
                                       : arena_printf(c->d->arena, "%s in %s", chart_ns(c, s.ns[k]),
                                                      chart_count(c, s.count[k]));
    }
    for (size_t d = 0; d < s.n_directions; d++)
        items[d] = (struct legend_item){series_ink(d), s.directions[d]};
    chart_legend(c, items, s.n_directions);
    chart_columns(c, columns, s.n_classes);
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
