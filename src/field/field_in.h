/* Between the files of the room. */
#ifndef GS_FIELD_FIELD_IN_H
#define GS_FIELD_FIELD_IN_H

#include "field/field.h"

/* Any VEC. */
struct field_list {
    char *v;
    size_t n, cap;
};

struct field_list field_list(const struct field *f, const void *row);

/* What a FIELD_OBJECT or FIELD_REF leads to; NULL: nothing. */
const void *field_target(const struct field *f, const void *row);

/* Whether a row has a value here, by `has` and `flag`. */
bool field_has(const struct field *f, const void *row);

/* A table of nameless numbers and texts: its rows are written bare, one after the other. */
bool fields_are_bare(const struct fields *f);

/* A nameless object: its members stand among those around it. */
static inline bool field_is_spread(const struct field *f)
{
    return !f->key && (f->type == FIELD_OBJECT || f->type == FIELD_REF);
}

/* Nameless pairs: the same, with names that are known only when it is written. */
static inline bool field_is_spread_pairs(const struct field *f)
{
    return !f->key && f->type == FIELD_PAIRS;
}

#endif
