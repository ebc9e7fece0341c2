#include "analyze/quantile.h"

#include <string.h>

enum { FEW = 24, SMALL_BITS = 6, LARGE_BITS = 11, LARGE = 4096 };

static void sort_few(int64_t *v, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        int64_t x = v[i];
        size_t j = i;
        for (; j > 0 && v[j - 1] > x; j--)
            v[j] = v[j - 1];
        v[j] = x;
    }
}

/* Bits to drop so that every difference from the least value falls into 2^bits buckets. */
static unsigned shift_of(uint64_t range, unsigned bits)
{
    unsigned width = 64 - (unsigned)__builtin_clzll(range | 1);
    return width > bits ? width - bits : 0;
}

/*
 * Each round counts the values by their leading bits, keeps the bucket that holds the wanted place
 * and brings it to the front: the range shrinks by 2^bits, so there are few rounds.
 */
int64_t select_rank(int64_t *v, size_t n, size_t rank)
{
    uint32_t counts[1 << LARGE_BITS];
    while (n > FEW) {
        int64_t least = v[0], most = v[0];
        for (size_t i = 1; i < n; i++) {
            least = v[i] < least ? v[i] : least;
            most = v[i] > most ? v[i] : most;
        }
        if (least == most)
            return least;
        unsigned bits = n < LARGE ? SMALL_BITS : LARGE_BITS;
        unsigned shift = shift_of((uint64_t)most - (uint64_t)least, bits);
        memset(counts, 0, sizeof(*counts) << bits);
        for (size_t i = 0; i < n; i++)
            counts[((uint64_t)v[i] - (uint64_t)least) >> shift]++;
        size_t bucket = 0;
        while (rank >= counts[bucket])
            rank -= counts[bucket++];
        size_t kept = 0;
        for (size_t i = 0; i < n; i++) {
            int64_t x = v[i];
            if (((uint64_t)x - (uint64_t)least) >> shift != bucket)
                continue;
            v[i] = v[kept];
            v[kept++] = x;
        }
        n = kept;
    }
    sort_few(v, n);
    return v[rank];
}

int64_t percentile(int64_t *v, size_t n, unsigned p)
{
    if (!n)
        return 0;
    size_t place = n / 100 * p + (n % 100 * p + 99) / 100; /* ceil(n x p / 100), no overflow */
    return select_rank(v, n, place - 1);
}
