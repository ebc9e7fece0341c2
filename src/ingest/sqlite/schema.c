#include "ingest/sqlite/schema.h"

#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "base/vec.h"
#include "ingest/sqlite/db.h"

/* The word at *sql, in any case, and the space behind it. */
static bool skip_word(const char **sql, const char *word)
{
    size_t n = strlen(word);
    if (strncasecmp(*sql, word, n))
        return false;
    size_t space = strspn(*sql + n, " \t\r\n\f");
    *sql += n + space;
    return space > 0;
}

/* SQLite writes "CREATE TABLE"; "CREATE VIRTUAL TABLE" may have a page as well. */
static bool is_real(const char *sql)
{
    return skip_word(&sql, "CREATE") && skip_word(&sql, "TABLE");
}

static uint64_t key_of(const char *name)
{
    return hash_bytes(name, strlen(name));
}

struct db_table *schema_table(struct schema *s, const char *name)
{
    uint32_t i = idmap_get(&s->by_name, key_of(name));
    return i != NO_INDEX && str_eq(s->v[i].name, name) ? &s->v[i] : NULL;
}

bool schema_load(struct db *db, struct gs_error *err)
{
    struct schema *s = &db->schema;
    struct idmap by_root;
    struct db_query q;
    idmap_init(&s->by_name, &s->arena);
    idmap_init(&by_root, &s->arena);
    if (!db_query(&q, db, err,
                  "SELECT name, rootpage, sql FROM sqlite_schema NOT INDEXED WHERE type='table' "
                  "AND rootpage>0"))
        return false;
    while (db_next(&q)) {
        int64_t root = sqlite3_column_int64(q.stmt, 1);
        if (!is_real(db_text(&q, 2)) || root > UINT32_MAX)
            continue;
        uint32_t other = idmap_get(&by_root, (uint64_t)root), i = (uint32_t)s->n;
        struct db_table t = {.name = arena_strdup(&s->arena, db_text(&q, 0)),
                             .root = other == NO_INDEX ? (uint32_t)root : 0};
        if (other != NO_INDEX)
            s->v[other].root = 0;
        vec_push(s, &s->arena, t);
        idmap_put(&by_root, (uint64_t)root, i);
        idmap_put(&s->by_name, key_of(t.name), i);
    }
    s->is_loaded = true;
    return db_done(&q, err);
}

void schema_release(struct schema *s)
{
    arena_release(&s->arena);
    *s = (struct schema){0};
}

/* cid, name, type, notnull, dflt_value, pk, hidden (2: computed, 3: computed and stored) */
struct db_table *schema_columns(struct db *db, const char *name, struct gs_error *err)
{
    struct schema *s = &db->schema;
    struct db_table *t = schema_table(s, name);
    struct db_query q;
    if (!t || t->has_columns)
        return t;
    if (!db_query(&q, db, err, "PRAGMA table_xinfo(%Q)", name))
        return NULL;
    VEC(struct db_column) list = {0};
    while (db_next(&q)) {
        struct db_column c = {.name = arena_strdup(&s->arena, db_text(&q, 1)),
                              .position = (uint32_t)sqlite3_column_int(q.stmt, 0),
                              .is_key = sqlite3_column_int(q.stmt, 5) == 1 &&
                                        !strcasecmp(db_text(&q, 2), "INTEGER"),
                              .is_computed = sqlite3_column_int(q.stmt, 6) != 0};
        vec_push(&list, &s->arena, c);
    }
    if (!db_done(&q, err))
        return NULL;
    t->columns = list.v;
    t->n_columns = list.n;
    t->has_columns = true;
    return t;
}

const struct db_column *schema_column(const struct db_table *t, const char *name)
{
    for (size_t i = 0; i < t->n_columns; i++)
        if (!strcasecmp(t->columns[i].name, name) && !t->columns[i].is_computed)
            return &t->columns[i];
    return NULL;
}
