/*
 * Rows in the order that a statement wants them, so that SQLite need not sort whole rows: keys are
 * numbers, texts by their rank among the texts that there are, and rows of the same key keep their
 * order, which is what SQLite's own sorter does.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/mem.h"
#include "base/sort.h"
#include "query/groups_in.h"

/* More than this is kept of no trace: what comes later goes with its connection. */
enum { MOST_KEPT = 256 << 20 };

/* ---- what is kept ---- */

struct query_kept *query_kept_new(struct arena *arena)
{
    struct query_kept *k = arena_new(arena, struct query_kept);
    k->arena = arena;
    return k;
}

struct qfound *found_of(struct query *q, const struct qtable *table)
{
    struct query_kept *k = q->kept;
    for (size_t i = 0; i < k->tables.n; i++)
        if (k->tables.v[i]->table == table)
            return k->tables.v[i];
    struct qfound *f = arena_new(k->arena, struct qfound);
    *f = (struct qfound){.table = table};
    f->index = arena_array(k->arena, struct qindex, table->n_columns);
    vec_push(&k->tables, k->arena, f);
    return f;
}

/* The arena for so many bytes more. */
static struct arena *room_for(struct vaux *x, size_t bytes)
{
    struct query_kept *k = x->q->kept;
    if (bytes > MOST_KEPT || k->bytes > MOST_KEPT - bytes)
        return x->q->arena;
    k->bytes += bytes; /* in range: the line before */
    return k->arena;
}

/* ---- an index ---- */

struct qindex *index_of(const struct vaux *x, int column)
{
    struct qindex *kept = &x->found->index[column];
    return kept->made || !x->own ? kept : &x->own[column];
}

static int64_t id_of(const struct qcolumn *c, const struct qdata *d, size_t i)
{
    return c->kind == Q_I ? c->I(d, i) : (int64_t)c->S(d, i);
}

/* A key, a row and up to four places, see index_places(). */
enum { BYTES_OF_INDEX = 8 + 4 + 16 };

/* Places by key, where keys are dense. */
static void index_places(struct qindex *x, struct arena *arena)
{
    if (!x->n)
        return;
    x->least = x->key[x->rows ? x->rows[0] : 0];
    int64_t most = x->key[x->rows ? x->rows[x->n - 1] : x->n - 1];
    uint64_t range = (uint64_t)most - (uint64_t)x->least;
    if (range / 4 > x->n)
        return;
    uint32_t *first = arena_array(arena, uint32_t, range + 2);
    for (size_t i = 0; i < x->n; i++)
        first[(uint64_t)x->key[i] - (uint64_t)x->least + 1]++;
    for (size_t i = 0; i <= range; i++)
        first[i + 1] += first[i];
    x->range = range + 1;
    x->first = first;
}

void index_make(struct vaux *x, int column)
{
    struct qindex made = {.n = x->first[x->table->n_parts]};
    struct arena *arena = room_for(x, made.n * BYTES_OF_INDEX);
    bool keep = arena == x->q->kept->arena;
    const struct qdata *d = &x->q->data;
    bool ordered = true;
    made.key = arena_array(arena, int64_t, made.n);
    for (size_t p = 0; p < x->table->n_parts; p++)
        for (size_t i = x->first[p]; i < x->first[p + 1]; i++) {
            made.key[i] = id_of(&x->table->parts[p].columns[column], d, i - x->first[p]);
            ordered &= !i || made.key[i - 1] <= made.key[i];
        }
    if (!ordered) {
        uint32_t *rows = arena_array(arena, uint32_t, made.n);
        for (size_t i = 0; i < made.n; i++)
            rows[i] = (uint32_t)i;
        struct arena *temporary = arena_scratch();
        sort_rows(rows, made.n, made.key, temporary);
        arena_release(temporary);
        made.rows = rows;
    }
    index_places(&made, arena);
    made.made = true;
    if (!keep && !x->own)
        x->own = arena_array(x->q->arena, struct qindex, x->table->n_columns);
    *(keep ? &x->found->index[column] : &x->own[column]) = made;
}

