/*
 * JSON from a reader to a writer, value by value: what is inserted into a request, kept of an
 * answer, or changed on the way.
 *
 * Readers are those of a text (jr_text()). Values deeper than JSON_COPY_DEPTH become null, so that a
 * hostile answer cannot nest without end.
 */
#ifndef GS_LLM_JSON_COPY_H
#define GS_LLM_JSON_COPY_H

#include "base/jread.h"
#include "base/jwrite.h"

enum { JSON_COPY_DEPTH = 40 };

/* Changes a string on its way, keys included; NULL: as it is. The result is used at once. */
struct json_change {
    const char *(*string)(void *ctx, const char *text, size_t n, bool is_key);
    void *ctx;
};

/* The next value of j, under key (NULL in arrays and at the top). */
void json_copy(struct jread *j, struct jwrite *w, const char *key, const struct json_change *c);

/* A whole document, given as text; false, and null is written, where it is none. */
bool json_insert(struct jwrite *w, const char *key, const char *text, const struct json_change *c);

/* The same as text of its own, on one line; NULL: it is no JSON. */
const char *json_changed(const char *text, const struct json_change *c, struct arena *a);

/* The text where it is a JSON object, else "{}": for arguments that a model wrote. */
const char *json_object_or_empty(const char *text, struct arena *a);

#endif
