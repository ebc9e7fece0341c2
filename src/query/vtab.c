/*
 * Tables of a trace as virtual tables of libsqlite3.
 *
 * Only columns that a statement reads are computed. Conditions are tested here, row by row (match.c),
 * which costs a fraction of what the statement's own machine would take; one that is asked again and
 * again, as in a join, gets an index on its column. Rows come in the order that ORDER BY and GROUP BY
 * ask for (order.c), in which rows of the same values stay as they are in the table: what SQLite makes
 * of them is, to the byte, what it would make of a plain table.
 *
 * Nothing here may unwind through libsqlite3: what takes memory of ours runs under a guard.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "query/vtab_in.h"

enum { SCANS_BEFORE_INDEX = 3 };

struct cursor {
    struct walk walk; /* of the table, or of the rows in order */
    struct vaux *aux;
    const char *plan; /* what conditions and order were read from */
    struct order_by order;
    struct condition conditions[MOST_CONDITIONS], *active[MOST_CONDITIONS];
    size_t n_conditions, n_active;
    const uint32_t *rows; /* NULL: at is the row */
    uint32_t *own;        /* rows that were found for this cursor */
    /* The row at hand: */
    size_t row, part; /* in the part */
    const struct qcolumn *columns;
    size_t first, length; /* of the part */
};

static const char *type_name(enum qkind kind)
{
    return kind == Q_I ? "INTEGER" : kind == Q_R ? "REAL" : "TEXT";
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
    return vtab_declare(x->q, &c, x, out);
}

/* ---- walking ---- */

static bool fits(struct cursor *c)
{
    for (size_t i = 0; i < c->n_active; i++)
        if (!match_row(c->active[i], &c->columns[c->active[i]->column], &c->aux->q->data, c->row))
            return false;
    return true;
}

/* Makes the row at `at` the one at hand. */
static void take_row(struct cursor *c)
{
    size_t row = c->rows ? c->rows[c->walk.at] : c->walk.at;
    if (row - c->first >= c->length) {
        const struct vaux *x = c->aux;
        c->part = part_of(x, row);
        c->columns = x->table->parts[c->part].columns;
        c->first = x->first[c->part];
        c->length = x->first[c->part + 1] - c->first;
    }
    c->row = row - c->first;
}

/* To the next row that fits, this one included. */
static void settle(struct cursor *c)
{
    for (; c->walk.at < c->walk.end; c->walk.at++) {
        take_row(c);
        if (!c->n_active || fits(c))
            return;
    }
}

static int next(sqlite3_vtab_cursor *base)
{
    struct cursor *c = (struct cursor *)base;
    c->walk.at++;
    settle(c);
    return SQLITE_OK;
}

/* ---- finding rows ---- */

