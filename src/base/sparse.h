/*
 * A column of row numbers in which most are none (NO_INDEX): a bit for each row, and the others in
 * order. A fifth of a byte a row, and four for each that is something.
 *
 *     struct sparse awaited;
 *     sparse_make(&awaited, dense, n, arena);   // dense[i] == NO_INDEX: none
 *     sparse_get(&awaited, i)
 *
 * Or bits alone, whose places in order are numbers of their own:
 *
 *     sparse_marks(&asked, n, arena);
 *     sparse_mark(&asked, i);                   // any number of times
 *     sparse_marked(&asked, n);
 *     sparse_place(&asked, i)                   // of a marked one: so many come before it
 *     sparse_row(&asked, place, n)              // of the one at a place
 *     sparse_last(&asked, i), sparse_next(&asked, i, n)    // where the ones beside a row are
 *     sparse_unmark(&asked, n);                 // to be marked anew
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
    uint32_t *v;      /* NULL: only bits */
    size_t n;         /* values, or bits that are set */
};

void sparse_make(struct sparse *s, const uint32_t *dense, size_t rows, struct arena *a);

void sparse_marks(struct sparse *s, size_t rows, struct arena *a);
void sparse_marked(struct sparse *s, size_t rows);
void sparse_unmark(struct sparse *s, size_t rows);
size_t sparse_row(const struct sparse *s, uint32_t place, size_t rows);

static inline void sparse_mark(struct sparse *s, size_t row)
{
    s->has[row / 64] |= UINT64_C(1) << (row % 64);
}

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

static inline uint32_t sparse_place(const struct sparse *s, size_t row)
{
    uint64_t below = s->has[row / 64] & ((UINT64_C(1) << (row % 64)) - 1);
    return s->before[row / 64] + bits_set(below);
}

/* The last marked row that is not behind this one; there is one. */
static inline size_t sparse_last(const struct sparse *s, size_t row)
{
    size_t word = row / 64;
    uint64_t upto = s->has[word] & ((UINT64_C(2) << (row % 64)) - 1);
    while (!upto)
        upto = s->has[--word];
    return word * 64 + 63 - (size_t)__builtin_clzll(upto);
}

/* The first marked row from this one on, before `end`; else `end`. */
static inline size_t sparse_next(const struct sparse *s, size_t row, size_t end)
{
    for (size_t word = row / 64; row < end; row = ++word * 64) {
        uint64_t from = s->has[word] & -(UINT64_C(1) << (row % 64));
        if (from) {
            size_t found = word * 64 + (size_t)__builtin_ctzll(from);
            return found < end ? found : end;
        }
    }
    return end;
}

static inline uint32_t sparse_get(const struct sparse *s, size_t row)
{
    return sparse_has(s, row) ? s->v[sparse_place(s, row)] : NO_INDEX;
}

#endif
