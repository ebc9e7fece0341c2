/*
 * Intervals: sets of half-open spans [start, end). The one place where time is added up.
 *
 * A span set is sorted and disjoint, and touching spans are one; every function keeps it so. "Time
 * in state X" is always the total of a set, never a sum of durations.
 */
#ifndef GS_ANALYZE_INTERVALS_H
#define GS_ANALYZE_INTERVALS_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/sat.h"

struct span {
    int64_t start, end;
};

struct spans {
    struct span *v;
    size_t n, cap;
};

/* Adds a span that starts no earlier than the last one added; empty ones are ignored. */
void spans_append(struct spans *s, struct arena *a, int64_t start, int64_t end);

/*
 * Results start empty and may share memory with an argument, so append to neither afterwards.
 * a without b.
 */
void spans_subtract(struct spans *out, const struct spans *a, const struct spans *b,
                    struct arena *arena);
/* What is in a or b. */
void spans_union(struct spans *out, const struct spans *a, const struct spans *b,
                 struct arena *arena);
/* What is in any of n sets, of which nothing is left behind: pair by pair, so that each is read log n times. */
void spans_union_all(struct spans *out, struct spans *sets, size_t n, struct arena *arena);
/* Total of what is in both. */
int64_t spans_common(const struct spans *a, const struct spans *b);
int64_t spans_total(const struct spans *s);

#endif
