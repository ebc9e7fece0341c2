/*
 * Record: decodes the wanted columns of SQLite records into arrays.
 *
 * A record begins with a header that lists the type of every field. Rows of one table have few
 * different headers, so what a header means for the wanted columns (where each value lies and how
 * to load it) is worked out once and kept in a small cache, keyed by the header's bytes.
 *
 * Thread-safety: a plan is read-only; a decoder belongs to one thread.
 */
#ifndef GS_INGEST_SQLITE_RECORD_H
#define GS_INGEST_SQLITE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ingest/sqlite/pages.h"

enum { RECORD_COLS = 24 };

enum scan_type { SCAN_INT, SCAN_REAL, SCAN_TEXT };

/* A text in a batch: not NUL-terminated; p is NULL for SQL NULL. */
struct slice {
    const char *p;
    size_t n;
};

/* What is wanted, in terms of field positions. */
struct record_plan {
    size_t n;
    struct {
        uint32_t field; /* position in the record */
        enum scan_type type;
        bool is_rowid;     /* INTEGER PRIMARY KEY: stored as NULL, the rowid counts */
        bool is_front;     /* of a text as much as lies on the page is enough */
        int64_t otherwise; /* instead of NULL */
    } col[RECORD_COLS];
};

struct decoder;

struct decoder *decoder_new(const struct record_plan *plan, struct arena *a);

/*
 * Decodes n records into out[c][row .. row + n): int64_t, double or struct slice by type. Slices
 * point into the records. False when anything is unusual: a value of another type, a wanted field
 * that is absent or lies on an overflow page, a malformed header. Records that follow each other
 * mostly have the same header; a run of those is decoded column by column.
 */
bool decoder_rows(struct decoder *d, const struct cell *c, size_t n, void *const *out, size_t row);

#endif
