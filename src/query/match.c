/* Conditions on columns, tested before a row reaches SQLite; of texts once for each text. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "query/vtab_in.h"

enum { LONGEST_PATTERN = 1000 }; /* SQLite refuses longer ones, and shall */

static bool is_pattern(int op)
{
    return op == SQLITE_INDEX_CONSTRAINT_LIKE || op == SQLITE_INDEX_CONSTRAINT_GLOB;
}

bool match_can(enum qkind kind, int op)
{
    if (op == SQLITE_INDEX_CONSTRAINT_EQ)
        return kind != Q_R;
    if (kind == Q_I)
        return op == SQLITE_INDEX_CONSTRAINT_GT || op == SQLITE_INDEX_CONSTRAINT_GE ||
               op == SQLITE_INDEX_CONSTRAINT_LT || op == SQLITE_INDEX_CONSTRAINT_LE;
    return kind != Q_R && (is_pattern(op) || op == SQLITE_INDEX_CONSTRAINT_NE);
}

/* A text that has no NUL in it; NULL otherwise. */
static const char *plain_text(sqlite3_value *v, size_t *len)
{
    if (sqlite3_value_type(v) != SQLITE_TEXT)
        return NULL;
    const char *text = (const char *)sqlite3_value_text(v);
    *len = (size_t)sqlite3_value_bytes(v);
    return text && strlen(text) == *len ? text : NULL;
}

bool match_is_exact(enum qkind kind, int op, sqlite3_value *v)
{
    size_t len;
    if (!v)
        return false;
    if (kind == Q_I)
        return sqlite3_value_type(v) == SQLITE_INTEGER;
    return plain_text(v, &len) && (!is_pattern(op) || len <= LONGEST_PATTERN);
}

/* Values with low <= value <= high equal a number, below and above it are the rest; low > high: none. */
static void narrow(struct condition *c, int64_t low, int64_t high)
{
    switch (c->op) {
    case SQLITE_INDEX_CONSTRAINT_GT:
        c->lo = high == INT64_MAX ? high : high + 1;
        c->hi = high == INT64_MAX ? NONE : c->hi;
        break;
    case SQLITE_INDEX_CONSTRAINT_GE:
        c->lo = low;
        break;
    case SQLITE_INDEX_CONSTRAINT_LT:
        c->hi = low == NONE ? low : low - 1;
        break;
    case SQLITE_INDEX_CONSTRAINT_LE:
        c->hi = high;
        break;
    default:
        c->lo = low;
        c->hi = high;
    }
    if (c->lo == NONE) /* which stands for NULL: never fits */
        c->lo++;
}

/* The same for a number that may lie between two whole ones, or beyond them all. */
static void narrow_real(struct condition *c, double v)
{
    const double limit = 9223372036854775808.0;
    bool greater = c->op == SQLITE_INDEX_CONSTRAINT_GT || c->op == SQLITE_INDEX_CONSTRAINT_GE;
    bool less = c->op == SQLITE_INDEX_CONSTRAINT_LT || c->op == SQLITE_INDEX_CONSTRAINT_LE;
    if (v >= -limit && v < limit)
        narrow(c, (int64_t)ceil(v), (int64_t)floor(v)); /* in range: the line before */
    else if (v < 0 ? !greater : !less)
        c->lo = 1, c->hi = 0;
}

