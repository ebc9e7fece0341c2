/*
 * The table gs_groups(NUMBER) that regroup.c writes into statements: one row for each group, its keys
 * and the functions over it, computed when the row is reached.
 *
 * Values are those that SQLite's own functions give. Where they would depend on how it adds doubles, or
 * be an error, the cursor says so (query.only_sqlite), and the statement runs as it was written.
 */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"
#include "query/groups_in.h"

enum { FAMILIES = 3, FIRST_X = FAMILIES * MOST_KEYS, SPEC = FIRST_X + MOST_KEYS + MOST_SUMS };
enum { NAME_MAX_ = 24 };
enum { BYTES_OF_ROW = 40 }; /* while rows are grouped */

/* What one argument comes to in a group. */
struct tally_of {
    bool made;
    size_t n;            /* that are not NULL */
    int64_t sum, lo, hi; /* of whole numbers */
    uint64_t distance;   /* sum of their absolute values, saturated */
    bool beyond;         /* the sum is no whole number */
    size_t lo_row, hi_row;
};

struct gcursor {
    struct walk walk; /* by group */
    struct query *q;
    const struct grouping *g;
    struct arena arena;
    struct group_rows rows;
    struct tally_of tallies[MOST_ARGS];
    int64_t *distinct[MOST_ARGS]; /* keys in the order of rows, where they are counted */
};

static const char *name_at(const void *of, size_t i)
{
    static const char letters[] = "itr";
    char *name = (char *)(uintptr_t)of;
    if (i == SPEC)
        return "spec";
    char letter = i < FIRST_X ? letters[i / MOST_KEYS] : 'x';
    snprintf(name, NAME_MAX_, "%c%zu", letter, i < FIRST_X ? i % MOST_KEYS : i - FIRST_X);
    return name;
}

static const char *type_at(const void *of, size_t i)
{
    static const char *const types[FAMILIES] = {"INTEGER", "TEXT", "REAL"};
    (void)of;
    return i == SPEC ? "HIDDEN" : i < FIRST_X ? types[i / MOST_KEYS] : "";
}

static int connect(sqlite3 *db, void *query, int argc, const char *const *argv, sqlite3_vtab **out,
                   char **error)
{
    char name[NAME_MAX_];
    struct vtab_columns c = {SPEC + 1, name_at, type_at, name};
    (void)db, (void)argc, (void)argv, (void)error;
    return vtab_declare(query, &c, query, out);
}

static const struct grouping *grouping_of(const struct query *q, sqlite3_value *number)
{
    int64_t n = sqlite3_value_int64(number);
    return n >= 0 && (uint64_t)n < q->groups.n ? q->groups.v[n] : NULL;
}

static int best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
    struct query *q = ((struct vtab *)base)->of;
    for (int i = 0; i < info->nConstraint; i++) {
        const struct sqlite3_index_constraint *c = &info->aConstraint[i];
        sqlite3_value *number;
        if (c->iColumn != SPEC || c->op != SQLITE_INDEX_CONSTRAINT_EQ || !c->usable ||
            sqlite3_vtab_rhs_value(info, i, &number) != SQLITE_OK)
            continue;
        const struct grouping *g = grouping_of(q, number);
        q->wants_trace = true;
        q->needs |= g ? g->needs : 0;
        info->aConstraintUsage[i].argvIndex = 1;
        info->aConstraintUsage[i].omit = 1;
        info->estimatedRows = 100;
        info->estimatedCost = 1000;
        return SQLITE_OK;
    }
    return SQLITE_CONSTRAINT;
}

/* ---- rows ---- */

struct place {
    const struct qcolumn *columns;
    size_t row;
};

static struct place place_of(const struct vaux *x, size_t row)
{
    size_t part = x->table->n_parts == 1 ? 0 : part_of(x, row);
    return (struct place){x->table->parts[part].columns, row - x->first[part]};
}

static size_t row_at(const struct gcursor *c, size_t i)
{
    return c->rows.rows ? c->rows.rows[i] : i;
}

struct search {
    struct gcursor *c;
    int rc;
};

