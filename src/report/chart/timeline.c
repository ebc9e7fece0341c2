#include <math.h>
#include <stdlib.h>

#include "base/sat.h"
#include "report/chart/parts.h"

/*
 * A row a stream. Each pixel shows the share of its time in which the stream ran something, by what
 * it ran, so that a second with a million kernels looks right too: the work is done once per
 * event and once per pixel, whatever their lengths.
 */
enum { LANE_HEIGHT = 26, MOST_LANES = 24, LEVELS = 8, KINDS = 3 };

static const struct legend_item kinds[KINDS] = {
    {INK_GREEN, "compute"}, {INK_BLUE, "communication"}, {INK_ORANGE, "copies"}};

struct lane {
    size_t gpu;      /* slot */
    uint32_t stream; /* or NO_INDEX */
    int64_t busy_ns;
    bool shown;
    int64_t *part[KINDS];  /* by pixel: time of events that begin or end inside it */
    int32_t *cover[KINDS]; /* by pixel: change in the number of events that fill it */
};

struct lanes {
    const struct analysis *a;
    struct arena *arena;
    VEC(struct lane) all;
    struct lane **order; /* first the n shown ones, from top to bottom */
    size_t n;
    uint32_t *lane_of; /* by stream, then by slot for work without one: place in `all`, from 1 */
    size_t n_streams;
    int32_t pixels;
};

static bool has(const struct analysis *a)
{
    return view_window(&a->view) > 0 && a->view.n_kernels + a->view.n_copies > 0;
}

static int height(const struct analysis *a, size_t top)
{
    (void)top;
    size_t n = a->streams.n < 1 ? 1 : a->streams.n > MOST_LANES ? MOST_LANES : a->streams.n;
    return (int)n * LANE_HEIGHT + AXIS_HEIGHT + LEGEND_HEIGHT + 16;
}

static struct lane *lane_of(struct lanes *t, size_t slot, uint32_t stream)
{
    uint32_t *at = &t->lane_of[stream == NO_INDEX ? t->n_streams + slot : stream];
    if (!*at) {
        vec_push(&t->all, t->arena, ((struct lane){.gpu = slot, .stream = stream}));
        *at = (uint32_t)t->all.n;
    }
    return &t->all.v[*at - 1];
}

static int64_t edge(const struct lanes *t, int64_t pixel)
{
    return (int64_t)((__int128)view_window(&t->a->view) * pixel / t->pixels);
}

static int32_t pixel_of(const struct lanes *t, int64_t ns)
{
    int64_t p = (int64_t)((__int128)ns * t->pixels / view_window(&t->a->view));
    return p >= t->pixels ? t->pixels - 1 : (int32_t)p;
}

static void add(struct lanes *t, struct lane *l, int kind, int64_t start, int64_t end)
{
    struct span s = view_clip(&t->a->view, start, end);
    int64_t from = s.start - t->a->view.start_ns, to = s.end - t->a->view.start_ns;
    if (!t->order)
        l->busy_ns = add_ns(l->busy_ns, to - from);
    if (!l->shown)
        return;
    if (!l->part[kind]) {
        l->part[kind] = arena_array(t->arena, int64_t, (size_t)t->pixels);
        l->cover[kind] = arena_array(t->arena, int32_t, (size_t)t->pixels + 1);
    }
    int32_t first = pixel_of(t, from), last = pixel_of(t, to);
    if (first == last) {
        l->part[kind][first] = add_ns(l->part[kind][first], to - from);
        return;
    }
    l->part[kind][first] = add_ns(l->part[kind][first], edge(t, first + 1) - from);
    l->part[kind][last] = add_ns(l->part[kind][last], to - edge(t, last));
    l->cover[kind][first + 1]++;
    l->cover[kind][last]--;
}

/* Done twice: to find the busiest streams, then to fill their pixels. */
static void fill(struct lanes *t)
{
    const struct view *v = &t->a->view;
    const struct trace *tr = t->a->trace;
    for (size_t g = 0; g < v->n_gpus; g++) {
        for (size_t i = 0; i < v->gpus[g].n_kernels; i++) {
            uint32_t row = v->gpus[g].kernels[i];
            int kind = v->kernel_class[tr->kernels.symbol[row]] == KERNEL_COLLECTIVE ? 1
                       : v->kernel_class[tr->kernels.symbol[row]] == KERNEL_BLIT     ? 2
                                                                                     : 0;
            add(t, lane_of(t, g, tr->kernels.stream[row]), kind, tr->kernels.start_ns[row],
                tr->kernels.end_ns[row]);
        }
        for (size_t i = 0; i < v->gpus[g].n_copies; i++) {
            uint32_t row = v->gpus[g].copies[i];
            add(t, lane_of(t, g, tr->copies.stream[row]), 2, tr->copies.start_ns[row],
                tr->copies.end_ns[row]);
        }
    }
}

static int by_place(const void *x, const void *y)
{
    const struct lane *a = *(struct lane *const *)x, *b = *(struct lane *const *)y;
    return a->gpu != b->gpu ? (a->gpu < b->gpu ? -1 : 1) : a->stream < b->stream ? -1 : 1;
}

static int busiest_first(const void *x, const void *y)
{
    const struct lane *a = *(struct lane *const *)x, *b = *(struct lane *const *)y;
    if (a->busy_ns != b->busy_ns)
        return a->busy_ns > b->busy_ns ? -1 : 1;
    return by_place(x, y);
}

