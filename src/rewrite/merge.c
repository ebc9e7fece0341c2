#include "rewrite/merge.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/sat.h"
#include "base/secret.h"
#include "base/str.h"
#include "convert/rocpd_writer.h"
#include "ingest/ingest.h"
#include "ingest/sqlite/db.h"
#include "model/rocpd_schema.h"

struct merging {
    struct merged *m;
    const struct merge_opts *o;
    struct rocpd_writer *w;
    struct arena *arena;
    const char *path; /* that is read at the moment */
    struct gs_error *err;
    struct idmap guids, suffixes; /* that are taken */
    VEC(struct rocpd_name) names; /* of the sets to be written, in order */
    size_t foreign;               /* tables and columns that the schema does not have */
};

struct set_tables {
    const char **v;
    size_t n, cap;
};

/* A set of tables in a file: those whose name ends in its suffix. */
struct input_set {
    const char *guid, *suffix;
    struct rocpd_name to; /* what it will be called */
    bool renamed;
};

struct input_file {
    struct db *db;
    VEC(struct input_set) sets;
    bool v305; /* has what only that version has */
};

/* ---- what is in a file ---- */

static bool is_word(const char *s)
{
    return *s && strspn(s, "0123456789abcdefABCDEF_-") == strlen(s) && strlen(s) < 100;
}

/* The guid that a set's own metadata tells; from the suffix where they do not. */
static bool read_guid(struct merging *g, struct input_file *f, struct input_set *s)
{
    struct db_query q;
    const char *guid = NULL;
    if (!db_query(&q, f->db, g->err, "SELECT tag, value FROM \"rocpd_metadata%w\"", s->suffix))
        return false;
    while (db_next(&q))
        if (str_eq(db_text(&q, 0), "guid"))
            guid = arena_strdup(g->arena, db_text(&q, 1));
    if (!db_done(&q, g->err))
        return false;
    s->guid = guid && is_word(guid) ? guid : s->suffix + 1;
    return true;
}

static bool cannot_read(struct merging *g)
{
    return wrap(g->err, "cannot read '%s'", g->path);
}

static bool find_sets(struct merging *g, struct input_file *f, const char *path)
{
    static const char head[] = "rocpd_metadata_";
    for (size_t i = 0; i < f->db->schema.n; i++) {
        const char *name = f->db->schema.v[i].name;
        if (strncmp(name, head, sizeof(head) - 1) != 0 || !is_word(name + sizeof(head) - 1))
            continue;
        struct input_set s = {.suffix = arena_strdup(g->arena, name + sizeof(head) - 2)};
        if (!read_guid(g, f, &s))
            return cannot_read(g);
        vec_push(&f->sets, g->arena, s);
    }
    f->v305 =
        f->sets.n &&
        db_has_column(f->db, arena_printf(g->arena, "rocpd_kernel_dispatch%s", f->sets.v[0].suffix),
                      "graph_exec_id");
    return f->sets.n || fail(g->err, GS_E_FORMAT,
                             "'%s' is no rocpd database with sets of tables; 'gpusight convert -f "
                             "rocpd' makes one of other traces",
                             path);
}

/* ---- copying ---- */

static void column_list(struct str *out, const struct db_table *t, bool guid, const char *each)
{
    bool any = false;
    for (size_t i = 0; i < t->n_columns; i++) {
        if (t->columns[i].is_computed || (!guid && str_eq(t->columns[i].name, "guid")))
            continue;
        str_puts(out, any ? ", " : "");
        any = true;
        if (each) {
            str_puts(out, each);
        } else {
            char *quoted = sqlite3_mprintf("\"%w\"", t->columns[i].name);
            str_puts(out, quoted ? quoted : "NULL");
            sqlite3_free(quoted);
        }
    }
}

static bool out_failed(struct merging *g, const char *what)
{
    return fail(g->err, GS_E_IO, "cannot write '%s': %s: %s", g->o->out, what,
                sqlite3_errmsg(g->w->db));
}

/* SQLite reads the whole schema again for each: many would take hours. */
static bool may_add(struct merging *g, const char *table)
{
    enum { MOST = 500 };
    return g->foreign++ < MOST ||
           fail(
               g->err, GS_E_USAGE,
               "cannot write '%s': more than %d tables and columns that are not of rocpd's schema, "
               "the next in '%s'; 'gpusight convert -f rocpd' writes what the schema has",
               g->o->out, MOST, table);
}

