#include "base/sort.h"

#include <assert.h>
#include <stdbool.h>
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

struct keyed {
    const int64_t *key;
    uint64_t least; /* of all keys */
};

static uint64_t key_of(const struct keyed *k, uint32_t row)
{
    return (uint64_t)k->key[row] - k->least;
}

static bool is_sorted(const struct keyed *k, const uint32_t *rows, size_t n)
{
    size_t i = 1;
    while (i < n && k->key[rows[i - 1]] <= k->key[rows[i]])
        i++;
    return i >= n;
}

/* By the low `bits` of the keys; a and b have room for n. */
static void sort_some(uint32_t *rows, size_t n, const struct keyed *k, unsigned bits,
                      struct item *a, struct item *b)
{
    if (is_sorted(k, rows, n))
        return;
    for (size_t i = 0; i < n; i++)
        a[i] = (struct item){key_of(k, rows[i]), rows[i]};
    for (unsigned shift = 0; shift < bits; shift += BITS) {
        radix_pass(a, b, n, shift);
        struct item *swap = a;
        a = b;
        b = swap;
    }
    for (size_t i = 0; i < n; i++)
        rows[i] = a[i].row;
}

/*
 * Rows by the top digit of their keys first: what is left to sort is small enough for the cache, and
 * so is the room it takes.
 */
static void sort_many(uint32_t *rows, size_t n, const struct keyed *k, unsigned bits,
                      struct arena *temporary)
{
    unsigned shift = bits > BITS ? bits - BITS : 0;
    size_t end[BUCKETS] = {0}, sum = 0, most = 0;
    uint32_t *parted = arena_array(temporary, uint32_t, n);
    for (size_t i = 0; i < n; i++)
        end[key_of(k, rows[i]) >> shift]++;
    for (size_t b = 0; b < BUCKETS; b++) {
        size_t count = end[b];
        most = count > most ? count : most;
        end[b] = sum;
        sum += count;
    }
    for (size_t i = 0; i < n; i++)
        parted[end[key_of(k, rows[i]) >> shift]++] = rows[i];
    memcpy(rows, parted, n * sizeof(*rows));
    struct item *room = arena_array(temporary, struct item, 2 * most);
    for (size_t b = 0, from = 0; b < BUCKETS; from = end[b++])
        sort_some(rows + from, end[b] - from, k, shift, room, room + most);
}

/*
 * Keys that are spread over their range: each row goes to a place by its key, which leaves a few to
 * be sorted in each. False, with nothing done, where too many share a place.
 */
static bool sort_places(uint32_t *rows, size_t n, const struct keyed *k, uint64_t range,
                        struct arena *temporary)
{
    enum { ROWS_A_PLACE = 4, ROWS_MOST = 64 };
    size_t n_places = n / ROWS_A_PLACE + 1;
    double scale = (double)n_places / ((double)range + 1);
    uint32_t *first =
        arena_array(temporary, uint32_t, n_places + 4); /* a rounded one may be last */
    if (n >= UINT32_MAX)
        return false;
#define PLACE(row) ((size_t)((double)key_of(k, row) * scale))
    for (size_t i = 0; i < n; i++)
        if (++first[PLACE(rows[i]) + 2] > ROWS_MOST)
            return false;
    for (size_t i = 2; i < n_places + 4; i++)
        first[i] += first[i - 1];
    uint32_t *parted = arena_array(temporary, uint32_t, n);
    for (size_t i = 0; i < n; i++)
        parted[first[PLACE(rows[i]) + 1]++] = rows[i];
#undef PLACE
    for (size_t i = 0; i < n; i++) { /* those before are in order */
        uint32_t row = parted[i];
        size_t at = i;
        for (; at && k->key[rows[at - 1]] > k->key[row]; at--)
            rows[at] = rows[at - 1];
        rows[at] = row;
    }
    return true;
}

void sort_rows(uint32_t *rows, size_t n, const int64_t *key, struct arena *temporary)
{
    enum { FEW = 64, MANY = 1 << 15 };
    struct keyed k = {.key = key};
    if (is_sorted(&k, rows, n))
        return;
    int64_t least = key[rows[0]], most = least;
    for (size_t i = 0; i < n; i++) {
        least = key[rows[i]] < least ? key[rows[i]] : least;
        most = key[rows[i]] > most ? key[rows[i]] : most;
    }
    uint64_t range = (uint64_t)most - (uint64_t)least;
    unsigned bits = 0;
    while (bits < 64 && range >> bits)
        bits++;
    k.least = (uint64_t)least;
    if (n > FEW && sort_places(rows, n, &k, range, temporary))
        return;
    if (n >= MANY) {
        sort_many(rows, n, &k, bits, temporary);
        return;
    }
    struct item *room = arena_array(temporary, struct item, 2 * n);
    sort_some(rows, n, &k, bits, room, room + n);
}

struct row_groups row_groups_make(const uint32_t *owner, size_t n, size_t owners, struct arena *a)
{
    struct row_groups g = {arena_array(a, size_t, owners + 3), arena_array(a, uint32_t, n + 1)};
    size_t *at = g.at + 1;
    for (size_t i = 0; i < n; i++)
        at[(owner[i] < owners ? owner[i] : owners) + 1]++;
    for (size_t k = 0; k <= owners; k++)
        at[k + 1] += at[k];
    /* at[k] is where k begins; filling moves it to where k ends, which is where k + 1 begins. */
    for (size_t i = 0; i < n; i++)
        g.list[at[owner[i] < owners ? owner[i] : owners]++] = (uint32_t)i;
    assert(g.at[owners + 1] == n); /* each row has one owner, or is with those that have none */
    return g;
}
