/*
 * How long the calls of one kernel take, as a histogram.
 *
 * At most HISTOGRAM_BINS bins, each wider than the one before by one factor, from the shortest to
 * the longest call: limit[i] <= duration < limit[i + 1], the last one included.
 */
#ifndef GS_ANALYZE_HISTOGRAM_H
#define GS_ANALYZE_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

/* HISTOGRAMS: hotspots that have one, those that are shown one by one. */
enum { HISTOGRAM_BINS = 24, HISTOGRAMS = 20 };

struct histogram {
    size_t bins;
    int64_t limit[HISTOGRAM_BINS + 1];
    uint64_t count[HISTOGRAM_BINS];
    uint64_t calls, most; /* of one bin */
};

/* Of n > 0 durations, none below zero. */
void histogram_make(struct histogram *h, const int64_t *ns, size_t n);

#endif