/* What the table to be written has so far; nothing: it is not there. */
static bool out_columns(struct merging *g, const char *table, struct strings *out)
{
    sqlite3_stmt *st;
    char *sql = sqlite3_mprintf("SELECT lower(name) FROM pragma_table_info(%Q)", table);
    int rc = sql ? sqlite3_prepare_v2(g->w->db, sql, -1, &st, NULL) : SQLITE_NOMEM;
    sqlite3_free(sql);
    if (rc != SQLITE_OK)
        return out_failed(g, table);
    while (sqlite3_step(st) == SQLITE_ROW)
        strings_add(out, (const char *)sqlite3_column_text(st, 0));
    sqlite3_finalize(st);
    return true;
}

static const char *lower(const char *text, struct arena *a)
{
    char *out = arena_strdup(a, text);
    for (char *c = out; *c; c++)
        *c = (char)(*c >= 'A' && *c <= 'Z' ? *c + 'a' - 'A' : *c);
    return out;
}

/* Columns that the schema does not know are added, so that nothing is lost. */
static bool add_columns(struct merging *g, const char *table, const struct db_table *t,
                        struct strings *there, struct arena *a)
{
    for (size_t i = 0; i < t->n_columns; i++) {
        size_t before = there->n;
        if (t->columns[i].is_computed || strings_add(there, lower(t->columns[i].name, a)) < before)
            continue;
        if (!may_add(g, table))
            return false;
        char *sql =
            sqlite3_mprintf("ALTER TABLE \"%w\" ADD COLUMN \"%w\"", table, t->columns[i].name);
        int rc = sql ? sqlite3_exec(g->w->db, sql, NULL, NULL, NULL) : SQLITE_NOMEM;
        sqlite3_free(sql);
        if (rc != SQLITE_OK)
            return out_failed(g, table);
    }
    return true;
}

static bool make_table(struct merging *g, const char *table, const struct db_table *t)
{
    struct arena *own = arena_child(g->arena);
    struct strings there;
    struct str sql;
    strings_init(&there, own);
    size_t none = there.n;
    bool ok = out_columns(g, table, &there);
    if (ok && there.n > none) {
        ok = add_columns(g, table, t, &there, own);
    } else if (ok && (ok = may_add(g, table))) {
        char *head = sqlite3_mprintf("CREATE TABLE IF NOT EXISTS \"%w\"(", table);
        str_init(&sql, own);
        str_puts(&sql, head ? head : "");
        sqlite3_free(head);
        column_list(&sql, t, true, NULL);
        str_putc(&sql, ')');
        ok = sqlite3_exec(g->w->db, sql.buf, NULL, NULL, NULL) == SQLITE_OK || out_failed(g, table);
    }
    arena_release(own);
    return ok;
}

/* Commands and environments of processes, which a file that is passed on should not give away. */
static void bind_masked(struct merging *g, sqlite3_stmt *put, sqlite3_stmt *from, int column)
{
    struct arena *own = arena_scratch();
    size_t hidden = 0;
    bool blob = sqlite3_column_type(from, column) == SQLITE_BLOB;
    const void *text = blob ? sqlite3_column_blob(from, column) : sqlite3_column_text(from, column);
    size_t n = text ? (size_t)sqlite3_column_bytes(from, column) : 0;
    char *copy = arena_strndup(own, text, n);
    for (size_t i = 0; i < n; i++)
        if (!copy[i]) /* the rest is not read otherwise */
            copy[i] = ' ';
    const char *masked = secret_mask(copy, own, &hidden);
    if (hidden)
        sqlite3_bind_text(put, column + 1, masked, -1, SQLITE_TRANSIENT);
    else
        sqlite3_bind_value(put, column + 1, sqlite3_column_value(from, column));
    g->m->masked += hidden;
    arena_release(own);
}

static bool copy_rows(struct merging *g, struct db_query *q, sqlite3_stmt *put, bool mask,
                      uint64_t *lost)
{
    int n = sqlite3_column_count(q->stmt);
    while (db_next(q)) {
        for (int i = 0; i < n; i++) {
            int type = mask ? sqlite3_column_type(q->stmt, i) : SQLITE_NULL;
            if (type == SQLITE_TEXT || type == SQLITE_BLOB)
                bind_masked(g, put, q->stmt, i);
            else
                sqlite3_bind_value(put, i + 1, sqlite3_column_value(q->stmt, i));
        }
        int rc = sqlite3_step(put);
        *lost += rc == SQLITE_DONE && sqlite3_changes(g->w->db) == 0;
        sqlite3_reset(put);
        if (rc != SQLITE_DONE && rc != SQLITE_CONSTRAINT)
            return out_failed(g, "row");
        *lost += rc == SQLITE_CONSTRAINT;
        g->m->rows++;
    }
    return true;
}

