/*
 * Statements whose groups are made by groups.c, see groups_in.h.
 *
 * What is written anew is SELECT ... FROM one table of a trace [WHERE] [GROUP BY] [HAVING] [ORDER BY]
 * [LIMIT], alone or inside of something else, in which columns stand only in the keys of GROUP BY and
 * in functions over groups. Every word of it must be known; a single one that is not, and the part
 * stays as it is.
 */
#include <stdlib.h>
#include <string.h>

#include "query/select_in.h"

static bool rewrite_select(struct regrouping *r, size_t at, size_t *end, struct str *out);
static const char *regroup_text(struct query *q, const char *sql, bool views);

/* ---- functions over groups ---- */

static const struct {
    const char *name;
    enum sum_kind kind;
    bool numbers; /* of whole numbers only */
} functions[] = {
    {"count", SUM_COUNT, false},
    {"sum", SUM_SUM, true},
    {"total", SUM_TOTAL, true},
    {"avg", SUM_AVG, true},
    {"min", SUM_MIN, false},
    {"max", SUM_MAX, false},
    {"median", SUM_MEDIAN, true},
    {"percentile", SUM_PERCENTILE, true},
    {"variance", SUM_VARIANCE, true},
    {"stddev", SUM_STDDEV, true},
    {"stddev_pop", SUM_STDDEV_POP, true},
    {"sumsq", SUM_SUMSQ, true},
};

static bool same_operand(const struct operand *a, const struct operand *b)
{
    return a->column >= 0 && a->column == b->column;
}

/* The argument of a function, as one of the grouping's. */
static bool add_arg(struct simple *s, struct range at, bool numbers, size_t *out)
{
    struct grouping *g = s->g;
    struct operand arg;
    if (!select_operand(s, at, &arg))
        return false;
    if (arg.column >= 0 && numbers && s->scope.table->parts[0].columns[arg.column].kind != Q_I)
        return false;
    for (*out = 0; *out < g->n_args; ++*out)
        if (same_operand(&g->args[*out], &arg))
            return true;
    if (g->n_args == MOST_ARGS)
        return false;
    g->args[g->n_args++] = arg;
    return true;
}

/* The function at i, of which [i + 2, end) are the arguments. */
static bool read_sum(struct regrouping *r, struct simple *s, size_t i, size_t end, struct sum *out)
{
    size_t k = 0, from = i + 2, comma = sql_next_comma(r, from, end);
    while (k < ARRAY_LEN(functions) && !is_at(r, i, functions[k].name))
        k++;
    out->kind = functions[k].kind;
    if (out->kind == SUM_COUNT && from + 1 == end && is_at(r, from, "*")) {
        out->kind = SUM_ROWS;
        return true;
    }
    if (out->kind == SUM_COUNT && is_at(r, from, "distinct")) {
        out->kind = SUM_DISTINCT;
        from++;
    }
    if (out->kind == SUM_PERCENTILE) {
        const struct token *p = &r->t.v[comma + 1];
        if (comma + 2 != end || p->kind != TOKEN_NUMBER)
            return false;
        out->share = strtod(arena_strndup(r->arena, p->p, p->n), NULL) / 100;
        end = comma;
    }
    return from < end && comma >= end &&
           add_arg(s, (struct range){from, end}, functions[k].numbers, &out->arg);
}

static bool is_function(const struct regrouping *r, size_t i)
{
    for (size_t k = 0; k < ARRAY_LEN(functions); k++)
        if (is_at(r, i, functions[k].name) && is_at(r, i + 1, "("))
            return true;
    return false;
}

/* ---- writing ---- */

static void put_token(struct str *out, const struct token *t)
{
    str_putc(out, ' ');
    str_put(out, t->p, t->n);
}

