/*
 * JSON in: a pull reader. The caller walks the document it expects and skips the rest; nothing
 * is built in memory, so a file of any size needs only a window of it.
 *
 *     struct jread j;
 *     jr_memory(&j, text, len);                  or jr_stream(&j, fill, ctx), jr_new(), jr_text()
 *     if (jr_object(&j))                         false when the value is something else (skipped)
 *         while (jr_key(&j)) {                   false at the end of the object
 *             if (jr_is(&j, "pid"))
 *                 pid = jr_int(&j, 0);           0 when the value is no integer
 *             else
 *                 jr_skip(&j);                   every value is consumed exactly once
 *         }
 *     if (!jr_end(&j, err)) ...                  syntax errors show here, with line and column
 *
 * Errors are sticky: after one, every call returns false or the default, so loops end by
 * themselves and one check at the end is enough. Wrong types are not errors; the value is
 * consumed and the default returned. Integers are exact over the whole signed and unsigned
 * 64-bit range. NaN, Infinity and comments are errors, as in the standard.
 *
 * Strings are unescaped into the reader's own buffer and valid until the next call; malformed
 * UTF-8 is kept as it is (callers that print escape it). A string longer than JREAD_STRING_MAX is
 * an error, unless it is skipped. Nesting deeper than JREAD_DEPTH is an error.
 */
#ifndef GS_BASE_JREAD_H
#define GS_BASE_JREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

enum { JREAD_DEPTH = 1024, JREAD_STRING_MAX = 16 * 1024 * 1024 };

enum jtype { J_NONE, J_OBJECT, J_ARRAY, J_STRING, J_NUMBER, J_BOOL, J_NULL };

/*
 * Reads up to n bytes into buf; 0 at the end, < 0 on error. The stream keeps the reason of such
 * an error; jr_end() can only say that there was one (GS_E_IO).
 */
typedef ptrdiff_t jread_fill(void *ctx, char *buf, size_t n);

/* All members are private; the arrays stand last so that starting a reader does not clear them. */
struct jread {
    const char *at, *end; /* the unread part of the window; empty after an error */
    const char *start;    /* the window's first byte */
    char *window;         /* stream only; owned */
    jread_fill *fill;     /* NULL: no more will come */
    void *fill_ctx;
    char *text; /* the current key or string, NUL-terminated; owned */
    size_t text_len, text_cap;
    size_t pair_at;           /* text_len just after a high surrogate was put, else 0 */
    uint32_t pair_high;       /* that surrogate */
    int depth;                /* of open containers */
    bool first;               /* no member of the innermost container read yet */
    bool unreadable;          /* the problem is the stream's, not the document's */
    const char *problem;      /* NULL while all is well; a static text */
    uint64_t lines;           /* newlines before the window */
    uint64_t line_bytes;      /* bytes between the last of them and the window */
    uint64_t line, column;    /* of the problem, from 1; columns count bytes */
    char closer[JREAD_DEPTH]; /* '}' or ']' per open container */
};

void jr_memory(struct jread *j, const char *text, size_t n);
void jr_stream(struct jread *j, jread_fill *fill, void *ctx);
/* One that belongs to the arena and is released with it: of a stream, of a text. */
struct jread *jr_new(struct arena *a, jread_fill *fill, void *ctx);
struct jread *jr_text(struct arena *a, const char *text, size_t n);
/* Reads another text with the same reader, which keeps its buffers: for one text a row. */
void jr_next_text(struct jread *j, const char *text, size_t n);
void jr_release(struct jread *j); /* also needed after jr_memory() */

enum jtype jr_type(struct jread *j); /* of the next value, nothing consumed */

bool jr_object(struct jread *j); /* enters; false: not an object, skipped */
bool jr_key(struct jread *j);    /* next key; false: the object is closed and left */
static inline bool jr_is(const struct jread *j, const char *key);
bool jr_array(struct jread *j);
bool jr_item(struct jread *j); /* positions on the next item; false: closed and left */

int64_t jr_int(struct jread *j, int64_t otherwise); /* "12", 12 and 12.0 all give 12 */
uint64_t jr_uint(struct jread *j, uint64_t otherwise);
double jr_num(struct jread *j, double otherwise);
/*
 * A decimal number times 10^decimals, exactly: jr_fixed(j, 3, 0) turns 1428625731896.179 µs into
 * 1428625731896179 ns. Further digits are rounded, halves away from zero. As a string, too.
 */
int64_t jr_fixed(struct jread *j, unsigned decimals, int64_t otherwise);
bool jr_bool(struct jread *j, bool otherwise);
/* The text (length in *n when n is not NULL), or NULL when the value is no string. */
const char *jr_str(struct jread *j, size_t *n);
/* The same, kept in the arena. Also NULL when a string is cut: jr_type() looks at its first byte. */
char *jr_strdup(struct jread *j, struct arena *a);
void jr_skip(struct jread *j);

/* Nothing but white space may follow. False with GS_E_FORMAT and "…, line L, column C". */
bool jr_end(struct jread *j, struct gs_error *err);
bool jr_failed(const struct jread *j);
/* The message of a sticky error, for readers that stop in the middle; true: there is none. */
bool jr_error(const struct jread *j, struct gs_error *err);

/* Inline, so that comparing with a literal costs a length and a few bytes. */
static inline bool jr_is(const struct jread *j, const char *key)
{
    size_t n = strlen(key);
    return !j->problem && j->text_len == n && (!n || memcmp(j->text, key, n) == 0);
}

#endif
