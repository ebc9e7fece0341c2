/* Expressions over whole numbers, with SQLite's rules for NULL, division and comparison. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "query/groups_in.h"

enum { DEEPEST = 40 };

struct reading {
    struct scope *s;
    size_t i, end;
    bool texts;
    int depth;
};

int scope_column(struct scope *s, size_t *i, size_t end)
{
    const struct token *t = &s->v[*i];
    size_t taken = 1;
    if (*i + 2 < end && sql_is(&t[1], ".")) {
        if (!(s->alias ? sql_same(t, s->alias) : sql_named(t, s->table->name)))
            return -1;
        t += 2;
        taken = 3;
    }
    for (size_t k = 0; *i < end && k < s->table->n_columns; k++) {
        if (!sql_named(t, s->table->parts[0].columns[k].name))
            continue;
        *i += taken;
        s->used |= (uint64_t)1 << (k < 63 ? k : 63);
        return (int)k;
    }
    return -1;
}

static struct expr *node(struct reading *r, enum expr_op op, struct expr *a, struct expr *b)
{
    struct expr *e = arena_new(r->s->arena, struct expr);
    *e = (struct expr){.op = op, .a = a, .b = b};
    return e;
}

static bool accept(struct reading *r, const char *word)
{
    bool is = r->i < r->end && sql_is(&r->s->v[r->i], word);
    r->i += is;
    return is;
}

static struct expr *read_level(struct reading *r, int level);

/* What CASE gives: a text, or a number like any other. */
static struct expr *read_given(struct reading *r)
{
    const struct token *t = &r->s->v[r->i];
    if (!r->texts || r->i >= r->end || t->kind != TOKEN_TEXT)
        return r->texts ? NULL : read_level(r, 0);
    struct expr *e = node(r, EXPR_TEXT, NULL, NULL);
    e->n = (int64_t)r->s->texts.n;
    vec_push(&r->s->texts, r->s->arena, sql_text(t, r->s->arena));
    r->i++;
    return e;
}

static struct expr *read_case(struct reading *r)
{
    struct expr *first = NULL, **to = &first;
    bool texts = r->texts;
    while (accept(r, "when")) {
        r->texts = false;
        struct expr *when = read_level(r, 0);
        r->texts = texts;
        if (!when || !accept(r, "then"))
            return NULL;
        struct expr *then = read_given(r);
        if (!then)
            return NULL;
        *to = node(r, EXPR_CASE, when, then);
        to = &(*to)->c;
    }
    *to = accept(r, "else") ? read_given(r) : node(r, EXPR_NULL, NULL, NULL);
    return first && *to && accept(r, "end") ? first : NULL;
}

static struct expr *read_leaf(struct reading *r);

/* (SELECT ...), which must not name anything around it. */
static struct expr *read_select(struct reading *r)
{
    struct grouping *g = r->s->g;
    size_t from = r->i, depth = 0;
    do {
        depth += sql_is(&r->s->v[r->i], "(");
        depth -= sql_is(&r->s->v[r->i], ")");
    } while (++r->i < r->end && depth);
    const struct token *first = &r->s->v[from], *last = &r->s->v[r->i - 1];
    struct expr *e = node(r, EXPR_SELECT, NULL, NULL);
    struct query *q = g->x->q;
    e->sql = arena_printf(q->arena, "SELECT %.*s", (int)(last->p + last->n - first->p), first->p);
    if (depth || !regroup_is_sound(q, e->sql, &g->needs))
        return NULL;
    const char *anew = regroup(q, e->sql);
    e->sql = anew ? anew : e->sql;
    vec_push(&g->selects, q->arena, e);
    return e;
}

static struct expr *read_inner(struct reading *r)
{
    if (r->i >= r->end)
        return NULL;
    const struct token *t = &r->s->v[r->i];
    if (t->kind == TOKEN_NUMBER) {
        struct expr *e = node(r, EXPR_NUMBER, NULL, NULL);
        char *text = arena_strndup(r->s->arena, t->p, t->n);
        if (strspn(text, "0123456789") != t->n || t->n > 18)
            return NULL;
        e->n = strtoll(text, NULL, 10);
        r->i++;
        return e;
    }
    if (r->i + 1 < r->end && sql_is(t, "(") && sql_is(&t[1], "select"))
        return read_select(r);
    if (accept(r, "(")) {
        struct expr *e = read_level(r, 0);
        return e && accept(r, ")") ? e : NULL;
    }
    if (accept(r, "-")) {
        struct expr *e = read_leaf(r);
        return e && e->op == EXPR_NUMBER ? (e->n = -e->n, e) : NULL;
    }
    if (accept(r, "case"))
        return read_case(r);
    int column = scope_column(r->s, &r->i, r->end);
    if (column < 0 || r->s->table->parts[0].columns[column].kind != Q_I)
        return NULL;
    struct expr *e = node(r, EXPR_COLUMN, NULL, NULL);
    e->column = column;
    return e;
}

