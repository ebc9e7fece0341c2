/*
 * Calls of other threads that a thread may have waited for: those that allocate or load, for they
 * take a lock that every call into the runtime needs.
 */
#ifndef GS_ANALYZE_HOST_OTHERS_H
#define GS_ANALYZE_HOST_OTHERS_H

#include "analyze/view.h"
#include "base/sort.h"

struct host_others {
    const struct view *v;
    struct row_groups by_process; /* places in what follows, in order of start */
    uint32_t *call, *thread;
    int64_t *until; /* by place in the list: the latest end so far in its process */
};

void host_others_find(struct host_others *o, const struct view *v, struct arena *a);

/* The regions row of such a call that covers most of a stretch of `thread`, or NO_INDEX. */
uint32_t host_others_call(const struct host_others *o, uint32_t thread, struct span stretch);

#endif
