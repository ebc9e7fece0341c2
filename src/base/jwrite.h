/*
 * JSON out: a writer that keeps track of commas and indentation.
 *
 *     struct jwrite w;
 *     jw_init(&w, &text, 2);
 *     jw_open(&w, NULL, '{');
 *     jw_str(&w, "name", name);
 *     jw_int(&w, "count", n);
 *     jw_open(&w, "list", '[');
 *     jw_int(&w, NULL, 1);
 *     jw_close(&w);
 *     jw_close(&w);
 *
 * The key is NULL inside arrays and at the top. Output is always valid UTF-8 and valid JSON:
 * malformed bytes become U+FFFD, controls are escaped, NaN and infinity become null.
 * Doubles are written with the fewest digits to which they can be rounded and read back equal.
 */
#ifndef GS_BASE_JWRITE_H
#define GS_BASE_JWRITE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum { JWRITE_DEPTH = 64 };

struct jwrite {
    struct str *out;
    int indent; /* spaces per level; 0 writes one line */
    int depth;
    char closers[JWRITE_DEPTH];
    bool has_items[JWRITE_DEPTH + 1];
    /* Called between values once `out` holds so much: it may be emptied then. NULL: never. */
    void (*pour)(void *into);
    void *into;
    size_t most;
};

void jw_init(struct jwrite *w, struct str *out, int indent);
void jw_open(struct jwrite *w, const char *key, char bracket); /* '{' or '[' */
void jw_close(struct jwrite *w);

void jw_str(struct jwrite *w, const char *key, const char *s); /* NULL gives null */
void jw_strn(struct jwrite *w, const char *key, const char *s, size_t n);
void jw_int(struct jwrite *w, const char *key, int64_t v);
void jw_uint(struct jwrite *w, const char *key, uint64_t v);
void jw_num(struct jwrite *w, const char *key, double v);
void jw_bool(struct jwrite *w, const char *key, bool v);
void jw_null(struct jwrite *w, const char *key);

/* The text of s as a JSON string, with its quotes: for pieces of hand-made JSON. */
void jw_quote(struct str *out, const char *s, size_t n);

#endif
