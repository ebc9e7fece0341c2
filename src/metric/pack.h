/*
 * Passes: counters divided so that no block counts more at once than it can.
 *
 * Each block of the hardware counts a few events at a time, so a list of counters needs as many
 * passes (runs) as its fullest block: max over blocks of ceil(counters / limit). Counters that
 * belong to one ratio are kept in one pass where they fit.
 */
#ifndef GS_METRIC_PACK_H
#define GS_METRIC_PACK_H

#include "base/vec.h"

struct pack_counter {
    const char *name, *block;
    int slots; /* counters of the block it takes */
    int limit; /* counters the block has */
};

/* Counters that want to be together; indices into the list. */
struct pack_group {
    const size_t *v;
    size_t n;
};

struct pass {
    VEC(const char *) counters; /* in the order in which they were put there */
};

struct passes {
    struct pass *v;
    size_t n, cap;
};

/*
 * Every counter, in the fewest passes; never twice in one of them, but in several where that keeps
 * a group together and there is room. One that takes more slots than its block has is left out.
 * Large groups are served first, equal ones in their order, then what no group names.
 */
void pack(struct passes *out, const struct pack_counter *counters, size_t n,
          const struct pack_group *groups, size_t n_groups, struct arena *a);

/* The passes that any division needs at least. */
size_t pack_least(const struct pack_counter *counters, size_t n);

#endif
