/* Kernels under the roofs of memory and compute; both axes are logarithmic. */
#include <math.h>
#include <stdlib.h>

#include "base/str.h"
#include "report/workload_report.h"

enum { LEFT = 76, RIGHT = 20, TOP = 44, BOTTOM = 86, HIGH = 480, FONT = 11 };

struct plane {
    struct draw *d;
    double x0, x1, y0, y1; /* decades */
    int32_t left, top, w, h;
};

static const enum ink level_inks[ROOF_LEVELS] = {INK_VERMILLION, INK_BLUE, INK_GREEN, INK_ORANGE};

static int32_t at_x(const struct plane *p, double x)
{
    double share = (log10(x) - p->x0) / (p->x1 - p->x0);
    share = share < 0 ? 0 : share > 1 ? 1 : share;
    return p->left + (int32_t)lround(share * p->w);
}

static int32_t at_y(const struct plane *p, double y)
{
    double share = (log10(y) - p->y0) / (p->y1 - p->y0);
    share = share < 0 ? 0 : share > 1 ? 1 : share;
    return p->top + p->h - (int32_t)lround(share * p->h);
}

static void frame(struct plane *p)
{
    struct arena *a = p->d->arena;
    for (double e = p->x0; e <= p->x1; e++) {
        int32_t x = at_x(p, pow(10, e));
        draw_line(p->d, INK_GRID, x, p->top, x, p->top + p->h);
        draw_text(p->d, INK_MUTED, x, p->top + p->h + PX(16), FONT, ANCHOR_MIDDLE,
                  arena_printf(a, "%g", pow(10, e)));
    }
    for (double e = p->y0; e <= p->y1; e++) {
        int32_t y = at_y(p, pow(10, e));
        draw_line(p->d, INK_GRID, p->left, y, p->left + p->w, y);
        draw_text(p->d, INK_MUTED, p->left - PX(6), y + PX(4), FONT, ANCHOR_END,
                  arena_printf(a, "%g", pow(10, e)));
    }
    draw_text(p->d, INK_MUTED, p->left + p->w / 2, p->top + p->h + PX(34), FONT, ANCHOR_MIDDLE,
              "FLOP per byte");
    draw_text(p->d, INK_MUTED, p->left, p->top - PX(6), FONT, ANCHOR_START, "GFLOP/s");
}

/* y = x * bandwidth, from where it enters the frame up to the roof. */
static void slope(struct plane *p, const struct workload_report *r, int level, double roof)
{
    double bw = r->peaks.gbps[level], x0 = pow(10, p->x0), x1 = pow(10, p->x1);
    double least = pow(10, p->y0);
    if (!(bw > 0) || !(roof > 0))
        return;
    double from = least / bw > x0 ? least / bw : x0, to = roof / bw < x1 ? roof / bw : x1;
    if (to <= from)
        return;
    draw_line(p->d, level_inks[level], at_x(p, from), at_y(p, from * bw), at_x(p, to),
              at_y(p, to * bw));
}

static bool kind_used(const struct workload_report *r, int kind)
{
    for (size_t i = 0; i < r->kernels.n; i++)
        if (r->kernels.v[i].roof.flops[kind] > 0)
            return true;
    return kind == FLOP_FP32 || kind == FLOP_FP64 || kind == FLOP_MAT_FP16;
}

/* The highest of the roofs that are drawn. */
static double highest(const struct workload_report *r)
{
    double most = 0;
    for (int k = 0; k < FLOP_KINDS; k++)
        if (k != FLOP_MAT_INT8 && kind_used(r, k) && r->peaks.gflops[k] > most)
            most = r->peaks.gflops[k];
    return most;
}

static void roofs(struct plane *p, const struct workload_report *r)
{
    struct arena *a = p->d->arena;
    double best = 0;
    int32_t last = 0, shift = 0;
    for (int l = 0; l < ROOF_LEVELS; l++)
        best = r->peaks.gbps[l] > best ? r->peaks.gbps[l] : best;
    for (int k = 0; k < FLOP_KINDS; k++) {
        double peak = r->peaks.gflops[k];
        if (!(peak > 0) || k == FLOP_MAT_INT8 || !kind_used(r, k))
            continue;
        int32_t y = at_y(p, peak), from = best > 0 ? at_x(p, peak / best) : p->left;
        const char *label = arena_printf(a, "%s %s GFLOP/s", flop_kind_label((enum flop_kind)k),
                                         workload_number_text(peak, a));
        draw_line(p->d, INK_GREY, from, y, p->left + p->w, y);
        /* roofs that lie close have their labels beside each other */
        shift = last && abs(y - last) < PX(14) ? shift + PX(200) : 0;
        draw_text(p->d, INK_TEXT, p->left + p->w - PX(4) - shift, y - PX(4), FONT, ANCHOR_END,
                  label);
        last = y;
    }
}

