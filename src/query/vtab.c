/*
 * Tables of a trace as virtual tables of libsqlite3.
 *
 * Only columns that a statement reads are computed. Comparisons with numbers and texts are made here,
 * row by row, which costs a fraction of what the statement's own machine would take; a comparison
 * that is made again and again, as in a join, gets an index on its column: row numbers in order of its
 * values, for a binary search. SQLite tests every condition once more, so being too generous is safe.
 *
 * Nothing here may unwind through libsqlite3: what takes memory of ours runs under a guard.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"
#include "base/str.h"
#include "query/query_in.h"

enum { MOST_CONDITIONS = 8, SCANS_BEFORE_INDEX = 4 };

/* The values of one column of one part, in order. */
struct qindex {
    unsigned scans;
    bool made;
    int64_t *key;   /* by row */
    uint32_t *rows; /* NULL: rows are in order already */
    size_t n;
};

/* What stands behind a table as long as the connection lives. */
struct vaux {
    struct query *q;
    const struct qtable *table;
    struct qindex *index; /* part by part, column by column */
    unsigned loads;       /* of which trace they are */
};

struct vtab {
    sqlite3_vtab base;
    struct vaux *aux;
};

/* lo <= value <= hi */
struct condition {
    int column;
    int64_t lo, hi;
};

struct cursor {
    sqlite3_vtab_cursor base;
    struct condition conditions[MOST_CONDITIONS];
    size_t n_conditions;
    size_t part;
    size_t at, end;       /* of the part, or of the rows in order */
    const uint32_t *rows; /* NULL: at is the row */
    const struct qcolumn *columns;
    size_t before; /* rows of the parts before */
};

static const char *type_name(enum qkind kind)
{
    return kind == Q_I ? "INTEGER" : kind == Q_R ? "REAL" : "TEXT";
}

int vtab_declare(struct query *q, const struct vtab_columns *c, size_t size, sqlite3_vtab **out)
{
    sqlite3_str *s = sqlite3_str_new(q->db);
    sqlite3_str_appendf(s, "CREATE TABLE x(");
    for (size_t i = 0; i < c->n; i++)
        sqlite3_str_appendf(s, "%s\"%w\" %s", i ? ", " : "", c->name(c->of, i), c->type(c->of, i));
    sqlite3_str_appendf(s, ")");
    char *sql = sqlite3_str_finish(s);
    q->declaring = true;
    int rc = sql ? sqlite3_declare_vtab(q->db, sql) : SQLITE_NOMEM;
    q->declaring = false;
    sqlite3_free(sql);
    *out = rc == SQLITE_OK ? sqlite3_malloc64(size) : NULL;
    if (!*out)
        return rc == SQLITE_OK ? SQLITE_NOMEM : rc;
    memset(*out, 0, size);
    return SQLITE_OK;
}

int vtab_disconnect(sqlite3_vtab *v)
{
    sqlite3_free(v);
    return SQLITE_OK;
}

static const char *name_at(const void *of, size_t i)
{
    return ((const struct qtable *)of)->parts[0].columns[i].name;
}

static const char *type_at(const void *of, size_t i)
{
    return type_name(((const struct qtable *)of)->parts[0].columns[i].kind);
}

static int connect(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **out,
                   char **error)
{
    struct vaux *x = aux;
    struct vtab_columns c = {x->table->n_columns, name_at, type_at, x->table};
    (void)db, (void)argc, (void)argv, (void)error;
    int rc = vtab_declare(x->q, &c, sizeof(struct vtab), out);
    if (rc == SQLITE_OK)
        ((struct vtab *)*out)->aux = x;
    return rc;
}

/* ---- planning ---- */

static bool can_compare(const struct qcolumn *c, unsigned char op)
{
    if (op == SQLITE_INDEX_CONSTRAINT_EQ)
        return c->kind == Q_I || c->kind == Q_S;
    return c->kind == Q_I &&
           (op == SQLITE_INDEX_CONSTRAINT_GT || op == SQLITE_INDEX_CONSTRAINT_GE ||
            op == SQLITE_INDEX_CONSTRAINT_LT || op == SQLITE_INDEX_CONSTRAINT_LE);
}

static double rows_in(const struct vaux *x)
{
    double n = 0;
    for (size_t i = 0; x->q->has_trace && i < x->table->n_parts; i++)
        n += (double)x->table->parts[i].n(&x->q->data);
    return n < 1 ? 1 : n;
}

