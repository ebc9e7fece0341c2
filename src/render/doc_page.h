/*
 * Any doc (report/doc.h) as one HTML page, in the form and with the promises of the analysis
 * (html.h): for reports that have no page of their own.
 */
#ifndef GS_RENDER_DOC_PAGE_H
#define GS_RENDER_DOC_PAGE_H

#include "base/str.h"
#include "report/doc.h"

/* kind: "scan", for the button that saves `json`, the document the page holds. */
void render_doc_html(struct str *out, const struct doc *d, const char *kind,
                     const struct str *json);

struct html;
/* Inside a chapter of another page: all blocks but headings of level 1 and 2. */
void html_blocks(struct html *h, const struct doc *d);

#endif
