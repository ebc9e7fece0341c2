/* A text that comes a few bytes at a time, for readers of streams. */
#ifndef GS_TESTS_PIECES_H
#define GS_TESTS_PIECES_H

#include <stddef.h>
#include <string.h>

struct pieces {
    const char *p;
    size_t n, piece;
};

static ptrdiff_t pieces_fill(void *ctx, char *buf, size_t n)
{
    struct pieces *s = ctx;
    n = n < s->piece ? n : s->piece;
    n = n < s->n ? n : s->n;
    memcpy(buf, s->p, n);
    s->p += n;
    s->n -= n;
    return (ptrdiff_t)n;
}

#endif