/*
 * What must be loaded for these columns of a table: work of the GPU can do without the calls of the
 * host, which are most of a trace, unless a column refers to them.
 */
static unsigned needs_of(const struct qtable *t, uint64_t used)
{
    static const struct {
        const char *name;
        unsigned part;
    } known[] = {
        {"kernels", INGEST_KERNELS},
        {"rocpd_kernel_dispatch", INGEST_KERNELS},
        {"memory_copies", INGEST_COPIES},
        {"rocpd_memory_copy", INGEST_COPIES},
        {"memory_allocations", INGEST_ALLOCATIONS},
        {"rocpd_memory_allocate", INGEST_ALLOCATIONS},
    };
    static const char *const links[] = {"stack_id", "parent_stack_id", "event_id", "call"};
    for (size_t i = 0; i < t->n_columns; i++)
        for (size_t k = 0; used >> (i < 63 ? i : 63) & 1 && k < ARRAY_LEN(links); k++)
            if (str_eq(t->parts[0].columns[i].name, links[k]))
                return INGEST_ALL;
    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        if (str_eq(t->name, known[i].name))
            return known[i].part;
    return INGEST_ALL;
}

/* idxStr: for each argument a letter of the operator and the number of the column. */
static int best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
    struct vaux *x = ((struct vtab *)base)->aux;
    const struct qcolumn *columns = x->table->parts[0].columns;
    sqlite3_str *plan = sqlite3_str_new(NULL);
    double rows = rows_in(x), cost = rows;
    int n = 0;
    bool equal = false;
    x->q->wants_trace = true;
    x->q->wants_args |= str_eq(x->table->name, "rocpd_arg");
    x->q->needs |= needs_of(x->table, info->colUsed);
    for (int i = 0; i < info->nConstraint && n < MOST_CONDITIONS; i++) {
        const struct sqlite3_index_constraint *c = &info->aConstraint[i];
        if (!c->usable || c->iColumn < 0 || !can_compare(&columns[c->iColumn], c->op))
            continue;
        if (columns[c->iColumn].kind == Q_S &&
            sqlite3_stricmp(sqlite3_vtab_collation(info, i), "BINARY") != 0)
            continue;
        info->aConstraintUsage[i].argvIndex = ++n;
        sqlite3_str_appendf(plan, "%d:%d ", (int)c->op, c->iColumn);
        bool eq = c->op == SQLITE_INDEX_CONSTRAINT_EQ;
        rows *= eq ? 0.01 : 0.3;
        equal |= eq;
    }
    rows = rows < 1 ? 1 : rows;
    info->estimatedRows = (sqlite3_int64)rows;
    info->estimatedCost = equal ? 20 + 2 * rows : cost / 20 + 2 * rows;
    info->idxStr = sqlite3_str_finish(plan);
    info->needToFreeIdxStr = 1;
    info->idxNum = n;
    return info->idxStr || !n ? SQLITE_OK : SQLITE_NOMEM;
}

/* ---- an index ---- */

static int64_t key_of(const struct qcolumn *c, const struct qdata *d, size_t i)
{
    return c->kind == Q_I ? c->I(d, i) : (int64_t)c->S(d, i);
}

struct index_job {
    struct qindex *index;
    const struct qcolumn *column;
    const struct qdata *d;
    struct arena *arena;
};

static void make_index(void *ctx)
{
    struct index_job *j = ctx;
    struct qindex *x = j->index;
    bool ordered = true;
    int64_t *key = arena_array(j->arena, int64_t, x->n);
    for (size_t i = 0; i < x->n; i++) {
        key[i] = key_of(j->column, j->d, i);
        ordered &= !i || key[i - 1] <= key[i];
    }
    if (!ordered) {
        uint32_t *rows = arena_array(j->arena, uint32_t, x->n);
        for (size_t i = 0; i < x->n; i++)
            rows[i] = (uint32_t)i;
        struct arena *temporary = arena_scratch();
        sort_rows(rows, x->n, key, temporary);
        arena_release(temporary);
        x->rows = rows;
    }
    x->key = key;
    x->made = true;
}

