/* The parts of a SELECT over one table of a trace: what is selected, FROM, WHERE, GROUP BY and so on. */
#include <stdlib.h>
#include <string.h>

#include "query/select_in.h"

bool sql_is_any(const struct token *t, const char *const *words)
{
    for (; *words; words++)
        if (sql_is(t, *words))
            return true;
    return false;
}

size_t sql_closing(const struct regrouping *r, size_t i)
{
    for (size_t depth = 0; i < r->t.n; i++) {
        depth += is_at(r, i, "(");
        if (is_at(r, i, ")") && --depth == 0)
            return i;
    }
    return r->t.n;
}

size_t sql_next_comma(const struct regrouping *r, size_t i, size_t end)
{
    for (; i < end && !is_at(r, i, ","); i++)
        if (is_at(r, i, "("))
            i = sql_closing(r, i);
    return i < end ? i : end;
}

/* ---- the parts of a SELECT ---- */

static bool read_item(const struct regrouping *r, struct simple *s, size_t from, size_t to)
{
    static const char *const no_alias[] = {"end", "null", "isnull", "notnull", NULL};
    struct item *item = &s->items[s->n_items++];
    *item = (struct item){.of = {from, to}};
    if (to - from < 2)
        return to > from;
    const struct token *last = &r->t.v[to - 1], *before = last - 1;
    bool name =
        (last->kind == TOKEN_WORD && !sql_is_any(last, no_alias)) || last->kind == TOKEN_QUOTED;
    bool value = before->kind == TOKEN_QUOTED || before->kind == TOKEN_NUMBER ||
                 before->kind == TOKEN_TEXT || before->kind == TOKEN_WORD || sql_is(before, ")");
    if (sql_is(before, "as") && (name || last->kind == TOKEN_TEXT)) {
        item->alias = last;
        item->of.to -= 2;
    } else if (name && value) {
        item->alias = last;
        item->of.to -= 1;
    }
    return item->of.to > item->of.from;
}

/* From here to the next word that begins another part, or ends the SELECT. */
static size_t part_end(const struct regrouping *r, size_t i)
{
    static const char *const words[] = {"where", "group",     "having", "order", "limit",
                                        "union", "intersect", "except", "from",  "window",
                                        ";",     ")",         NULL};
    for (; i < r->t.n && !sql_is_any(&r->t.v[i], words); i++)
        if (is_at(r, i, "(")) {
            i = sql_closing(r, i);
            if (i == r->t.n)
                break;
        }
    return i;
}

static struct vaux *find_table(const struct query *q, const struct token *name)
{
    for (size_t i = 0; i < q->aux.n; i++)
        if (sql_named(name, q->aux.v[i]->table->name))
            return q->aux.v[i];
    return NULL;
}

bool sql_is_shadowed(const struct regrouping *r, const char *table)
{
    for (size_t i = 0; i + 1 < r->t.n; i++)
        if (sql_named(&r->t.v[i], table) && (is_at(r, i + 1, "as") || is_at(r, i + 1, "("))) {
            bool cte = i && (is_at(r, i - 1, "with") || is_at(r, i - 1, "recursive") ||
                             is_at(r, i - 1, ","));
            if (cte)
                return true;
        }
    return false;
}

static bool read_from(struct regrouping *r, struct simple *s, size_t *i)
{
    struct vaux *x = find_table(r->q, &r->t.v[*i]);
    size_t end = part_end(r, *i);
    if (!x || sql_is_shadowed(r, x->table->name))
        return false;
    s->scope = (struct scope){.table = x->table, .v = r->t.v, .arena = r->arena, .g = s->g};
    s->g->x = x;
    size_t more = end - *i - 1;
    bool as = more && is_at(r, *i + 1, "as");
    const struct token *alias = &r->t.v[*i + 1 + as];
    if (more > 2 || (more && (more == 1) == as) ||
        (more && alias->kind != TOKEN_WORD && alias->kind != TOKEN_QUOTED))
        return false;
    s->scope.alias = more ? alias : NULL;
    *i = end;
    return true;
}

/* One of the parts that begin with a word, where it is there. */
static void read_part(const struct regrouping *r, size_t *i, const char *word, const char *by,
                      struct range *out)
{
    if (*i >= r->t.n || !is_at(r, *i, word) || (by && !is_at(r, *i + 1, by)))
        return;
    out->from = *i + 1 + (by != NULL);
    *i = out->to = part_end(r, out->from);
}

static bool read_select(struct regrouping *r, struct simple *s, size_t at)
{
    static const char *const ends[] = {"union", "intersect", "except", ";", ")", NULL};
    bool later = at && (is_at(r, at - 1, "union") || is_at(r, at - 1, "all") ||
                        is_at(r, at - 1, "intersect") || is_at(r, at - 1, "except"));
    size_t i = at + 1;
    s->begin = at;
    s->head.from = i;
    s->head.to = i += is_at(r, i, "distinct");
    size_t from = part_end(r, i);
    if (from >= r->t.n || !is_at(r, from, "from"))
        return false;
    for (size_t comma; i <= from; i = comma + 1) {
        comma = sql_next_comma(r, i, from);
        if (s->n_items == MOST_ITEMS || !read_item(r, s, i, comma))
            return false;
    }
    i = from + 1;
    if (!read_from(r, s, &i))
        return false;
    read_part(r, &i, "where", NULL, &s->where);
    read_part(r, &i, "group", "by", &s->group);
    read_part(r, &i, "having", NULL, &s->having);
    if (!later) { /* else they are of all that is united */
        read_part(r, &i, "order", "by", &s->order);
        read_part(r, &i, "limit", NULL, &s->limit);
    }
    s->end = i;
    bool ended = i >= r->t.n || sql_is_any(&r->t.v[i], ends);
    return (ended || (later && (is_at(r, i, "order") || is_at(r, i, "limit")))) &&
           (!s->having.to || s->group.to) && (!s->order.to || !is_at(r, i, "union"));
}

