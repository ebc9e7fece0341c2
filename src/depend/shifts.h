/*
 * Times that differ little from those beside them, in four bytes each: by groups of 256, from the
 * first of a group that is set. What is two seconds and more from that stands elsewhere, in full.
 *
 *     struct shifts s = {0};
 *     shifts_make(&s, n, arena);
 *     shifts_forget(&s);              // none is set
 *     shifts_set(&s, i, ns);
 *     shifts_known(&s, i)
 *     shifts_get(&s, i)               // of one that is set
 *
 * A shortage of memory leaves no room, and all may be set again. Ownership: the arena. Thread-safety:
 * none while they are set.
 */
#ifndef GS_DEPEND_SHIFTS_H
#define GS_DEPEND_SHIFTS_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

enum { SHIFTS_GROUP = 256 };
#define SHIFT_UNKNOWN INT32_MIN
#define SHIFT_WIDE INT32_MAX

struct shifts_group {
    int64_t from; /* what was set first, where something was */
    int64_t *wide;
    bool some;
};

struct shifts {
    int32_t *off; /* from that of the group, or one of the above; NULL: there is no room */
    struct shifts_group *groups;
    size_t n;
    struct arena *arena;
};

/* Room for n, and none is set; what there was is given back. */
void shifts_make(struct shifts *s, size_t n, struct arena *a);
void shifts_drop(struct shifts *s);
void shifts_forget(struct shifts *s);
void shifts_set_wide(struct shifts *s, uint32_t i, int64_t ns);

static inline bool shifts_known(const struct shifts *s, uint32_t i)
{
    return s->off[i] != SHIFT_UNKNOWN;
}

static inline int64_t shifts_get(const struct shifts *s, uint32_t i)
{
    const struct shifts_group *g = &s->groups[i / SHIFTS_GROUP];
    assert(shifts_known(s, i));
    return s->off[i] == SHIFT_WIDE ? g->wide[i % SHIFTS_GROUP] : g->from + s->off[i];
}

static inline void shifts_set(struct shifts *s, uint32_t i, int64_t ns)
{
    struct shifts_group *g = &s->groups[i / SHIFTS_GROUP];
    if (!g->some) {
        g->some = true;
        g->from = ns;
    }
    uint64_t above = (uint64_t)ns - (uint64_t)g->from + (uint64_t)INT32_MAX;
    if (above < 2 * (uint64_t)INT32_MAX)
        s->off[i] = (int32_t)(int64_t)(above - (uint64_t)INT32_MAX);
    else
        shifts_set_wide(s, i, ns);
}

#endif
