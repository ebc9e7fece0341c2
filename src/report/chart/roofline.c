#include <math.h>
#include <stdlib.h>

#include "base/sat.h"
#include "report/chart/parts.h"

enum { HEIGHT = 340, AXIS_LEFT = 44, DOT = 5, MOST_ROOFS = 8 };

static const enum ink inks[ROOF_LEVELS] = {
    [ROOF_HBM] = INK_BLUE, [ROOF_L2] = INK_GREEN, [ROOF_L1] = INK_ORANGE, [ROOF_LDS] = INK_PURPLE};

static bool is_dot(const struct roofline_row *r)
{
    return r->intensity > 0 && r->gflops > 0;
}

static bool has(const struct analysis *a)
{
    for (size_t i = 0; i < a->counters.roofline.n && a->counters.roofs.n; i++)
        if (is_dot(&a->counters.roofline.v[i]))
            return true;
    return false;
}

static int height(const struct analysis *a, size_t top)
{
    (void)a;
    (void)top;
    return HEIGHT + chart_legend_height(ROOF_LEVELS);
}

/* Powers of ten at the ends of both axes. */
struct plane {
    struct box box;
    double x0, x1, y0, y1; /* logarithms */
};

static int32_t place_x(const struct plane *p, double intensity)
{
    return p->box.x + int_from(round((log10(intensity) - p->x0) / (p->x1 - p->x0) * p->box.w));
}

static int32_t place_y(const struct plane *p, double gflops)
{
    return p->box.y + p->box.h -
           int_from(round((log10(gflops) - p->y0) / (p->y1 - p->y0) * p->box.h));
}

static double clamp_log(double v)
{
    return fmin(fmax(log10(v), -4), 9);
}

/* All dots, all roofs of the first GPU, and the ridge of the slowest memory fit in. */
static void scale(struct plane *p, const struct counter_results *c)
{
    double x0 = 0.1, x1 = 10, y0 = 100, y1 = 1000, slowest = 0, fastest = 0;
    for (size_t i = 0; i < c->roofs.n; i++) {
        const struct roof_row *r = &c->roofs.v[i];
        if (!str_eq(r->gpu, c->roofs.v[0].gpu))
            continue;
        if (r->kind == ROOF_COMPUTE)
            fastest = fmax(fastest, r->peak);
        else
            slowest = slowest > 0 ? fmin(slowest, r->peak) : r->peak;
    }
    for (size_t i = 0; i < c->roofline.n; i++) {
        const struct roofline_row *r = &c->roofline.v[i];
        if (!is_dot(r))
            continue;
        x0 = fmin(x0, r->intensity);
        x1 = fmax(x1, r->intensity);
        y0 = fmin(y0, r->gflops);
        y1 = fmax(y1, r->gflops);
    }
    if (slowest > 0 && fastest > 0)
        x1 = fmax(x1, fastest / slowest);
    y1 = fmax(y1, fastest);
    p->x0 = floor(clamp_log(x0) - 0.1);
    p->x1 = fmax(ceil(clamp_log(x1) + 0.05), p->x0 + 1);
    p->y0 = floor(clamp_log(y0) - 0.1);
    p->y1 = fmax(ceil(clamp_log(y1) + 0.05), p->y0 + 1);
}

static void axes(struct canvas *c, const struct plane *p)
{
    struct arena *a = c->d->arena;
    struct box b = p->box;
    for (double k = p->x0; k <= p->x1; k++) {
        int32_t x = place_x(p, pow(10, k));
        draw_line(c->d, INK_GRID, x, b.y, x, b.y + b.h);
        draw_text(c->d, INK_MUTED, x, b.y + b.h + PX(14), LABEL_SIZE,
                  k > p->x0 ? ANCHOR_MIDDLE : ANCHOR_START, arena_printf(a, "%g", pow(10, k)));
    }
    for (double k = p->y0; k <= p->y1; k++) {
        int32_t y = place_y(p, pow(10, k));
        draw_line(c->d, INK_GRID, b.x, y, b.x + b.w, y);
        draw_text(c->d, INK_MUTED, b.x - PX(6), y + PX(4), LABEL_SIZE, ANCHOR_END,
                  k >= 3 ? arena_printf(a, "%g T", pow(10, k - 3))
                         : arena_printf(a, "%g G", pow(10, k)));
    }
    draw_text(c->d, INK_MUTED, b.x + b.w, b.y + b.h + PX(28), LABEL_SIZE, ANCHOR_END,
              "operations per byte; upwards: operations per second");
}