/* The rows that the statement's WHERE leaves, in their order. */
static uint32_t *select_rows(struct search *f, size_t *n)
{
    struct gcursor *c = f->c;
    sqlite3_stmt *stmt = NULL;
    size_t all = c->g->x->first[c->g->x->table->n_parts];
    uint32_t *rows = arena_array(&c->arena, uint32_t, all + 1);
    unsigned needs = c->q->needs;
    *n = 0;
    if (where_rows(c->q, c->g, rows, n, &f->rc) || f->rc != SQLITE_OK)
        return rows;
    f->rc = sqlite3_prepare_v2(c->q->db, c->g->rows, -1, &stmt, NULL);
    c->q->needs = needs;
    while (f->rc == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW && *n < all)
        rows[(*n)++] = (uint32_t)(sqlite3_column_int64(stmt, 0) - 1);
    int rc = sqlite3_finalize(stmt);
    f->rc = f->rc == SQLITE_OK ? rc : f->rc;
    return rows;
}

/* The numbers that expressions have from elsewhere; false: they are none. */
static bool run_selects(struct search *f)
{
    const struct grouping *g = f->c->g;
    for (size_t i = 0; i < g->selects.n && f->rc == SQLITE_OK; i++) {
        struct expr *e = g->selects.v[i];
        sqlite3_stmt *stmt = NULL;
        f->rc = sqlite3_prepare_v2(f->c->q->db, e->sql, -1, &stmt, NULL);
        bool any = f->rc == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW;
        int type = any ? sqlite3_column_type(stmt, 0) : SQLITE_NULL;
        e->n = type == SQLITE_INTEGER ? sqlite3_column_int64(stmt, 0) : NONE;
        f->c->q->only_sqlite |= type != SQLITE_INTEGER && type != SQLITE_NULL;
        int rc = sqlite3_finalize(stmt);
        f->rc = f->rc == SQLITE_OK ? rc : f->rc;
    }
    return f->rc == SQLITE_OK && !f->c->q->only_sqlite;
}

/* Alternatives are found one after the other: what comes first in the table comes first here. */
static void in_table_order(uint32_t *rows, size_t n, struct arena *arena)
{
    size_t i = 1;
    while (i < n && rows[i - 1] < rows[i])
        i++;
    if (i >= n)
        return;
    int64_t *key = arena_array(arena, int64_t, n);
    uint32_t *at = arena_array(arena, uint32_t, n);
    for (i = 0; i < n; i++) {
        key[i] = rows[i];
        at[i] = (uint32_t)i;
    }
    sort_rows(at, n, key, arena);
    for (i = 0; i < n; i++)
        rows[i] = (uint32_t)key[at[i]];
}

static void find_groups(void *ctx)
{
    struct search *f = ctx;
    struct gcursor *c = f->c;
    const struct grouping *g = c->g;
    bool failed = false;
    vtab_refresh(g->x);
    size_t n = g->x->first[g->x->table->n_parts];
    if (n >= UINT32_MAX || (c->q->sort_memory && n > c->q->sort_memory / BYTES_OF_ROW)) {
        f->rc = SQLITE_ERROR;
        c->q->only_sqlite = true;
        return;
    }
    uint32_t *rows = g->rows ? select_rows(f, &n) : NULL;
    if (f->rc != SQLITE_OK || !run_selects(f)) {
        f->rc = f->rc == SQLITE_OK ? SQLITE_ERROR : f->rc;
        return;
    }
    if (rows)
        in_table_order(rows, n, &c->arena);
    c->rows = order_groups(g, rows, n, &c->arena, &failed);
    c->walk.end = c->rows.n;
    for (size_t i = 0; i < g->n_sums; i++)
        if (g->sums[i].kind == SUM_DISTINCT && !c->distinct[g->sums[i].arg])
            c->distinct[g->sums[i].arg] =
                order_keys(g->x, &g->args[g->sums[i].arg], c->rows.rows, n, &c->arena, &failed);
    c->q->only_sqlite |= failed;
    f->rc = failed ? SQLITE_ERROR : SQLITE_OK;
}

static void begin_group(struct gcursor *c)
{
    for (size_t i = 0; i < c->g->n_args; i++)
        c->tallies[i].made = false;
}