/* The narrowest condition: an equality before a range with two ends before one with one. */
static const struct condition *narrowest(const struct cursor *c)
{
    const struct condition *best = NULL;
    int best_score = 0;
    for (size_t i = 0; i < c->n_active; i++) {
        const struct condition *x = c->active[i];
        int score = x->texts         ? 0
                    : x->lo == x->hi ? 4
                    : x->values      ? 3
                                     : (x->lo != NONE + 1) + (x->hi != INT64_MAX);
        if (score > best_score) {
            best = x;
            best_score = score;
        }
    }
    return best;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static bool make_own(struct cursor *c, size_t n)
{
    c->own = sqlite3_malloc64((n + 1) * sizeof(*c->own));
    return c->own;
}

/* The rows of a range or of several values, in the order of rows; all where these are too many. */
static int pick(struct cursor *c, const struct qindex *index, const struct condition *by)
{
    size_t spans = by->values ? by->n_values : 1, n = 0, most = c->walk.end / 16;
    if (spans > most)
        return SQLITE_OK;
    if (!make_own(c, most))
        return SQLITE_NOMEM;
    for (size_t i = 0; i < spans; i++) {
        size_t at = index_place(index, by->values ? by->values[i] : by->lo, false);
        size_t end = index_place(index, by->values ? by->values[i] : by->hi, true);
        if (end > at && end - at > most - n)
            return SQLITE_OK;
        for (; at < end; at++)
            c->own[n++] = index->rows ? index->rows[at] : (uint32_t)at;
    }
    qsort(c->own, n, sizeof(*c->own), by_number);
    c->rows = c->own;
    c->walk.end = n;
    return SQLITE_OK;
}

/* What an index says; all rows where it says too little. */
static int look_up(struct cursor *c)
{
    struct vaux *x = c->aux;
    const struct condition *by = narrowest(c);
    if (!by || c->walk.end >= UINT32_MAX)
        return SQLITE_OK;
    const struct qindex *index = index_of(x, by->column);
    if (!index->made && x->found->index[by->column].scans++ < SCANS_BEFORE_INDEX)
        return SQLITE_OK;
    if (!index->made) {
        index_make(x, by->column);
        index = index_of(x, by->column);
    }
    if (by->values || (index->rows && by->lo != by->hi))
        return pick(c, index, by);
    c->rows = index->rows;
    c->walk.at = index_place(index, by->lo, false);
    c->walk.end = index_place(index, by->hi, true);
    return SQLITE_OK;
}

/* Rows that fit, into a list of our own. */
static int collect(struct cursor *c)
{
    uint32_t *old = c->own;
    size_t n = 0;
    if (!make_own(c, c->walk.end > c->walk.at ? c->walk.end - c->walk.at : 0)) {
        c->own = old;
        return SQLITE_NOMEM;
    }
    for (settle(c); c->walk.at < c->walk.end; c->walk.at++, settle(c))
        c->own[n++] = (uint32_t)(c->first + c->row);
    sqlite3_free(old);
    c->rows = c->own;
    c->walk.at = 0;
    c->walk.end = n;
    return SQLITE_OK;
}

static int put_in_order(struct cursor *c)
{
    struct vaux *x = c->aux;
    size_t all = x->first[x->table->n_parts];
    if (c->n_active) {
        int rc = collect(c);
        if (rc != SQLITE_OK)
            return rc;
        if (c->walk.end < all / 4 || c->order.distinct) {
            c->walk.end = order_some(x, &c->order, c->own, c->walk.end);
            c->n_active = 0;
            return SQLITE_OK;
        }
    }
    const struct qorder *o = order_all(x, &c->order);
    c->rows = o->rows;
    c->walk.at = 0;
    c->walk.end = o->n;
    return SQLITE_OK;
}

void vtab_refresh(struct vaux *x)
{
    if (x->loads == x->q->loads)
        return;
    for (size_t p = 0; p < x->table->n_parts; p++)
        x->first[p + 1] = x->first[p] + x->table->parts[p].n(&x->q->data);
    x->found = found_of(x->q, x->table);
    x->own = NULL;
    x->orders.n = 0;
    x->loads = x->q->loads;
}

struct search {
    struct cursor *c;
    int rc;
};

static void find_rows(void *ctx)
{
    struct search *s = ctx;
    struct cursor *c = s->c;
    struct vaux *x = c->aux;
    vtab_refresh(x);
    c->walk.end = x->first[x->table->n_parts];
    s->rc = look_up(c);
    if (s->rc == SQLITE_OK && c->order.n)
        s->rc = put_in_order(c);
    if (s->rc == SQLITE_OK)
        settle(c);
}

/* ---- a statement begins ---- */

static void read_plan(struct cursor *c, int n, const char *plan)
{
    char *rest = (char *)(uintptr_t)plan;
    for (size_t i = 0; i < c->n_conditions; i++)
        match_release(&c->conditions[i]);
    c->plan = plan;
    c->n_conditions = 0;
    c->order = (struct order_by){0};
    for (int i = 0; i < n; i++) {
        struct condition *k = &c->conditions[c->n_conditions++];
        *k = (struct condition){.op = (int)strtol(rest, &rest, 10)};
        k->list = *rest == '*';
        k->column = (int)strtol(rest + 1, &rest, 10);
        rest++;
    }
    if (!rest)
        return;
    c->order.distinct = *rest == '=';
    for (rest += c->order.distinct; *rest; rest++) {
        c->order.descending[c->order.n] = *rest == '<';
        c->order.column[c->order.n++] = (int)strtol(rest + 1, &rest, 10);
    }
}

/* False: no row can fit. */
static int set_conditions(struct cursor *c, sqlite3_value **argv, bool *any)
{
    const struct qcolumn *columns = c->aux->table->parts[0].columns;
    c->n_active = 0;
    *any = true;
    for (size_t i = 0; i < c->n_conditions; i++) {
        struct condition *k = &c->conditions[i];
        switch (match_set(k, columns[k->column].kind, argv[i], &c->aux->q->data.t->strings)) {
        case MATCH_NOMEM:
            return SQLITE_NOMEM;
        case MATCH_NOTHING:
            *any = false;
            return SQLITE_OK;
        case MATCH_SOME:
            c->active[c->n_active++] = k;
            break;
        default:
            break;
        }
    }
    return SQLITE_OK;
}

static int filter(sqlite3_vtab_cursor *base, int n, const char *plan, int argc,
                  sqlite3_value **argv)
{
    struct cursor *c = (struct cursor *)base;
    bool any = true;
    struct search s = {c, SQLITE_OK};
    if (!c->aux->q->has_trace)
        return SQLITE_ERROR;
    if (plan != c->plan)
        read_plan(c, n < argc ? n : argc, plan);
    sqlite3_free(c->own);
    c->own = NULL;
    c->rows = NULL;
    c->walk.at = c->walk.end = c->length = c->first = 0;
    int rc = set_conditions(c, argv, &any);
    if (rc != SQLITE_OK || !any)
        return rc;
    return mem_guard(find_rows, &s, &c->aux->q->shortage) ? s.rc : SQLITE_NOMEM;
}

static int open_cursor(sqlite3_vtab *v, sqlite3_vtab_cursor **out)
{
    int rc = walk_open(v, sizeof(struct cursor), out);
    if (rc == SQLITE_OK)
        ((struct cursor *)*out)->aux = ((struct vtab *)v)->of;
    return rc;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
    struct cursor *c = (struct cursor *)base;
    for (size_t i = 0; i < c->n_conditions; i++)
        match_release(&c->conditions[i]);
    sqlite3_free(c->own);
    return walk_close(base);
}

static void put_string(sqlite3_context *ctx, const struct strings *s, uint32_t id)
{
    if (id < s->n)
        sqlite3_result_text(ctx, s->v[id].text, (int)s->v[id].len, SQLITE_STATIC);
}

void vtab_put(sqlite3_context *ctx, const struct qcolumn *col, const struct qdata *d, size_t row)
{
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
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int n)
{
    const struct cursor *c = (const struct cursor *)base;
    vtab_put(ctx, &c->columns[n], &c->aux->q->data, c->row);
    return SQLITE_OK;
}

static int rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
    const struct cursor *c = (const struct cursor *)base;
    *out = (sqlite3_int64)(c->first + c->row + 1);
    return SQLITE_OK;
}

static const sqlite3_module module = VTAB_MODULE(vtab_best_index, close_cursor, next, rowid);

bool vtab_register(struct query *q, const struct qtable *table)
{
    struct vaux *x = arena_new(q->arena, struct vaux);
    *x = (struct vaux){.q = q, .table = table};
    vec_push(&q->aux, q->arena, x);
    if (table->n_parts > MOST_PARTS)
        return false;
    return sqlite3_create_module(q->db, table->name, &module, x) == SQLITE_OK;
}
