#include "ingest/sqlite/schema.h"

#include <string.h>
#include <strings.h>

#include "base/fs.h"
#include "base/str.h"
#include "base/vec.h"
#include "ingest/sqlite/db.h"
#include "ingest/sqlite/record.h"

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

/* A row of sqlite_schema; two tables that claim a page have none. */
static void add_table(struct schema *s, struct idmap *by_root, const char *name, int64_t root)
{
    uint32_t other = idmap_get(by_root, (uint64_t)root), i = (uint32_t)s->n;
    struct db_table t = {.name = name, .root = other == NO_INDEX ? (uint32_t)root : 0};
    if (other != NO_INDEX)
        s->v[other].root = 0;
    vec_push(s, &s->arena, t);
    idmap_put(by_root, (uint64_t)root, i);
    idmap_put(&s->by_name, key_of(t.name), i);
}

static void begin(struct schema *s, struct idmap *by_root)
{
    s->n = 0;
    idmap_init(&s->by_name, &s->arena);
    idmap_init(by_root, &s->arena);
}

static bool load_all(struct db *db, struct gs_error *err)
{
    struct schema *s = &db->schema;
    struct idmap by_root;
    struct db_query q;
    begin(s, &by_root);
    if (!db_query(&q, db, err,
                  "SELECT name, rootpage, sql FROM sqlite_schema NOT INDEXED WHERE type='table' "
                  "AND rootpage>0"))
        return false;
    while (db_next(&q)) {
        int64_t root = sqlite3_column_int64(q.stmt, 1);
        if (is_real(db_text(&q, 2)) && root <= UINT32_MAX)
            add_table(s, &by_root, arena_strdup(&s->arena, db_text(&q, 0)), root);
    }
    return db_done(&q, err);
}

/* ---- only the names: SQLite would parse every statement there to tell them ---- */

enum { TYPE, NAME, ROOT, SQL, N_WANTED };

struct names {
    struct db *db;
    struct idmap by_root;
    struct decoder *decoder;
    struct arena *leaf; /* what is needed of one */
};

/* False for what only SQLite can tell: of a statement that goes on elsewhere there is the front. */
static bool take_names(struct names *k, const struct cell *cells, size_t n)
{
    struct schema *s = &k->db->schema;
    struct slice *type = arena_array(k->leaf, struct slice, n);
    struct slice *name = arena_array(k->leaf, struct slice, n);
    struct slice *sql = arena_array(k->leaf, struct slice, n);
    int64_t *root = arena_array(k->leaf, int64_t, n);
    void *const out[N_WANTED] = {[TYPE] = type, [NAME] = name, [ROOT] = root, [SQL] = sql};
    if (!decoder_rows(k->decoder, cells, n, out, 0))
        return false;
    for (size_t i = 0; i < n; i++) {
        if (root[i] <= 0 || root[i] > UINT32_MAX || type[i].n != 5 || memcmp(type[i].p, "table", 5))
            continue;
        if (is_real(arena_strndup(k->leaf, sql[i].p, sql[i].n)))
            add_table(s, &k->by_root, arena_strndup(&s->arena, name[i].p, name[i].n), root[i]);
        else if (cells[i].local < cells[i].payload)
            return false;
    }
    return true;
}

static bool take_leaf(struct names *k, const struct leaf_ref *ref, uint8_t *buf)
{
    const struct pages *p = &k->db->pages;
    struct leaf leaf;
    if (!pages_read(p, 0, ref, 1, buf) || !leaf_open_at(p, buf, ref->page, &leaf))
        return false;
    struct cell *cells = arena_array(k->leaf, struct cell, leaf.n_cells);
    return leaf_cells(p, &leaf, 0, leaf.n_cells, cells) && take_names(k, cells, leaf.n_cells);
}

static bool load_names(struct db *db)
{
    static const struct record_plan plan = {
        .n = N_WANTED,
        .col = {[TYPE] = {.field = 0, .type = SCAN_TEXT},
                [NAME] = {.field = 1, .type = SCAN_TEXT},
                [ROOT] = {.field = 3, .type = SCAN_INT},
                [SQL] = {.field = 4, .type = SCAN_TEXT, .is_front = true}},
    };
    struct arena *temporary = arena_scratch();
    struct names k = {
        .db = db, .decoder = decoder_new(&plan, temporary), .leaf = arena_child(temporary)};
    struct leaf_list leaves = {0};
    begin(&db->schema, &k.by_root);
    bool ok = pages_leaves(&db->pages, 1, &leaves, temporary);
    uint8_t *buf = arena_alloc(temporary, db->pages.page_size + FS_SLACK);
    for (size_t i = 0; ok && i < leaves.n; i++) {
        ok = take_leaf(&k, &leaves.v[i], buf);
        arena_release(k.leaf);
    }
    arena_release(temporary);
    return ok;
}

bool schema_load(struct db *db, struct gs_error *err)
{
    bool plain = db->can_check && !db->not_fast && db->pages.utf8;
    bool ok = (db->mode == READER_NAMES && plain && load_names(db)) || load_all(db, err);
    db->schema.is_loaded = true;
    return ok;
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
