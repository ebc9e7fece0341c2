/*
 * Sorting rows by a 64-bit key, and grouping them by what they belong to: both return an order and
 * move nothing.
 *
 * Profilers write rows nearly in order, so an ordered input is noticed and costs one pass;
 * keys that are spread over their range, as times are, go to places by their value; otherwise a
 * stable radix sort over the bytes in which keys differ.
 */
#ifndef GS_BASE_SORT_H
#define GS_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/*
 * Orders the rows listed in `rows` (n of them, row numbers into key) by key, smallest first; equal
 * keys keep their order. The arena gives temporary room.
 */
void sort_rows(uint32_t *rows, size_t n, const int64_t *key, struct arena *temporary);

/*
 * Rows by what they belong to: list[at[k]..at[k + 1]) are the rows of k. Rows whose owner is
 * NO_INDEX are those of `owners`.
 */
struct row_groups {
    size_t *at;
    uint32_t *list;
};

struct row_groups row_groups_make(const uint32_t *owner, size_t n, size_t owners, struct arena *a);

#endif
