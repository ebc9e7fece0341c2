/*
 * Groups of rows without SQLite's machine: between tokens.c, regroup.c, expr.c and groups.c.
 *
 * SELECT name, sum(duration) FROM kernels GROUP BY name costs SQLite a walk over a million rows, a
 * dozen steps each. regroup.c finds such parts of a statement and writes them anew, with the groups
 * and their sums as a table of their own: SELECT t0 AS "name", x4 AS "sum(duration)" FROM
 * gs_groups(0). What orders, limits or calculates with them stays as it is. groups.c fills that table.
 * Anything that is not understood in full stays as it was, so nothing depends on it but time; and where a
 * value turns out to be one that only SQLite can give (a sum that overflows), the statement runs again as
 * it was written.
 */
#ifndef GS_QUERY_GROUPS_IN_H
#define GS_QUERY_GROUPS_IN_H

#include "query/vtab_in.h"

/* ---- tokens.c ---- */

enum token_kind { TOKEN_WORD, TOKEN_QUOTED, TOKEN_TEXT, TOKEN_NUMBER, TOKEN_SIGN, TOKEN_END };

struct token {
    enum token_kind kind;
    const char *p;
    size_t n;
};

struct tokens {
    struct token *v; /* TOKEN_END at the end */
    size_t n, cap;   /* n: without it */
};

/* False: something is no SQL, or has parameters. */
bool sql_read(struct tokens *out, const char *sql, struct arena *arena);
bool sql_is(const struct token *t, const char *word); /* a word, in any case, or a sign */
bool sql_same(const struct token *a, const struct token *b);
bool sql_named(const struct token *t, const char *name);    /* a name, quoted or not */
char *sql_text(const struct token *t, struct arena *arena); /* without its quotes */

/* ---- expr.c: whole numbers ---- */

enum expr_op {
    EXPR_COLUMN,
    EXPR_NUMBER,
    EXPR_NULL,
    EXPR_SELECT, /* a SELECT that gives one number, the same for all rows: n, once it was run */
    EXPR_TEXT,   /* only as what CASE gives: its number among all of them */
    EXPR_ADD,
    EXPR_SUB,
    EXPR_MUL,
    EXPR_DIV,
    EXPR_MOD,
    EXPR_EQ,
    EXPR_NE,
    EXPR_LT,
    EXPR_LE,
    EXPR_GT,
    EXPR_GE,
    EXPR_AND,
    EXPR_OR,
    EXPR_CASE /* a: condition, b: then, c: else */
};

struct expr {
    enum expr_op op;
    int column;
    int64_t n;
    const char *sql;
    struct expr *a, *b, *c;
};

struct grouping;

/* What may be named in a part of a statement. */
struct scope {
    const struct qtable *table;
    const struct token *alias; /* NULL: none */
    const struct token *v;
    struct arena *arena;
    struct grouping *g;
    VEC(const char *) texts; /* what CASE gives; in order once it was read */
    uint64_t used;           /* columns, as sqlite3_index_info.colUsed */
};

/* The column that stands at *i, which moves behind it; -1: none. */
int scope_column(struct scope *s, size_t *i, size_t end);

/* All of [i, end), or NULL. Texts are only known where `texts`. */
struct expr *expr_read(struct scope *s, size_t i, size_t end, bool texts);

/* The value, NONE: NULL; *failed where only SQLite can say. */
int64_t expr_value(const struct expr *e, const struct qcolumn *columns, const struct qdata *d,
                   size_t row, bool *failed);

/* ---- regroup.c ---- */

enum { MOST_KEYS = MOST_ORDER, MOST_SUMS = 40, MOST_ARGS = 16 };

enum sum_kind {
    SUM_ROWS,
    SUM_COUNT,
    SUM_SUM,
    SUM_TOTAL,
    SUM_AVG,
    SUM_MIN,
    SUM_MAX,
    SUM_DISTINCT,
    SUM_MEDIAN,
    SUM_PERCENTILE,
    SUM_VARIANCE,
    SUM_STDDEV,
    SUM_STDDEV_POP,
    SUM_SUMSQ
};

struct sum {
    enum sum_kind kind;
    size_t arg;   /* of grouping.args */
    double share; /* of percentile(), 0 to 1 */
};

/* column op (what the SQL gives) */
struct term {
    int column, op;
    const char *sql;
};

struct grouping {
    struct vaux *x;
    const char *rows;                   /* SQL that gives the rows; NULL: all */
    struct term terms[MOST_CONDITIONS]; /* the same, where it is simple enough */
    size_t n_terms;
    bool grouped; /* without GROUP BY there is one group, even of nothing */
    struct operand keys[MOST_KEYS], args[MOST_ARGS];
    bool descending[MOST_KEYS];
    const char **texts[MOST_KEYS]; /* of keys that are such */
    struct sum sums[MOST_SUMS];
    size_t n_keys, n_args, n_sums;
    VEC(struct expr *) selects; /* to be run before the expressions are */
    unsigned needs;             /* enum ingest_part */
};

/* The statement anew; NULL: nothing in it can be. */
const char *regroup(struct query *q, const char *sql);

/* Whether a statement can be prepared; adds what it needs. */
bool regroup_is_sound(struct query *q, const char *sql, unsigned *needs);

/* ---- where.c ---- */

/* The rows for which all terms hold; false: only SQLite can say, or *rc is an error. */
bool where_rows(struct query *q, const struct grouping *g, uint32_t *rows, size_t *n, int *rc);

/* ---- order.c ---- */

struct group_rows {
    const uint32_t *rows;   /* in order of groups; NULL: in their own */
    const uint32_t *starts; /* of each group, and the end */
    size_t n;
};

/* The rows listed (NULL: all) in groups; *failed as in expr_value(). Under a guard. */
struct group_rows order_groups(const struct grouping *g, const uint32_t *rows, size_t n,
                               struct arena *arena, bool *failed);

/* A number for each row in their order: equal for equal values, NONE for NULL. */
int64_t *order_keys(const struct vaux *x, const struct operand *of, const uint32_t *rows, size_t n,
                    struct arena *arena, bool *failed);

/* ---- functions.c ---- */

struct moments {
    int64_t n;
    long double mean, distance, squares;
} __attribute__((packed, aligned(8))); /* as SQLite aligns what it gives */

void moments_add(struct moments *m, long double x);
double moments_deviation(const struct moments *m, int64_t less); /* squared, of n - less */

/* Between the two nearest of n values, as spreadsheets do; they are moved. */
double query_percentile(double *v, size_t n, double share);

bool groups_register(struct query *q);

#endif
