#include "base/idblocks.h"

#include <pthread.h>

enum { SLOTS = 4 * IDBLOCKS_MOST };

struct idblocks {
    pthread_mutex_t lock;
    uint32_t n;
    uint64_t block[SLOTS]; /* + 1; 0: free */
    uint16_t number[SLOTS];
};

static void destroy_lock(void *lock)
{
    pthread_mutex_destroy(lock);
}

struct idblocks *idblocks_new(struct arena *a)
{
    struct idblocks *b = arena_new(a, struct idblocks);
    pthread_mutex_init(&b->lock, NULL);
    arena_defer(a, destroy_lock, &b->lock);
    idblocks_find(b, 0);
    return b;
}

uint32_t idblocks_find(struct idblocks *b, uint64_t block)
{
    uint32_t number = NO_INDEX;
    size_t at = hash_u64(block) % SLOTS;
    pthread_mutex_lock(&b->lock);
    while (b->block[at] && b->block[at] != block + 1)
        at = (at + 1) % SLOTS;
    /* The last number is not given away: with all low bits set it would be NO_INDEX. */
    if (!b->block[at] && b->n < IDBLOCKS_MOST - 1) {
        b->block[at] = block + 1;
        b->number[at] = (uint16_t)b->n++;
    }
    if (b->block[at])
        number = b->number[at];
    pthread_mutex_unlock(&b->lock);
    return number;
}
