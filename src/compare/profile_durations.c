/* Durations of the calls of a kernel, counted on one scale for all runs. */
#include <math.h>

#include "compare/profile.h"

int64_t profile_bucket_start(uint32_t bucket)
{
    if (!bucket)
        return 0;
    double start = ceil(exp2((double)(bucket - 1) / PROFILE_OCTAVE));
    return ns_from(start);
}

uint32_t profile_bucket_of(int64_t ns)
{
    if (ns < 1)
        return 0;
    uint32_t b = 1 + (uint32_t)int_from(log2((double)ns) * PROFILE_OCTAVE);
    b = b < PROFILE_BUCKETS ? b : PROFILE_BUCKETS - 1;
    /* A logarithm may be off by a hair; the starts decide. */
    while (b + 1 < PROFILE_BUCKETS && profile_bucket_start(b + 1) <= ns)
        b++;
    while (b > 1 && profile_bucket_start(b) > ns)
        b--;
    return b;
}

void profile_buckets_make(struct profile_buckets *b, const int64_t *v, size_t n,
                          struct arena *arena)
{
    for (size_t i = 0; i < n;) {
        struct profile_bucket row = {profile_bucket_of(v[i]), 0};
        int64_t next =
            row.bucket + 1 < PROFILE_BUCKETS ? profile_bucket_start(row.bucket + 1) : INT64_MAX;
        size_t from = i++;
        while (i < n && (v[i] < next || next == INT64_MAX))
            i++;
        row.count = i - from;
        vec_push(b, arena, row);
    }
}
