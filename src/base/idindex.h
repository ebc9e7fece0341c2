/*
 * From ids to values, for any ids: dense or scattered, sorted or not.
 *
 * Pairs are sorted by id, once, and a list of where groups of ids begin leads to the place, so
 * that a look-up reads two or three cache lines and no file can make it slow: at worst it is a
 * binary search. Twelve bytes a pair, eight where they come sorted and values count up.
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

#include "base/arena.h"
#include "base/hash.h"

struct idindex {
    int64_t *id;     /* ascending, each once */
    uint32_t *value; /* NULL: the place itself */
    uint32_t *first; /* by group: the place of its first id; one more at the end */
    size_t n;
    unsigned shift; /* ids that agree above these bits, counted from the first id, are a group */
};

/*
 * Takes n pairs, in arrays that live as long as the arena; value NULL: the places 0 to n - 1. Of
 * several with one id the first counts. Returns how many others there were.
 */
size_t idindex_make(struct idindex *x, int64_t *id, uint32_t *value, size_t n, struct arena *a);

/* The place of the last id that is not above this one; x->n: there is none. */
static inline size_t idindex_place(const struct idindex *x, int64_t id)
{
    if (!x->n || id < x->id[0])
        return x->n;
    if (id >= x->id[x->n - 1])
        return x->n - 1;
    uint64_t group = ((uint64_t)id - (uint64_t)x->id[0]) >> x->shift;
    size_t lo = x->first[group]; /* the first above id: from here to the next group's first */
    BISECT(lo, x->first[group + 1], mid, x->id[mid] <= id);
    return lo - 1;
}

static inline uint32_t idindex_value(const struct idindex *x, size_t place)
{
    return x->value ? x->value[place] : (uint32_t)place;
}

/* The value of an id, or NO_INDEX. */
static inline uint32_t idindex_get(const struct idindex *x, int64_t id)
{
    size_t place = idindex_place(x, id);
    return place < x->n && x->id[place] == id ? idindex_value(x, place) : NO_INDEX;
}

/* The value of the last id that is not above this one, or NO_INDEX. */
static inline uint32_t idindex_floor(const struct idindex *x, int64_t id)
{
    size_t place = idindex_place(x, id);
    return place < x->n ? idindex_value(x, place) : NO_INDEX;
}

#endif