static int filter(sqlite3_vtab_cursor *base, int n, const char *plan, int argc,
                  sqlite3_value **argv)
{
    struct gcursor *c = (struct gcursor *)base;
    struct search f = {c, SQLITE_OK};
    (void)n, (void)plan;
    arena_release(&c->arena);
    memset(c->distinct, 0, sizeof(c->distinct));
    c->rows = (struct group_rows){0};
    c->walk.at = c->walk.end = 0;
    c->g = argc ? grouping_of(c->q, argv[0]) : NULL;
    if (!c->g)
        return SQLITE_OK;
    if (!c->q->has_trace)
        return SQLITE_ERROR;
    begin_group(c);
    if (!mem_guard(find_groups, &f, &c->q->shortage))
        return SQLITE_NOMEM;
    c->q->only_sqlite |= f.rc == SQLITE_ERROR; /* which says what is wrong, and where */
    return f.rc;
}

/* ---- what groups come to ---- */

static void tally_whole(struct gcursor *c, struct tally_of *t, const struct operand *o)
{
    const struct vaux *x = c->g->x;
    const struct qdata *d = &c->q->data;
    bool failed = false;
    *t = (struct tally_of){.made = true, .lo = INT64_MAX, .hi = INT64_MIN};
    for (size_t i = c->rows.starts[c->walk.at]; i < c->rows.starts[c->walk.at + 1]; i++) {
        struct place p = place_of(x, row_at(c, i));
        int64_t v = o->expr ? expr_value(o->expr, p.columns, d, p.row, &failed)
                            : p.columns[o->column].I(d, p.row);
        if (v == NONE)
            continue;
        t->n++;
        t->beyond |= __builtin_add_overflow(t->sum, v, &t->sum);
        uint64_t size = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
        t->distance = t->distance + size < size ? UINT64_MAX : t->distance + size;
        t->lo = v < t->lo ? v : t->lo;
        t->hi = v > t->hi ? v : t->hi;
    }
    c->q->only_sqlite |= failed;
}

static int compare(const struct qdata *d, const struct place *a, const struct place *b, int column)
{
    const struct qcolumn *ca = &a->columns[column], *cb = &b->columns[column];
    if (ca->kind == Q_R) {
        double x = ca->R(d, a->row), y = cb->R(d, b->row);
        return (x > y) - (x < y);
    }
    if (ca->kind == Q_T)
        return strcmp(ca->T(d, a->row), cb->T(d, b->row));
    uint32_t x = ca->S(d, a->row), y = cb->S(d, b->row);
    const struct string_entry *v = d->t->strings.v;
    size_t n = v[x].len < v[y].len ? v[x].len : v[y].len;
    int order = x == y ? 0 : memcmp(v[x].text, v[y].text, n);
    return order || x == y ? order : (v[x].len > v[y].len) - (v[x].len < v[y].len);
}

static bool is_null(const struct qdata *d, const struct place *p, int column)
{
    const struct qcolumn *c = &p->columns[column];
    return c->kind == Q_R   ? isnan(c->R(d, p->row))
           : c->kind == Q_T ? !c->T(d, p->row)
                            : c->S(d, p->row) >= d->t->strings.n;
}

/* The same for texts and doubles, of which only the least and the greatest are asked for. */
static void tally_other(struct gcursor *c, struct tally_of *t, int column)
{
    const struct vaux *x = c->g->x;
    const struct qdata *d = &c->q->data;
    struct place lo = {0}, hi = {0};
    *t = (struct tally_of){.made = true};
    for (size_t i = c->rows.starts[c->walk.at]; i < c->rows.starts[c->walk.at + 1]; i++) {
        size_t row = row_at(c, i);
        struct place p = place_of(x, row);
        if (is_null(d, &p, column))
            continue;
        if (!t->n || compare(d, &p, &lo, column) < 0) {
            t->lo_row = row;
            lo = p;
        }
        if (!t->n++ || compare(d, &p, &hi, column) > 0) {
            t->hi_row = row;
            hi = p;
        }
    }
}

static bool is_whole(const struct gcursor *c, const struct operand *o)
{
    return o->column < 0 || c->g->x->table->parts[0].columns[o->column].kind == Q_I;
}

static const struct tally_of *tally_of(struct gcursor *c, size_t arg)
{
    struct tally_of *t = &c->tallies[arg];
    const struct operand *o = &c->g->args[arg];
    if (!t->made && is_whole(c, o))
        tally_whole(c, t, o);
    else if (!t->made)
        tally_other(c, t, o->column);
    return t;
}

