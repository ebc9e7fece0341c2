/*
 * A column of row numbers in which most are none (NO_INDEX): a bit for each row, and the others in
 * order. A fifth of a byte a row, and four for each that is something.
 *
 *     struct sparse awaited;
 *     sparse_make(&awaited, dense, n, arena);   // dense[i] == NO_INDEX: none
 *     sparse_get(&awaited, i)
 *
 * One that is all zero has no row that is something. Ownership: the arena. Thread-safety: read-only
 * once made.
 */
#ifndef GS_BASE_SPARSE_H
#define GS_BASE_SPARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hash.h"

struct sparse {
    uint64_t *has;    /* bits, by row */
    uint32_t *before; /* by 64 rows: values of those before them */
    uint32_t *v;
    size_t n; /* values */
};

void sparse_make(struct sparse *s, const uint32_t *dense, size_t rows, struct arena *a);

/* Bits that are set; without an instruction of the processor that not every one has. */
static inline unsigned bits_set(uint64_t x)
{
    x -= x >> 1 & UINT64_C(0x5555555555555555);
    x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
    x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (unsigned)((x * UINT64_C(0x0101010101010101)) >> 56);
}

static inline bool sparse_has(const struct sparse *s, size_t row)
{
    return s->n && s->has[row / 64] >> (row % 64) & 1;
}

static inline uint32_t sparse_get(const struct sparse *s, size_t row)
{
    if (!sparse_has(s, row))
        return NO_INDEX;
    uint64_t below = s->has[row / 64] & ((UINT64_C(1) << (row % 64)) - 1);
    return s->v[s->before[row / 64] + bits_set(below)];
}

#endif
