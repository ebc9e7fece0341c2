/*
 * What charts are put together from: rows of bars, columns, legends, a time axis. Each takes a
 * canvas, draws into its box and takes what it used from it.
 */
#ifndef GS_REPORT_CHART_PARTS_H
#define GS_REPORT_CHART_PARTS_H

#include "report/chart/chart.h"

enum { LABEL_SIZE = 11, ROW_HEIGHT = 24, LEGEND_HEIGHT = 18 };

/* A piece of a bar, as a share of the whole width (rows) or height (columns). */
struct bar_part {
    double share; /* 0 to 1 */
    enum ink ink;
    const char *tip;   /* NULL: none */
    const char *label; /* inside it, where it fits; NULL: none */
};

struct bar_row {
    const char *label, *value;
    const char *tip; /* of the label */
    double mark;     /* a mark at this share, such as the limit of a link; NaN: none */
    VEC(struct bar_part) parts;
    const char *const *links; /* draw.h, of each part; NULL: none */
};

/* Horizontal bars below each other: label, bar, value. As many rows as the box has room for. */
void chart_rows(struct canvas *c, const struct bar_row *rows, size_t n);

/* Columns beside each other: value on top, label below. */
void chart_columns(struct canvas *c, const struct bar_row *columns, size_t n);

struct legend_item {
    enum ink ink;
    const char *text;
};

/* At the bottom of the box, in as many columns as fit. */
void chart_legend(struct canvas *c, const struct legend_item *items, size_t n);
int chart_legend_height(size_t n); /* pixels, in a picture of usual width */

/* Ticks at round times, from 0; the labels stand below `box`, lines go through it. */
void chart_time_axis(struct canvas *c, struct box plot, int64_t window_ns);
enum { AXIS_HEIGHT = 20 };

const char *chart_ns(struct canvas *c, int64_t ns);
const char *chart_pct(struct canvas *c, double pct);
const char *chart_count(struct canvas *c, uint64_t n);
const char *chart_gpu_name(struct canvas *c,
                           size_t slot); /* "GPU 3", with its host where there are several */

enum ink cause_ink(enum cause cause);
enum ink series_ink(size_t i); /* the i-th of a series without a meaning of its own */

#endif