/* A table of a set; without its guid column where that gets another value by default. */
static bool copy_table(struct merging *g, struct db *db, const char *from, const char *to,
                       bool guid)
{
    struct str list, marks;
    struct db_query q;
    sqlite3_stmt *put = NULL;
    uint64_t lost = 0;
    const struct db_table *t = schema_columns(db, from, g->err);
    if (!t || !t->n_columns)
        return t != NULL || cannot_read(g);
    if (!make_table(g, to, t))
        return false;
    str_init(&list, g->arena);
    str_init(&marks, g->arena);
    column_list(&list, t, guid, NULL);
    column_list(&marks, t, guid, "?");
    char *sql =
        sqlite3_mprintf("INSERT OR IGNORE INTO \"%w\"(%s) VALUES(%s)", to, list.buf, marks.buf);
    int rc = sql ? sqlite3_prepare_v2(g->w->db, sql, -1, &put, NULL) : SQLITE_NOMEM;
    sqlite3_free(sql);
    if (rc != SQLITE_OK)
        return out_failed(g, to);
    bool asked = db_query(&q, db, g->err, "SELECT %s FROM \"%w\"", list.buf, from);
    bool ok = asked && copy_rows(g, &q, put, str_starts(to, "rocpd_info_process"), &lost);
    bool read = db_done(&q, ok ? g->err : NULL);
    sqlite3_finalize(put);
    if (!asked || (ok && !read))
        return cannot_read(g);
    if (lost)
        vec_push(&g->m->notes, g->arena,
                 arena_printf(g->arena, "%s: %llu rows repeat an id and are left out", from,
                              (unsigned long long)lost));
    return ok;
}

/* ---- sets ---- */

/* Names of tables are the same in small and in large letters. */
static uint64_t name_key(struct merging *g, const char *name)
{
    const char *small = lower(name, g->arena);
    return hash_bytes(small, strlen(small));
}

static bool is_taken(struct merging *g, const char *guid, const char *suffix)
{
    return idmap_get(&g->guids, name_key(g, guid)) != NO_INDEX ||
           idmap_get(&g->suffixes, name_key(g, suffix)) != NO_INDEX;
}

/* Another guid of the same form, which the same inputs always get; `n`: how many are there. */
static const char *other_guid(struct merging *g, const char *guid)
{
    for (uint64_t n = 2 + g->names.n;; n++) {
        uint64_t h = hash_fixed_bytes(guid, strlen(guid)) ^ hash_fixed_u64(n);
        const char *other =
            arena_printf(g->arena, "%08llx-%04llx-7%03llx-8%03llx-%012llx",
                         (unsigned long long)(h >> 32), (unsigned long long)(h >> 16 & 0xffff),
                         (unsigned long long)(h & 0xfff), (unsigned long long)(n & 0xfff),
                         (unsigned long long)(hash_fixed_u64(h) & 0xffffffffffff));
        if (!is_taken(g, other, rocpd_suffix(other, g->arena)))
            return other;
    }
}

/* What a set will be called, before anything is written. */
static bool name_set(struct merging *g, struct input_set *s, const char *path)
{
    s->to = (struct rocpd_name){s->guid, s->suffix};
    s->renamed = is_taken(g, s->guid, s->suffix);
    if (s->renamed && !g->o->rename)
        return fail(g->err, GS_E_USAGE,
                    "'%s' has the guid %s, which another input has too; give --rename to keep both",
                    path, s->guid);
    if (s->renamed) {
        s->to.guid = other_guid(g, s->guid);
        s->to.suffix = rocpd_suffix(s->to.guid, g->arena);
        g->m->renamed++;
    }
    idmap_put(&g->guids, name_key(g, s->to.guid), 0);
    idmap_put(&g->suffixes, name_key(g, s->to.suffix), 0);
    vec_push(&g->names, g->arena, s->to);
    return true;
}

static bool rename_metadata(struct merging *g, const char *suffix, const char *guid)
{
    char *sql = sqlite3_mprintf("UPDATE \"rocpd_metadata%w\" SET value = %Q WHERE tag = 'uuid'; "
                                "UPDATE \"rocpd_metadata%w\" SET value = %Q WHERE tag = 'guid'",
                                suffix, suffix, suffix, guid);
    int rc = sql ? sqlite3_exec(g->w->db, sql, NULL, NULL, NULL) : SQLITE_NOMEM;
    sqlite3_free(sql);
    return rc == SQLITE_OK || out_failed(g, "metadata");
}

