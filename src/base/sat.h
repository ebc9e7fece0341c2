/*
 * Arithmetic that stays in range. Times, sizes and counts come from files, and a file may say
 * anything; what is added up here stops at the limit instead of wrapping round.
 *
 * The rule (tools/check-arithmetic.sh checks it):
 * - At the door, that is in ingest/door.c and in the readers of profiles and of thread traces, each
 *   moment is held between MOMENT_LEAST and MOMENT_MOST and each size within QUANTITY_MOST.
 * - So one plain `-` or `+` of two of them is always right, and so is one of two sums made here.
 * - What adds up over rows (`+=` on an integer called ..._ns or ..._bytes) goes through add_ns()
 *   and add_bytes(), a product through mul_ns().
 * - A double becomes an integer through ns_from(), count_from() or int_from(), never by a cast.
 */
#ifndef GS_BASE_SAT_H
#define GS_BASE_SAT_H

#include <stdint.h>

/* Nanoseconds: the years 1933 to 2079, counted from 1970. They are QUANTITY_MOST apart. */
#define MOMENT_LEAST (-(INT64_C(1) << 60))
#define MOMENT_MOST ((INT64_C(3) << 60) - 1)
#define QUANTITY_MOST ((INT64_C(1) << 62) - 1) /* 146 years, 4 EiB: the longest sum */

static inline int64_t bound_moment(int64_t ns)
{
    return ns > MOMENT_MOST ? MOMENT_MOST : ns < MOMENT_LEAST ? MOMENT_LEAST : ns;
}

static inline int64_t bound_ns(int64_t ns) /* one test for both ends: it is called everywhere */
{
    const uint64_t most = (uint64_t)QUANTITY_MOST;
    return (uint64_t)ns + most <= 2 * most ? ns : ns < 0 ? -QUANTITY_MOST : QUANTITY_MOST;
}

static inline uint64_t bound_bytes(uint64_t bytes)
{
    return bytes > (uint64_t)QUANTITY_MOST ? (uint64_t)QUANTITY_MOST : bytes;
}

static inline int64_t add_ns(int64_t a, int64_t b)
{
    int64_t sum;
    if (__builtin_add_overflow(a, b, &sum))
        return b > 0 ? QUANTITY_MOST : -QUANTITY_MOST;
    return bound_ns(sum);
}

static inline int64_t sub_ns(int64_t a, int64_t b)
{
    int64_t difference;
    if (__builtin_sub_overflow(a, b, &difference))
        return b < 0 ? QUANTITY_MOST : -QUANTITY_MOST;
    return bound_ns(difference);
}

static inline int64_t mul_ns(int64_t a, int64_t b)
{
    int64_t product;
    if (__builtin_mul_overflow(a, b, &product))
        return (a < 0) == (b < 0) ? QUANTITY_MOST : -QUANTITY_MOST;
    return bound_ns(product);
}

static inline uint64_t add_bytes(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? (uint64_t)QUANTITY_MOST : bound_bytes(sum);
}

/* These round towards zero; what does not fit is cut, what is no number is 0. */
static inline int64_t ns_from(double v)
{
    if (v > -0x1p62 && v < 0x1p62)
        return (int64_t)v;
    return v > 0 ? QUANTITY_MOST : v < 0 ? -QUANTITY_MOST : 0;
}

static inline uint64_t count_from(double v) /* of bytes or of things; negative: 0 */
{
    return v >= 0x1p62 ? (uint64_t)QUANTITY_MOST : v > 0 ? (uint64_t)v : 0;
}

static inline int32_t int_from(double v) /* within +-2^30: places on a canvas are added */
{
    return v >= 0x1p30 ? 1 << 30 : v <= -0x1p30 ? -(1 << 30) : v == v ? (int32_t)v : 0;
}

#endif