static void put_key(const struct simple *s, size_t key, struct str *out)
{
    const struct operand *o = &s->g->keys[key];
    enum qkind kind = o->column < 0 ? Q_T : s->scope.table->parts[0].columns[o->column].kind;
    char family = o->column < 0 ? 'x' : kind == Q_I ? 'i' : kind == Q_R ? 'r' : 't';
    str_printf(out, " %c%zu", family, key);
}

/* The key that is written here in full, between brackets, commas or ends. */
static bool put_whole_key(const struct regrouping *r, const struct simple *s, struct range in,
                          size_t *i, struct str *out)
{
    static const char *const ends[] = {"(", ")", ",", NULL}, *const more[] = {")", ",", "asc",
                                                                              "desc", NULL};
    for (size_t k = 0; k < s->g->n_keys; k++) {
        size_t n = s->keys[k].to - s->keys[k].from, same = 0;
        if (s->g->keys[k].column >= 0 || n > in.to - *i)
            continue;
        while (same < n && sql_same(&r->t.v[*i + same], &r->t.v[s->keys[k].from + same]))
            same++;
        bool begins = *i == in.from || sql_is_any(&r->t.v[*i - 1], ends);
        bool stops = *i + n == in.to || sql_is_any(&r->t.v[*i + n], more);
        if (same < n || !begins || !stops)
            continue;
        put_key(s, k, out);
        *i += n;
        return true;
    }
    return false;
}

static bool put_function(struct regrouping *r, struct simple *s, size_t *i, struct str *out)
{
    static const char *const behind[] = {"over", "filter", NULL};
    size_t end = sql_closing(r, *i + 1);
    struct sum sum;
    memset(&sum, 0, sizeof(sum));
    if (end >= r->t.n || sql_is_any(&r->t.v[end + 1], behind) || s->g->n_sums == MOST_SUMS ||
        !read_sum(r, s, *i, end, &sum))
        return false;
    size_t at = 0; /* the same once more is the same */
    while (at < s->g->n_sums && memcmp(&s->g->sums[at], &sum, sizeof(sum)) != 0)
        at++;
    str_printf(out, " x%zu", MOST_KEYS + at);
    s->g->sums[at] = sum;
    s->g->n_sums += at == s->g->n_sums;
    *i = end + 1;
    return true;
}

/* A word or name that is no function: a key, a name of ours, or a word of SQL. */
static bool put_name(struct regrouping *r, struct simple *s, size_t *i, size_t end, int *cases,
                     struct str *out)
{
    static const char *const words[] = {
        "case",    "when", "then",    "else",   "and",    "or",    "not",     "null",
        "is",      "in",   "like",    "glob",   "desc",   "asc",   "between", "nulls",
        "first",   "last", "collate", "nocase", "binary", "rtrim", "cast",    "as",
        "integer", "real", "text",    "int",    "double", "float", "numeric", NULL};
    const struct token *t = &r->t.v[*i];
    size_t at = *i;
    if (sql_is(t, "end") && *cases > 0) {
        --*cases;
        put_token(out, t);
        ++*i;
        return true;
    }
    int column = scope_column(&s->scope, &at, end);
    for (size_t k = 0; column >= 0 && k < s->g->n_keys; k++)
        if (s->g->keys[k].column == column) {
            put_key(s, k, out);
            *i = at;
            return true;
        }
    if (column >= 0 || (!sql_is_any(t, words) && !select_item(s, t, r->arena) &&
                        !(t->kind == TOKEN_WORD && is_at(r, *i + 1, "("))))
        return false;
    *cases += sql_is(t, "case");
    put_token(out, t);
    ++*i;
    return true;
}

