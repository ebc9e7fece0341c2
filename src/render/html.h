/*
 * The analysis as one HTML page that needs nothing else: no network, no other file.
 *
 * Scripts and styles are inside and named by their hash in a content security policy that forbids
 * everything else. Names from the trace only ever appear as escaped text, inside compressed data
 * or as JSON with '<' escaped. The events of the timeline travel along (timeline_pack.h), the
 * analysis document (analysis_json.h) too.
 *
 * The same trace and options give the same bytes.
 */
#ifndef GS_RENDER_HTML_H
#define GS_RENDER_HTML_H

#include "advise/advise.h"
#include "base/str.h"

/* About 5 bytes of page each. */
enum { HTML_TIMELINE_LIMIT = 3500000 };

struct att;
struct source_scan;
struct source_links;

struct html_opts {
    size_t top_kernels;               /* as in the JSON document */
    const char *prompt;               /* the user's question, kept in the JSON; NULL: none */
    uint64_t timeline_limit;          /* events in the timeline; 0: all */
    const struct source_scan *source; /* a chapter of its own; NULL: none */
    const struct source_links *links; /* what of it the trace shows */
    const struct att *att;            /* a chapter of its own; NULL: none */
};

void render_html(struct str *out, const struct analysis *a, const struct advice *advice,
                 const struct html_opts *o);

#endif