/* The first place in order whose value is not below (with `above`: not up to) this one. */
static size_t place(const struct qindex *x, int64_t value, bool above)
{
    size_t lo = 0;
    int64_t key;
    BISECT(lo, x->n, i,
           (key = x->key[x->rows ? x->rows[i] : i]) < value || (above && key == value));
    return lo;
}

/* The narrowest condition: an equality before a range with two ends before one with one. */
static const struct condition *narrowest(const struct cursor *c)
{
    const struct condition *best = NULL;
    int best_score = 0;
    for (size_t i = 0; i < c->n_conditions; i++) {
        const struct condition *x = &c->conditions[i];
        int score = x->lo == x->hi ? 3 : (x->lo != INT64_MIN) + (x->hi != INT64_MAX);
        if (score > best_score) {
            best = x;
            best_score = score;
        }
    }
    return best;
}

/* ---- walking ---- */

static const struct vaux *aux_of(const struct cursor *c)
{
    return ((const struct vtab *)c->base.pVtab)->aux;
}

static bool fits(const struct cursor *c, const struct qdata *d, size_t row)
{
    for (size_t i = 0; i < c->n_conditions; i++) {
        const struct condition *x = &c->conditions[i];
        int64_t v = key_of(&c->columns[x->column], d, row);
        if (v < x->lo || v > x->hi)
            return false;
    }
    return true;
}

static size_t row_of(const struct cursor *c)
{
    return c->rows ? c->rows[c->at] : c->at;
}

/* Moves into part `c->part`: all of it, or what an index finds. */
static int enter(struct cursor *c)
{
    const struct vaux *x = aux_of(c);
    const struct qpart *part = &x->table->parts[c->part];
    const struct condition *by = narrowest(c);
    c->columns = part->columns;
    c->rows = NULL;
    c->at = 0;
    c->end = part->n(&x->q->data);
    if (!by)
        return SQLITE_OK;
    struct qindex *index = &x->index[c->part * x->table->n_columns + (size_t)by->column];
    if (!index->made) {
        if (index->scans++ < SCANS_BEFORE_INDEX || c->end >= UINT32_MAX)
            return SQLITE_OK;
        struct index_job job = {index, &part->columns[by->column], &x->q->data, x->q->arena};
        struct gs_error ignored;
        index->n = c->end;
        if (!mem_guard(make_index, &job, &ignored))
            return SQLITE_NOMEM;
    }
    c->rows = index->rows;
    c->at = place(index, by->lo, false);
    c->end = place(index, by->hi, true);
    return SQLITE_OK;
}

/* To the next row that fits, this one included. */
static int settle(struct cursor *c)
{
    const struct vaux *x = aux_of(c);
    const struct qdata *d = &x->q->data;
    for (;;) {
        if (c->n_conditions)
            while (c->at < c->end && !fits(c, d, row_of(c)))
                c->at++;
        if (c->at < c->end || c->part + 1 >= x->table->n_parts)
            return SQLITE_OK;
        c->before += x->table->parts[c->part].n(d);
        c->part++;
        int rc = enter(c);
        if (rc != SQLITE_OK)
            return rc;
    }
}

static int next(sqlite3_vtab_cursor *base)
{
    struct cursor *c = (struct cursor *)base;
    c->at++;
    return !c->n_conditions && c->at < c->end ? SQLITE_OK : settle(c);
}

static int at_end(sqlite3_vtab_cursor *base)
{
    const struct cursor *c = (const struct cursor *)base;
    return c->at >= c->end;
}

/* One side of a number: false where no row can fit. */
static void narrow(struct condition *c, int op, int64_t v, bool inexact)
{
    bool greater = op == SQLITE_INDEX_CONSTRAINT_GT || op == SQLITE_INDEX_CONSTRAINT_GE;
    int64_t less = inexact && v > INT64_MIN + 1 ? v - 1 : v;
    int64_t more = inexact && v < INT64_MAX - 1 ? v + 1 : v;
    if (greater || op == SQLITE_INDEX_CONSTRAINT_EQ)
        c->lo = less;
    if (!greater)
        c->hi = more;
}

