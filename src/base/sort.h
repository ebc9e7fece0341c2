/*
 * Sorting rows by a 64-bit key: returns an order, moves nothing.
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

#endif
