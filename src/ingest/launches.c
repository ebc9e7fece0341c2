#include "ingest/launches.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"

/* A provisional number: worker in the top 6 bits, position in its list below. */
enum { WORKER_SHIFT = 26 };
#define POSITION_MASK ((1u << WORKER_SHIFT) - 1)
_Static_assert(PARALLEL_USUAL <= 1u << (32 - WORKER_SHIFT),
               "more threads read than are told apart");

void launches_init(struct launches *l, struct arena *owner)
{
    memset(l, 0, sizeof(*l));
    for (int i = 0; i < PARALLEL_MAX; i++)
        l->workers[i].arena = arena_child(owner);
    l->all.arena = arena_child(owner);
}

static bool same(const struct launch *a, const struct launch *b)
{
    return !memcmp(a, b, sizeof(*a)); /* only uint32_t members: no padding */
}

static void grow(struct launch_table *t)
{
    size_t size = t->slots ? (t->mask + 1) * 2 : 64;
    t->slots = arena_array(t->arena, uint32_t, size);
    t->mask = size - 1;
    for (size_t n = 0; n < t->list.n; n++) {
        size_t i = hash_bytes(&t->list.v[n], sizeof(struct launch)) & t->mask;
        while (t->slots[i])
            i = (i + 1) & t->mask;
        t->slots[i] = (uint32_t)n + 1;
    }
}

static uint32_t find_or_add(struct launch_table *t, uint32_t hint, const struct launch *launch)
{
    uint32_t *recent = &t->recent[hint % (ARRAY_LEN(t->recent))];
    if (t->list.n && same(&t->list.v[*recent], launch))
        return *recent;
    if (!t->slots || (t->list.n + 1) * 2 > t->mask + 1)
        grow(t);
    size_t i = hash_bytes(launch, sizeof(*launch)) & t->mask;
    while (t->slots[i] && !same(&t->list.v[t->slots[i] - 1], launch))
        i = (i + 1) & t->mask;
    if (!t->slots[i]) {
        if (t->list.n > POSITION_MASK)
            mem_exhausted();
        vec_push(&t->list, t->arena, *launch);
        t->slots[i] = (uint32_t)t->list.n;
    }
    return *recent = t->slots[i] - 1;
}

uint32_t launches_add(struct launches *l, int worker, uint32_t hint, const struct launch *launch)
{
    return (uint32_t)worker << WORKER_SHIFT | find_or_add(&l->workers[worker], hint, launch);
}

void launches_finish(struct launches *l, struct trace *t, size_t first)
{
    struct launch_table *all = &l->all;
    for (size_t i = 0; i < t->launches.n; i++)
        find_or_add(all, 0, &t->launches.v[i]);
    uint32_t *numbers[PARALLEL_MAX] = {0}; /* provisional position -> final number + 1 */
    for (int w = 0; w < PARALLEL_MAX; w++)
        if (l->workers[w].list.n)
            numbers[w] = arena_array(l->workers[w].arena, uint32_t, l->workers[w].list.n);
    for (size_t i = first; i < t->kernels.n; i++) {
        uint32_t p = t->kernels.launch[i];
        assert((p & POSITION_MASK) < l->workers[p >> WORKER_SHIFT].list.n); /* of launches_add() */
        uint32_t *number = &numbers[p >> WORKER_SHIFT][p & POSITION_MASK];
        if (!*number)
            *number =
                find_or_add(all, 0, &l->workers[p >> WORKER_SHIFT].list.v[p & POSITION_MASK]) + 1;
        t->kernels.launch[i] = *number - 1;
    }
    for (size_t i = t->launches.n; i < all->list.n; i++)
        vec_push(&t->launches, &t->arena, all->list.v[i]);
}
