/*
 * Pictures and pages that need cairo. In a build without it, or where it is not installed, the
 * functions fail and say so.
 */
#ifndef GS_RENDER_PICTURE_H
#define GS_RENDER_PICTURE_H

#include "base/err.h"
#include "report/chart/draw.h"
#include "report/doc.h"

bool render_png(struct str *out, const struct draw *d, enum theme theme, struct gs_error *err);

/* A report as A4 pages: contents, outline, page numbers, charts. */
bool render_pdf(struct str *out, const struct doc *d, struct gs_error *err);

#endif
