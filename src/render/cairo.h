/*
 * cairo's functions, which are loaded when the first picture or page is drawn: with them come X11,
 * fonts and 20 other libraries that no other command needs.
 *
 *     if (!cairo_load(err))
 *         return false;
 *     cairo.move_to(cr, x, y); // cairo_move_to()
 */
#ifndef GS_RENDER_CAIRO_H
#define GS_RENDER_CAIRO_H

#include <cairo-pdf.h>
#include <stdbool.h>

#include "base/err.h"

#define CAIRO_FUNCTIONS(F)                                                                         \
    F(close_path)                                                                                  \
    F(create)                                                                                      \
    F(destroy)                                                                                     \
    F(fill)                                                                                        \
    F(font_options_create)                                                                         \
    F(font_options_destroy)                                                                        \
    F(font_options_set_hint_metrics)                                                               \
    F(font_options_set_hint_style)                                                                 \
    F(image_surface_create)                                                                        \
    F(line_to)                                                                                     \
    F(move_to)                                                                                     \
    F(new_path)                                                                                    \
    F(pdf_surface_add_outline)                                                                     \
    F(pdf_surface_create_for_stream)                                                               \
    F(pdf_surface_set_metadata)                                                                    \
    F(rectangle)                                                                                   \
    F(restore)                                                                                     \
    F(save)                                                                                        \
    F(scale)                                                                                       \
    F(select_font_face)                                                                            \
    F(set_font_options)                                                                            \
    F(set_font_size)                                                                               \
    F(set_line_width)                                                                              \
    F(set_source_rgb)                                                                              \
    F(show_page)                                                                                   \
    F(show_text)                                                                                   \
    F(status)                                                                                      \
    F(status_to_string)                                                                            \
    F(stroke)                                                                                      \
    F(surface_destroy)                                                                             \
    F(surface_finish)                                                                              \
    F(surface_status)                                                                              \
    F(surface_write_to_png_stream)                                                                 \
    F(tag_begin)                                                                                   \
    F(tag_end)                                                                                     \
    F(text_extents)                                                                                \
    F(translate)

struct cairo_functions {
#define F(name) __typeof__(&cairo_##name) name;
    CAIRO_FUNCTIONS(F)
#undef F
};

/* The process's own, once cairo_load() has said true. */
extern struct cairo_functions cairo;

/* From any thread, as often as wanted. */
bool cairo_load(struct gs_error *err);

#endif