static void put_column(sqlite3_context *ctx, const struct gcursor *c, size_t row, int column)
{
    struct place p = place_of(c->g->x, row);
    vtab_put(ctx, &p.columns[column], &c->q->data, p.row);
}

/* Values of a group as doubles, in their order. */
static double *values_of(struct gcursor *c, const struct operand *o, struct arena *arena, size_t *n)
{
    size_t from = c->rows.starts[c->walk.at], to = c->rows.starts[c->walk.at + 1];
    double *v = arena_array(arena, double, to - from + 1);
    bool failed = false;
    *n = 0;
    for (size_t i = from; i < to; i++) {
        struct place p = place_of(c->g->x, row_at(c, i));
        int64_t x = o->expr ? expr_value(o->expr, p.columns, &c->q->data, p.row, &failed)
                            : p.columns[o->column].I(&c->q->data, p.row);
        if (x != NONE)
            v[(*n)++] = (double)x;
    }
    c->q->only_sqlite |= failed;
    return v;
}

static size_t count_distinct(const struct gcursor *c, size_t arg, struct arena *arena)
{
    size_t from = c->rows.starts[c->walk.at], n = c->rows.starts[c->walk.at + 1] - from, count = 0;
    const int64_t *key = c->distinct[arg] + from;
    uint32_t *at = arena_array(arena, uint32_t, n + 1);
    for (size_t i = 0; i < n; i++)
        at[i] = (uint32_t)i;
    sort_rows(at, n, key, arena);
    for (size_t i = 0; i < n; i++)
        count += key[at[i]] != NONE && (!i || key[at[i]] != key[at[i - 1]]);
    return count;
}

struct giving {
    struct gcursor *c;
    sqlite3_context *ctx;
    const struct sum *sum;
};

static void give_moments(const struct giving *g)
{
    struct gcursor *c = g->c;
    const struct operand *o = &c->g->args[g->sum->arg];
    struct moments m = {0};
    bool failed = false;
    for (size_t i = c->rows.starts[c->walk.at]; i < c->rows.starts[c->walk.at + 1]; i++) {
        struct place p = place_of(c->g->x, row_at(c, i));
        int64_t x = o->expr ? expr_value(o->expr, p.columns, &c->q->data, p.row, &failed)
                            : p.columns[o->column].I(&c->q->data, p.row);
        if (x != NONE)
            moments_add(&m, (long double)x);
    }
    c->q->only_sqlite |= failed;
    if (g->sum->kind == SUM_SUMSQ && m.n)
        sqlite3_result_double(g->ctx, (double)m.squares);
    else if (g->sum->kind == SUM_VARIANCE && m.n > 1)
        sqlite3_result_double(g->ctx, moments_deviation(&m, 1));
    else if (g->sum->kind == SUM_STDDEV && m.n > 1)
        sqlite3_result_double(g->ctx, (double)sqrtl(m.distance / (long double)(m.n - 1)));
    else if (g->sum->kind == SUM_STDDEV_POP && m.n)
        sqlite3_result_double(g->ctx, (double)sqrtl(m.distance / (long double)m.n));
}

/* What needs memory. Under a guard. */
static void give_large(void *ctx)
{
    const struct giving *g = ctx;
    struct arena *temporary = arena_scratch();
    size_t n;
    if (g->sum->kind == SUM_DISTINCT) {
        n = count_distinct(g->c, g->sum->arg, temporary);
        sqlite3_result_int64(g->ctx, (sqlite3_int64)n);
    } else {
        double *v = values_of(g->c, &g->c->g->args[g->sum->arg], temporary, &n);
        double share = g->sum->kind == SUM_MEDIAN ? 0.5 : g->sum->share;
        g->c->q->only_sqlite |= !(share >= 0 && share <= 1);
        if (n && share >= 0 && share <= 1)
            sqlite3_result_double(g->ctx, query_percentile(v, n, share));
    }
    arena_release(temporary);
}

static void give_bounds(const struct giving *g, const struct tally_of *t)
{
    bool least = g->sum->kind == SUM_MIN;
    const struct operand *o = &g->c->g->args[g->sum->arg];
    if (!t->n)
        return;
    if (is_whole(g->c, o))
        sqlite3_result_int64(g->ctx, least ? t->lo : t->hi);
    else
        put_column(g->ctx, g->c, least ? t->lo_row : t->hi_row, o->column);
}

