/*
 * When ops begin and how long they take, in nine bytes each: starts count from nine minutes before
 * the first of their group, in 40 bits. What is too far from that, or too long, stands elsewhere, in
 * full. Lengths can be had alone, in four bytes.
 *
 *     struct op_times t = {0};
 *     op_times_make(&t, n_ops, arena);
 *     op_set_start(&t, op, ns);      // the first op of a group before the others
 *     op_set_length(&t, op, ns);
 *     op_end(&t, op)
 *
 * Times are bounded, so that no difference overflows. All may be set again, in the same way: a
 * shortage of memory leaves what was set before, and nothing that cannot be set again. Ownership:
 * the arena. Thread-safety: none while times are set.
 */
#ifndef GS_DEPEND_OP_TIMES_H
#define GS_DEPEND_OP_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/vec.h"

enum { TIMES_GROUP = 256 };
#define TIMES_FAR (INT64_C(1) << 40) /* 18 minutes: 9 on either side of the first */
#define LENGTH_LONG UINT32_MAX       /* four seconds or more: in `longer` */

struct times_group {
    int64_t from;
    int64_t *wide; /* starts that are too far apart, in full; NULL: they are not */
};

struct op_lengths {
    uint32_t *v;    /* or LENGTH_LONG */
    int64_t **wide; /* by group of ops: in full, where one was too long; NULL: none was */
    struct arena *arena;
};

struct op_times {
    struct times_group *groups;
    uint32_t *start; /* from the `from` of the group, the lower 32 bits ... */
    uint8_t *above;  /* ... and the upper 8 */
    struct op_lengths lengths;
    struct arena *arena;
};

/* Room for n ops; all or nothing. */
void op_lengths_make(struct op_lengths *l, size_t n, struct arena *a);
void op_times_make(struct op_times *t, size_t n, struct arena *a);
/* Gives that back and makes none, where it is large. */
void op_times_drop(struct op_times *t, size_t n);

static inline bool op_times_made(const struct op_times *t)
{
    return t->groups;
}

int64_t op_lengths_long(const struct op_lengths *l, uint32_t op);
void op_lengths_set_long(struct op_lengths *l, uint32_t op, int64_t ns);
void op_set_start_wide(struct op_times *t, uint32_t op, int64_t ns);

static inline int64_t op_lengths_get(const struct op_lengths *l, uint32_t op)
{
    return l->v[op] == LENGTH_LONG ? op_lengths_long(l, op) : l->v[op];
}

static inline void op_lengths_set(struct op_lengths *l, uint32_t op, int64_t ns)
{
    if ((uint64_t)ns < LENGTH_LONG)
        l->v[op] = (uint32_t)ns;
    else
        op_lengths_set_long(l, op, ns);
}

static inline int64_t op_start(const struct op_times *t, uint32_t op)
{
    const struct times_group *g = &t->groups[op / TIMES_GROUP];
    if (g->wide)
        return g->wide[op % TIMES_GROUP];
    return g->from + (int64_t)((uint64_t)t->above[op] << 32 | t->start[op]);
}

static inline int64_t op_length(const struct op_times *t, uint32_t op)
{
    return op_lengths_get(&t->lengths, op);
}

static inline int64_t op_end(const struct op_times *t, uint32_t op)
{
    return op_start(t, op) + op_length(t, op);
}

static inline void op_set_start(struct op_times *t, uint32_t op, int64_t ns)
{
    struct times_group *g = &t->groups[op / TIMES_GROUP];
    if (op % TIMES_GROUP == 0)
        g->from = ns - TIMES_FAR / 2;
    uint64_t behind = (uint64_t)ns - (uint64_t)g->from;
    if (g->wide || behind >= TIMES_FAR) {
        op_set_start_wide(t, op, ns);
        return;
    }
    t->start[op] = (uint32_t)behind;
    t->above[op] = (uint8_t)(behind >> 32);
}

static inline void op_set_length(struct op_times *t, uint32_t op, int64_t ns)
{
    op_lengths_set(&t->lengths, op, ns);
}

#endif
