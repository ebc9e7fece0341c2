/*
 * A doc as one HTML page that needs nothing else: no network, no other file.
 *
 * Scripts and styles are inside and named by their hash in a content security policy that forbids
 * everything else. Names from the trace only ever appear as escaped text, inside compressed data
 * or as JSON with '<' escaped. The events of the timeline travel along (timeline_pack.h), the
 * document that the doc was made of (doc.json) too.
 *
 * The same doc gives the same bytes.
 */
#ifndef GS_RENDER_HTML_HTML_H
#define GS_RENDER_HTML_HTML_H

#include "base/str.h"
#include "report/doc.h"

/* Events of a timeline, unless told otherwise: about 5 bytes of page each. */
enum { HTML_TIMELINE_LIMIT = 3500000 };

void render_html(struct str *out, const struct doc *d);

#endif
