/*
 * A file that is written in many small pieces: a buffer in front of fs_out.
 *
 *     struct sink s;
 *     if (!sink_open(&s, c, path, err))
 *         return false;
 *     sink_puts(&s, "...");
 *     return sink_close(&s, c, err);
 *
 * Errors need not be checked on the way. The buffer belongs to the conversion's arena.
 */
#ifndef GS_CONVERT_SINK_H
#define GS_CONVERT_SINK_H

#include <string.h>

#include "convert/convert.h"

enum { SINK_BYTES = 1 << 18 };

struct sink {
    struct fs_out *out;
    char *buf;
    size_t n;
    uint64_t total, most;
    bool too_large; /* more than the rows of a trace may take: nothing is taken any more */
    int failed;     /* errno of the first failure; 0: none */
};

bool sink_open(struct sink *s, struct conversion *c, const char *path, struct gs_error *err);
void sink_flush(struct sink *s);
void sink_write(struct sink *s, const void *p, size_t n); /* of any length */
bool sink_close(struct sink *s, struct conversion *c, struct gs_error *err);

/* Where to write up to n bytes, n at most SINK_BYTES; then add to s->n. */
static inline char *sink_room(struct sink *s, size_t n)
{
    if (SINK_BYTES - s->n < n)
        sink_flush(s);
    return s->buf + s->n;
}

static inline void sink_put(struct sink *s, const void *p, size_t n)
{
    if (s->too_large)
        return;
    if (SINK_BYTES - s->n < n) {
        sink_write(s, p, n);
        return;
    }
    memcpy(s->buf + s->n, p, n);
    s->n += n;
}

static inline void sink_puts(struct sink *s, const char *text)
{
    sink_put(s, text, strlen(text));
}

static inline void sink_putc(struct sink *s, char c)
{
    *sink_room(s, 1) = c;
    s->n++;
}

void sink_uint(struct sink *s, uint64_t v);
void sink_int(struct sink *s, int64_t v);
/* Nanoseconds as microseconds with three digits behind the point. */
void sink_us(struct sink *s, int64_t ns);
void sink_num(struct sink *s, double v);          /* the shortest that reads back the same */
void sink_json(struct sink *s, const char *text); /* quoted, malformed UTF-8 replaced */
void sink_printf(struct sink *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
