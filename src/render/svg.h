/*
 * A draw list as SVG: text stays text (selectable, searchable, in whatever sans-serif font the
 * reader has), nothing is fetched, nothing can run.
 */
#ifndef GS_RENDER_SVG_H
#define GS_RENDER_SVG_H

#include "report/chart/draw.h"

struct svg_opts {
    enum theme theme;
    /*
     * Colours as CSS variables, var(--gs-green, #009e73), for pages that switch themes: the page
     * sets
     * --gs-NAME for the names of inks.def. No XML header, so that it can stand inside HTML; shapes
     * with a link lead to that id of the page.
     */
    bool css;
    const char *class; /* of the svg element; NULL: none. Our own words only */
};

void render_svg(struct str *out, const struct draw *d, const struct svg_opts *o);

#endif
