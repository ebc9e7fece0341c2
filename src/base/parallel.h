/*
 * parallel_for: run fn(ctx, i, worker) for every i in [0, n) on several threads.
 *
 * Items are handed out in order, one at a time, so make them large enough (tens of microseconds).
 * Results must not depend on which worker ran an item: write to slots chosen by i, use `worker`
 * only for scratch space (0 <= worker < threads). `threads` <= 1, or a single item, runs in the
 * calling thread. A shortage of memory in a worker unwinds in the caller, see mem.h.
 *
 * Loops may stand inside the items of others: all of them together run no more threads than the
 * outermost may. An inner one takes, up to what it asks for, what is idle when it begins.
 */
#ifndef GS_BASE_PARALLEL_H
#define GS_BASE_PARALLEL_H

#include <stddef.h>

typedef void parallel_fn(void *ctx, size_t i, int worker);

void parallel_for(int threads, size_t n, parallel_fn *fn, void *ctx);

/*
 * The number of cores this process may run on, at least 1, at most PARALLEL_USUAL: more threads cost
 * more memory than they save time, but may be asked for, up to PARALLEL_MAX.
 */
int parallel_cores(void);

enum { PARALLEL_MAX = 256, PARALLEL_USUAL = 64 };

#endif