/* ---- keys ---- */

const struct item *select_item(const struct simple *s, const struct token *name,
                               struct arena *arena)
{
    for (size_t i = 0; i < s->n_items; i++)
        if (s->items[i].alias && sql_named(name, sql_text(s->items[i].alias, arena)))
            return &s->items[i];
    return NULL;
}

/* A name that is one of ours must not be one of the table's, too, unless it is the same. */
static bool names_are_clear(struct regrouping *r, struct simple *s)
{
    for (size_t i = 0; i < s->n_items; i++) {
        const struct item *item = &s->items[i];
        const char *name = item->alias ? sql_text(item->alias, r->arena) : "";
        for (size_t k = 0; k < s->scope.table->n_columns; k++) {
            size_t at = item->of.from;
            if (sqlite3_stricmp(name, s->scope.table->parts[0].columns[k].name) != 0)
                continue;
            if (scope_column(&s->scope, &at, item->of.to) != (int)k || at != item->of.to)
                return false;
        }
    }
    return true;
}

/* 'group by 2' and 'group by bucket' mean what is selected. */
static struct range key_span(const struct regrouping *r, const struct simple *s, struct range key)
{
    const struct token *t = &r->t.v[key.from];
    size_t at = key.from;
    struct scope scope = s->scope;
    if (key.to - key.from != 1)
        return key;
    if (t->kind == TOKEN_NUMBER) {
        unsigned long n = strtoul(t->p, NULL, 10);
        return n >= 1 && n <= s->n_items ? s->items[n - 1].of : (struct range){0, 0};
    }
    if (scope_column(&scope, &at, key.to) >= 0)
        return key;
    const struct item *item = select_item(s, t, r->arena);
    return item ? item->of : (struct range){0, 0};
}

bool select_operand(struct simple *s, struct range at, struct operand *out)
{
    size_t i = at.from;
    int column = scope_column(&s->scope, &i, at.to);
    *out = (struct operand){.column = -1};
    if (column >= 0 && i == at.to)
        out->column = column;
    else
        out->expr = expr_read(&s->scope, at.from, at.to, false);
    return out->column >= 0 || out->expr;
}

static bool read_keys(struct regrouping *r, struct simple *s)
{
    struct grouping *g = s->g;
    g->grouped = s->group.to > 0;
    for (size_t i = s->group.from, comma; g->grouped && i < s->group.to; i = comma + 1) {
        comma = sql_next_comma(r, i, s->group.to);
        if (g->n_keys == MOST_KEYS)
            return false;
        struct range at = key_span(r, s, (struct range){i, comma});
        struct operand *key = &g->keys[g->n_keys];
        if (at.to <= at.from)
            return false;
        if (!select_operand(s, at, key)) {
            key->expr = expr_read(&s->scope, at.from, at.to, true);
            g->texts[g->n_keys] = s->scope.texts.v;
            if (!key->expr)
                return false;
        }
        if (key->expr && key->expr->op == EXPR_NUMBER)
            return false;
        s->keys[g->n_keys++] = at;
    }
    return !g->grouped || g->n_keys;
}

/* ORDER BY behind the last of several SELECTs that are united; i is behind one of them. */
static struct range order_of_all(const struct regrouping *r, size_t i)
{
    struct range order = {0};
    for (; i < r->t.n && !is_at(r, i, ")") && !is_at(r, i, ";"); i++) {
        if (is_at(r, i, "("))
            i = sql_closing(r, i);
        else if (is_at(r, i, "order"))
            read_part(r, &i, "order", "by", &order);
        if (order.to)
            break;
    }
    return order;
}

/*
 * Groups come in the order of their keys, which shows where ORDER BY leaves a choice. SQLite takes
 * DESC over from ORDER BY when that has as many terms.
 */
static void turn_keys(struct regrouping *r, struct simple *s)
{
    bool down[MOST_KEYS] = {0};
    struct range order = s->order.to ? s->order : order_of_all(r, s->end);
    size_t n = 0;
    for (size_t i = order.from, comma; i < order.to; i = comma + 1, n++) {
        comma = sql_next_comma(r, i, order.to);
        for (size_t k = i; n < MOST_KEYS && k < comma; k++)
            down[n] |= is_at(r, k, "desc");
    }
    if (n == s->g->n_keys)
        memcpy(s->g->descending, down, sizeof(down));
}

bool select_read(struct regrouping *r, struct simple *s, size_t at)
{
    return read_select(r, s, at) && names_are_clear(r, s) && read_keys(r, s) &&
           (turn_keys(r, s), true);
}
