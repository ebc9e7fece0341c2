/*
 * Order statistics without sorting.
 *
 * Percentiles are by the nearest-rank method: the value at place ceil(p / 100 x n) in ascending
 * order, so every percentile is one of the values. The time is linear whatever the values are.
 *
 * Thread-safety: all functions; the values are put into another order.
 */
#ifndef GS_ANALYZE_QUANTILE_H
#define GS_ANALYZE_QUANTILE_H

#include <stddef.h>
#include <stdint.h>

/* The value at place `rank` (from 0) in ascending order; rank < n. */
int64_t select_rank(int64_t *v, size_t n, size_t rank);

/* 0 < p <= 100; 0 of no values. */
int64_t percentile(int64_t *v, size_t n, unsigned p);

#endif