static void choose(struct lanes *t, size_t room)
{
    t->order = arena_array(t->arena, struct lane *, t->all.n + 1);
    for (size_t i = 0; i < t->all.n; i++)
        t->order[i] = &t->all.v[i];
    qsort(t->order, t->all.n, sizeof(*t->order), busiest_first);
    t->n = t->all.n < room ? t->all.n : room < 1 ? 1 : room;
    qsort(t->order, t->n, sizeof(*t->order), by_place);
    for (size_t i = 0; i < t->n; i++)
        t->order[i]->shown = true;
}

static const char *label_of(struct canvas *c, const struct lane *l)
{
    const struct trace *t = c->a->trace;
    if (l->stream == NO_INDEX)
        return chart_gpu_name(c, l->gpu);
    return arena_printf(c->d->arena, "%s, stream %lld", chart_gpu_name(c, l->gpu),
                        (long long)t->streams.v[l->stream].id);
}

/* Heights of the kinds in one pixel, in LEVELS steps. */
static void levels_at(const struct lanes *t, const struct lane *l, int32_t x, int32_t *cover,
                      int *out)
{
    int64_t whole = edge(t, x + 1) - edge(t, x);
    int used = 0;
    for (int k = 0; k < KINDS; k++) {
        out[k] = 0;
        if (!l->part[k])
            continue;
        cover[k] += l->cover[k][x];
        double share = cover[k] > 0 ? 1 : whole > 0 ? (double)l->part[k][x] / (double)whole : 0;
        out[k] = int_from(round(fmin(share, 1) * LEVELS));
        out[k] = share > 0 && !out[k] ? 1 : out[k]; /* little, but not nothing */
        out[k] = out[k] > LEVELS - used ? LEVELS - used : out[k];
        used += out[k];
    }
}

static void draw_lane(struct canvas *c, const struct lanes *t, const struct lane *l, struct box b)
{
    int32_t cover[KINDS] = {0}, from = 0;
    int run[KINDS] = {0}, now[KINDS] = {0};
    for (int32_t x = 0; x <= t->pixels; x++) {
        bool same = x > 0 && x < t->pixels;
        if (x < t->pixels)
            levels_at(t, l, x, cover, now);
        for (int k = 0; k < KINDS; k++)
            same &= now[k] == run[k];
        if (same)
            continue;
        int below = 0;
        for (int k = 0; k < KINDS && x > 0; k++) {
            int32_t high = b.h * run[k] / LEVELS;
            draw_rect(c->d, kinds[k].ink, b.x + PX(from), b.y + b.h - b.h * below / LEVELS - high,
                      PX(x - from), high, NULL);
            below += run[k];
        }
        for (int k = 0; k < KINDS; k++)
            run[k] = now[k];
        from = x;
    }
}

static void draw_lanes(struct canvas *c, const struct lanes *t, int32_t labels)
{
    struct box plot = {c->box.x + labels + PX(8), c->box.y, PX(t->pixels),
                       c->box.h - PX(AXIS_HEIGHT)};
    int32_t step = plot.h / (int32_t)t->n;
    step = step > PX(48) ? PX(48) : step;
    plot.h = step * (int32_t)t->n;
    chart_time_axis(c, plot, view_window(&c->a->view));
    for (size_t i = 0; i < t->n; i++) {
        const struct lane *l = t->order[i];
        struct box b = {plot.x, plot.y + step * (int32_t)i + step / 8, plot.w, step - step / 4};
        draw_text(c->d, INK_TEXT, c->box.x + labels, b.y + b.h / 2 + PX(4), LABEL_SIZE, ANCHOR_END,
                  draw_fit(c->d->arena, label_of(c, l), LABEL_SIZE, labels));
        draw_line(c->d, INK_GRID, b.x, b.y + b.h, b.x + b.w, b.y + b.h);
        draw_lane(c, t, l, b);
    }
}

static void draw(struct canvas *c)
{
    const struct analysis *a = c->a;
    int32_t labels = PX(130) < c->box.w / 4 ? PX(130) : c->box.w / 4;
    struct lanes t = {.a = a, .arena = c->d->arena, .n_streams = a->trace->streams.n};
    t.pixels = (c->box.w - labels - PX(8)) / DRAW_UNIT;
    t.lane_of = arena_array(t.arena, uint32_t, t.n_streams + a->view.n_gpus);
    chart_legend(c, kinds, KINDS);
    fill(&t);
    int32_t room = (c->box.h - PX(AXIS_HEIGHT)) / PX(14);
    choose(&t, room < 1 ? 1 : room > MOST_LANES ? MOST_LANES : (size_t)room);
    fill(&t);
    if (t.n < t.all.n)
        draw_text(c->d, INK_MUTED, c->box.x + c->box.w, c->box.y - PX(6), LABEL_SIZE, ANCHOR_END,
                  arena_printf(c->d->arena, "the %zu busiest of %zu streams", t.n, t.all.n));
    draw_lanes(c, &t, labels);
}

const struct chart chart_timeline = {
    .name = "timeline",
    .title = "Timeline",
    .doc = "A row is a stream; the height of a column of pixels is the share of that time in which "
           "the stream runs something.",
    .absent = "no GPU work in this trace",
    .has = has,
    .height = height,
    .draw = draw,
};
