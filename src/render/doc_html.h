/*
 * A doc as one HTML page: no script, no other file, nothing fetched. Colours follow the reader's
 * light or dark setting. Texts are escaped; the page's policy forbids everything but its own style.
 */
#ifndef GS_RENDER_DOC_HTML_H
#define GS_RENDER_DOC_HTML_H

#include "base/str.h"
#include "report/doc.h"

void render_doc_html(struct str *out, const struct doc *d);

#endif
