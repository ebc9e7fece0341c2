#include "base/sort.h"

#include <string.h>

enum { BITS = 11, BUCKETS = 1 << BITS };

struct item {
    uint64_t key;
    uint32_t row;
};

static void radix_pass(const struct item *from, struct item *to, size_t n, unsigned shift)
{
    size_t at[BUCKETS] = {0};
    for (size_t i = 0; i < n; i++)
        at[from[i].key >> shift & (BUCKETS - 1)]++;
    size_t sum = 0;
    for (size_t b = 0; b < BUCKETS; b++) {
        size_t count = at[b];
        at[b] = sum;
        sum += count;
    }
    for (size_t i = 0; i < n; i++)
        to[at[from[i].key >> shift & (BUCKETS - 1)]++] = from[i];
}

void sort_rows(uint32_t *rows, size_t n, const int64_t *key, struct arena *temporary)
{
    size_t i = 1;
    while (i < n && key[rows[i - 1]] <= key[rows[i]])
        i++;
    if (i >= n)
        return;
    int64_t least = key[rows[0]], most = least;
    for (i = 0; i < n; i++) {
        least = key[rows[i]] < least ? key[rows[i]] : least;
        most = key[rows[i]] > most ? key[rows[i]] : most;
    }
    struct item *a = arena_array(temporary, struct item, n);
    struct item *b = arena_array(temporary, struct item, n);
    for (i = 0; i < n; i++)
        a[i] = (struct item){(uint64_t)key[rows[i]] - (uint64_t)least, rows[i]};
    uint64_t range = (uint64_t)most - (uint64_t)least;
    for (unsigned shift = 0; shift < 64 && range >> shift; shift += BITS) {
        radix_pass(a, b, n, shift);
        struct item *swap = a;
        a = b;
        b = swap;
    }
    for (i = 0; i < n; i++)
        rows[i] = a[i].row;
}
