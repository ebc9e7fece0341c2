#include <math.h>

#include "base/human.h"
#include "report/chart/parts.h"

static bool has(const struct analysis *a)
{
    return a->api.n > 0;
}

static int height(const struct analysis *a, size_t top)
{
    return (int)(a->api.n < top ? a->api.n : top) * ROW_HEIGHT + chart_legend_height(4);
}

static enum ink ink_of(const struct analysis *a, enum api_class class, size_t *place)
{
    for (*place = 0; *place < a->api_classes.n; (*place)++)
        if (a->api_classes.v[*place].class == class)
            return series_ink(*place);
    return INK_GREY;
}

static void draw(struct canvas *c)
{
    const struct analysis *a = c->a;
    size_t n = a->api.n < c->top ? a->api.n : c->top, place;
    struct bar_row *rows = arena_array(c->d->arena, struct bar_row, n);
    bool *seen = arena_array(c->d->arena, bool, a->api_classes.n + 1);
    VEC(struct legend_item) items = {0};
    double most = 1;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, (double)a->api.v[i].exclusive_ns);
    for (size_t i = 0; i < n; i++) {
        const struct api_row *r = &a->api.v[i];
        enum ink ink = ink_of(a, r->class, &place);
        struct bar_part part = {(double)r->exclusive_ns / most, ink, r->name, NULL};
        rows[i] = (struct bar_row){.label = r->name, .mark = NAN};
        rows[i].value = arena_printf(c->d->arena, "%s, %s call%s", chart_ns(c, r->exclusive_ns),
                                     chart_count(c, r->calls), human_s(r->calls));
        vec_push(&rows[i].parts, c->d->arena, part);
        if (!seen[place])
            vec_push(&items, c->d->arena, ((struct legend_item){ink, api_class_name(r->class)}));
        seen[place] = true;
    }
    if (c->box.h > PX(120))
        chart_legend(c, items.v, items.n);
    chart_rows(c, rows, n);
}

const struct chart chart_api = {
    .name = "api",
    .title = "Host calls",
    .doc = "Host time in each call, without the calls nested in it, over all threads.",
    .absent = "no host call in this trace",
    .has = has,
    .height = height,
    .draw = draw,
};
