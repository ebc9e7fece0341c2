/* The input of a target that makes something of it, byte by byte; zeroes behind its end. */
#ifndef GS_TESTS_FUZZ_BYTES_H
#define GS_TESTS_FUZZ_BYTES_H

#include <stddef.h>
#include <stdint.h>

struct bytes {
    const uint8_t *p;
    size_t n;
};

static uint8_t take(struct bytes *b)
{
    if (!b->n)
        return 0;
    b->n--;
    return *b->p++;
}

#endif