/* Doubles hold these sums exactly, in whatever order and way they are added. */
static bool is_exact(const struct tally_of *t)
{
    return t->distance <= (uint64_t)1 << 53;
}

static void give_sum(const struct giving *g)
{
    struct gcursor *c = g->c;
    const struct tally_of *t = g->sum->kind == SUM_ROWS ? NULL : tally_of(c, g->sum->arg);
    switch (g->sum->kind) {
    case SUM_ROWS:
        sqlite3_result_int64(g->ctx, (sqlite3_int64)c->rows.starts[c->walk.at + 1] -
                                         (sqlite3_int64)c->rows.starts[c->walk.at]);
        break;
    case SUM_COUNT:
        sqlite3_result_int64(g->ctx, (sqlite3_int64)t->n);
        break;
    case SUM_SUM:
        c->q->only_sqlite |= t->beyond;
        if (t->n)
            sqlite3_result_int64(g->ctx, t->sum);
        break;
    case SUM_TOTAL:
        c->q->only_sqlite |= !is_exact(t);
        sqlite3_result_double(g->ctx, (double)t->sum);
        break;
    case SUM_AVG:
        c->q->only_sqlite |= !is_exact(t);
        if (t->n)
            sqlite3_result_double(g->ctx, (double)t->sum / (double)t->n);
        break;
    default:
        give_bounds(g, t);
    }
}

static int give(struct gcursor *c, sqlite3_context *ctx, const struct sum *sum)
{
    struct giving g = {c, ctx, sum};
    if (sum->kind == SUM_DISTINCT || sum->kind == SUM_MEDIAN || sum->kind == SUM_PERCENTILE) {
        if (!mem_guard(give_large, &g, &c->q->shortage))
            return SQLITE_NOMEM;
    } else if (sum->kind >= SUM_VARIANCE) {
        give_moments(&g);
    } else {
        give_sum(&g);
    }
    return c->q->only_sqlite ? SQLITE_ERROR : SQLITE_OK;
}

static int give_key(const struct gcursor *c, sqlite3_context *ctx, size_t key)
{
    const struct operand *o = &c->g->keys[key];
    size_t row = row_at(c, c->rows.starts[c->walk.at]);
    bool failed = false;
    if (o->column >= 0) {
        put_column(ctx, c, row, o->column);
        return SQLITE_OK;
    }
    struct place p = place_of(c->g->x, row);
    int64_t v = expr_value(o->expr, p.columns, &c->q->data, p.row, &failed);
    if (v != NONE && c->g->texts[key])
        sqlite3_result_text(ctx, c->g->texts[key][v], -1, SQLITE_STATIC);
    else if (v != NONE)
        sqlite3_result_int64(ctx, v);
    return SQLITE_OK;
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int n)
{
    struct gcursor *c = (struct gcursor *)base;
    size_t x = (size_t)n - FIRST_X;
    assert(c->walk.at < c->walk.end &&
           c->rows.starts[c->walk.at + 1] >= c->rows.starts[c->walk.at]);
    if (n == SPEC)
        return SQLITE_OK;
    if (n < FIRST_X || x < MOST_KEYS) {
        size_t key = n < FIRST_X ? (size_t)n % MOST_KEYS : x;
        return key < c->g->n_keys ? give_key(c, ctx, key) : SQLITE_OK;
    }
    x -= MOST_KEYS;
    return x < c->g->n_sums ? give(c, ctx, &c->g->sums[x]) : SQLITE_OK;
}

/* ---- the rest of a virtual table ---- */

static int open_cursor(sqlite3_vtab *v, sqlite3_vtab_cursor **out)
{
    int rc = walk_open(v, sizeof(struct gcursor), out);
    if (rc == SQLITE_OK) {
        struct gcursor *c = (struct gcursor *)*out;
        arena_init(&c->arena);
        c->q = c->walk.of;
    }
    return rc;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
    arena_release(&((struct gcursor *)base)->arena);
    return walk_close(base);
}

static int next(sqlite3_vtab_cursor *base)
{
    begin_group((struct gcursor *)base);
    return walk_next(base);
}

static const sqlite3_module module = VTAB_MODULE(best_index, close_cursor, next, walk_rowid);

bool groups_register(struct query *q)
{
    return sqlite3_create_module(q->db, "gs_groups", &module, q) == SQLITE_OK;
}
