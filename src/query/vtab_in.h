/*
 * Between the files that make tables virtual: vtab.c (what libsqlite3 calls), plan.c (what it is told
 * beforehand), match.c (conditions), order.c (orders and indexes).
 *
 * Rows are numbered through all parts of a table, from 0; vaux.first says where a part begins.
 */
#ifndef GS_QUERY_VTAB_IN_H
#define GS_QUERY_VTAB_IN_H

#include "query/query_in.h"

enum { MOST_CONDITIONS = 8, MOST_ORDER = 4, MOST_PARTS = 8 };

/* Rows by the value of one column, for those that are looked up again and again. */
struct qindex {
    unsigned scans; /* that were made without it */
    bool made;
    int64_t *key;    /* by row */
    uint32_t *rows;  /* in order of keys; NULL: they are already */
    uint32_t *first; /* by key - least: its first place; NULL: keys are too sparse */
    int64_t least;
    uint64_t range; /* keys that `first` knows */
    size_t n;
};

/* What ORDER BY, GROUP BY or DISTINCT ask for. */
struct order_by {
    size_t n;
    bool distinct; /* only the first row of each value, in the order of rows */
    int column[MOST_ORDER];
    bool descending[MOST_ORDER];
};

struct qorder {
    struct order_by by;
    uint32_t *rows;
    size_t n;
    uint32_t *starts; /* of rows with the same values, and the end; NULL: not asked for yet */
    size_t n_groups;
};

/* A column, or an expression (groups_in.h). */
struct expr;
struct operand {
    int column; /* -1: */
    const struct expr *expr;
};

/* What was found out about a table. */
struct qfound {
    const struct qtable *table;
    struct qindex *index; /* by column */
    VEC(struct qorder) orders;
};

struct query_kept {
    struct arena *arena;
    const struct trace *trace; /* whose rows these are, and how many it had */
    size_t n_strings, n_kernels, n_regions, n_markers;
    struct qdata data;
    VEC(struct qfound *) tables;
    size_t bytes; /* of orders and indexes */
};

/* What stands behind a table as long as the connection lives. */
struct vaux {
    struct query *q;
    const struct qtable *table;
    struct qfound *found;         /* what is kept */
    struct qindex *own;           /* by column: of this connection alone; NULL: none */
    VEC(struct qorder) orders;    /* the same */
    unsigned loads;               /* of which trace it is */
    size_t first[MOST_PARTS + 1]; /* row of each part, and the number of all */
};

/* Texts that an operator has been asked about. */
struct match {
    int op;
    char *text;
    size_t len;
    uint8_t *known;   /* by string: 0 not asked yet, 1 no, 2 yes */
    const char *last; /* of texts that are no strings of the trace */
    bool last_fits;
};

struct condition {
    int column, op;
    bool texts;      /* by `match`, else lo <= value <= hi */
    int64_t lo, hi;  /* of strings: their ids */
    bool list;       /* of IN: */
    int64_t *values; /* those that fit, in order; NULL: lo and hi count */
    size_t n_values;
    struct match match;
};

static inline size_t part_of(const struct vaux *x, size_t row)
{
    size_t part = 0;
    while (row >= x->first[part + 1])
        part++;
    return part;
}

/* What must be loaded for these columns (as in colUsed) of a table. */
unsigned vtab_needs(const struct qtable *t, uint64_t used);
void vtab_refresh(struct vaux *x); /* after a trace was loaded. Under a guard */
void vtab_put(sqlite3_context *ctx, const struct qcolumn *col, const struct qdata *d, size_t row);
int vtab_best_index(sqlite3_vtab *base, sqlite3_index_info *info); /* plan.c */

/* ---- match.c ---- */

/* Whether a condition on this column can be tested here. */
bool match_can(enum qkind kind, int op);

/* The same, and exactly as SQLite would: it need not test it again. NULL: not known yet. */
bool match_is_exact(enum qkind kind, int op, sqlite3_value *v);

enum matched { MATCH_NOTHING, MATCH_SOME, MATCH_ALL, MATCH_NOMEM };

/* What a value says about a column; what the condition knew of the same text is kept. */
enum matched match_set(struct condition *c, enum qkind kind, sqlite3_value *v,
                       const struct strings *s);
bool match_row(struct condition *c, const struct qcolumn *column, const struct qdata *d,
               size_t row);
void match_release(struct condition *c);

/* ---- order.c ---- */

struct qfound *found_of(struct query *q, const struct qtable *table);

/* Rows by the value of a column: `made` says whether there is one. index_make() is under a guard. */
struct qindex *index_of(const struct vaux *x, int column);
void index_make(struct vaux *x, int column);
size_t index_place(const struct qindex *x, int64_t value, bool above);

/* All rows, in order, kept where there is room. Under a guard. */
const struct qorder *order_all(struct vaux *x, const struct order_by *by);

/* These rows, in place; returns how many are left. Under a guard. */
size_t order_some(const struct vaux *x, const struct order_by *by, uint32_t *rows, size_t n);

#endif
