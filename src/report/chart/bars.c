/* Bars in rows and in columns. */
#include <math.h>

#include "base/sat.h"
#include "report/chart/parts.h"

enum { ROW_STACKED = 32 }; /* pixels of a row with its texts above the bar */

static double unit_share(double v)
{
    return !(v > 0) ? 0 : v > 1 ? 1 : v;
}

/* Pieces that end where the next begins, so that rounding leaves no seams. */
static int32_t piece(double share, int32_t length)
{
    return int_from(round(unit_share(share) * length));
}

static void draw_parts(struct canvas *c, const struct bar_row *row, struct box bar)
{
    double at = 0;
    draw_rect(c->d, INK_TRACK, bar.x, bar.y, bar.w, bar.h, NULL);
    for (size_t i = 0; i < row->parts.n; i++) {
        const struct bar_part *p = &row->parts.v[i];
        int32_t from = piece(at, bar.w);
        at += unit_share(p->share);
        int32_t to = piece(at, bar.w);
        if (p->share > 0 && to - from < PX(1) && from + PX(1) <= bar.w && row->parts.n == 1)
            to = from + PX(1); /* small, but not nothing */
        draw_rect(c->d, p->ink, bar.x + from, bar.y, to - from, bar.h, p->tip);
        if (row->links)
            draw_link(c->d, row->links[i]);
        if (p->label && to - from > draw_text_width(p->label, LABEL_SIZE) + PX(8))
            draw_text(c->d, ink_over(p->ink), bar.x + (from + to) / 2, bar.y + bar.h / 2 + PX(4),
                      LABEL_SIZE, ANCHOR_MIDDLE, p->label);
    }
    if (!isnan(row->mark)) {
        int32_t x = bar.x + piece(row->mark, bar.w);
        draw_rect(c->d, INK_TEXT, x - PX(1), bar.y - PX(2), PX(2), bar.h + PX(4), NULL);
    }
}

static int32_t widest_text(const struct bar_row *rows, size_t n, bool value)
{
    int32_t widest = 0;
    for (size_t i = 0; i < n; i++) {
        int32_t w = draw_text_width(value ? rows[i].value : rows[i].label, LABEL_SIZE);
        widest = w > widest ? w : widest;
    }
    return widest;
}

/* Where little room is: label and value above the bar. */
static void stacked_row(struct canvas *c, const struct bar_row *row, int32_t y, int32_t step)
{
    struct box b = c->box;
    int32_t value = draw_text_width(row->value, LABEL_SIZE);
    value = value > b.w / 2 ? b.w / 2 : value;
    draw_text(c->d, INK_TEXT, b.x, y + PX(11), LABEL_SIZE, ANCHOR_START,
              draw_fit(c->d->arena, row->label, LABEL_SIZE, b.w - value - PX(8)));
    draw_text(c->d, INK_MUTED, b.x + b.w, y + PX(11), LABEL_SIZE, ANCHOR_END,
              draw_fit(c->d->arena, row->value, LABEL_SIZE, value));
    draw_parts(c, row, (struct box){b.x, y + PX(16), b.w, step - PX(22)});
}

static void plain_rows(struct canvas *c, const struct bar_row *rows, size_t n, size_t shown,
                       int32_t step)
{
    struct box b = c->box;
    int32_t values = widest_text(rows, n, true), labels = widest_text(rows, n, false);
    values = values > b.w * 2 / 5 ? b.w * 2 / 5 : values;
    int32_t room = (b.w - values) * 11 / 20;
    labels = labels > room ? room : labels;
    for (size_t i = 0; i < shown; i++) {
        int32_t y = b.y + step * (int32_t)i, base = y + step / 2 + PX(4);
        struct box bar = {b.x + labels + PX(8), y + step / 6, b.w - labels - values - PX(16),
                          step - step / 3};
        draw_text(c->d, INK_TEXT, b.x + labels, base, LABEL_SIZE, ANCHOR_END,
                  draw_fit(c->d->arena, rows[i].label, LABEL_SIZE, labels));
        if (bar.w > 0)
            draw_parts(c, &rows[i], bar);
        draw_text(c->d, INK_MUTED, b.x + b.w, base, LABEL_SIZE, ANCHOR_END,
                  draw_fit(c->d->arena, rows[i].value, LABEL_SIZE, values));
    }
}

void chart_rows(struct canvas *c, const struct bar_row *rows, size_t n)
{
    struct box b = c->box;
    bool stacked = c->d->width < PX(CHART_NARROW) && b.h >= PX(ROW_STACKED) * (int32_t)n;
    size_t fit = (size_t)(b.h / PX(15));
    size_t shown = n <= fit ? n : fit > 1 ? fit - 1 : 1;
    int32_t step = shown ? b.h / (int32_t)(shown + (shown < n)) : 0;
    step = step > PX(stacked ? 42 : 34) ? PX(stacked ? 42 : 34) : step;
    for (size_t i = 0; stacked && i < n; i++)
        stacked_row(c, &rows[i], b.y + step * (int32_t)i, step);
    if (!stacked)
        plain_rows(c, rows, n, shown, step);
    if (shown < n)
        draw_text(c->d, INK_MUTED, b.x, b.y + step * (int32_t)shown + PX(12), LABEL_SIZE,
                  ANCHOR_START, arena_printf(c->d->arena, "and %zu more", n - shown));
}

/* Columns as rows, where their labels have no room beside each other. */
static void lying_columns(struct canvas *c, const struct bar_row *columns, size_t n)
{
    struct bar_row *rows = arena_array(c->d->arena, struct bar_row, n);
    for (size_t i = 0; i < n; i++) {
        rows[i] = columns[i];
        rows[i].mark = NAN;
    }
    chart_rows(c, rows, n);
}

void chart_columns(struct canvas *c, const struct bar_row *columns, size_t n)
{
    if (c->d->width < PX(CHART_NARROW) && c->box.h >= PX(ROW_STACKED) * (int32_t)n) {
        lying_columns(c, columns, n);
        return;
    }
    struct box b = {c->box.x, c->box.y + PX(18), c->box.w, c->box.h - PX(40)};
    if (!n || b.h <= 0)
        return;
    for (int i = 0; i <= 4; i++)
        draw_line(c->d, INK_GRID, b.x, b.y + b.h * i / 4, b.x + b.w, b.y + b.h * i / 4);
    int32_t step = b.w / (int32_t)n, wide = step * 2 / 3;
    wide = wide > PX(90) ? PX(90) : wide;
    for (size_t i = 0; i < n; i++) {
        int32_t middle = b.x + step * (int32_t)i + step / 2, y = b.y + b.h;
        double at = 0;
        for (size_t k = 0; k < columns[i].parts.n; k++) {
            const struct bar_part *p = &columns[i].parts.v[k];
            int32_t from = piece(at, b.h);
            at += unit_share(p->share);
            int32_t high = piece(at, b.h) - from;
            y = b.y + b.h - from - high;
            draw_rect(c->d, p->ink, middle - wide / 2, y, wide, high, p->tip);
        }
        draw_text(c->d, INK_TEXT, middle, y - PX(4), LABEL_SIZE, ANCHOR_MIDDLE,
                  draw_fit(c->d->arena, columns[i].value, LABEL_SIZE, step));
        draw_text(c->d, INK_MUTED, middle, b.y + b.h + PX(15), LABEL_SIZE, ANCHOR_MIDDLE,
                  draw_fit(c->d->arena, columns[i].label, LABEL_SIZE, step));
    }
}
