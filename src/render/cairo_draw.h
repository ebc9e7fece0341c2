/*
 * Draw lists through cairo: the only files that know cairo are cairo*.c and pdf*.c, and they are
 * built only where its headers are there. picture.h is what others include.
 */
#ifndef GS_RENDER_CAIRO_DRAW_H
#define GS_RENDER_CAIRO_DRAW_H

#include "base/err.h"
#include "render/cairo.h"
#include "report/chart/draw.h"

#define CAIRO_FONT "DejaVu Sans"
#define CAIRO_MONO "DejaVu Sans Mono"

/* Draws at the origin of cr, one unit a pixel of its user space. */
void cairo_draw(cairo_t *cr, const struct draw *d, enum theme theme);

void cairo_ink(cairo_t *cr, enum ink ink, enum theme theme);
void cairo_font(cairo_t *cr, const char *family, bool bold, double size);

/* Text that cairo takes: valid UTF-8 without control characters. */
const char *cairo_safe(struct arena *a, const char *text);

/* A cairo_write_func_t; the closure is a struct str. */
/*
 * A surface and its context, which the arena owns; what the surface writes, by cairo_write() with
 * this as its closure, goes to `to`. A shortage while it writes is a status of cairo's, and what is
 * released unfinished writes no more.
 */
struct cairo_owned {
    cairo_surface_t *surface;
    cairo_t *cr;
    struct str *to; /* NULL: nowhere */
};
struct cairo_owned *cairo_owned_new(struct arena *owner, struct str *to);
cairo_status_t cairo_write(void *owned, const unsigned char *data, unsigned n);

/* Turns what went wrong in cairo into an error. */
bool cairo_failed(struct gs_error *err, cairo_status_t status);

#endif
