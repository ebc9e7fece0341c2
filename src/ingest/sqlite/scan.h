/*
 * Scan: all rows of a table, a few columns of it, in rowid order, in batches.
 *
 *     static const struct scan_col cols[] = {{"start", SCAN_INT}, {"end", SCAN_INT}, ...};
 *     struct scan s = {.table = name, .cols = cols, .n_cols = 2,
 *                      .begin = reserve, .rows = convert, .ctx = &ctx};
 *     if (!scan_table(db, &s, err)) ...
 *
 * The table is read by our own walk over the pages (pages.h, record.h), on all threads; if
 * anything about it is unusual, from the start through libsqlite3, with the same result. Both
 * ways call begin(ctx, number of rows) first (again when the first way gave up: forget what
 * came) and then rows() with batches whose `first` says where the rows belong.
 */
#ifndef GS_INGEST_SQLITE_SCAN_H
#define GS_INGEST_SQLITE_SCAN_H

#include <stdatomic.h>

#include "ingest/sqlite/db.h"
#include "ingest/sqlite/record.h"
#include "model/trace.h"

struct scan_col {
    const char *name;
    enum scan_type type;
    bool optional;     /* the column may be absent from the table */
    int64_t otherwise; /* for NULL, for a text where a real should be, and for an absent column;
                          texts become NULL slices */
};

struct scan_batch {
    size_t first, n;
    int worker;
    const void *col[RECORD_COLS]; /* arrays of n int64_t, double or struct slice */
};

#define batch_ints(b, c) ((const int64_t *)(b)->col[c])
#define batch_reals(b, c) ((const double *)(b)->col[c])
#define batch_texts(b, c) ((const struct slice *)(b)->col[c])

struct scan {
    const char *table;
    const struct scan_col *cols;
    size_t n_cols;
    void (*begin)(void *ctx, size_t rows);
    /* Called from several threads at once, with different `worker` numbers. */
    void (*rows)(void *ctx, const struct scan_batch *b);
    void *ctx;
    /* Set by rows() that wish to start again, otherwise prepared: begin() is called soon, and clears
     * it; through libsqlite3 all rows come first. NULL: they never do. */
    atomic_bool *again;
};

bool scan_table(struct db *db, const struct scan *s, struct gs_error *err);

/* All texts of a table with the columns id and string; `ids` leads from the one to the other. */
bool scan_strings(struct db *db, const char *table, struct strings *to, struct idtable *ids,
                  struct gs_error *err);

#endif
