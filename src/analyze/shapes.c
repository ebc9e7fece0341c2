#include "analyze/shapes.h"

#include <string.h>

#include "base/hash.h"

static bool same_shape(const struct launch *a, const struct launch *b)
{
    return !memcmp(a->grid, b->grid, sizeof(a->grid)) &&
           !memcmp(a->group, b->group, sizeof(a->group)) && a->lds_bytes == b->lds_bytes &&
           a->scratch_bytes == b->scratch_bytes;
}

uint32_t *shapes_find(const struct trace *t, struct arena *a)
{
    struct arena *temporary = arena_scratch();
    struct idmap seen;
    idmap_init(&seen, temporary);
    uint32_t *shapes = arena_array(a, uint32_t, t->launches.n);
    for (size_t i = 0; i < t->launches.n; i++) {
        struct launch l = t->launches.v[i];
        shapes[i] = (uint32_t)i;
        l.graph = l.rename = 0;
        uint64_t key = hash_bytes(&l, sizeof(l));
        uint32_t first = idmap_get(&seen, key);
        if (first == NO_INDEX)
            idmap_put(&seen, key, (uint32_t)i);
        else if (same_shape(&l, &t->launches.v[first]))
            shapes[i] = first;
    }
    arena_release(temporary);
    return shapes;
}

uint64_t launch_groups(const struct launch *l)
{
    uint64_t n = 1;
    for (int i = 0; i < 3; i++) {
        uint64_t group = l->group[i] ? l->group[i] : 1, grid = l->grid[i] ? l->grid[i] : 1;
        if (__builtin_mul_overflow(n, (grid + group - 1) / group, &n))
            return UINT64_MAX;
    }
    return n;
}
