/*
 * 64-bit ids as 32-bit numbers.
 *
 * Writers number things in a few blocks: calls from 1, markers from 2^40, each process from a place
 * of its own. Here the blocks of 2^20 ids that occur are numbered as they are met, and an id becomes
 * the number of its block and the place in it. Ids below 2^20 stay what they are, and so does 0.
 *
 *     struct idblocks *b = idblocks_new(arena);
 *     struct idblocks_seen seen = {0};          // one a thread
 *     uint32_t number = idblocks_number(b, &seen, id);
 *
 * Numbers of one table are equal when their ids are; which number a block gets depends on who meets
 * it first, so they are for look-ups only.
 *
 * Thread-safety: any number of threads may ask at once, each with an idblocks_seen of its own.
 */
#ifndef GS_BASE_IDBLOCKS_H
#define GS_BASE_IDBLOCKS_H

#include <stdint.h>

#include "base/arena.h"
#include "base/hash.h"

enum { IDBLOCK_BITS = 20, IDBLOCKS_MOST = 1 << (32 - IDBLOCK_BITS), IDBLOCKS_SEEN = 64 };

struct idblocks;

/* Blocks that a thread has met, so that it need not ask for them again. */
struct idblocks_seen {
    uint64_t block[IDBLOCKS_SEEN]; /* + 1; 0: none */
    uint32_t number[IDBLOCKS_SEEN];
};

struct idblocks *idblocks_new(struct arena *a);

/* For idblocks_number(). */
uint32_t idblocks_find(struct idblocks *b, uint64_t block);

/* The number of an id, or NO_INDEX when there are too many blocks. */
static inline uint32_t idblocks_number(struct idblocks *b, struct idblocks_seen *seen, int64_t id)
{
    uint64_t block = (uint64_t)id >> IDBLOCK_BITS;
    uint32_t low = (uint32_t)id & ((1u << IDBLOCK_BITS) - 1);
    unsigned at = (unsigned)(block % IDBLOCKS_SEEN);
    if (seen->block[at] != block + 1) {
        uint32_t number = idblocks_find(b, block);
        if (number == NO_INDEX)
            return NO_INDEX;
        seen->block[at] = block + 1;
        seen->number[at] = number;
    }
    return seen->number[at] << IDBLOCK_BITS | low;
}

#endif
