/* Between the files of the timeline's bytes. */
#ifndef GS_RENDER_TIMELINE_PACK_IN_H
#define GS_RENDER_TIMELINE_PACK_IN_H

#include "base/str.h"
#include "render/html/timeline_pack.h"

/* A name as events refer to it. */
struct pack_name {
    uint32_t full, brief; /* strings */
    const char *text;     /* instead of both, where it is no string of the trace */
    const char *class;    /* of kernels their role, of calls what they do; "" otherwise */
};

/* What events refer to by number: only what is used, in the order in which it is met. */
struct pack_tables {
    VEC(struct pack_name) names;
    uint32_t *of_symbol; /* by symbol: place in names, or NO_INDEX */
    uint32_t *of_call;   /* by kind and name: view_call_place() */
    uint32_t *of_marker; /* by string */
    uint32_t *of_path;   /* by stretch of the critical path */
    VEC(uint32_t) launches;
    uint32_t *of_launch; /* by launch: place in launches */
    uint32_t *of_region; /* by regions row: place among the calls of all tracks, or NO_INDEX */
};

void pack_tables_make(struct pack_tables *p, const struct tracks *t, struct arena *arena);

static inline int64_t pack_limited(int64_t v)
{
    return v > PACK_MOST ? PACK_MOST : v < -PACK_MOST ? -PACK_MOST : v;
}

enum pack_column {
    PACK_LENGTH,
    PACK_START,
    PACK_NAME,
    PACK_ID,
    PACK_LAUNCH,
    PACK_CALL,
    PACK_COPY,
    PACK_BYTES,
    PACK_TIME,
    PACK_VALUE,
    PACK_COLUMNS
};

const char *pack_column_name(enum pack_column c);

/* The columns of a kind of track, PACK_COLUMNS at the end. */
const enum pack_column *pack_columns(enum track_kind kind);

void pack_write_column(struct str *out, const struct tracks *t, const struct pack_tables *tables,
                       const struct track *k, enum pack_column c);
void pack_write_launches(struct str *out, const struct tracks *t, const struct pack_tables *tables);

/* Sizes of columns, track by track in the order of pack_columns(). */
void pack_write_header(struct str *out, const struct tracks *t, const struct pack_tables *tables,
                       const size_t *sizes, size_t launches_size);

#endif
