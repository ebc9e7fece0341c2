#include "ingest/nsys/keys.h"

#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

/* A provisional number: worker in the top 6 bits, position in its list below. */
enum { WORKER_SHIFT = 26 };
#define POSITION_MASK ((1u << WORKER_SHIFT) - 1)
_Static_assert(PARALLEL_USUAL <= 1u << (32 - WORKER_SHIFT),
               "more threads read than are told apart");

void keys_release(struct keys *k)
{
    for (int i = 0; i < PARALLEL_MAX; i++)
        arena_release(&k->workers[i].arena);
    arena_release(&k->all.arena);
    memset(k, 0, sizeof(*k));
}

static bool same(const struct key *a, const struct key *b)
{
    return !memcmp(a, b, sizeof(*a));
}

static size_t slot_of(const struct key_table *t, const struct key *key)
{
    return hash_bytes(key->v, sizeof(key->v)) & t->mask;
}

static void grow(struct key_table *t)
{
    size_t size = t->slots ? (t->mask + 1) * 2 : 64;
    t->slots = arena_array(&t->arena, uint32_t, size);
    t->mask = size - 1;
    for (size_t n = 0; n < t->list.n; n++) {
        size_t i = slot_of(t, &t->list.v[n]);
        while (t->slots[i])
            i = (i + 1) & t->mask;
        t->slots[i] = (uint32_t)n + 1;
    }
}

static uint32_t find_or_add(struct key_table *t, const struct key *key)
{
    if (t->list.n && same(&t->list.v[t->last], key))
        return t->last;
    if (!t->slots || (t->list.n + 1) * 2 > t->mask + 1)
        grow(t);
    size_t i = slot_of(t, key);
    while (t->slots[i] && !same(&t->list.v[t->slots[i] - 1], key))
        i = (i + 1) & t->mask;
    if (!t->slots[i]) {
        if (t->list.n > POSITION_MASK)
            mem_exhausted();
        vec_push(&t->list, &t->arena, *key);
        t->slots[i] = (uint32_t)t->list.n;
    }
    return t->last = t->slots[i] - 1;
}

uint32_t keys_add(struct keys *k, int worker, struct key key)
{
    return (uint32_t)worker << WORKER_SHIFT | find_or_add(&k->workers[worker], &key);
}

const struct key *keys_get(const struct keys *k, uint32_t provisional)
{
    return &k->workers[provisional >> WORKER_SHIFT].list.v[provisional & POSITION_MASK];
}

static void grow_final(struct key_table *t)
{
    vec_reserve(&t->final, &t->arena, t->list.n);
    while (t->final.n < t->list.n)
        t->final.v[t->final.n++] = 0;
}

static uint32_t final_of(struct keys *k, const struct key *key, key_resolve *resolve, void *ctx)
{
    uint32_t at = find_or_add(&k->all, key);
    grow_final(&k->all);
    if (!k->all.final.v[at]) {
        uint32_t number = resolve(ctx, key);
        k->all.final.v[at] = number + 2;
    }
    return k->all.final.v[at];
}

void keys_finish(struct keys *k, uint32_t *column, size_t first, size_t end, key_resolve *resolve,
                 void *ctx)
{
    for (int w = 0; w < PARALLEL_MAX; w++)
        grow_final(&k->workers[w]);
    for (size_t i = first; i < end; i++) {
        uint32_t p = column[i];
        struct key_table *t = &k->workers[p >> WORKER_SHIFT];
        uint32_t *final = &t->final.v[p & POSITION_MASK];
        if (!*final)
            *final = final_of(k, &t->list.v[p & POSITION_MASK], resolve, ctx);
        column[i] = *final - 2;
    }
}

void texts_release(struct texts *t)
{
    for (int i = 0; i < PARALLEL_MAX; i++)
        arena_release(&t->workers[i].arena);
    memset(t, 0, sizeof(*t));
}

uint32_t texts_add(struct texts *t, int worker, const char *text, size_t n)
{
    struct text_table *w = &t->workers[worker];
    if (!w->strings.arena)
        strings_init(&w->strings, &w->arena);
    uint32_t id = strings_addn(&w->strings, text, n);
    if (id > POSITION_MASK)
        mem_exhausted();
    return (uint32_t)worker << WORKER_SHIFT | id;
}

void texts_finish(struct texts *t, struct strings *into, uint32_t *column, size_t first, size_t end)
{
    uint32_t *final[PARALLEL_MAX] = {0}; /* string + 1 */
    for (int w = 0; w < PARALLEL_MAX; w++)
        if (t->workers[w].strings.n)
            final[w] = arena_array(&t->workers[w].arena, uint32_t, t->workers[w].strings.n);
    for (size_t i = first; i < end; i++) {
        uint32_t p = column[i], id = p & POSITION_MASK;
        const struct string_entry *e = &t->workers[p >> WORKER_SHIFT].strings.v[id];
        uint32_t *f = &final[p >> WORKER_SHIFT][id];
        if (!*f)
            *f = strings_addn(into, e->text, e->len) + 1;
        column[i] = *f - 1;
    }
}
