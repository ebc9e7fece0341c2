#include "base/lines.h"

#include <string.h>

struct lines {
    lines_fill *fill;
    void *ctx;
    char *buf;
    size_t at, end;
    bool last, too_long;
};

struct lines *lines_new(struct arena *a, lines_fill *fill, void *ctx)
{
    struct lines *l = arena_new(a, struct lines);
    *l = (struct lines){.fill = fill, .ctx = ctx, .buf = arena_alloc(a, LINES_LONGEST)};
    return l;
}

/* More of the stream behind what is unread. False: there is none, or no room. */
static bool refill(struct lines *l)
{
    memmove(l->buf, l->buf + l->at, l->end - l->at);
    l->end -= l->at;
    l->at = 0;
    if (l->end == LINES_LONGEST)
        l->too_long = l->last = true;
    ptrdiff_t got = l->last ? 0 : l->fill(l->ctx, l->buf + l->end, LINES_LONGEST - l->end);
    l->last |= got <= 0;
    l->end += got > 0 ? (size_t)got : 0;
    return got > 0;
}

const char *lines_next(struct lines *l, size_t *n)
{
    size_t looked = 0;
    for (;;) {
        char *from = l->buf + l->at, *stop = NULL;
        if (l->end - l->at > looked)
            stop = memchr(from + looked, '\n', l->end - l->at - looked);
        if (!stop) {
            looked = l->end - l->at;
            if (refill(l))
                continue;
            if (l->too_long || l->at == l->end)
                return NULL;
            from = l->buf + l->at;
            stop = l->buf + l->end;
        }
        l->at = (size_t)(stop - l->buf) + (stop < l->buf + l->end);
        *n = (size_t)(stop - from);
        *n -= *n && from[*n - 1] == '\r';
        return from;
    }
}

bool lines_end(const struct lines *l, struct gs_error *err)
{
    return !l->too_long || fail(err, GS_E_FORMAT, "a line is longer than 1 MiB");
}
