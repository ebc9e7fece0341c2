/*
 * Segments: cuts a run into stretches in which the GPUs do the same kind of work.
 *
 * Time is divided into bins; each bin has a distribution over what ran in it (the twenty kernels
 * that take most time, other kernels, copies, nothing). Where the distributions to the left and
 * right of a bin differ most (Jensen-Shannon distance), a boundary may lie. Dynamic programming
 * picks the best boundaries for every number of segments, and the number is where more of them stop
 * helping. Boundaries are then moved to the kernel start that separates the two sides best.
 */
#ifndef GS_ANALYZE_SEGMENTS_H
#define GS_ANALYZE_SEGMENTS_H

#include "analyze/view.h"

enum { SEGMENT_WORDS = 23, MOST_SEGMENTS = 32 };

struct segment {
    int64_t start_ns, end_ns;
    double share[SEGMENT_WORDS]; /* of the segment's time, by word */
};

struct segments {
    struct segment v[MOST_SEGMENTS];
    size_t n;
    double quality; /* 0 to 1: how much of the variation the segments explain */
    int64_t bin_ns;
};

void segments_find(struct segments *s, const struct view *v, size_t most, struct arena *a);

#endif
