/*
 * From ids to values, for any ids: dense or scattered, sorted or not.
 *
 * Pairs are sorted by id, once, and a list of where groups of ids begin leads to the place, so
 * that a look-up reads two or three cache lines and no file can make it slow: at worst it is a
 * binary search. Of an id only what tells it apart in its group is kept, mostly: eight bytes a pair,
 * four where they come sorted and values count up, besides one or two for the groups.
 *
 *     struct idindex x;
 *     idindex_make(&x, ids, values, n, arena); // both are the index's now
 *     uint32_t row = idindex_get(&x, id);
 *
 * idindex_floor() serves ranges: put where each begins, and see how far behind that an id lies.
 *
 * Thread-safety: any number of threads may look up.
 */
#ifndef GS_BASE_IDINDEX_H
#define GS_BASE_IDINDEX_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/hash.h"

struct idindex {
    int64_t least;
    uint32_t *low;   /* how far each id is above the start of its group, ascending there; or: */
    int64_t *id;     /* the ids, where that takes more than 32 bits */
    uint32_t *value; /* NULL: the place itself */
    uint32_t *first; /* by group: the place of its first id; one more at the end */
    size_t n, groups;
    unsigned shift; /* ids that agree above these bits, counted from the least, are a group */
};

/*
 * Takes n pairs, in arrays that live as long as the arena; value NULL: the places 0 to n - 1. Of
 * several with one id the first counts. Returns how many others there were.
 */
size_t idindex_make(struct idindex *x, int64_t *id, uint32_t *value, size_t n, struct arena *a);

/* What is still needed of the array of ids, by its start; its owner may move that elsewhere. */
static inline size_t idindex_bytes(const struct idindex *x)
{
    return x->n * (x->low ? sizeof(*x->low) : sizeof(*x->id));
}
static inline void idindex_moved(struct idindex *x, void *ids)
{
    *(x->low ? (void **)&x->low : (void **)&x->id) = ids;
}

/* The place of the last id that is not above this one, or x->n; whether it is that. */
static inline size_t idindex_place(const struct idindex *x, int64_t id, bool *found)
{
    *found = false;
    if (!x->n || id < x->least)
        return x->n;
    uint64_t above = (uint64_t)id - (uint64_t)x->least, group = above >> x->shift;
    if (group >= x->groups)
        return x->n - 1;
    size_t from = x->first[group], lo = from; /* the first above id: up to the next group's first */
    if (x->low) {
        uint32_t low = (uint32_t)(above & ((UINT64_C(1) << x->shift) - 1));
        BISECT(lo, x->first[group + 1], mid, x->low[mid] <= low);
        *found = lo > from && x->low[lo - 1] == low;
    } else {
        BISECT(lo, x->first[group + 1], mid, x->id[mid] <= id);
        *found = lo > from && x->id[lo - 1] == id;
    }
    return lo - 1;
}

static inline uint32_t idindex_value(const struct idindex *x, size_t place)
{
    return x->value ? x->value[place] : (uint32_t)place;
}

/* The value of an id, or NO_INDEX. */
static inline uint32_t idindex_get(const struct idindex *x, int64_t id)
{
    bool found;
    size_t place = idindex_place(x, id, &found);
    return found ? idindex_value(x, place) : NO_INDEX;
}

/* The value of the last id that is not above this one, or NO_INDEX. */
static inline uint32_t idindex_floor(const struct idindex *x, int64_t id)
{
    bool found;
    size_t place = idindex_place(x, id, &found);
    return place < x->n ? idindex_value(x, place) : NO_INDEX;
}

#endif
