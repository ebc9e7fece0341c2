/* Between the files of the join of counters. */
#ifndef GS_ANALYZE_COUNTER_JOIN_IN_H
#define GS_ANALYZE_COUNTER_JOIN_IN_H

#include "analyze/counter_join.h"
#include "analyze/name_groups.h"

struct joiner {
    struct counter_join *j;
    const struct trace *t;
    struct arena *arena;  /* of what stays */
    struct arena scratch; /* of what does not */
    bool *in_view;        /* by kernels row */
    struct name_groups names;
    uint32_t *pass_of, *lane_of; /* by process */
};

/* counter_join.c: rows of a dispatch by counter, into rows_of and touched. */
void join_count_rows(struct counter_join *j, uint32_t row);

/* counter_match.c, in this order. */
void join_list_dispatches(struct joiner *s);
void join_find_passes(struct joiner *s);
void join_find_partners(struct joiner *s);
void join_find_kernels(struct joiner *s);
void join_add_up(struct joiner *s);

#endif
