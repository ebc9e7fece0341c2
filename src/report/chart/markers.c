#include <math.h>

#include "base/human.h"
#include "base/sat.h"
#include "report/chart/parts.h"

enum { LEVEL_HEIGHT = 26, MOST_LEVELS = 16 };

static bool has(const struct analysis *a)
{
    for (size_t i = 0; i < a->markers.n; i++)
        if (a->markers.v[i].parent < 0 && a->markers.v[i].wall_ns > 0)
            return true;
    return false;
}

static int levels_of(const struct analysis *a)
{
    uint32_t deepest = 0;
    for (size_t i = 0; i < a->markers.n; i++)
        deepest = a->markers.v[i].depth > deepest ? a->markers.v[i].depth : deepest;
    return deepest + 1 < MOST_LEVELS ? (int)deepest + 1 : MOST_LEVELS;
}

static int height(const struct analysis *a, size_t top)
{
    (void)top;
    return levels_of(a) * LEVEL_HEIGHT;
}

/* Where the children of each row (and, last, the roots) go. */
struct icicle {
    double *children_ns;  /* summed */
    double *x, *w, *used; /* as shares of the whole */
};

static void layout(const struct analysis *a, struct icicle *s, struct arena *arena)
{
    size_t n = a->markers.n;
    s->children_ns = arena_array(arena, double, n + 1);
    s->x = arena_array(arena, double, n + 1);
    s->w = arena_array(arena, double, n + 1);
    s->used = arena_array(arena, double, n + 1);
    for (size_t i = 0; i < n; i++) {
        int32_t up = a->markers.v[i].parent;
        s->children_ns[up < 0 ? n : (size_t)up] += (double)a->markers.v[i].wall_ns;
    }
    s->w[n] = 1;
    for (size_t i = 0; i < n; i++) {
        const struct marker_row *m = &a->markers.v[i];
        size_t up = m->parent < 0 ? n : (size_t)m->parent;
        /* Ranges on several threads may be longer together than the one around them. */
        double whole = up == n ? s->children_ns[n]
                               : fmax(s->children_ns[up], (double)a->markers.v[up].wall_ns);
        s->w[i] = whole > 0 ? s->w[up] * (double)m->wall_ns / whole : 0;
        s->x[i] = s->x[up] + s->used[up];
        s->used[up] += s->w[i];
    }
}

static void draw(struct canvas *c)
{
    static const enum ink inks[] = {INK_SKY, INK_SAND, INK_TEAL, INK_PURPLE};
    const struct analysis *a = c->a;
    struct icicle s;
    layout(a, &s, c->d->arena);
    int levels = levels_of(a);
    int32_t step = c->box.h / levels < PX(40) ? c->box.h / levels : PX(40);
    for (size_t i = 0; i < a->markers.n; i++) {
        const struct marker_row *m = &a->markers.v[i];
        int32_t from = int_from(round(s.x[i] * c->box.w));
        int32_t w = int_from(round((s.x[i] + s.w[i]) * c->box.w)) - from;
        if (w < PX(1) || (int)m->depth >= levels)
            continue;
        int32_t x = c->box.x + from, y = c->box.y + step * (int32_t)m->depth;
        const char *what = arena_printf(c->d->arena, "%s, %s", m->name, chart_ns(c, m->wall_ns));
        const char *tip = arena_printf(c->d->arena, "%s: %s call%s, %s, kernels %s", m->name,
                                       chart_count(c, m->calls), human_s(m->calls),
                                       chart_ns(c, m->wall_ns), chart_ns(c, m->kernel_ns));
        draw_rect(c->d, inks[m->depth % 4], x, y, w - (w > PX(3) ? PX(1) : 0), step - PX(1), tip);
        if (w > PX(30))
            draw_text(c->d, INK_ON_LIGHT, x + PX(4), y + step / 2 + PX(4), LABEL_SIZE, ANCHOR_START,
                      draw_fit(c->d->arena, what, LABEL_SIZE, w - PX(8)));
    }
}

const struct chart chart_markers = {
    .name = "markers",
    .title = "Marker ranges",
    .doc = "Width is the time inside ranges of that path; a range stands below the one around it.",
    .absent = "no marker range in this trace",
    .has = has,
    .height = height,
    .draw = draw,
};