/* The first place in order whose value is not below (with `above`: not up to) this one. */
size_t index_place(const struct qindex *x, int64_t value, bool above)
{
    size_t lo = 0;
    int64_t key;
    if (x->first) {
        if (value < x->least)
            return 0;
        uint64_t at = (uint64_t)value - (uint64_t)x->least;
        return at >= x->range ? x->n : x->first[at + above];
    }
    BISECT(lo, x->n, i,
           (key = x->key[x->rows ? x->rows[i] : i]) < value || (above && key == value));
    return lo;
}

/* ---- keys ---- */

struct sorting {
    const struct vaux *x;
    const struct order_by *by;
    const uint32_t *rows; /* NULL: all */
    size_t n;
    struct arena *arena;
    const struct operand *operands; /* instead of by->column; NULL: none */
    bool failed;
    int64_t *key[MOST_ORDER];
};

/* Doubles in the order of numbers; NaN stands for NULL, the least. */
static int64_t real_key(double v)
{
    int64_t bits;
    if (isnan(v))
        return NONE;
    v += 0.0; /* -0 is 0 */
    memcpy(&bits, &v, sizeof(bits));
    return bits < 0 ? bits ^ INT64_MAX : bits;
}

struct ranked {
    const char *text;
    size_t len, number; /* in order of appearance */
};

static int by_text(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    size_t n = x->len < y->len ? x->len : y->len;
    int order = memcmp(x->text, y->text, n);
    return order ? order : (x->len > y->len) - (x->len < y->len);
}

struct texts {
    struct idmap map; /* id or address -> number */
    VEC(struct ranked) v;
    uint64_t last;
    int64_t last_key;
    const struct strings *strings;
    struct arena *arena;
};

/* The number of a text; of the texts of a trace by id, of others by address. */
static int64_t number_of(struct texts *t, const struct qcolumn *c, const struct qdata *d, size_t i)
{
    uint32_t id = c->kind == Q_S ? c->S(d, i) : 0;
    const char *text = c->kind == Q_T ? c->T(d, i) : NULL;
    uint64_t what = c->kind == Q_S ? id : (uint64_t)(uintptr_t)text;
    if (c->kind == Q_S ? id >= t->strings->n : !text)
        return NONE;
    if (t->v.n && what == t->last)
        return t->last_key;
    uint32_t known = idmap_get(&t->map, what);
    if (known == NO_INDEX) {
        struct ranked r = {text, 0, t->v.n};
        if (c->kind == Q_S) {
            r.text = t->strings->v[id].text;
            r.len = t->strings->v[id].len;
        } else {
            r.len = strlen(text);
        }
        known = (uint32_t)t->v.n;
        idmap_put(&t->map, what, known);
        vec_push(&t->v, t->arena, r);
    }
    t->last = what;
    return t->last_key = (int64_t)known;
}

/* Numbers to ranks; the same text has one, whatever its id. */
static void rank_texts(struct texts *t, int64_t *key, size_t n)
{
    if (!t->v.n)
        return;
    int64_t *rank = arena_array(t->arena, int64_t, t->v.n);
    qsort(t->v.v, t->v.n, sizeof(*t->v.v), by_text);
    for (size_t i = 0, r = 0; i < t->v.n; i++) {
        r += i && by_text(&t->v.v[i - 1], &t->v.v[i]) != 0;
        rank[t->v.v[i].number] = (int64_t)r;
    }
    for (size_t i = 0; i < n; i++)
        if (key[i] != NONE)
            key[i] = rank[key[i]];
}

