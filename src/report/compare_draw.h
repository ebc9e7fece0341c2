/*
 * Pictures of a comparison, as draw lists: both ledgers, both runs phase by phase, and the
 * durations of a kernel over each other.
 */
#ifndef GS_REPORT_COMPARE_DRAW_H
#define GS_REPORT_COMPARE_DRAW_H

#include "compare/compare.h"
#include "report/chart/draw.h"
#include "report/chart/histogram_draw.h"

/* Kernels that are shown one by one, those that changed most. */
enum { COMPARE_DETAILED = 12, COMPARE_BINS = 40 };

/*
 * Calls of a kernel in both runs, between common limits. Calls far out (0.5 % on either side) are
 * in the outermost bins.
 */
struct compare_histogram {
    int64_t limit[COMPARE_BINS + 1];
    uint64_t a[COMPARE_BINS], b[COMPARE_BINS], calls_a, calls_b;
    size_t bins;
};

/* False where one side has no durations of single calls. */
bool compare_histogram_make(struct compare_histogram *h, const struct compare_kernel *k);
struct draw *compare_histogram_draw(const struct compare_histogram *h, const char *title, int width,
                                    int height, struct arena *arena);

/* B is per A's steps; the longer of both is the full width. */
struct draw *compare_ledger_draw(const struct comparison *c, int width, struct arena *arena);
struct draw *compare_phases_draw(const struct comparison *c, int width, struct arena *arena);

#endif
