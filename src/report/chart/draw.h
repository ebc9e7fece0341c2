/*
 * Draw list: a picture as a list of shapes, before anyone decides what draws it.
 *
 * Charts are drawn once, here; SVG, PNG, PDF and HTML come from the list. Numbers are integers,
 * tenths of a pixel with the origin at the top left, so the same analysis gives the same list on
 * every machine. Colours are names (inks.def), a theme turns them into numbers.
 *
 * Texts may come from a trace: draw_text() makes control characters and malformed bytes visible,
 * renderers escape for their medium. Everything lives in the arena.
 *
 *     struct draw *d = draw_new(arena, 640, 400);
 *     draw_rect(d, INK_GREEN, PX(10), PX(10), PX(100), PX(20), "compute: 3.2 s");
 *     draw_text(d, INK_TEXT, PX(10), PX(50), 11, ANCHOR_START, "compute");
 */
#ifndef GS_REPORT_CHART_DRAW_H
#define GS_REPORT_CHART_DRAW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "base/vec.h"

enum { DRAW_UNIT = 10 }; /* units in a pixel */
#define PX(x) ((int32_t)((x)*DRAW_UNIT))

enum ink {
#define INK(id, css, light, dark) INK_##id,
#include "report/chart/inks.def"
#undef INK
    INKS
};

enum theme { THEME_LIGHT, THEME_DARK };

uint32_t ink_rgb(enum ink ink, enum theme theme);
const char *ink_name(enum ink ink); /* "vermillion" */
enum ink ink_over(enum ink ink);    /* for text on a surface of this ink */

enum draw_kind { DRAW_RECT, DRAW_LINE, DRAW_TEXT, DRAW_SHAPE };
enum anchor { ANCHOR_START, ANCHOR_MIDDLE, ANCHOR_END };

struct draw_point {
    int32_t x, y;
};

/*
 * rect: x y w h; line: from x y to x+w y+h; text: baseline at x y, h is the size of the font;
 * shape: a filled polygon.
 */
struct draw_item {
    enum draw_kind kind;
    enum ink ink;
    int32_t x, y, w, h;
    enum anchor anchor;
    bool bold;
    const char *text; /* of a text; of others what a pointer over it shows, or NULL */
    const struct draw_point *points;
    size_t n_points;
    const char *link; /* id of a place in the page it leads to, where there is a page; NULL: none */
};

struct draw {
    struct arena *arena;
    int32_t width, height;   /* units */
    const char *title, *doc; /* for readers who cannot see it */
    VEC(struct draw_item) items;
};

struct draw *draw_new(struct arena *a, int width_px, int height_px);
void draw_rect(struct draw *d, enum ink ink, int32_t x, int32_t y, int32_t w, int32_t h,
               const char *tip);
void draw_line(struct draw *d, enum ink ink, int32_t x0, int32_t y0, int32_t x1, int32_t y1);
void draw_text(struct draw *d, enum ink ink, int32_t x, int32_t y, int size_px, enum anchor anchor,
               const char *text);
void draw_bold(struct draw *d);                   /* the text drawn last */
void draw_link(struct draw *d, const char *link); /* the shape drawn last; an id of ours */
void draw_shape(struct draw *d, enum ink ink, const struct draw_point *points, size_t n,
                const char *tip);

/*
 * Width of a text in units, in a font as wide as DejaVu Sans; what is measured here fits in
 * narrower ones as well.
 */
int32_t draw_text_width(const char *text, int size_px);

/* As much of the text as fits, with an ellipsis where it was cut. */
const char *draw_fit(struct arena *a, const char *text, int size_px, int32_t width);

/* Cuts off what is empty below the last shape, but for a margin. */
void draw_trim(struct draw *d, int margin_px);

/* One line a shape, for tests and for reading. */
void draw_dump(struct str *out, const struct draw *d);

#endif