static enum matched match_text(struct condition *c, const char *text, size_t len,
                               const struct strings *s)
{
    struct match *m = &c->match;
    c->texts = true;
    if (m->text && m->op == c->op && m->len == len && !memcmp(m->text, text, len))
        return MATCH_SOME;
    match_release(c);
    m->text = sqlite3_malloc64(len + 1);
    m->known = sqlite3_malloc64(s->n + 1);
    if (!m->text || !m->known)
        return MATCH_NOMEM;
    memcpy(m->text, text, len + 1);
    memset(m->known, 0, s->n + 1);
    m->len = len;
    m->op = c->op;
    return MATCH_SOME;
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* One value of a list; false: which values of the column equal it cannot be said here. */
static bool add_value(struct condition *c, enum qkind kind, sqlite3_value *v,
                      const struct strings *s)
{
    size_t len;
    const char *text = kind == Q_S ? plain_text(v, &len) : NULL;
    uint32_t id = text && len ? strings_find(s, text) : NO_INDEX;
    if (sqlite3_value_type(v) == SQLITE_NULL || (text && len && id == NO_INDEX))
        return true;
    if (kind == Q_S ? !text || !len : sqlite3_value_type(v) != SQLITE_INTEGER)
        return false;
    c->values[c->n_values++] = kind == Q_S ? (int64_t)id : sqlite3_value_int64(v);
    return true;
}

static enum matched match_list(struct condition *c, enum qkind kind, sqlite3_value *list,
                               const struct strings *s)
{
    sqlite3_value *v;
    size_t room = 0;
    int rc;
    for (rc = sqlite3_vtab_in_first(list, &v); rc == SQLITE_OK;
         rc = sqlite3_vtab_in_next(list, &v)) {
        if (c->n_values == room) {
            room = room ? 2 * room : 16;
            int64_t *more = sqlite3_realloc64(c->values, room * sizeof(*more));
            if (!more)
                return MATCH_NOMEM;
            c->values = more;
        }
        if (!add_value(c, kind, v, s))
            return MATCH_ALL;
    }
    if (rc != SQLITE_DONE)
        return MATCH_NOMEM;
    if (!c->n_values)
        return MATCH_NOTHING;
    size_t n = 0;
    qsort(c->values, c->n_values, sizeof(*c->values), by_value);
    for (size_t i = 0; i < c->n_values; i++)
        if (!i || c->values[i] != c->values[n - 1])
            c->values[n++] = c->values[i];
    c->n_values = n;
    c->lo = c->values[0];
    c->hi = c->values[n - 1];
    return MATCH_SOME;
}

enum matched match_set(struct condition *c, enum qkind kind, sqlite3_value *v,
                       const struct strings *s)
{
    int type = sqlite3_value_type(v);
    c->texts = false;
    c->lo = NONE + 1; /* which stands for NULL: never fits */
    c->hi = INT64_MAX;
    if (c->list) {
        sqlite3_free(c->values);
        c->values = NULL;
        c->n_values = 0;
        return match_list(c, kind, v, s);
    }
    if (type == SQLITE_NULL)
        return MATCH_NOTHING;
    if (kind != Q_I) {
        size_t len;
        const char *text = plain_text(v, &len);
        if (!text || (is_pattern(c->op) && len > LONGEST_PATTERN))
            return MATCH_ALL;
        /* The empty text may have several ids: strings that are not known. */
        if (kind == Q_T || c->op != SQLITE_INDEX_CONSTRAINT_EQ || !len)
            return match_text(c, text, len, s);
        uint32_t id = strings_find(s, text);
        c->lo = c->hi = id;
        return id == NO_INDEX ? MATCH_NOTHING : MATCH_SOME;
    }
    if (type == SQLITE_INTEGER)
        narrow(c, sqlite3_value_int64(v), sqlite3_value_int64(v));
    else if (type == SQLITE_FLOAT)
        narrow_real(c, sqlite3_value_double(v));
    else
        return MATCH_ALL;
    return c->lo > c->hi ? MATCH_NOTHING : MATCH_SOME;
}

static bool ask(const struct match *m, const char *text)
{
    switch (m->op) {
    case SQLITE_INDEX_CONSTRAINT_LIKE:
        return sqlite3_strlike(m->text, text, 0) == 0;
    case SQLITE_INDEX_CONSTRAINT_GLOB:
        return sqlite3_strglob(m->text, text) == 0;
    case SQLITE_INDEX_CONSTRAINT_NE:
        return !str_eq(m->text, text);
    default:
        return str_eq(m->text, text);
    }
}

static bool match_string(struct match *m, const struct strings *s, uint32_t id)
{
    if (id >= s->n)
        return false;
    if (!m->known[id])
        m->known[id] = ask(m, s->v[id].text) ? 2 : 1;
    return m->known[id] == 2;
}

bool match_row(struct condition *c, const struct qcolumn *column, const struct qdata *d, size_t row)
{
    if (!c->texts) {
        int64_t v = column->kind == Q_I ? column->I(d, row) : (int64_t)column->S(d, row);
        return v >= c->lo && v <= c->hi &&
               (!c->values || bsearch(&v, c->values, c->n_values, sizeof(v), by_value));
    }
    if (column->kind == Q_S)
        return match_string(&c->match, &d->t->strings, column->S(d, row));
    const char *text = column->T(d, row);
    if (text != c->match.last) {
        c->match.last = text;
        c->match.last_fits = text && ask(&c->match, text);
    }
    return text && c->match.last_fits;
}

void match_release(struct condition *c)
{
    sqlite3_free(c->match.text);
    sqlite3_free(c->match.known);
    sqlite3_free(c->values);
    c->values = NULL;
    c->n_values = 0;
    c->match = (struct match){0};
}
