/*
 * The rows each check of data quality is about, counted in one pass over the trace.
 */
#ifndef GS_ANALYZE_QUALITY_COUNT_H
#define GS_ANALYZE_QUALITY_COUNT_H

#include "analyze/view.h"

struct durations {
    uint64_t negative, zero, absurd;
};

struct quality_counts {
    struct durations kernels, copies, regions;
    uint64_t unlinked; /* kernels without the call that launched them */
    uint64_t early;    /* kernels that start before that call */
    uint64_t overlaps; /* kernels that start before the one before them on their queue has ended */
};

/* Uses up to `workers` threads. `v` is a view of the trace, which has rows in order, or NULL. */
void quality_count(struct quality_counts *out, const struct trace *t, const struct view *v,
                   int workers);

#endif