static int64_t *expr_keys(struct sorting *s, const struct expr *e)
{
    const struct vaux *x = s->x;
    int64_t *key = arena_array(s->arena, int64_t, s->n);
    for (size_t i = 0, part = 0; i < s->n; i++) {
        size_t row = s->rows ? s->rows[i] : i;
        if (row < x->first[part] || row >= x->first[part + 1])
            part = part_of(x, row);
        key[i] = expr_value(e, x->table->parts[part].columns, &x->q->data, row - x->first[part],
                            &s->failed);
    }
    return key;
}

static int64_t *keys_of(struct sorting *s, int column)
{
    const struct vaux *x = s->x;
    const struct qdata *d = &x->q->data;
    struct texts texts = {.strings = &d->t->strings, .arena = s->arena};
    int64_t *key = arena_array(s->arena, int64_t, s->n);
    enum qkind kind = x->table->parts[0].columns[column].kind;
    idmap_init(&texts.map, s->arena);
    for (size_t i = 0, part = 0; i < s->n; i++) {
        size_t row = s->rows ? s->rows[i] : i;
        if (row < x->first[part] || row >= x->first[part + 1])
            part = part_of(x, row);
        const struct qcolumn *c = &x->table->parts[part].columns[column];
        row -= x->first[part];
        key[i] = kind == Q_I   ? c->I(d, row)
                 : kind == Q_R ? real_key(c->R(d, row))
                               : number_of(&texts, c, d, row);
    }
    rank_texts(&texts, key, s->n);
    return key;
}

/* ---- orders ---- */

/* The places of the rows, in order. */
static uint32_t *sort_places(struct sorting *s)
{
    uint32_t *at = arena_array(s->arena, uint32_t, s->n);
    for (size_t i = 0; i < s->n; i++)
        at[i] = (uint32_t)i;
    for (size_t k = s->by->n; k--;) {
        const struct operand *o = s->operands ? &s->operands[k] : NULL;
        int64_t *key = s->key[k] =
            o && o->expr ? expr_keys(s, o->expr) : keys_of(s, o ? o->column : s->by->column[k]);
        for (size_t i = 0; s->by->descending[k] && i < s->n; i++)
            key[i] = ~key[i];
        sort_rows(at, s->n, key, s->arena);
    }
    return at;
}