/* A part with groups' columns in the place of keys and functions. */
static bool put_part(struct regrouping *r, struct simple *s, struct range in, struct str *out)
{
    int cases = 0;
    for (size_t i = in.from; i < in.to;) {
        const struct token *t = &r->t.v[i];
        if (is_at(r, i, "(") && is_at(r, i + 1, "select")) {
            str_puts(out, " (");
            size_t end;
            if (!rewrite_select(r, i + 1, &end, out) || !is_at(r, end, ")"))
                return false;
            i = end;
        } else if (put_whole_key(r, s, in, &i, out)) {
            continue;
        } else if (is_function(r, i) &&
                   (sql_next_comma(r, i + 2, sql_closing(r, i + 1)) == sql_closing(r, i + 1) ||
                    is_at(r, i, "percentile"))) {
            if (!put_function(r, s, &i, out))
                return false;
        } else if (t->kind == TOKEN_WORD || t->kind == TOKEN_QUOTED) {
            if (!put_name(r, s, &i, in.to, &cases, out))
                return false;
        } else if (is_at(r, i, ".")) {
            return false;
        } else {
            put_token(out, t);
            i++;
        }
    }
    return !cases;
}

static void put_quoted(struct str *out, const char *text, size_t n)
{
    str_puts(out, " AS \"");
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '"')
            str_putc(out, '"');
        str_putc(out, text[i]);
    }
    str_putc(out, '"');
}

/* With the name that SQLite would give it: that of a column, else the text as it is written. */
static bool put_item(struct regrouping *r, struct simple *s, const struct item *item,
                     struct str *out)
{
    const struct token *first = &r->t.v[item->of.from], *last = &r->t.v[item->of.to - 1];
    size_t at = item->of.from;
    if (!put_part(r, s, item->of, out))
        return false;
    int column = scope_column(&s->scope, &at, item->of.to);
    const char *name =
        item->alias ? sql_text(item->alias, r->arena)
        : column >= 0 && at == item->of.to
            ? s->scope.table->parts[0].columns[column].name
            : arena_strndup(r->arena, first->p, (size_t)(last->p + last->n - first->p));
    put_quoted(out, name, strlen(name));
    return true;
}

static bool put_select(struct regrouping *r, struct simple *s, size_t number, struct str *out)
{
    str_puts(out, s->head.to > s->head.from ? "SELECT DISTINCT" : "SELECT");
    for (size_t i = 0; i < s->n_items; i++) {
        str_puts(out, i ? "," : "");
        if (!put_item(r, s, &s->items[i], out))
            return false;
    }
    str_printf(out, " FROM gs_groups(%zu)", number);
    if (s->having.to) {
        str_puts(out, " WHERE (");
        if (!put_part(r, s, s->having, out))
            return false;
        str_puts(out, ")");
    }
    if (s->order.to) {
        str_puts(out, " ORDER BY");
        for (size_t i = s->order.from, comma; i < s->order.to; i = comma + 1) {
            comma = sql_next_comma(r, i, s->order.to);
            str_puts(out, i > s->order.from ? "," : "");
            if (!put_part(r, s, (struct range){i, comma}, out))
                return false;
        }
    }
    for (size_t i = s->limit.from; i < s->limit.to; i++) {
        str_puts(out, i == s->limit.from ? " LIMIT" : "");
        put_token(out, &r->t.v[i]);
    }
    return s->g->n_sums || s->g->grouped;
}

/* ---- which rows ---- */

bool regroup_is_sound(struct query *q, const char *sql, unsigned *needs)
{
    sqlite3_stmt *stmt = NULL;
    unsigned before = q->needs;
    bool wanted = q->wants_trace;
    q->needs = 0;
    bool ok = sqlite3_prepare_v2(q->db, sql, -1, &stmt, NULL) == SQLITE_OK;
    sqlite3_finalize(stmt);
    *needs |= q->needs;
    q->needs = before;
    q->wants_trace = wanted;
    return ok;
}

