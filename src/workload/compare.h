/*
 * Two workloads side by side: all dispatches selected, and kernels matched by name.
 *
 *     struct workload_comparison c;
 *     workload_compare(&c, &a, &b, arena);
 *     c.pairs.v[0]                            all; then kernels, longest in A first
 */
#ifndef GS_WORKLOAD_COMPARE_H
#define GS_WORKLOAD_COMPARE_H

#include "workload/results.h"

struct workload_pair {
    const char *name;
    const struct workload_view *a, *b;
};

struct workload_comparison {
    const struct workload_report *a, *b;
    VEC(struct workload_pair) pairs;
    VEC(const char *) only_a, only_b; /* kernels */
    VEC(const char *) notes;          /* why numbers may not be comparable */
};

void workload_compare(struct workload_comparison *c, const struct workload_report *a,
                      const struct workload_report *b, struct arena *arena);

/* From x to y in percent of x; NaN when one is not known or x is 0. */
double workload_change(double x, double y);

#endif
