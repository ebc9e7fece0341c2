/* A fleet in a file of SQLite. */
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/fs_out.h"
#include "base/sat.h"
#include "base/str.h"
#include "fleet/store.h"
#include "ingest/sqlite/overlay.h"

/* Of one value: a run with 50,000 kernels of their own names takes up to 30 MB. */
enum { BUSY_MS = 30000, MOST_COLUMNS = 64, MOST_BYTES = 128 << 20 };

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

/*
 * Pages of a file may be made to be used many times: then SQLite finds rows without end. What a
 * statement does and what its rows hold is bounded by the bytes there are.
 */
struct reading {
    sqlite3 *db;
    struct overlay *overlay; /* of one that is only read: nothing is written beside it */
    const char *path;
    uint64_t bytes; /* of the file and its log, when the statement began */
    uint64_t steps; /* of SQLite's machine, in thousands */
    bool endless;
};

enum { STEPS_EACH = 1000, STEPS_A_BYTE = 8, STEPS_ALWAYS = 2000000 };
enum { TEXT_RATIO = 4, TEXT_ALWAYS = 16 << 20 };

static int count_steps(void *reading)
{
    struct reading *r = reading;
    r->endless = ++r->steps > (r->bytes * STEPS_A_BYTE + STEPS_ALWAYS) / STEPS_EACH;
    return r->endless;
}

static void begin_counting(struct reading *r)
{
    char log[4096];
    struct stat st;
    int n = snprintf(log, sizeof(log), "%s-wal", r->path);
    r->bytes = stat(r->path, &st) == 0 ? (uint64_t)st.st_size : 0;
    if (n > 0 && (size_t)n < sizeof(log) && stat(log, &st) == 0)
        r->bytes = add_bytes(r->bytes, (uint64_t)st.st_size);
    r->bytes = r->bytes < UINT64_MAX / 16 ? r->bytes : UINT64_MAX / 16;
    r->steps = 0;
    r->endless = false;
}

static bool step(struct reading *r, sqlite3_stmt *s, fleet_taker *take, void *ctx,
                 struct gs_error *err)
{
    const char *columns[MOST_COLUMNS];
    int n = sqlite3_column_count(s), code;
    uint64_t text = 0;
    begin_counting(r);
    while ((code = sqlite3_step(s)) == SQLITE_ROW) {
        if (!take)
            continue;
        for (int i = 0; i < n && i < MOST_COLUMNS; i++) {
            columns[i] = (const char *)sqlite3_column_text(s, i);
            text = add_bytes(text, (uint64_t)sqlite3_column_bytes(s, i));
        }
        r->endless |= text > r->bytes * TEXT_RATIO + TEXT_ALWAYS;
        if (r->endless)
            break;
        if (!take(ctx, columns, n))
            return true;
    }
    if (r->endless)
        return fail(err, GS_E_FORMAT, "it holds more than its size can be: it is damaged");
    return code == SQLITE_DONE || failed(r->db, err);
}

/* "$3" is the third value, in whatever order they stand. */
static bool run(void *ctx, const char *sql, const struct fleet_value *v, size_t n,
                fleet_taker *take, void *take_ctx, uint64_t *changed, struct gs_error *err)
{
    struct reading *r = ctx;
    sqlite3 *db = r->db;
    sqlite3_stmt *s = NULL;
    char name[32];
    bool ok = sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK;
    for (size_t i = 0; ok && i < n; i++) {
        snprintf(name, sizeof(name), "$%zu", i + 1);
        int at = sqlite3_bind_parameter_index(s, name);
        ok = !at || bind(s, at, &v[i]) == SQLITE_OK;
    }
    ok = ok ? step(r, s, take, take_ctx, err) : failed(db, err);
    if (ok && changed)
        *changed = (uint64_t)sqlite3_changes(db);
    sqlite3_finalize(s);
    return ok;
}

static void release(void *what)
{
    struct reading *r = what;
    sqlite3_close(r->db);
    if (r->overlay)
        overlay_free(r->overlay);
}

static const struct fleet_backend backend = {.begin = "BEGIN IMMEDIATE", .run = run};

static bool open_as(struct fleet *f, const char *path, enum fleet_mode mode, struct gs_error *err)
{
    struct reading *r = arena_new(f->arena, struct reading);
    arena_defer(f->arena, release, r);
    r->path = arena_strdup(f->arena, path);
    r->overlay = mode == FLEET_READ ? overlay_new() : NULL; /* not even to recover it */
    if (mode == FLEET_READ && !r->overlay)
        return fail(err, GS_E_IO, "out of memory");
    int flags = SQLITE_OPEN_READWRITE | (mode == FLEET_READ ? 0 : SQLITE_OPEN_CREATE);
    if (sqlite3_open_v2(path, &r->db, flags, r->overlay ? overlay_name(r->overlay) : NULL) !=
        SQLITE_OK)
        return fail(err, GS_E_IO, "cannot open '%s': %s", path,
                    r->db ? sqlite3_errmsg(r->db) : "out of memory");
    sqlite3_busy_timeout(r->db, BUSY_MS);
    /* A file that was handed on must not run anything. */
    sqlite3_db_config(r->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(r->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(r->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_limit(r->db, SQLITE_LIMIT_LENGTH, MOST_BYTES);
    f->backend = &backend;
    sqlite3_progress_handler(r->db, STEPS_EACH, count_steps, r);
    f->db = r;
    return true;
}

/* To open a database for writing may change it: one that is not ours is not opened so. */
static bool is_ours(const struct fleet *f, const char *path, struct gs_error *err)
{
    struct arena *temporary = arena_scratch();
    struct fleet before = {.place = f->place, .arena = temporary};
    bool ok = open_as(&before, path, FLEET_READ, err) && fleet_schema(&before, FLEET_READ, err);
    arena_release(temporary);
    return ok;
}

bool fleet_open_sqlite(struct fleet *f, const char *path, enum fleet_mode mode,
                       struct gs_error *err)
{
    static const char *const journals[] = {"-wal", "-shm", "-journal"};
    struct stat st;
    bool exists = stat(path, &st) == 0;
    for (size_t i = 0; i < ARRAY_LEN(journals); i++)
        if (mode == FLEET_WRITE && str_ends(path, journals[i]))
            return fail(err, GS_E_USAGE,
                        "'%s' is a name that belongs to another database; choose another one",
                        path);
    if (exists && !S_ISREG(st.st_mode))
        return fail(err, GS_E_USAGE, "'%s' is no file; give the file of a database, or an address",
                    path);
    if (!exists && mode == FLEET_READ)
        return fail(err, GS_E_IO, "cannot open '%s': no such file; make it with 'gpusight collect'",
                    path);
    if (mode == FLEET_WRITE && !fs_out_check(path, err))
        return false;
    if (mode == FLEET_WRITE && exists && st.st_size && !is_ours(f, path, err))
        return false;
    return open_as(f, path, mode, err);
}
