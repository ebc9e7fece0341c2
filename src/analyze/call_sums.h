/*
 * What the outer calls of a thread say about a gap, in sums.
 *
 * A gap is explained call by call. A thread that feeds a thousand GPUs makes a thousand calls in
 * each gap of each of them, so there calls are taken by the block: sums from the first call to the
 * start of each block, by what counts. The numbers are those of a walk over the calls.
 */
#ifndef GS_ANALYZE_CALL_SUMS_H
#define GS_ANALYZE_CALL_SUMS_H

#include "analyze/ledger.h"

enum {
    CALL_BLOCK = 16,
    CALL_SUMS_GPUS = 16, /* with fewer GPUs, walking is cheap and needs no memory */
};

/* Before a block: what is in calls by cause, in stretches between calls by length. */
struct call_block {
    int64_t launch_ns, sync_ns, alloc_ns, host_io_ns, host_ns, startup_ns;
    int64_t between_ns, short_ns, long_ns; /* all, below LEDGER_SHORT_HOST_NS, beyond _SYNC_ */
    uint32_t n_medium;                     /* stretches that are neither */
    uint32_t next_wait;                    /* the first call from here on that waits, or n_outer */
};

struct call_sums {
    size_t n_blocks; /* whole ones; blocks has one more entry */
    struct call_block *blocks;
    struct medium_runs *runs; /* NULL: no medium stretch */
};

/* By thread of the view; NULL when there are too few GPUs for it. */
struct call_sums *call_sums_make(const struct view *v, struct arena *a);

/*
 * What calls [16 from, 16 to) say, with the stretches before each of them, to an idle GPU. Drained:
 * the host has waited, and `hidden_ns` of every stretch could have been hidden; otherwise no call of
 * them waits. Returns the time that the host is to blame for.
 */
int64_t call_sums_add(const struct call_sums *s, size_t from, size_t to, bool drained,
                      int64_t hidden_ns, int64_t *ns);

/* Where a thread stands once a call is over: calls come one after the other. */
static inline int64_t call_over(const struct view *v, uint32_t thread, size_t outer)
{
    uint32_t call = v->threads[thread].outer[outer];
    const struct regions *r = &v->trace->regions;
    return r->end_ns[call] > r->start_ns[call] ? r->end_ns[call] : r->start_ns[call];
}

#endif
