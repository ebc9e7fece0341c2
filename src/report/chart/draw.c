#include "report/chart/draw.h"

#include <string.h>

#include "base/utf8.h"

static const struct {
    const char *name;
    uint32_t rgb[2];
} inks[] = {
#define INK(id, css, light, dark) [INK_##id] = {css, {light, dark}},
#include "report/chart/inks.def"
#undef INK
};

uint32_t ink_rgb(enum ink ink, enum theme theme)
{
    return inks[ink].rgb[theme];
}

const char *ink_name(enum ink ink)
{
    return inks[ink].name;
}

enum ink ink_over(enum ink ink)
{
    return ink == INK_BLUE || ink == INK_INDIGO || ink == INK_WINE || ink == INK_BLACK
               ? INK_ON_DARK
               : INK_ON_LIGHT;
}

struct draw *draw_new(struct arena *a, int width_px, int height_px)
{
    struct draw *d = arena_new(a, struct draw);
    d->arena = a;
    d->width = PX(width_px);
    d->height = PX(height_px);
    d->title = d->doc = "";
    return d;
}

static const char *visible(struct draw *d, const char *text)
{
    struct str s;
    if (!text)
        return NULL;
    str_init(&s, d->arena);
    utf8_escape(&s, text, strlen(text));
    return s.buf;
}

void draw_rect(struct draw *d, enum ink ink, int32_t x, int32_t y, int32_t w, int32_t h,
               const char *tip)
{
    struct draw_item item = {
        .kind = DRAW_RECT, .ink = ink, .x = x, .y = y, .w = w, .h = h, .text = visible(d, tip)};
    if (w > 0 && h > 0)
        vec_push(&d->items, d->arena, item);
}

void draw_line(struct draw *d, enum ink ink, int32_t x0, int32_t y0, int32_t x1, int32_t y1)
{
    struct draw_item item = {
        .kind = DRAW_LINE, .ink = ink, .x = x0, .y = y0, .w = x1 - x0, .h = y1 - y0};
    vec_push(&d->items, d->arena, item);
}

void draw_text(struct draw *d, enum ink ink, int32_t x, int32_t y, int size_px, enum anchor anchor,
               const char *text)
{
    struct draw_item item = {.kind = DRAW_TEXT, .ink = ink, .x = x, .y = y, .h = PX(size_px)};
    item.anchor = anchor;
    item.text = visible(d, text);
    if (*text)
        vec_push(&d->items, d->arena, item);
}

void draw_bold(struct draw *d)
{
    if (d->items.n)
        d->items.v[d->items.n - 1].bold = true;
}

void draw_link(struct draw *d, const char *link)
{
    if (d->items.n)
        d->items.v[d->items.n - 1].link = link;
}

void draw_trim(struct draw *d, int margin_px)
{
    int32_t bottom = 0;
    for (size_t i = 0; i < d->items.n; i++) {
        const struct draw_item *it = &d->items.v[i];
        int32_t end = it->kind == DRAW_TEXT ? it->y + PX(4) : it->y + it->h;
        for (size_t k = 0; k < it->n_points; k++)
            end = it->points[k].y > end ? it->points[k].y : end;
        bottom = end > bottom ? end : bottom;
    }
    bottom = (bottom / DRAW_UNIT + 1 + margin_px) * DRAW_UNIT;
    d->height = bottom < d->height ? bottom : d->height;
}

void draw_shape(struct draw *d, enum ink ink, const struct draw_point *points, size_t n,
                const char *tip)
{
    struct draw_point *own = arena_array(d->arena, struct draw_point, n);
    memcpy(own, points, n * sizeof(*own));
    struct draw_item item = {.kind = DRAW_SHAPE, .ink = ink, .text = visible(d, tip)};
    item.points = own;
    item.n_points = n;
    vec_push(&d->items, d->arena, item);
}

/* Thousandths of the font size, ' ' to '~'. */
static const uint16_t advance[] = {
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361,  318, 337, 636, 636, 636,
    636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632,
    575, 775, 752, 295, 295, 656, 557, 863, 748, 787, 603, 787, 695, 635,  611, 732, 684, 989, 685,
    611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635, 615, 352,  635, 634, 278, 278, 579,
    278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592,  525, 636, 337, 636, 838};

static int32_t char_width(uint32_t c, int size_px)
{
    int thousandths = c >= ' ' && c <= '~' ? advance[c - ' '] : 650 * utf8_cell_width(c);
    return thousandths * size_px * DRAW_UNIT / 1000;
}

int32_t draw_text_width(const char *text, int size_px)
{
    int64_t width = 0;
    size_t n = strlen(text);
    for (size_t i = 0, len; i < n; i += len)
        width += char_width(utf8_decode(text + i, n - i, &len), size_px);
    return width > INT32_MAX ? INT32_MAX : (int32_t)width;
}

const char *draw_fit(struct arena *a, const char *text, int size_px, int32_t width)
{
    struct str s, out;
    str_init(&s, a);
    utf8_escape(&s, text, strlen(text));
    if (draw_text_width(s.buf, size_px) <= width)
        return s.buf;
    int32_t left = width - PX(size_px); /* an ellipsis is as wide as the font is high */
    str_init(&out, a);
    for (size_t i = 0, len; i < s.len; i += len) {
        left -= char_width(utf8_decode(s.buf + i, s.len - i, &len), size_px);
        if (left < 0)
            break;
        str_put(&out, s.buf + i, len);
    }
    if (width >= PX(size_px))
        str_puts(&out, "…");
    return out.buf;
}

void draw_dump(struct str *out, const struct draw *d)
{
    static const char *const kinds[] = {"rect", "line", "text", "shape"};
    static const char *const anchors[] = {"start", "middle", "end"};
    str_printf(out, "draw %d %d %s\n", d->width, d->height, d->title);
    for (size_t i = 0; i < d->items.n; i++) {
        const struct draw_item *it = &d->items.v[i];
        str_printf(out, "%s %s", kinds[it->kind], inks[it->ink].name);
        if (it->kind == DRAW_TEXT)
            str_printf(out, " %d %d %d %s%s", it->x, it->y, it->h, anchors[it->anchor],
                       it->bold ? " bold" : "");
        else if (it->kind != DRAW_SHAPE)
            str_printf(out, " %d %d %d %d", it->x, it->y, it->w, it->h);
        for (size_t p = 0; p < it->n_points; p++)
            str_printf(out, " %d,%d", it->points[p].x, it->points[p].y);
        str_printf(out, "%s%s\n", it->text ? " | " : "", it->text ? it->text : "");
    }
}
