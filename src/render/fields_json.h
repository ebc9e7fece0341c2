/*
 * Rows of results as JSON, from their field descriptors (analyze/field.h).
 */
#ifndef GS_RENDER_FIELDS_JSON_H
#define GS_RENDER_FIELDS_JSON_H

#include "analyze/field.h"
#include "base/jwrite.h"

/* The members of one row, into an object that is open. */
void fields_json_members(struct jwrite *w, const struct fields *f, const void *row);

/* A row as an object. */
void fields_json_object(struct jwrite *w, const char *key, const struct fields *f, const void *row);

/* The first `most` rows as an array; 0: all. */
void fields_json_rows(struct jwrite *w, const char *key, const struct fields *f, const void *rows,
                      size_t n, size_t most);

/* A table under its own key: an array, or one object. */
void fields_json_result(struct jwrite *w, const struct result *r);

#endif
