#include "base/idindex.h"

#include <string.h>

enum { BITS = 11, BUCKETS = 1 << BITS, IDS_PER_GROUP = 4 };

struct columns {
    int64_t *id;
    uint32_t *value;
};

/* Moves pairs to their places by one digit of id - least; equal ones stay in order. */
static void radix_pass(const struct columns *from, const struct columns *to, size_t n,
                       uint64_t least, unsigned shift)
{
    size_t at[BUCKETS] = {0}, sum = 0;
    for (size_t i = 0; i < n; i++)
        at[((uint64_t)from->id[i] - least) >> shift & (BUCKETS - 1)]++;
    for (size_t b = 0; b < BUCKETS; b++) {
        size_t count = at[b];
        at[b] = sum;
        sum += count;
    }
    for (size_t i = 0; i < n; i++) {
        size_t to_place = at[((uint64_t)from->id[i] - least) >> shift & (BUCKETS - 1)]++;
        to->id[to_place] = from->id[i];
        to->value[to_place] = from->value[i];
    }
}

static void sort_pairs(struct idindex *x, struct arena *a)
{
    struct arena *temporary = arena_scratch();
    int64_t least = x->id[0], most = x->id[0];
    for (size_t i = 1; i < x->n; i++) {
        least = x->id[i] < least ? x->id[i] : least;
        most = x->id[i] > most ? x->id[i] : most;
    }
    if (!x->value) {
        x->value = arena_array(a, uint32_t, x->n);
        for (size_t i = 0; i < x->n; i++)
            x->value[i] = (uint32_t)i;
    }
    struct columns now = {x->id, x->value};
    struct columns next = {arena_array(temporary, int64_t, x->n),
                           arena_array(temporary, uint32_t, x->n)};
    uint64_t range = (uint64_t)most - (uint64_t)least;
    for (unsigned shift = 0; shift < 64 && range >> shift; shift += BITS) {
        radix_pass(&now, &next, x->n, (uint64_t)least, shift);
        struct columns swap = now;
        now = next;
        next = swap;
    }
    if (now.id != x->id) {
        memcpy(x->id, now.id, x->n * sizeof(*x->id));
        memcpy(x->value, now.value, x->n * sizeof(*x->value));
    }
    arena_release(temporary);
}

/* Keeps the first of each id. */
static void leave_out_repeated(struct idindex *x, struct arena *a)
{
    size_t n = 0;
    if (!x->value) {
        x->value = arena_array(a, uint32_t, x->n);
        for (size_t i = 0; i < x->n; i++)
            x->value[i] = (uint32_t)i;
    }
    for (size_t i = 0; i < x->n; i++) {
        if (n && x->id[n - 1] == x->id[i])
            continue;
        x->id[n] = x->id[i];
        x->value[n++] = x->value[i];
    }
    x->n = n;
}

static void list_groups(struct idindex *x, struct arena *a)
{
    uint64_t range = (uint64_t)x->id[x->n - 1] - (uint64_t)x->id[0];
    while (range >> x->shift > x->n / IDS_PER_GROUP + 1) /* of 64 bits one is left at least */
        x->shift++;
    size_t groups = x->groups = (size_t)(range >> x->shift) + 1, at = 0;
    x->first = arena_array(a, uint32_t, groups + 1);
    for (size_t g = 0; g < groups; g++) {
        x->first[g] = (uint32_t)at;
        while (at < x->n && ((uint64_t)x->id[at] - (uint64_t)x->id[0]) >> x->shift == g)
            at++;
    }
    x->first[groups] = (uint32_t)at;
}

/* In place: none goes behind where it was. */
static void keep_low_bits(struct idindex *x)
{
    int64_t *id = x->id;
    if (x->shift > 32)
        return;
    uint64_t mask = (UINT64_C(1) << x->shift) - 1;
    x->low = (uint32_t *)(void *)id;
    x->id = NULL;
    for (size_t i = 0; i < x->n; i++) {
        uint32_t low = (uint32_t)(((uint64_t)id[i] - (uint64_t)x->least) & mask);
        memcpy(&x->low[i], &low, sizeof(low));
    }
}

size_t idindex_make(struct idindex *x, int64_t *id, uint32_t *value, size_t n, struct arena *a)
{
    *x = (struct idindex){.id = id, .value = value, .n = n};
    if (!n)
        return 0;
    bool ascends = true, repeats = false;
    for (size_t i = 1; i < n; i++)
        ascends &= id[i - 1] <= id[i];
    if (!ascends)
        sort_pairs(x, a);
    for (size_t i = 1; i < n; i++)
        repeats |= id[i - 1] == id[i];
    if (repeats)
        leave_out_repeated(x, a);
    x->least = x->id[0];
    list_groups(x, a);
    keep_low_bits(x);
    return n - x->n;
}
