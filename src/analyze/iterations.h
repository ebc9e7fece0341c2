/*
 * Iterations: the step that a program repeats, found in the order of its kernels.
 */
#ifndef GS_ANALYZE_ITERATIONS_H
#define GS_ANALYZE_ITERATIONS_H

#include "analyze/view.h"

struct iteration_stats {
    uint64_t count;                    /* repetitions found; 0: none */
    uint64_t kernels;                  /* per repetition */
    int64_t start_ns, end_ns;          /* from the first to the end of the last */
    int64_t median_ns, min_ns, max_ns; /* start to start */
    double cv;                         /* of the steady ones */
    uint64_t warmup;                   /* leading repetitions that take over 1.5 medians */
    int64_t steady_ns;                 /* length without them */
    double match_pct;                  /* of kernels that are where the pattern expects them */
};

/* Of the busiest GPU in the view. */
void iterations_find(struct iteration_stats *s, const struct view *v, struct arena *a);

/*
 * From the start of repetition `first` to the end of `last`, numbered from 1. The number of
 * repetitions; 0: none found. The span is set only when both are there.
 */
uint64_t iterations_span(struct span *out, const struct view *v, uint64_t first, uint64_t last,
                         struct arena *a);

/*
 * The length of each repetition, start to start, in order of time; the number of them, 0: none
 * found. Owned by the arena.
 */
size_t iterations_each(int64_t **ns, const struct view *v, struct arena *a);

#endif
