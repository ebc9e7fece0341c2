#include "cache/sum.h"

#include <string.h>

#include "base/hash.h"

enum { LANES = 8 };

/* Odd, so that no bit of a word is lost on the way: each lane is a bijection of each of its words. */
#define FACTOR UINT64_C(0x9fb21c651e98df25)

/* Lanes that do not wait for each other: a processor multiplies several at once. */
uint64_t cache_sum(const void *data, size_t n)
{
    const unsigned char *p = data;
    uint64_t h[LANES], total = hash_fixed_u64(n ^ FACTOR);
    for (unsigned i = 0; i < LANES; i++)
        h[i] = (i + 1) * FACTOR;
    for (; n >= LANES * 8; n -= LANES * 8, p += LANES * 8)
        for (unsigned i = 0; i < LANES; i++) {
            uint64_t w;
            memcpy(&w, p + i * 8, 8);
            h[i] = (h[i] ^ w) * FACTOR;
            h[i] ^= h[i] >> 31;
        }
    for (unsigned i = 0; n; i++) {
        uint64_t w = 0;
        size_t part = n < 8 ? n : 8;
        memcpy(&w, p, part);
        h[i] = (h[i] ^ w) * FACTOR;
        h[i] ^= h[i] >> 31;
        p += part;
        n -= part;
    }
    for (unsigned i = 0; i < LANES; i++)
        total = hash_fixed_u64(total ^ h[i]) + i;
    return total;
}

void cache_sum_init(struct cache_sum *s)
{
    s->state = FACTOR;
}

void cache_sum_add(struct cache_sum *s, const void *data, size_t n)
{
    s->state = hash_fixed_u64(s->state * FACTOR ^ cache_sum(data, n));
}

uint64_t cache_sum_end(const struct cache_sum *s)
{
    return s->state;
}
