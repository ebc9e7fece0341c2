/*
 * Names: every text of a generated trace once, as a small number.
 *
 * A number stays the same for the same text, also from one pass of the simulator to the next.
 * Texts may hold any byte, NUL included; each is NUL-terminated behind its length as well.
 *
 * Thread-safety: one thread at a time.
 */
#ifndef GS_SYNTH_NAMES_H
#define GS_SYNTH_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/vec.h"

struct name {
    const char *s;
    size_t n;
};

struct names {
    VEC(struct name) list; /* the index is the name's number; 0 is "" */
    struct idmap by_hash;
    size_t bytes;
    struct arena *arena;
};

void names_init(struct names *t, struct arena *a);
uint32_t names_add(struct names *t, const char *s, size_t n);
uint32_t names_adds(struct names *t, const char *s);

static inline struct name names_get(const struct names *t, uint32_t id)
{
    return t->list.v[id];
}

static inline const char *names_text(const struct names *t, uint32_t id)
{
    return t->list.v[id].s;
}

#endif