/* Types of numbers with the same peak share a line. */
static void compute_roofs(struct canvas *c, const struct plane *p)
{
    const struct counter_results *r = &c->a->counters;
    struct {
        double peak;
        struct str label;
    } roofs[MOST_ROOFS];
    size_t n = 0;
    for (size_t i = 0; i < r->roofs.n; i++) {
        const struct roof_row *roof = &r->roofs.v[i];
        if (roof->kind != ROOF_COMPUTE || !str_eq(roof->gpu, r->roofs.v[0].gpu) ||
            roof->unit != IN_GFLOPS)
            continue;
        size_t k = 0;
        while (k < n && fabs(roofs[k].peak / roof->peak - 1) > 0.02)
            k++;
        if (k == MOST_ROOFS)
            continue;
        if (k == n) {
            roofs[n].peak = roof->peak;
            str_init(&roofs[n++].label, c->d->arena);
        }
        str_printf(&roofs[k].label, "%s%s", roofs[k].label.len ? ", " : "", roof->roof);
    }
    for (size_t k = 0; k < n; k++) {
        int32_t y = place_y(p, roofs[k].peak), aside = 0;
        /* labels of roofs that lie close stand beside each other */
        for (size_t j = 0; j < k; j++)
            if (abs(y - place_y(p, roofs[j].peak)) < PX(LABEL_SIZE + 2))
                aside += PX(190);
        draw_line(c->d, INK_MUTED, p->box.x, y, p->box.x + p->box.w, y);
        draw_text(c->d, INK_MUTED, p->box.x + p->box.w - PX(4) - aside, y - PX(3), LABEL_SIZE,
                  ANCHOR_END,
                  draw_fit(c->d->arena,
                           arena_printf(c->d->arena, "%s: %.3g TFLOP/s", roofs[k].label.buf,
                                        roofs[k].peak / 1000),
                           LABEL_SIZE, p->box.w));
    }
}

/* y = x * bandwidth, from the left or lower edge to the upper one. */
static void bandwidth_roofs(struct canvas *c, const struct plane *p)
{
    const struct counter_results *r = &c->a->counters;
    for (size_t i = 0; i < r->roofs.n; i++) {
        const struct roof_row *roof = &r->roofs.v[i];
        if (roof->kind != ROOF_BANDWIDTH || !str_eq(roof->gpu, r->roofs.v[0].gpu))
            continue;
        double from = fmax(pow(10, p->x0), pow(10, p->y0) / roof->peak);
        double to = fmin(pow(10, p->x1), pow(10, p->y1) / roof->peak);
        if (to > from)
            draw_line(c->d, inks[roof->level], place_x(p, from), place_y(p, from * roof->peak),
                      place_x(p, to), place_y(p, to * roof->peak));
    }
}

static void dot(struct canvas *c, enum ink ink, int32_t x, int32_t y, const char *tip)
{
    /* An octagon: 0.924 and 0.383 are the cosine and sine of 22.5 degrees. */
    static const struct draw_point corner[] = {{924, 383},  {383, 924},   {-383, 924},
                                               {-924, 383}, {-924, -383}, {-383, -924},
                                               {383, -924}, {924, -383}};
    enum { N = ARRAY_LEN(corner) };
    struct draw_point *points = arena_array(c->d->arena, struct draw_point, N);
    for (int i = 0; i < N; i++)
        points[i] =
            (struct draw_point){x + corner[i].x * PX(DOT) / 1000, y + corner[i].y * PX(DOT) / 1000};
    draw_shape(c->d, ink, points, N, tip);
}

/* Memory last: it is on top where dots meet. */
static void dots(struct canvas *c, const struct plane *p, bool of_memory)
{
    const struct counter_results *r = &c->a->counters;
    for (size_t i = 0; i < r->roofline.n; i++) {
        const struct roofline_row *k = &r->roofline.v[i];
        if (!is_dot(k) || (k->level == ROOF_HBM) != of_memory)
            continue;
        int32_t x = place_x(p, k->intensity), y = place_y(p, k->gflops);
        const char *tip = arena_printf(
            c->d->arena, "%s, %s: %.3g operations per byte, %.4g GFLOP/s, %.0f %% of its roof%s",
            k->kernel, roof_level_label(k->level), k->intensity, k->gflops, k->roof_pct,
            k->cross_pass ? "; from different passes" : "");
        dot(c, inks[k->level], x, y, tip);
        if (!of_memory)
            continue;
        bool is_right = x > p->box.x + p->box.w / 2;
        int32_t room = is_right ? x - p->box.x : p->box.x + p->box.w - x;
        draw_text(c->d, INK_TEXT, x + (is_right ? -PX(DOT + 3) : PX(DOT + 3)),
                  y + (is_right ? PX(16) : -PX(6)), LABEL_SIZE,
                  is_right ? ANCHOR_END : ANCHOR_START,
                  draw_fit(c->d->arena, k->kernel, LABEL_SIZE, room - PX(8)));
    }
}

static void draw(struct canvas *c)
{
    struct legend_item items[ROOF_LEVELS];
    for (int l = 0; l < ROOF_LEVELS; l++)
        items[l] = (struct legend_item){
            inks[l],
            arena_printf(c->d->arena, "%s: roof, and kernels by its bytes", roof_level_labels[l])};
    chart_legend(c, items, ROOF_LEVELS);
    struct plane p = {.box = {c->box.x + PX(AXIS_LEFT), c->box.y + PX(6), c->box.w - PX(AXIS_LEFT),
                              c->box.h - PX(6 + 34)}};
    if (p.box.h < PX(40) || p.box.w < PX(40))
        return;
    scale(&p, &c->a->counters);
    axes(c, &p);
    compute_roofs(c, &p);
    bandwidth_roofs(c, &p);
    dots(c, &p, false);
    dots(c, &p, true);
}

const struct chart chart_roofline = {
    .name = "roofline",
    .title = "Roofline",
    .doc = "Both axes are logarithmic. A kernel cannot be above the slanted roof of the memory it "
           "reads from, nor above the flat roof of its numbers; the nearer, the less there is to "
           "win.",
    .absent = "operations and bytes were not counted",
    .has = has,
    .height = height,
    .draw = draw,
};
