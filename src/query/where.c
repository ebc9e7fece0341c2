/*
 * Conditions of a WHERE whose groups are made by groups.c, where they are as simple as they mostly are: a
 * column, an operator, and something that is the same for all rows, joined by AND. All others are left
 * to SQLite, which is asked for the rows.
 */
#include <string.h>

#include "query/select_in.h"

static const struct {
    const char *sign;
    int op;
} operators[] = {
    {"=", SQLITE_INDEX_CONSTRAINT_EQ},      {"==", SQLITE_INDEX_CONSTRAINT_EQ},
    {"<>", SQLITE_INDEX_CONSTRAINT_NE},     {"!=", SQLITE_INDEX_CONSTRAINT_NE},
    {"<", SQLITE_INDEX_CONSTRAINT_LT},      {"<=", SQLITE_INDEX_CONSTRAINT_LE},
    {">", SQLITE_INDEX_CONSTRAINT_GT},      {">=", SQLITE_INDEX_CONSTRAINT_GE},
    {"like", SQLITE_INDEX_CONSTRAINT_LIKE}, {"glob", SQLITE_INDEX_CONSTRAINT_GLOB},
};

/* The next AND outside of brackets, or the end. */
static size_t next_and(const struct regrouping *r, size_t i, size_t end)
{
    for (; i < end && !is_at(r, i, "and"); i++)
        if (is_at(r, i, "("))
            i = sql_closing(r, i);
    return i < end ? i : end;
}

/* Numbers, texts and SELECTs that name nothing around them, calculated with. */
static bool is_constant(const struct regrouping *r, size_t i, size_t end)
{
    static const char *const signs[] = {"+", "-", "*", "/", "(", ")", NULL};
    for (; i < end; i++) {
        const struct token *t = &r->t.v[i];
        if (is_at(r, i, "(") && is_at(r, i + 1, "select"))
            i = sql_closing(r, i);
        else if (t->kind != TOKEN_NUMBER && t->kind != TOKEN_TEXT && !sql_is_any(t, signs))
            return false;
    }
    return true;
}

static bool add_term(struct regrouping *r, struct simple *s, int column, int op, struct range of)
{
    struct grouping *g = s->g;
    enum qkind kind = s->scope.table->parts[0].columns[column].kind;
    if (g->n_terms == MOST_CONDITIONS || of.to <= of.from || !match_can(kind, op) ||
        !is_constant(r, of.from, of.to))
        return false;
    const struct token *first = &r->t.v[of.from], *last = &r->t.v[of.to - 1];
    struct query *q = r->q;
    const char *sql =
        arena_printf(q->arena, "SELECT %.*s", (int)(last->p + last->n - first->p), first->p);
    if (!regroup_is_sound(q, sql, &g->needs))
        return false;
    const char *anew = regroup(q, sql);
    g->terms[g->n_terms++] = (struct term){column, op, anew ? anew : sql};
    return true;
}

/* One condition at *i, which moves behind it. */
static bool read_term(struct regrouping *r, struct simple *s, size_t *i)
{
    size_t end = next_and(r, *i, s->where.to), k = 0;
    int column = scope_column(&s->scope, i, end);
    if (column < 0 || *i >= end)
        return false;
    if (is_at(r, *i, "between")) {
        size_t last = next_and(r, end + 1, s->where.to), from = *i + 1;
        *i = last;
        return end < s->where.to &&
               add_term(r, s, column, SQLITE_INDEX_CONSTRAINT_GE, (struct range){from, end}) &&
               add_term(r, s, column, SQLITE_INDEX_CONSTRAINT_LE, (struct range){end + 1, last});
    }
    while (k < ARRAY_LEN(operators) && !is_at(r, *i, operators[k].sign))
        k++;
    struct range of = {*i + 1, end};
    *i = end;
    return k < ARRAY_LEN(operators) && add_term(r, s, column, operators[k].op, of);
}

void where_read(struct regrouping *r, struct simple *s)
{
    bool ok = true;
    for (size_t i = s->where.from; ok && i < s->where.to; i++)
        ok = read_term(r, s, &i);
    if (!ok)
        s->g->n_terms = 0;
}

/* ---- the rows ---- */

/* What the value of a term says of its column; false: only SQLite can say. */
static bool set_condition(struct query *q, const struct term *t, enum qkind kind,
                          struct condition *c, bool *none, int *rc)
{
    sqlite3_stmt *stmt = NULL;
    *c = (struct condition){.column = t->column, .op = t->op};
    *rc = sqlite3_prepare_v2(q->db, t->sql, -1, &stmt, NULL);
    bool known = *rc == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW;
    if (known) {
        sqlite3_value *v = sqlite3_column_value(stmt, 0);
        int type = sqlite3_value_type(v);
        enum matched m = match_set(c, kind, v, &q->data.t->strings);
        *rc = m == MATCH_NOMEM ? SQLITE_NOMEM : *rc;
        *none |= m == MATCH_NOTHING;
        known = m == MATCH_NOTHING || m == MATCH_SOME;
        known &= type == SQLITE_NULL || (kind == Q_I ? type != SQLITE_TEXT : type == SQLITE_TEXT);
    }
    int ended = sqlite3_finalize(stmt);
    *rc = *rc == SQLITE_OK ? ended : *rc;
    return known && *rc == SQLITE_OK;
}

static size_t take_rows(const struct vaux *x, struct condition *c, size_t n, uint32_t *rows)
{
    const struct qdata *d = &x->q->data;
    size_t count = 0;
    for (size_t p = 0; p < x->table->n_parts; p++)
        for (size_t i = x->first[p]; i < x->first[p + 1]; i++) {
            size_t k = 0, row = i - x->first[p];
            while (k < n && match_row(&c[k], &x->table->parts[p].columns[c[k].column], d, row))
                k++;
            rows[count] = (uint32_t)i;
            count += k == n;
        }
    return count;
}

bool where_rows(struct query *q, const struct grouping *g, uint32_t *rows, size_t *n, int *rc)
{
    struct condition conditions[MOST_CONDITIONS] = {0};
    bool known = g->n_terms > 0, none = false;
    for (size_t i = 0; i < g->n_terms && known; i++) {
        enum qkind kind = g->x->table->parts[0].columns[g->terms[i].column].kind;
        known = set_condition(q, &g->terms[i], kind, &conditions[i], &none, rc);
    }
    if (known)
        *n = none ? 0 : take_rows(g->x, conditions, g->n_terms, rows);
    for (size_t i = 0; i < MOST_CONDITIONS; i++)
        match_release(&conditions[i]);
    return known;
}
