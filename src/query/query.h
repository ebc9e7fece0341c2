/*
 * SQL over traces and results: the same text for every format.
 *
 * Tables are virtual: their rows are read straight from the columns of a struct trace and from the
 * results of an analysis, nothing is copied. They have the names and columns of rocpd's tables and
 * views (docs/query.md has the list), whatever format the trace came in, and every result is a table
 * of its own by its key.
 *
 *     struct query *q = query_open(&(struct query_source){ctx, my_trace, my_run}, arena);
 *     struct query_limits limits = QUERY_LIMITS;
 *     struct query_result r;
 *     if (!query_run(q, "select name, sum(duration) from kernels group by 1", &limits, &r, &err))
 *         ...
 *     r.columns.v[0].name, query_cell(&r, row, column)
 *
 * Nothing is loaded before a statement names a table, and then only what its columns need. SQL only reads: what would write, attach, load
 * code or reach a file is refused before it runs, and time, rows and memory have limits.
 *
 * Thread-safety: one thread at a time for one struct query. The limit of memory belongs to the
 * process, as libsqlite3 has one for all connections; it is set while a statement runs.
 */
#ifndef GS_QUERY_QUERY_H
#define GS_QUERY_QUERY_H

#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"
#include "field/field.h"
#include "run/run.h"

struct query;
struct query_kept;

/*
 * Where rows come from. Both may fail; what they return must outlive the query. `leave_out` are
 * parts (enum ingest_part) that need not be there; the trace is asked for once more, with 0, when a
 * later statement needs them. So is the run, when a later statement needs what replays tell.
 */
struct query_source {
    void *ctx;
    const struct trace *(*trace)(void *ctx, unsigned leave_out, struct gs_error *err);
    /* Analyzed; `replays`: with findings and the critical path. NULL: no results. */
    const struct run *(*run)(void *ctx, bool replays, struct gs_error *err);
    bool run_has_rows; /* the trace of the run holds the same rows: need not be loaded again */
    struct query_kept *kept;    /* of earlier connections to the same trace; NULL: none */
    const struct results *sums; /* tables that are there already (tally/tally.h); NULL: none */
};

struct query_limits {
    double seconds;       /* 0: none */
    uint64_t rows;        /* 0: all */
    uint64_t memory;      /* bytes of libsqlite3, for sorting and temporary tables; 0: none */
    uint64_t result_size; /* bytes of cells; 0: none */
    bool whole_names;     /* texts as they are or not at all: nothing that cuts or encodes them */
};

#define QUERY_LIMITS                                                                               \
    {                                                                                              \
        .seconds = 60, .memory = (uint64_t)2 << 30, .result_size = (uint64_t)4 << 30               \
    }

struct query_cell {
    enum value_kind kind; /* VALUE_NONE, VALUE_INT, VALUE_REAL or VALUE_TEXT */
    union {
        int64_t i;
        double real;
        const char *text; /* UTF-8 with every malformed byte as it is; a blob as x'00ff' */
    };
};

struct query_column {
    const char *name;
    enum value_kind
        kind; /* of all its cells that are not NULL; VALUE_NONE: they differ, or all are */
};

struct query_result {
    VEC(struct query_column) columns;
    VEC(struct query_cell) cells; /* row by row */
    size_t n;                     /* rows */
    bool cut;                     /* there were more */
    double seconds;
    const char *sql;       /* of the statement */
    struct strings *texts; /* those of the cells that are long: each is kept once */
    struct arena *arena;
};

/*
 * What statements find out about the rows of a trace (orders, indexes) is made once. It goes with its
 * connection, or with this, for connections that come one after the other: the arena must live as
 * long as the trace.
 */
struct query_kept *query_kept_new(struct arena *arena);

struct query *query_open(const struct query_source *source, struct arena *arena);

/*
 * Runs the first statement of *sql and moves *sql behind it; false at an error, which says where in
 * the text it is. A statement without columns (a comment, nothing at all) gives none.
 */
bool query_next(struct query *q, const char **sql, const struct query_limits *limits,
                struct query_result *out, struct gs_error *err);

/* The same for a text that is one statement; more than one is an error. */
bool query_run(struct query *q, const char *sql, const struct query_limits *limits,
               struct query_result *out, struct gs_error *err);

static inline const struct query_cell *query_cell(const struct query_result *r, size_t row,
                                                  size_t column)
{
    return &r->cells.v[row * r->columns.n + column];
}

/* Whether a text ends in a whole statement: for prompts. */
bool query_is_complete(const char *sql);

/* ---- what there is ---- */

struct query_column_doc {
    const char *name, *type, *doc;
};

enum query_table_kind {
    QUERY_TABLE,
    QUERY_VIEW,
    QUERY_SUMMARY,
    QUERY_ROWS,
    QUERY_RESULT,
    QUERY_SUMS
};

struct query_table_doc {
    const char *name, *doc;
    enum query_table_kind kind;
    VEC(struct query_column_doc) columns;
};

struct query_tables {
    VEC(struct query_table_doc) v;
};

/* All tables with their columns, in the order of the documentation; nothing is loaded for it. */
const struct query_tables *query_tables(struct query *q);
extern const char *const query_kind_names[]; /* NULL at the end */
/* Of struct query_table_doc and struct query_column_doc. */
extern const struct fields query_table_fields, query_column_fields;

/* The same as results, for programs: table, kind, rows; column, type, meaning. */
struct query_result query_list_tables(struct query *q, struct arena *a);
struct query_result query_list_columns(const struct query_table_doc *t, struct arena *a);

/* All of it as a page of Markdown. */
void query_reference(struct str *out);

/* The name nearest to a wrong one; NULL: none is near. */
const char *query_nearest_table(struct query *q, const char *name);

/* ---- results as bytes ---- */

/* A text that shows a cell in full: "" for NULL. Numbers are written to buf of VALUE_MAX bytes. */
const char *query_cell_text(const struct query_cell *c, char *buf);

/*
 * One cell, quoted where it must be. `safe`: an apostrophe where a spreadsheet would run it, control
 * characters and malformed bytes as \xNN.
 */
void query_csv_cell(struct str *out, const char *text, bool safe);

/* RFC 4180, line feeds; texts are made safe unless `raw`. */
void query_csv(const struct query_result *r, struct str *out, bool raw);

/* An array with an object for each row, NULL as null. */
void query_json(const struct query_result *r, struct jwrite *w, const char *key);

/* The result as rows of a struct that fields describe, for workbooks and documents. Texts end
 * after `most` bytes; 0: they are whole. */
struct result query_as_result(const struct query_result *r, const char *key, size_t most,
                              struct arena *a);

#endif
