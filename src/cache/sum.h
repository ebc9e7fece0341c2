/*
 * The checksum of the cache: the same in every process, as fast as memory. It tells damage, not
 * forgery: that is what the owner of the folder and the checks of every index are for.
 */
#ifndef GS_CACHE_SUM_H
#define GS_CACHE_SUM_H

#include <stddef.h>
#include <stdint.h>

uint64_t cache_sum(const void *data, size_t n);

/* Of several pieces: another number than that of all of it at once. */
struct cache_sum {
    uint64_t state;
};

void cache_sum_init(struct cache_sum *s);
void cache_sum_add(struct cache_sum *s, const void *data, size_t n);
uint64_t cache_sum_end(const struct cache_sum *s);

#endif
