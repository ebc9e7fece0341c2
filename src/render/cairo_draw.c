#include "render/cairo_draw.h"

#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "base/watch.h"
#include "render/picture.h"

/* fontconfig keeps patterns until the process ends; that is no leak of ours. */
#if WATCHED
/* Seen from gcc's runtime, which is a library of its own. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig\n";
}
#endif

void cairo_ink(cairo_t *cr, enum ink ink, enum theme theme)
{
    uint32_t rgb = ink_rgb(ink, theme);
    cairo.set_source_rgb(cr, (rgb >> 16 & 255) / 255.0, (rgb >> 8 & 255) / 255.0,
                         (rgb & 255) / 255.0);
}

void cairo_font(cairo_t *cr, const char *family, bool bold, double size)
{
    cairo.select_font_face(cr, family, CAIRO_FONT_SLANT_NORMAL,
                           bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo.set_font_size(cr, size);
    /* Widths as the font has them, not rounded to pixels: as draw.c measures. */
    cairo_font_options_t *o = cairo.font_options_create();
    cairo.font_options_set_hint_metrics(o, CAIRO_HINT_METRICS_OFF);
    cairo.font_options_set_hint_style(o, CAIRO_HINT_STYLE_NONE);
    cairo.set_font_options(cr, o);
    cairo.font_options_destroy(o);
}

const char *cairo_safe(struct arena *a, const char *text)
{
    struct str s;
    str_init(&s, a);
    utf8_escape(&s, text, strlen(text));
    return s.buf;
}

static void release_owned(void *owned)
{
    struct cairo_owned *o = owned;
    o->to = NULL;
    if (o->cr)
        cairo.destroy(o->cr);
    if (o->surface)
        cairo.surface_destroy(o->surface);
}

struct cairo_owned *cairo_owned_new(struct arena *owner, struct str *to)
{
    struct cairo_owned *o = arena_new(owner, struct cairo_owned);
    o->to = to;
    arena_defer(owner, release_owned, o);
    return o;
}

struct put_call {
    struct str *to;
    const unsigned char *data;
    unsigned n;
};

static void put(void *call)
{
    const struct put_call *c = call;
    str_put(c->to, (const char *)c->data, c->n);
}

/* Nothing may unwind past cairo, which holds locks. */
cairo_status_t cairo_write(void *owned, const unsigned char *data, unsigned n)
{
    struct cairo_owned *o = owned;
    struct put_call call = {o->to, data, n};
    if (!o->to || mem_guard(put, &call, NULL))
        return CAIRO_STATUS_SUCCESS;
    o->to = NULL;
    return CAIRO_STATUS_NO_MEMORY;
}

bool cairo_failed(struct gs_error *err, cairo_status_t status)
{
    return fail(err, GS_E_IO, "cannot draw: %s", cairo.status_to_string(status));
}

static double px(int32_t units)
{
    return units / (double)DRAW_UNIT;
}

static void draw_one_text(cairo_t *cr, const struct draw_item *it)
{
    cairo_text_extents_t e;
    cairo_font(cr, CAIRO_FONT, it->bold, px(it->h));
    cairo.text_extents(cr, it->text, &e);
    double shift = it->anchor == ANCHOR_END ? 1 : it->anchor == ANCHOR_MIDDLE ? 0.5 : 0;
    cairo.move_to(cr, px(it->x) - shift * e.x_advance, px(it->y));
    cairo.show_text(cr, it->text);
}

static void draw_item(cairo_t *cr, const struct draw_item *it)
{
    switch (it->kind) {
    case DRAW_RECT:
        cairo.rectangle(cr, px(it->x), px(it->y), px(it->w), px(it->h));
        cairo.fill(cr);
        break;
    case DRAW_LINE:
        cairo.move_to(cr, px(it->x), px(it->y));
        cairo.line_to(cr, px(it->x + it->w), px(it->y + it->h));
        cairo.set_line_width(cr, 1);
        cairo.stroke(cr);
        break;
    case DRAW_TEXT:
        draw_one_text(cr, it);
        break;
    case DRAW_SHAPE:
        cairo.new_path(cr); /* a text leaves its end behind as the current point */
        for (size_t i = 0; i < it->n_points; i++)
            cairo.line_to(cr, px(it->points[i].x), px(it->points[i].y));
        cairo.close_path(cr);
        cairo.fill(cr);
        break;
    }
}

void cairo_draw(cairo_t *cr, const struct draw *d, enum theme theme)
{
    for (size_t i = 0; i < d->items.n; i++) {
        cairo_ink(cr, d->items.v[i].ink, theme);
        draw_item(cr, &d->items.v[i]);
    }
}

bool render_png(struct str *out, const struct draw *d, enum theme theme, struct gs_error *err)
{
    size_t pixels = (size_t)(d->width / DRAW_UNIT) * (size_t)(d->height / DRAW_UNIT);
    if (!cairo_load(err))
        return false;
    if (!mem_has(MEM_LIBRARY + 8 * pixels))
        return cairo_failed(err, CAIRO_STATUS_NO_MEMORY);
    struct arena *temporary = arena_scratch();
    struct cairo_owned *own = cairo_owned_new(temporary, out);
    own->surface =
        cairo.image_surface_create(CAIRO_FORMAT_RGB24, d->width / DRAW_UNIT, d->height / DRAW_UNIT);
    own->cr = cairo.create(own->surface);
    cairo_draw(own->cr, d, theme);
    cairo_status_t status = cairo.status(own->cr);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo.surface_write_to_png_stream(own->surface, cairo_write, own);
    arena_release(temporary);
    return status == CAIRO_STATUS_SUCCESS || cairo_failed(err, status);
}