static void point(struct plane *p, const struct workload_view *v, size_t rank, int level)
{
    const struct roof_point *k = &v->roof;
    struct arena *a = p->d->arena;
    if (!(k->intensity[level] > 0) || !(k->gflops > 0))
        return;
    int32_t x = at_x(p, k->intensity[level]), y = at_y(p, k->gflops), s = PX(4);
    struct draw_point mark[] = {{x, y - s}, {x + s, y}, {x, y + s}, {x - s, y}};
    draw_shape(p->d, level_inks[level], mark, 4,
               arena_printf(a, "#%zu %s: %s FLOP/B at %s, %s GFLOP/s", rank, v->name,
                            workload_number_text(k->intensity[level], a),
                            roof_level_label((enum roof_level)level),
                            workload_number_text(k->gflops, a)));
    draw_text(p->d, INK_TEXT, x + PX(6), y + PX(4), FONT, ANCHOR_START,
              arena_printf(a, "%zu", rank));
}

static void legend(struct plane *p, const struct workload_report *r)
{
    struct arena *a = p->d->arena;
    int32_t x = p->left, y = p->d->height - PX(20);
    for (int l = 0; l < ROOF_LEVELS; l++) {
        const char *text =
            arena_printf(a, "%s %s GB/s", roof_level_label((enum roof_level)l),
                         r->peaks.gbps[l] > 0 ? workload_number_text(r->peaks.gbps[l], a) : "-");
        draw_rect(p->d, level_inks[l], x, y - PX(9), PX(10), PX(10), text);
        draw_text(p->d, INK_TEXT, x + PX(14), y, FONT, ANCHOR_START, text);
        x += PX(24) + draw_text_width(text, FONT);
    }
}

struct draw *workload_roof_draw(const struct workload_report *r, int width_px, struct arena *a)
{
    int width = width_px ? width_px : 800;
    struct draw *d = draw_new(a, width < 480 ? 480 : width, HIGH);
    double roof = highest(r), least = 1;
    size_t points = 0;
    for (size_t i = 0; i < r->kernels.n; i++)
        for (int l = 0; l < ROOF_LEVELS; l++) {
            const struct roof_point *k = &r->kernels.v[i].roof;
            bool there = k->gflops > 0 && k->intensity[l] > 0;
            least = there && k->gflops < least ? k->gflops : least;
            points += there;
        }
    struct plane p = {d,
                      -2,
                      3,
                      floor(log10(least)),
                      roof > 1 ? ceil(log10(roof)) : 4,
                      PX(LEFT),
                      PX(TOP),
                      d->width - PX(LEFT + RIGHT),
                      PX(HIGH - TOP - BOTTOM)};
    p.y0 = p.y0 < -6 ? -6 : p.y0;
    d->title = "Roofline";
    d->doc = "Kernels by what they compute for each byte, under the roofs of memory and compute.";
    draw_rect(d, INK_PAGE, 0, 0, d->width, d->height, NULL);
    draw_text(d, INK_TEXT, PX(16), PX(22), 14, ANCHOR_START,
              r->peaks.measured ? "Roofline (measured peaks)" : "Roofline (peaks of theory)");
    draw_bold(d);
    frame(&p);
    for (int l = 0; l < ROOF_LEVELS; l++)
        slope(&p, r, l, roof);
    roofs(&p, r);
    for (size_t i = 0; i < r->kernels.n; i++)
        for (int l = 0; l < ROOF_LEVELS; l++)
            point(&p, &r->kernels.v[i], i + 1, l);
    if (!points)
        draw_text(d, INK_MUTED, p.left + p.w / 2, p.top + p.h / 2, 13, ANCHOR_MIDDLE,
                  "no kernel with floating-point operations and a duration");
    legend(&p, r);
    return d;
}
