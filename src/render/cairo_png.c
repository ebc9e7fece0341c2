#include "base/mem.h"
#include "render/cairo_draw.h"
#include "render/picture.h"

bool render_png(struct str *out, const struct draw *d, enum theme theme, struct gs_error *err)
{
    size_t pixels = (size_t)(d->width / DRAW_UNIT) * (size_t)(d->height / DRAW_UNIT);
    if (!mem_has(MEM_LIBRARY + 8 * pixels))
        return cairo_failed(err, CAIRO_STATUS_NO_MEMORY);
    struct arena *temporary = arena_scratch();
    struct cairo_owned *own = cairo_owned_new(temporary, out);
    own->surface =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, d->width / DRAW_UNIT, d->height / DRAW_UNIT);
    own->cr = cairo_create(own->surface);
    cairo_draw(own->cr, d, theme);
    cairo_status_t status = cairo_status(own->cr);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_write_to_png_stream(own->surface, cairo_write, own);
    arena_release(temporary);
    return status == CAIRO_STATUS_SUCCESS || cairo_failed(err, status);
}