static struct expr *read_leaf(struct reading *r)
{
    r->depth++;
    struct expr *e = r->depth < DEEPEST ? read_inner(r) : NULL;
    r->depth--;
    return e;
}

/* Operators from the loosest to the tightest; all of them lean to the left. */
static const struct {
    const char *sign;
    int level;
    enum expr_op op;
} operators[] = {
    {"or", 0, EXPR_OR}, {"and", 1, EXPR_AND}, {"=", 2, EXPR_EQ},  {"==", 2, EXPR_EQ},
    {"<>", 2, EXPR_NE}, {"!=", 2, EXPR_NE},   {"<", 3, EXPR_LT},  {"<=", 3, EXPR_LE},
    {">", 3, EXPR_GT},  {">=", 3, EXPR_GE},   {"+", 4, EXPR_ADD}, {"-", 4, EXPR_SUB},
    {"*", 5, EXPR_MUL}, {"/", 5, EXPR_DIV},   {"%", 5, EXPR_MOD},
};
enum { LEVELS = 6 };

static struct expr *read_level(struct reading *r, int level)
{
    if (level == LEVELS)
        return read_leaf(r);
    struct expr *e = read_level(r, level + 1);
    for (size_t k = 0; e && k < ARRAY_LEN(operators); k++) {
        if (operators[k].level != level || !accept(r, operators[k].sign))
            continue;
        struct expr *b = read_level(r, level + 1);
        e = b ? node(r, operators[k].op, e, b) : NULL;
        k = (size_t)-1; /* any of them may follow */
    }
    return e;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Numbers of texts become their places in order, so that they compare like these. */
static void place_texts(struct expr *e, const char *const *old, struct scope *s)
{
    for (; e; e = e->c) {
        if (e->op == EXPR_CASE)
            place_texts(e->b, old, s);
        for (size_t i = 0; e->op == EXPR_TEXT; i++)
            if (str_eq(s->texts.v[i], old[e->n])) {
                e->n = (int64_t)i;
                break;
            }
    }
}

struct expr *expr_read(struct scope *s, size_t i, size_t end, bool texts)
{
    struct reading r = {.s = s, .i = i, .end = end, .texts = texts};
    s->texts.n = 0;
    s->texts.v = NULL;
    s->texts.cap = 0;
    struct expr *e = texts ? (accept(&r, "case") ? read_case(&r) : NULL) : read_level(&r, 0);
    if (!e || r.i != end)
        return NULL;
    if (s->texts.n) {
        const char **old = arena_array(s->arena, const char *, s->texts.n);
        memcpy(old, s->texts.v, s->texts.n * sizeof(*old));
        qsort(s->texts.v, s->texts.n, sizeof(*old), by_text);
        place_texts(e, old, s);
    }
    return e;
}

static int64_t compute(enum expr_op op, int64_t a, int64_t b, bool *failed)
{
    int64_t v = 0;
    bool beyond = false;
    switch (op) {
    case EXPR_ADD:
        beyond = __builtin_add_overflow(a, b, &v);
        break;
    case EXPR_SUB:
        beyond = __builtin_sub_overflow(a, b, &v);
        break;
    case EXPR_MUL:
        beyond = __builtin_mul_overflow(a, b, &v);
        break;
    case EXPR_DIV:
        return b ? a / b : NONE; /* a is never the least number: that stands for NULL */
    case EXPR_MOD:
        return b ? b == -1 ? 0 : a % b : NONE;
    case EXPR_EQ:
        return a == b;
    case EXPR_NE:
        return a != b;
    case EXPR_LT:
        return a < b;
    case EXPR_LE:
        return a <= b;
    case EXPR_GT:
        return a > b;
    default:
        return a >= b;
    }
    *failed |= beyond || v == NONE;
    return v;
}

int64_t expr_value(const struct expr *e, const struct qcolumn *columns, const struct qdata *d,
                   size_t row, bool *failed)
{
    while (e->op == EXPR_CASE) {
        int64_t when = expr_value(e->a, columns, d, row, failed);
        e = when && when != NONE ? e->b : e->c;
    }
    if (e->op == EXPR_COLUMN)
        return columns[e->column].I(d, row);
    if (e->op == EXPR_NUMBER || e->op == EXPR_TEXT || e->op == EXPR_SELECT)
        return e->n;
    if (e->op == EXPR_NULL)
        return NONE;
    int64_t a = expr_value(e->a, columns, d, row, failed);
    int64_t b = expr_value(e->b, columns, d, row, failed);
    if (e->op == EXPR_AND)
        return !a || !b ? 0 : a == NONE || b == NONE ? NONE : 1;
    if (e->op == EXPR_OR)
        return (a && a != NONE) || (b && b != NONE) ? 1 : a == NONE || b == NONE ? NONE : 0;
    return a == NONE || b == NONE ? NONE : compute(e->op, a, b, failed);
}
