/*
 * Hashing, and a map from 64-bit keys to 32-bit indices.
 *
 * hash_u64() and hash_bytes() are keyed anew in each process, so that no file can be made whose ids
 * or names all meet in one place of a table, or pass for each other where only hashes are compared.
 * What is shown or sorted must not depend on them: hash_fixed_*() are for that.
 *
 * Thread-safety: reading a map from many threads is fine while nobody writes it.
 */
#ifndef GS_BASE_HASH_H
#define GS_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

#define NO_INDEX UINT32_MAX

extern uint64_t hash_secret[2]; /* set before main() */

__extension__ typedef unsigned __int128 hash_wide;

/* Both halves of a product depend on all bits of both factors. */
static inline uint64_t hash_fold(uint64_t a, uint64_t b)
{
    hash_wide product = (hash_wide)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t hash_u64(uint64_t x)
{
    return hash_fold(hash_fold(x ^ hash_secret[0], hash_secret[1]), UINT64_C(0x9e3779b97f4a7c15));
}

uint64_t hash_bytes(const void *p, size_t n);

/* The same in every process: for numbers that are written out, and for orders. */
uint64_t hash_fixed_u64(uint64_t x);
uint64_t hash_fixed_bytes(const void *p, size_t n);

struct idmap_slot {
    uint64_t key;
    uint32_t value; /* NO_INDEX: the slot is free */
};

/* Open addressing, at most half full. */
struct idmap {
    struct idmap_slot *slots;
    size_t mask, n;
    struct arena *arena;
};

void idmap_init(struct idmap *m, struct arena *a);
void idmap_put(struct idmap *m, uint64_t key, uint32_t value); /* an older value is replaced */

/* The value of a key; `next`, which it then has, where it is new. */
uint32_t idmap_claim(struct idmap *m, uint64_t key, uint32_t next);

/* Room for n keys at once: what a map has outgrown stays in its arena. */
void idmap_expect(struct idmap *m, size_t n);

/* The value put for key, or NO_INDEX. */
static inline uint32_t idmap_get(const struct idmap *m, uint64_t key)
{
    if (!m->slots)
        return NO_INDEX;
    for (size_t i = hash_u64(key) & m->mask;; i = (i + 1) & m->mask) {
        if (m->slots[i].value == NO_INDEX || m->slots[i].key == key)
            return m->slots[i].value;
    }
}

/*
 * A map from the ids of one database table to indices: an array where ids are dense, as
 * profilers write them, and a hash map where they are not. Fill it, then call idtable_seal(); or,
 * where the range of the ids is known beforehand, see idtable_span().
 */
struct idtable {
    struct idmap map;
    int64_t least, most;
    uint32_t *dense; /* by id - least, inverted: fresh memory means none. NULL: the map counts */
    size_t n_dense;
};

void idtable_init(struct idtable *t, struct arena *a);
void idtable_put(struct idtable *t, int64_t id, uint32_t value);
void idtable_seal(struct idtable *t);

/* Makes an empty table an array for ids from least to most; false when that is too sparse for n. */
bool idtable_span(struct idtable *t, int64_t least, int64_t most, size_t n);

static inline uint32_t idtable_get(const struct idtable *t, int64_t id)
{
    uint64_t at = (uint64_t)id - (uint64_t)t->least;
    if (at < t->n_dense)
        return ~t->dense[at];
    return t->dense ? NO_INDEX : idmap_get(&t->map, (uint64_t)id);
}

/* Into an array, from any thread: of several values for one id the least stays. */
static inline void idtable_claim(struct idtable *t, int64_t id, uint32_t value)
{
    uint32_t *slot = &t->dense[(uint64_t)id - (uint64_t)t->least], mine = ~value;
    uint32_t old = 0; /* not read first: that would map the page twice, for reading and writing */
    while (mine > old &&
           !__atomic_compare_exchange_n(slot, &old, mine, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

#endif
