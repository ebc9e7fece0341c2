/*
 * Launches: equal grids and resources share one entry of trace.launches, found while many threads
 * read kernels.
 *
 * Each worker has a table of its own and writes provisional numbers into kernels.launch;
 * launches_finish() renumbers them in order of first use, so the result does not depend on how
 * the work was divided.
 */
#ifndef GS_INGEST_LAUNCHES_H
#define GS_INGEST_LAUNCHES_H

#include "base/parallel.h"
#include "model/trace.h"

struct launch_table {
    VEC(struct launch) list;
    uint32_t *slots; /* open addressing: number + 1 */
    size_t mask;
    struct arena *arena;
    uint32_t recent[256]; /* by hint: most kernels are launched like the last time */
};

struct launches {
    struct launch_table workers[PARALLEL_MAX];
    struct launch_table all; /* of the trace, in launches_finish() */
};

/* The arena owns what they hold. */
void launches_init(struct launches *l, struct arena *owner);

/*
 * The provisional number; only this worker's table is touched. `hint` is anything that tends to
 * go with the same launch, such as the symbol.
 */
uint32_t launches_add(struct launches *l, int worker, uint32_t hint, const struct launch *launch);

/* Renumbers kernels [first, n) and adds what they use to trace.launches. */
void launches_finish(struct launches *l, struct trace *t, size_t first);

#endif
