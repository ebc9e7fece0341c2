/* How the graph is made, inside: the steps of depend_make(). */
#ifndef GS_DEPEND_DEPEND_IN_H
#define GS_DEPEND_DEPEND_IN_H

#include "depend/depend.h"

/* What only the making needs. */
struct building {
    struct depend *d;
    struct arena *arena;     /* of the graph */
    struct arena *temporary; /* for the making only */
    uint32_t *node_of_row;   /* by regions row: the outer call it is or lies in, or NO_INDEX */
    uint32_t *ops_of_call;   /* ops ordered by call; those of call c are [first_op[c], next) */
    uint32_t *first_op;      /* by call, and one more */
};

/* Of a regions row, or of none. */
static inline uint32_t depend_node_of(const struct building *b, uint32_t row)
{
    return row < b->d->trace->regions.n ? b->node_of_row[row] : NO_INDEX;
}

/* Clocks of host and GPU agree to about this. */
#define CLOCK_SLACK_NS 5000

/* order.c: nodes and the order of them. */
void depend_order(struct building *b);

/* waits.c: what host calls and streams wait for, by walking the calls in order of time. */
void depend_host_waits(struct building *b);

/* default_stream.c: what follows from the rules of the default stream. */
void depend_default_streams(struct building *b);

/* waits.c: by op, then by what it waits for. */
void depend_sort_waits(struct depend *d);

/* infer.c: ops that began as another one ended, without a record of why. */
void depend_infer(struct building *b);

/* handover.c */
void depend_handovers(struct building *b);

/* meet.c: collectives and messages, after all other edges but hand-overs. */
void depend_meet(struct building *b);

/* typical.c */
void depend_typical(struct building *b);

#endif
