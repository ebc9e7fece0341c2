/*
 * Charts: pictures of an analysis, as draw lists (draw.h).
 *
 * A chart is one file, chart_NAME.c, and one line in charts.def. The struct at the foot of the file
 * is all that plot, the PDF and Markdown know of it.
 *
 *     const struct chart *c = chart_find("ledger");
 *     struct draw *d = chart_draw(c, analysis, &(struct chart_opts){.width = 800}, arena);
 *
 * A chart reads the analysis and computes nothing but places. What there is no data for
 * says so in words; it is never an empty picture.
 */
#ifndef GS_REPORT_CHART_CHART_H
#define GS_REPORT_CHART_CHART_H

#include "analyze/analysis.h"
#include "report/chart/draw.h"

enum { CHART_WIDTH = 800, CHART_LEAST = 160, CHART_MOST = 16384, CHART_NARROW = 420 };

struct chart_opts {
    int width, height; /* pixels; 0: 800, and as high as the data asks for */
    size_t top;        /* rows in ranked charts; 0: 12 */
    bool no_title;     /* where a heading says it already */
    bool bare;         /* inside a page: no title, note, margin, ground; as high as needed */
};

/* A part of the picture, in units. */
struct box {
    int32_t x, y, w, h;
};

struct canvas {
    struct draw *d;
    const struct analysis *a;
    struct box box; /* what is left to draw in */
    size_t top;
    bool bare;
    /* whether GPUs need the names of their hosts; looked at once */
    enum { CANVAS_HOSTS_UNKNOWN, CANVAS_HOSTS_ONE, CANVAS_HOSTS_SEVERAL } hosts;
};

struct chart {
    const char *name;
    const char *title;
    const char *doc;    /* how to read it: one or two sentences */
    const char *absent; /* said when has() is false: "no copies in this trace" */
    bool (*has)(const struct analysis *a);
    int (*height)(const struct analysis *a, size_t top); /* pixels the content asks for */
    void (*draw)(struct canvas *c);
};

#define CHART(name) extern const struct chart chart_##name;
#include "report/chart/charts.def"
#undef CHART

extern const struct chart *const charts[]; /* in the order of charts.def, NULL at the end */

const struct chart *chart_find(const char *name); /* NULL: there is none */
const char *chart_nearest(const char *name);      /* for "did you mean"; NULL */

struct draw *chart_draw(const struct chart *chart, const struct analysis *a,
                        const struct chart_opts *o, struct arena *arena);

#endif
