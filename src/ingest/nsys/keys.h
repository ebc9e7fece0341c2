/*
 * Keys: threads, streams, symbols and texts, found while many threads read rows.
 *
 * Each worker has tables of its own and writes provisional numbers into a column. The finishing
 * functions turn them into final ones and ask for each key once, in the order of first use
 * in the column, so the result does not depend on how the work was divided.
 */
#ifndef GS_INGEST_NSYS_KEYS_H
#define GS_INGEST_NSYS_KEYS_H

#include "base/parallel.h"
#include "base/vec.h"
#include "model/strings.h"

enum { KEY_VALUES = 7 };

/* A small tuple; values that are not used are 0. */
struct key {
    int64_t v[KEY_VALUES];
};

struct key_table {
    VEC(struct key) list;
    VEC(uint32_t) final; /* number of each key + 2: NO_INDEX is 1; 0: not asked for yet */
    uint32_t *slots;     /* open addressing: position + 1 */
    size_t mask;
    struct arena arena;
    uint32_t last;    /* most rows have the key of the row before */
    char padding[64]; /* workers do not share cache lines */
};

struct keys {
    struct key_table workers[PARALLEL_MAX];
    struct key_table all; /* every key that has been asked for, whoever found it */
};

void keys_release(struct keys *k);

/* The provisional number; only this worker's table is touched. */
uint32_t keys_add(struct keys *k, int worker, struct key key);

/* The key behind a provisional number. */
const struct key *keys_get(const struct keys *k, uint32_t provisional);

/* Replaces column[first, end) by final numbers; resolve() is called once for a key, ever. */
typedef uint32_t key_resolve(void *ctx, const struct key *key);
void keys_finish(struct keys *k, uint32_t *column, size_t first, size_t end, key_resolve *resolve,
                 void *ctx);

/* The same for texts, which become strings of the trace. */
struct text_table {
    struct strings strings;
    struct arena arena;
    char padding[64];
};

struct texts {
    struct text_table workers[PARALLEL_MAX];
};

void texts_release(struct texts *t);
uint32_t texts_add(struct texts *t, int worker, const char *text, size_t n);
void texts_finish(struct texts *t, struct strings *into, uint32_t *column, size_t first,
                  size_t end);

#endif
