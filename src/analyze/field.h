/*
 * Field descriptors: what the members of a result struct are called, measured in and mean.
 *
 * JSON, CSV, workbooks, `gpusight explain` and docs/metrics.md come from these tables, so no output
 * can disagree with another or forget a field.
 *
 *     static const struct field fields[] = {
 *         FIELD(struct hotspot, calls, FIELD_U64, "calls", "", "number of dispatches"),
 *         ...
 *     };
 *     const struct fields hotspot_fields = FIELDS("hotspots", "...", struct hotspot, fields);
 */
#ifndef GS_ANALYZE_FIELD_H
#define GS_ANALYZE_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum field_type {
    FIELD_I64,
    FIELD_U64,
    FIELD_U32,
    FIELD_I32,  /* -1 is "none" where the doc says so */
    FIELD_NUM,  /* double; NaN is "not known": null in JSON, "-" in tables */
    FIELD_TEXT, /* const char *; NULL is null */
    FIELD_BOOL,
};

struct field {
    const char *key;   /* as the member is called; in JSON */
    const char *label; /* over a column */
    const char *unit;  /* "ns", "bytes", "%", "GB/s", "" */
    enum field_type type;
    size_t offset;
    const char *doc; /* one sentence: the formula */
};

struct fields {
    const char *key; /* of the table, in JSON */
    const char *doc;
    const struct field *v;
    size_t n, row_size;
};

#define FIELD(T, member, type, label, unit, doc)                                                   \
    {                                                                                              \
#member, label, unit, type, offsetof(T, member), doc                                       \
    }
#define FIELDS(key, doc, T, array)                                                                 \
    {                                                                                              \
        key, doc, array, sizeof(array) / sizeof(*(array)), sizeof(T)                               \
    }

/* A table of results: rows of one struct, or a single object. */
struct result {
    const struct fields *fields;
    const void *rows;
    size_t n;
    bool is_object;
};

struct results {
    struct result *v;
    size_t n, cap;
};

#endif
