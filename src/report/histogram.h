/*
 * How long the calls of one kernel take, as a histogram.
 *
 * At most HISTOGRAM_BINS bins, each wider than the one before by one factor, from the shortest to
 * the longest call: limit[i] <= duration < limit[i + 1], the last one included.
 */
#ifndef GS_REPORT_HISTOGRAM_H
#define GS_REPORT_HISTOGRAM_H

#include "analyze/analysis.h"

enum { HISTOGRAM_BINS = 24 };

struct histogram {
    uint32_t name_id; /* of the kernel */
    size_t bins;      /* 0: no call */
    int64_t limit[HISTOGRAM_BINS + 1];
    uint64_t count[HISTOGRAM_BINS];
    uint64_t calls, most; /* of one bin */
};

struct histograms {
    VEC(struct histogram) v;
};

/* Of the first `most` names among the hotspots; durations are clipped to the window. */
void histograms_make(struct histograms *h, const struct analysis *a, size_t most,
                     struct arena *arena);

/* The histogram of a name, or NULL. */
const struct histogram *histogram_of(const struct histograms *h, uint32_t name_id);

#endif
