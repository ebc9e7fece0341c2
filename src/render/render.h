/*
 * Render: a doc into bytes. A renderer computes nothing; it only lays out and escapes.
 */
#ifndef GS_RENDER_RENDER_H
#define GS_RENDER_RENDER_H

#include "base/fs_text.h"
#include "report/doc.h"

struct render_opts {
    int columns; /* width of the page; at least 40 */
    bool color;  /* escape sequences for a terminal */
    bool divide; /* tables that are wider stand in parts below each other; else lines are longer */
    struct fs_text *ahead; /* may be poured between pieces, where it is what is written; or NULL */
};

void render_text(struct str *out, const struct doc *d, const struct render_opts *o);

/*
 * pictures: how the folder with pictures of the doc's charts (chart_files.h) is reached from where
 * the Markdown will be; NULL: there are none.
 */
void render_markdown(struct str *out, const struct doc *d, const char *pictures);

#endif