static bool same_keys(const struct sorting *s, size_t a, size_t b)
{
    for (size_t k = 0; k < s->by->n; k++)
        if (s->key[k][a] != s->key[k][b])
            return false;
    return true;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Only the first place of each value, in the order of rows. */
static size_t firsts(const struct sorting *s, uint32_t *at)
{
    size_t n = 0;
    for (size_t i = 0, begin = 0; i < s->n; i++) {
        if (i && same_keys(s, begin, at[i]))
            continue;
        at[n++] = (uint32_t)(begin = at[i]);
    }
    qsort(at, n, sizeof(*at), by_number);
    return n;
}

/* Where values change. */
static uint32_t *starts_of(const struct sorting *s, const uint32_t *at, struct arena *arena,
                           size_t *n)
{
    size_t groups = 0;
    for (size_t i = 0; i < s->n; i++)
        groups += !i || !same_keys(s, at[i - 1], at[i]);
    uint32_t *starts = arena_array(arena, uint32_t, groups + 1);
    *n = 0;
    for (size_t i = 0; i < s->n; i++)
        if (!i || !same_keys(s, at[i - 1], at[i]))
            starts[(*n)++] = (uint32_t)i;
    assert(*n == groups);
    starts[*n] = (uint32_t)s->n;
    return starts;
}

static uint32_t *in_order(struct sorting *s, size_t *n)
{
    uint32_t *at = sort_places(s);
    *n = s->by->distinct ? firsts(s, at) : s->n;
    for (size_t i = 0; s->rows && i < *n; i++)
        at[i] = s->rows[at[i]];
    return at;
}

static bool same_order(const struct order_by *a, const struct order_by *b)
{
    bool same = a->n == b->n && a->distinct == b->distinct;
    for (size_t i = 0; same && i < a->n; i++)
        same = a->column[i] == b->column[i] && a->descending[i] == b->descending[i];
    return same;
}

static struct qorder *find_order(const struct vaux *x, const struct order_by *by)
{
    for (size_t i = x->orders.n; i--;) /* newer ones may have groups that the kept one lacks */
        if (same_order(&x->orders.v[i].by, by))
            return &x->orders.v[i];
    for (size_t i = 0; i < x->found->orders.n; i++)
        if (same_order(&x->found->orders.v[i].by, by))
            return &x->found->orders.v[i];
    return NULL;
}

/* Makes the order of all rows, and their groups; of an order that is there only the groups. */
static struct qorder *make_order(struct vaux *x, const struct order_by *by, bool groups)
{
    struct qorder *o = find_order(x, by);
    if (o && (!groups || o->starts))
        return o;
    size_t n = x->first[x->table->n_parts];
    struct arena *arena = room_for(x, n * 2 * sizeof(uint32_t)); /* rows, and groups of one */
    struct arena *temporary = arena_scratch();
    struct sorting s = {.x = x, .by = by, .n = n, .arena = temporary};
    struct qorder made = o ? *o : (struct qorder){.by = *by};
    uint32_t *rows = in_order(&s, &made.n);
    if (groups)
        made.starts = starts_of(&s, rows, arena, &made.n_groups);
    if (!o) {
        made.rows = arena_array(arena, uint32_t, made.n);
        memcpy(made.rows, rows, made.n * sizeof(*rows));
    }
    arena_release(temporary);
    if (o && arena == x->q->kept->arena) {
        *o = made;
        return o;
    }
    if (arena == x->q->kept->arena) {
        vec_push(&x->found->orders, arena, made);
        return &x->found->orders.v[x->found->orders.n - 1];
    }
    vec_push(&x->orders, arena, made);
    return &x->orders.v[x->orders.n - 1];
}

const struct qorder *order_all(struct vaux *x, const struct order_by *by)
{
    return make_order(x, by, false);
}

size_t order_some(const struct vaux *x, const struct order_by *by, uint32_t *rows, size_t n)
{
    struct arena *temporary = arena_scratch();
    struct sorting s = {.x = x, .by = by, .rows = rows, .n = n, .arena = temporary};
    uint32_t *sorted = in_order(&s, &n);
    memcpy(rows, sorted, n * sizeof(*rows));
    arena_release(temporary);
    return n;
}

/* ---- groups ---- */

int64_t *order_keys(const struct vaux *x, const struct operand *of, const uint32_t *rows, size_t n,
                    struct arena *arena, bool *failed)
{
    struct sorting s = {.x = x, .rows = rows, .n = n, .arena = arena};
    int64_t *key = of->expr ? expr_keys(&s, of->expr) : keys_of(&s, of->column);
    *failed |= s.failed;
    return key;
}

struct group_rows order_groups(const struct grouping *g, const uint32_t *rows, size_t n,
                               struct arena *arena, bool *failed)
{
    struct order_by by = {.n = g->n_keys};
    bool columns = true;
    for (size_t k = 0; k < g->n_keys; k++) {
        by.column[k] = g->keys[k].column;
        by.descending[k] = g->descending[k];
        columns &= !g->keys[k].expr;
    }
    if (!g->n_keys) {
        uint32_t *starts = arena_array(arena, uint32_t, 2);
        starts[1] = (uint32_t)n;
        return (struct group_rows){rows, starts, 1};
    }
    if (!rows && columns) {
        const struct qorder *o = make_order(g->x, &by, true);
        return (struct group_rows){o->rows, o->starts, o->n_groups};
    }
    struct sorting s = {
        .x = g->x, .by = &by, .rows = rows, .n = n, .arena = arena, .operands = g->keys};
    uint32_t *at = sort_places(&s);
    struct group_rows out = {at, NULL, 0};
    out.starts = starts_of(&s, at, arena, &out.n);
    for (size_t i = 0; rows && i < n; i++)
        at[i] = rows[at[i]];
    *failed |= s.failed;
    return out;
}
