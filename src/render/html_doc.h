/* A doc as HTML: inside a chapter of the big page, or as a page of its own without scripts. */
#ifndef GS_RENDER_HTML_DOC_H
#define GS_RENDER_HTML_DOC_H

#include "base/str.h"
#include "report/doc.h"

void render_html_doc(struct str *out, const struct doc *d, const char *title);

struct html;
/* All blocks but headings of level 1 and 2, which are the page's and the chapter's own. */
void html_blocks(struct html *h, const struct doc *d);

#endif
