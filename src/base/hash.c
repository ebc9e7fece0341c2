#include "base/hash.h"

#include <assert.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

uint64_t hash_secret[2];

/* Before anything else runs: maps of static data may be filled early. */
__attribute__((constructor)) static void choose_secret(void)
{
    uint64_t drawn[2];
    if (getentropy(drawn, sizeof(drawn))) { /* an old kernel: what differs between runs must do */
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        drawn[0] = hash_fixed_u64((uint64_t)now.tv_nsec ^ (uint64_t)(uintptr_t)&now);
        drawn[1] = hash_fixed_u64((uint64_t)now.tv_sec ^ (uint64_t)getpid() << 32);
    }
    hash_secret[0] = drawn[0];
    hash_secret[1] = drawn[1] | UINT64_C(0x8000000000000001); /* a factor with both ends */
}

uint64_t hash_fixed_u64(uint64_t x)
{
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    return x ^ x >> 32;
}

uint64_t hash_fixed_bytes(const void *p, size_t n)
{
    const unsigned char *b = p;
    uint64_t h = 0x9e3779b97f4a7c15u ^ n;
    for (; n >= 8; n -= 8, b += 8) {
        uint64_t w;
        memcpy(&w, b, 8);
        h = (h ^ w) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    uint64_t w = 0;
    memcpy(&w, b, n);
    return hash_fixed_u64(h ^ w);
}

static uint64_t word_at(const unsigned char *p)
{
    uint64_t w;
    memcpy(&w, p, sizeof(w));
    return w;
}

uint64_t hash_bytes(const void *p, size_t n)
{
    const unsigned char *b = p;
    uint64_t h = hash_secret[0] ^ n;
    for (; n > 16; n -= 16, b += 16)
        h = hash_fold(word_at(b) ^ hash_secret[1], word_at(b + 8) ^ h);
    unsigned char rest[16] = {0};
    if (n)
        memcpy(rest, b, n);
    h = hash_fold(word_at(rest) ^ hash_secret[1], word_at(rest + 8) ^ h);
    return hash_u64(h);
}

void idmap_init(struct idmap *m, struct arena *a)
{
    *m = (struct idmap){.arena = a};
}

static void place(struct idmap *m, uint64_t key, uint32_t value)
{
    assert(m->n <= m->mask); /* a slot is free, so that searches end */
    size_t i = hash_u64(key) & m->mask;
    while (m->slots[i].value != NO_INDEX && m->slots[i].key != key)
        i = (i + 1) & m->mask;
    m->n += m->slots[i].value == NO_INDEX;
    m->slots[i] = (struct idmap_slot){key, value};
}

static void resize(struct idmap *m, size_t size)
{
    struct idmap old = *m;
    m->slots = arena_array(m->arena, struct idmap_slot, size);
    m->mask = size - 1;
    m->n = 0;
    for (size_t i = 0; i < size; i++)
        m->slots[i].value = NO_INDEX;
    for (size_t i = 0; old.slots && i <= old.mask; i++)
        if (old.slots[i].value != NO_INDEX)
            place(m, old.slots[i].key, old.slots[i].value);
    if (old.slots)
        arena_give_back(m->arena, old.slots, (old.mask + 1) * sizeof(*old.slots));
}

void idmap_expect(struct idmap *m, size_t n)
{
    size_t size = 16;
    while (size < n * 2)
        size *= 2;
    if (!m->slots || size > m->mask + 1)
        resize(m, size);
}

void idmap_put(struct idmap *m, uint64_t key, uint32_t value)
{
    if (!m->slots || (m->n + 1) * 2 > m->mask + 1)
        resize(m, m->slots ? (m->mask + 1) * 2 : 16);
    place(m, key, value);
}

uint32_t idmap_claim(struct idmap *m, uint64_t key, uint32_t next)
{
    uint32_t value = idmap_get(m, key);
    if (value == NO_INDEX)
        idmap_put(m, key, value = next);
    return value;
}

void idtable_init(struct idtable *t, struct arena *a)
{
    *t = (struct idtable){.least = INT64_MAX, .most = INT64_MIN};
    idmap_init(&t->map, a);
}

void idtable_put(struct idtable *t, int64_t id, uint32_t value)
{
    idmap_put(&t->map, (uint64_t)id, value);
    if (id < t->least)
        t->least = id;
    if (id > t->most)
        t->most = id;
}

bool idtable_span(struct idtable *t, int64_t least, int64_t most, size_t n)
{
    uint64_t range = (uint64_t)most - (uint64_t)least;
    if (most < least || range >= n * (uint64_t)4 + 1024)
        return false;
    t->least = least;
    t->most = most;
    t->n_dense = (size_t)range + 1;
    t->dense = arena_array(t->map.arena, uint32_t, t->n_dense);
    return true;
}

void idtable_seal(struct idtable *t)
{
    if (!t->map.n || !idtable_span(t, t->least, t->most, t->map.n))
        return;
    for (size_t i = 0; i < t->n_dense; i++)
        t->dense[i] = ~idmap_get(&t->map, (uint64_t)t->least + i);
    arena_give_back(t->map.arena, t->map.slots, (t->map.mask + 1) * sizeof(*t->map.slots));
    idmap_init(&t->map, t->map.arena);
}