static bool read_where(struct regrouping *r, struct simple *s)
{
    struct str sql;
    const struct token *alias = s->scope.alias;
    str_init(&sql, r->arena);
    if (!s->where.to)
        return true;
    str_printf(&sql, "SELECT rowid FROM %s", s->scope.table->name);
    if (alias)
        put_token(&sql, alias);
    const struct token *first = &r->t.v[s->where.from], *last = &r->t.v[s->where.to - 1];
    str_puts(&sql, " WHERE ");
    str_put(&sql, first->p, (size_t)(last->p + last->n - first->p));
    s->g->rows = arena_strdup(r->q->arena, sql.buf);
    if (s->where.to <= s->where.from || !regroup_is_sound(r->q, s->g->rows, &s->g->needs))
        return false;
    where_read(r, s);
    return true;
}

static bool rewrite_select(struct regrouping *r, size_t at, size_t *end, struct str *out)
{
    struct simple *s = arena_new(r->arena, struct simple);
    size_t before = out->len, number = 0;
    s->g = arena_new(r->q->arena, struct grouping);
    if (r->depth >= DEEPEST_SELECT)
        return false;
    r->depth++;
    bool ok = select_read(r, s, at) && read_where(r, s);
    if (ok) {
        number = r->q->groups.n;
        vec_push(&r->q->groups, r->q->arena, s->g);
    }
    ok = ok && put_select(r, s, number, out);
    r->depth--;
    if (!ok) {
        out->len = before;
        out->buf[before] = 0;
        return false;
    }
    s->g->needs |= vtab_needs(s->scope.table, s->scope.used);
    *end = s->end;
    r->changes++;
    return true;
}

/* ---- views ---- */

/* Another form of each view, where there is one; made when the first is named. */
static void make_views(struct query *q)
{
    for (size_t i = q->grouped_views.n; query_views[i].name; i++)
        vec_push(&q->grouped_views, q->arena, regroup_text(q, query_views[i].sql, false));
}

/* FROM a view: the other form of it in its place. */
static bool put_view(struct regrouping *r, size_t i, struct str *out)
{
    static const char *const clauses[] = {
        "where", "group", "having", "order",   "limit",   "union", "intersect", "except",
        "join",  "left",  "inner",  "cross",   "natural", "on",    "using",     "window",
        "full",  "right", "outer",  "indexed", "not",     NULL};
    if (!i || !(is_at(r, i - 1, "from") || is_at(r, i - 1, "join")) || is_at(r, i + 1, "."))
        return false;
    for (size_t k = 0; query_views[k].name; k++) {
        if (!sql_named(&r->t.v[i], query_views[k].name) || sql_is_shadowed(r, query_views[k].name))
            continue;
        make_views(r->q);
        if (!r->q->grouped_views.v[k])
            return false;
        const struct token *next = &r->t.v[i + 1];
        bool alias = next->kind == TOKEN_QUOTED || sql_is(next, "as") ||
                     (next->kind == TOKEN_WORD && !sql_is_any(next, clauses));
        /* with a limit, its order stays where the statement's own leaves a choice */
        str_printf(out, " (%s LIMIT -1)", r->q->grouped_views.v[k]);
        if (!alias)
            str_printf(out, " AS %s", query_views[k].name);
        r->changes++;
        return true;
    }
    return false;
}

static const char *regroup_text(struct query *q, const char *sql, bool views)
{
    struct regrouping r = {.q = q, .arena = q->arena};
    struct str out;
    str_init(&out, q->arena);
    if (!sql_read(&r.t, sql, q->arena))
        return NULL;
    const char *written = sql; /* up to here; names of columns are made of the text as it is */
    for (size_t i = 0, end; i < r.t.n && !is_at(&r, i, ";"); i = end) {
        bool anew =
            is_at(&r, i, "select") && (str_putc(&out, ' '), rewrite_select(&r, i, &end, &out));
        if (!anew) {
            end = i + 1;
            anew = views && put_view(&r, i, &out);
        }
        const struct token *last = &r.t.v[end - 1];
        if (!anew)
            str_put(&out, written, (size_t)(last->p + last->n - written));
        written = last->p + last->n;
    }
    return r.changes ? out.buf : NULL;
}

const char *regroup(struct query *q, const char *sql)
{
    return regroup_text(q, sql, true);
}
