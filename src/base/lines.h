/*
 * Lines of a stream, one at a time, of any length up to LINES_LONGEST.
 *
 *     struct lines *l = lines_new(arena, input_read, in);
 *     size_t n;
 *     for (const char *text; (text = lines_next(l, &n));)
 *         use(text, n);                          without the line end; CR LF is one, too
 *     bool ok = lines_end(l, err);               false: a line was longer
 *
 * A line is valid until the next call. Whether the stream failed its owner knows (input_error).
 */
#ifndef GS_BASE_LINES_H
#define GS_BASE_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"

enum { LINES_LONGEST = 1 << 20 };

struct lines;

/* Reads up to n bytes into buf; 0 at the end, < 0 on error: the same as a jread_fill. */
typedef ptrdiff_t lines_fill(void *ctx, char *buf, size_t n);

struct lines *lines_new(struct arena *a, lines_fill *fill, void *ctx);
const char *lines_next(struct lines *l, size_t *n); /* NULL: no more */
bool lines_end(const struct lines *l, struct gs_error *err);

#endif