static bool copy_set(struct merging *g, struct input_file *f, const struct input_set *s,
                     const struct set_tables *tables)
{
    size_t n = strlen(s->suffix);
    rocpd_writer_set_empty(g->w, s->to.guid, s->to.suffix);
    for (size_t i = 0; i < tables->n && !g->w->failed; i++) {
        const char *name = tables->v[i];
        const char *new =
            arena_printf(g->arena, "%.*s%s", (int)(strlen(name) - n), name, s->to.suffix);
        if (!copy_table(g, f->db, name, new, !s->renamed))
            return false;
    }
    g->m->sets++;
    return !s->renamed || rename_metadata(g, s->to.suffix, s->to.guid);
}

static struct db *open_file(struct merging *g, const char *path, struct arena *owner)
{
    g->path = path;
    struct db *db = db_new(owner, path, READER_SQLITE, 1, g->err);
    if (!db)
        cannot_read(g);
    return db;
}

/* The tables of each set: those whose name ends in its suffix. Of several such the longest. */
static struct set_tables *tables_of_sets(struct input_file *f, struct arena *a)
{
    struct set_tables *out = arena_array(a, struct set_tables, f->sets.n + 1);
    struct idmap by_suffix;
    idmap_init(&by_suffix, a);
    for (size_t i = 0; i < f->sets.n; i++)
        idmap_put(&by_suffix, hash_bytes(f->sets.v[i].suffix, strlen(f->sets.v[i].suffix)),
                  (uint32_t)i);
    for (size_t i = 0; i < f->db->schema.n; i++) {
        const char *name = f->db->schema.v[i].name;
        if (!str_starts(name, "rocpd_"))
            continue;
        uint32_t set = NO_INDEX;
        for (const char *at = strchr(name + 6, '_'); at && set == NO_INDEX;
             at = strchr(at + 1, '_'))
            if (strlen(at) < 102)
                set = idmap_get(&by_suffix, hash_bytes(at, strlen(at)));
        if (set != NO_INDEX)
            vec_push(&out[set], a, name);
    }
    return out;
}

/* Which sets there are; a job has more files than a process may have open. */
static bool look_into(struct merging *g, struct input_file *f, const char *path)
{
    struct arena *own = arena_child(g->arena);
    f->db = open_file(g, path, own);
    bool ok = f->db && find_sets(g, f, path);
    arena_release(own);
    return ok;
}

static bool copy_file(struct merging *g, struct input_file *f, const char *path)
{
    struct arena *own = arena_child(g->arena);
    f->db = open_file(g, path, own);
    bool ok = f->db != NULL;
    struct set_tables *tables = ok ? tables_of_sets(f, own) : NULL;
    for (size_t k = 0; ok && k < f->sets.n; k++)
        ok = copy_set(g, f, &f->sets.v[k], &tables[k]);
    arena_release(own);
    return ok;
}

bool rocpd_merge(struct merged *m, const struct merge_opts *o, struct fs_set *set,
                 struct arena *arena, struct gs_error *err)
{
    struct merging g = {.m = m, .o = o, .arena = arena, .err = err};
    struct ingest_files in = {0};
    bool v305 = false;
    idmap_init(&g.guids, arena);
    idmap_init(&g.suffixes, arena);
    if (!ingest_find(&in, o->paths, NULL, arena, err))
        return false;
    struct input_file *files = arena_array(arena, struct input_file, in.n + 1);
    for (size_t i = 0; i < in.n; i++) {
        if (!look_into(&g, &files[i], in.v[i].path))
            return false;
        for (size_t k = 0; k < files[i].sets.n; k++)
            if (!name_set(&g, &files[i].sets.v[k], in.v[i].path))
                return false;
        v305 |= files[i].v305;
    }
    g.w = rocpd_writer_open(set, o->out, v305, arena, err);
    if (g.w && !rocpd_writer_prepare(g.w, g.names.v, g.names.n))
        return rocpd_writer_close(g.w, err);
    for (size_t i = 0; g.w && i < in.n; i++)
        if (!copy_file(&g, &files[i], in.v[i].path))
            return false;
    m->files = in.n;
    return g.w && rocpd_writer_close(g.w, err);
}