/* What a value says about a column; false: nothing fits. */
static bool condition_of(struct condition *out, const struct qcolumn *c, int op, sqlite3_value *v,
                         const struct trace *t)
{
    int type = sqlite3_value_type(v);
    out->lo = INT64_MIN;
    out->hi = INT64_MAX;
    if (type == SQLITE_NULL)
        return false;
    if (c->kind == Q_S) {
        if (type != SQLITE_TEXT)
            return true;
        const char *text = (const char *)sqlite3_value_text(v);
        uint32_t id = text ? strings_find(&t->strings, text) : NO_INDEX;
        out->lo = out->hi = id;
        return id != NO_INDEX;
    }
    if (type == SQLITE_INTEGER)
        narrow(out, op, sqlite3_value_int64(v), false);
    else if (type == SQLITE_FLOAT && fabs(sqlite3_value_double(v)) < 9e18)
        narrow(out, op, (int64_t)sqlite3_value_double(v), true);
    return true;
}

static int filter(sqlite3_vtab_cursor *base, int n, const char *plan, int argc,
                  sqlite3_value **argv)
{
    struct cursor *c = (struct cursor *)base;
    struct vaux *x = ((struct vtab *)base->pVtab)->aux;
    const struct qcolumn *columns = x->table->parts[0].columns;
    c->n_conditions = c->part = c->before = c->at = c->end = 0;
    if (!x->q->has_trace)
        return SQLITE_ERROR;
    if (x->loads != x->q->loads)
        memset(x->index, 0, x->table->n_parts * x->table->n_columns * sizeof(*x->index));
    x->loads = x->q->loads;
    for (int i = 0; i < n && i < argc; i++) {
        char *rest;
        int op = (int)strtol(plan, &rest, 10);
        struct condition k = {.column = (int)strtol(rest + 1, &rest, 10)};
        plan = rest + 1;
        if (!condition_of(&k, &columns[k.column], op, argv[i], x->q->data.t)) {
            c->part = x->table->n_parts; /* at >= end, and no part left */
            return SQLITE_OK;
        }
        if (k.lo != INT64_MIN || k.hi != INT64_MAX)
            c->conditions[c->n_conditions++] = k;
    }
    int rc = enter(c);
    return rc == SQLITE_OK ? settle(c) : rc;
}

static int open_cursor(sqlite3_vtab *v, sqlite3_vtab_cursor **out)
{
    struct cursor *c = sqlite3_malloc(sizeof(*c));
    (void)v;
    if (!c)
        return SQLITE_NOMEM;
    memset(c, 0, sizeof(*c));
    *out = &c->base;
    return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *c)
{
    sqlite3_free(c);
    return SQLITE_OK;
}

static void put_string(sqlite3_context *ctx, const struct strings *s, uint32_t id)
{
    if (id < s->n)
        sqlite3_result_text(ctx, s->v[id].text, (int)s->v[id].len, SQLITE_STATIC);
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int n)
{
    const struct cursor *c = (const struct cursor *)base;
    const struct qdata *d = &aux_of(c)->q->data;
    const struct qcolumn *col = &c->columns[n];
    size_t row = row_of(c);
    if (col->kind == Q_I) {
        int64_t v = col->I(d, row);
        if (v != NONE)
            sqlite3_result_int64(ctx, v);
    } else if (col->kind == Q_S) {
        put_string(ctx, &d->t->strings, col->S(d, row));
    } else if (col->kind == Q_R) {
        double v = col->R(d, row);
        if (!isnan(v))
            sqlite3_result_double(ctx, v);
    } else {
        const char *text = col->T(d, row);
        if (text)
            sqlite3_result_text(ctx, text, -1, SQLITE_STATIC);
    }
    return SQLITE_OK;
}

static int rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
    const struct cursor *c = (const struct cursor *)base;
    *out = (sqlite3_int64)(c->before + row_of(c) + 1);
    return SQLITE_OK;
}

/* Without xCreate: the table is there under its own name, and no other can be made of it. */
static const sqlite3_module module = {
    .xConnect = connect,
    .xBestIndex = best_index,
    .xDisconnect = vtab_disconnect,
    .xOpen = open_cursor,
    .xClose = close_cursor,
    .xFilter = filter,
    .xNext = next,
    .xEof = at_end,
    .xColumn = column,
    .xRowid = rowid,
};

bool vtab_register(struct query *q, const struct qtable *table)
{
    struct vaux *x = arena_new(q->arena, struct vaux);
    *x = (struct vaux){.q = q, .table = table};
    x->index = arena_array(q->arena, struct qindex, table->n_parts * table->n_columns);
    return sqlite3_create_module(q->db, table->name, &module, x) == SQLITE_OK;
}
