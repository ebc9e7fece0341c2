/* What the virtual tables of traces, results and groups have in common. */
#include <assert.h>
#include <string.h>

#include "query/query_in.h"

int vtab_declare(struct query *q, const struct vtab_columns *c, void *of, sqlite3_vtab **out)
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
    struct vtab *v = rc == SQLITE_OK ? sqlite3_malloc64(sizeof(*v)) : NULL;
    *out = v ? &v->base : NULL;
    if (!v)
        return rc == SQLITE_OK ? SQLITE_NOMEM : rc;
    *v = (struct vtab){.of = of};
    return SQLITE_OK;
}

int vtab_disconnect(sqlite3_vtab *v)
{
    sqlite3_free(v);
    return SQLITE_OK;
}

int walk_open(sqlite3_vtab *v, size_t size, sqlite3_vtab_cursor **out)
{
    assert(size >= sizeof(struct walk)); /* every cursor begins with one */
    struct walk *w = sqlite3_malloc64(size);
    if (!w)
        return SQLITE_NOMEM;
    memset(w, 0, size);
    w->of = ((struct vtab *)v)->of;
    *out = &w->base;
    return SQLITE_OK;
}

int walk_close(sqlite3_vtab_cursor *c)
{
    sqlite3_free(c);
    return SQLITE_OK;
}

int walk_next(sqlite3_vtab_cursor *c)
{
    ((struct walk *)c)->at++;
    return SQLITE_OK;
}

int walk_at_end(sqlite3_vtab_cursor *c)
{
    const struct walk *w = (const struct walk *)c;
    return w->at >= w->end;
}

int walk_rowid(sqlite3_vtab_cursor *c, sqlite3_int64 *out)
{
    *out = (sqlite3_int64)((const struct walk *)c)->at + 1;
    return SQLITE_OK;
}
