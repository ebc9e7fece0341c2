/*
 * How many kernels of a GPU ran at once, and for how long: the analysis `concurrency`.
 *
 *     const struct concurrency *c = concurrency_of(a);
 *     c->levels.v[i].at_once, c->levels.v[i].total_ns ...
 */
#ifndef GS_ANALYZE_CONCURRENCY_H
#define GS_ANALYZE_CONCURRENCY_H

#include "analyze/analysis.h"

enum { CONCURRENCY_LEVELS = 8 }; /* the last is "so many or more" */

/* The time in which a GPU ran so many kernels at once. */
struct concurrency_level {
    int32_t gpu;
    uint32_t slot; /* of the view's GPUs */
    uint32_t at_once;
    int64_t total_ns;
    double pct_of_kernel_union;
};

struct concurrency_stats {
    uint32_t most;    /* kernels at once, on any one GPU */
    int64_t start_ns; /* when that was first so */
    int64_t alone_ns; /* sum over GPUs of the time in which one kernel runs */
    double alone_pct; /* of the union of kernels */
};

struct concurrency {
    VEC(struct concurrency_level) levels; /* by GPU, then from 1 up; those that occur */
    struct concurrency_stats stats;
};

/* Empty before it has run, as when only a schema is made. */
const struct concurrency *concurrency_of(const struct analysis *a);

#endif
