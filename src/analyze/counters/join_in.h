/* Between the files of the join of counters. */
#ifndef GS_ANALYZE_COUNTERS_JOIN_IN_H
#define GS_ANALYZE_COUNTERS_JOIN_IN_H

#include "analyze/counters/join.h"
#include "analyze/name_groups.h"

struct joiner {
    struct counter_join *j;
    const struct trace *t;
    struct arena *arena;   /* of what stays */
    struct arena *scratch; /* of what does not */
    bool *in_view;         /* by kernels row */
    struct name_groups names;
    uint32_t *pass_of, *lane_of; /* by process */
    bool *damaged;               /* by slot: a value of it is lost or makes no sense */
};

/* counter_join.c: rows of a dispatch by counter, into rows_of and touched. */
void join_count_rows(struct counter_join *j, uint32_t row);

/* The same, and which of them make no sense, into bad. */
void join_judge_rows(struct counter_join *j, uint32_t row);

/* In this order; counter_match.c but for the damaged, which are found in counter_damage.c. */
void join_list_dispatches(struct joiner *s);
void join_find_passes(struct joiner *s);
void join_find_partners(struct joiner *s);
void join_find_kernels(struct joiner *s);
/* Not one of a joined kernel that some pass has not. */
static inline bool join_is_used(const struct counter_join *j, const struct join_dispatch *d)
{
    const struct join_kernel *k = &j->kernels[d->kernel];
    return !k->joined || j->slot_passes[d->slot] == k->passes;
}

void join_find_damaged(struct joiner *s);
void join_add_up(struct joiner *s);

#endif
