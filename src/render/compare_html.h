/*
 * A comparison as one HTML page, in the form and with the promises of the analysis (html.h): no
 * network, no other file, names are only ever text.
 */
#ifndef GS_RENDER_COMPARE_HTML_H
#define GS_RENDER_COMPARE_HTML_H

#include "base/str.h"
#include "compare/gate.h"

void render_compare_html(struct str *out, const struct comparison *c, const struct gate *gate);

#endif
