/*
 * Render: a doc into bytes. A renderer computes nothing; it only lays out and escapes.
 */
#ifndef GS_RENDER_RENDER_H
#define GS_RENDER_RENDER_H

#include "analyze/analysis.h"
#include "base/str.h"
#include "report/doc.h"

struct render_opts {
    int columns; /* width of the page; at least 40 */
    bool color;  /* escape sequences for a terminal */
};

void render_text(struct str *out, const struct doc *d, const struct render_opts *o);
void render_markdown(struct str *out, const struct doc *d);

/*
 * With links to pictures of the charts that the doc names (see chart_files.h): `prefix` is how the
 * folder they are in is reached from where the Markdown will be.
 */
void render_markdown_linked(struct str *out, const struct doc *d, const struct analysis *a,
                            const char *prefix);

#endif
