/*
 * A histogram of durations as a draw list: of one run, or of two over each other.
 *
 * One side is filled columns. With two, A is filled and B a line over it, both as shares of their
 * own calls, so that a run with more calls does not look slower.
 */
#ifndef GS_REPORT_CHART_HISTOGRAM_DRAW_H
#define GS_REPORT_CHART_HISTOGRAM_DRAW_H

#include "report/chart/draw.h"

struct histogram_side {
    const char *label; /* for tips, of two sides */
    const uint64_t *count;
    uint64_t calls; /* all of them */
};

struct histogram_picture {
    const char *title;
    const int64_t *limit; /* bins + 1 of them, rising */
    size_t bins;
    struct histogram_side side[2];
    size_t sides; /* 1 or 2 */
};

struct draw *histogram_draw(const struct histogram_picture *h, int width, int height,
                            struct arena *arena);

#endif
