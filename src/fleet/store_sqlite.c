/* A fleet in a file of SQLite. */
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fs.h"
#include "fleet/store.h"

enum { BUSY_MS = 30000, MOST_COLUMNS = 64 };

/* Reasons are few; what the file holds is none of them. */
static bool failed(sqlite3 *db, struct gs_error *err)
{
    int code = sqlite3_errcode(db);
    bool bad = code == SQLITE_CORRUPT || code == SQLITE_NOTADB;
    return fail(err, bad ? GS_E_FORMAT : GS_E_IO, "%s", sqlite3_errmsg(db));
}

static int bind(sqlite3_stmt *s, int at, const struct fleet_value *v)
{
    switch (v->kind) {
    case FLEET_INT:
        return sqlite3_bind_int64(s, at, v->number);
    case FLEET_REAL:
        return sqlite3_bind_double(s, at, v->real);
    case FLEET_TEXT:
        return sqlite3_bind_text(s, at, v->text, -1, SQLITE_STATIC);
    default:
        return sqlite3_bind_null(s, at);
    }
}

static bool step(sqlite3 *db, sqlite3_stmt *s, fleet_taker *take, void *ctx, struct gs_error *err)
{
    const char *columns[MOST_COLUMNS];
    int n = sqlite3_column_count(s), code;
    while ((code = sqlite3_step(s)) == SQLITE_ROW) {
        if (!take)
            continue;
        for (int i = 0; i < n && i < MOST_COLUMNS; i++)
            columns[i] = (const char *)sqlite3_column_text(s, i);
        if (!take(ctx, columns, n))
            return true;
    }
    return code == SQLITE_DONE || failed(db, err);
}

/* "$3" is the third value, in whatever order they stand. */
static bool run(void *ctx, const char *sql, const struct fleet_value *v, size_t n,
                fleet_taker *take, void *take_ctx, uint64_t *changed, struct gs_error *err)
{
    sqlite3 *db = ctx;
    sqlite3_stmt *s = NULL;
    char name[32];
    bool ok = sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK;
    for (size_t i = 0; ok && i < n; i++) {
        snprintf(name, sizeof(name), "$%zu", i + 1);
        int at = sqlite3_bind_parameter_index(s, name);
        ok = !at || bind(s, at, &v[i]) == SQLITE_OK;
    }
    ok = ok ? step(db, s, take, take_ctx, err) : failed(db, err);
    if (ok && changed)
        *changed = (uint64_t)sqlite3_changes(db);
    sqlite3_finalize(s);
    return ok;
}

static void release(void *db)
{
    sqlite3_close_v2(db);
}

static const struct fleet_backend backend = {.begin = "BEGIN IMMEDIATE", .run = run};

bool fleet_open_sqlite(struct fleet *f, const char *path, enum fleet_mode mode,
                       struct gs_error *err)
{
    sqlite3 *db = NULL;
    struct stat st;
    bool exists = stat(path, &st) == 0;
    if (exists && !S_ISREG(st.st_mode))
        return fail(err, GS_E_USAGE, "'%s' is no file; give the file of a database, or an address",
                    path);
    if (!exists && mode == FLEET_READ)
        return fail(err, GS_E_IO, "cannot open '%s': no such file; make it with 'gpusight collect'",
                    path);
    int flags =
        mode == FLEET_READ ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    int code = sqlite3_open_v2(path, &db, flags, NULL);
    if (db)
        arena_defer(f->arena, release, db);
    if (code != SQLITE_OK || !db)
        return fail(err, GS_E_IO, "cannot open '%s': %s", path,
                    db ? sqlite3_errmsg(db) : "out of memory");
    sqlite3_busy_timeout(db, BUSY_MS);
    /* A file that was handed on must not run anything. */
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    f->backend = &backend;
    f->db = db;
    return true;
}
