#define _GNU_SOURCE /* realpath */
#include "ingest/sqlite/db.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/confine.h"
#include "base/fs.h"
#include "base/inputs.h"
#include "base/str.h"
#include "ingest/sqlite/overlay.h"

/* MOST_CARRIED: a log is held in memory for the sake of the check; larger ones are read as they are. */
enum {
    MOST_CARRIED = 256 * 1024 * 1024,
    WAL_HEADER = 32,
    LOCK_WAIT_MS = 1000,
    WAL_LOCK_FIRST = 120,
    WAL_LOCK_BYTES = 9
};

/* SQLite speaks of memory also where a record claims to be gigabytes long. */
static bool lacks_memory(const struct db *db)
{
    if (!db->handle || overlay_lacks_memory(db->overlay))
        return true;
    void *p = sqlite3_malloc64(LONGEST_VALUE);
    sqlite3_free(p);
    return !p;
}

bool db_damaged(struct db *db, const char *why, struct gs_error *err)
{
    int problem = db->problem ? db->problem : overlay_problem(db->overlay);
    if (problem)
        return fail(err, GS_E_IO, "the disk cannot be read: %s", strerror(problem));
    return fail(err, GS_E_FORMAT, "damaged database: %s", why);
}

bool db_fail(struct db *db, struct gs_error *err)
{
    int code = db->handle ? sqlite3_errcode(db->handle) & 0xff : SQLITE_NOMEM;
    if (db->guard.lacks_memory)
        return fail(err, GS_E_IO, "out of memory");
    if (db->guard.why[0])
        return db_damaged(db, db->guard.why, err);
    if (code == SQLITE_BUSY || code == SQLITE_LOCKED)
        return fail(err, GS_E_IO, "another program is writing it; wait until it has finished");
    if (code == SQLITE_NOMEM && lacks_memory(db))
        return fail(err, GS_E_IO, "out of memory");
    if (code == SQLITE_NOMEM || code == SQLITE_TOOBIG)
        return db_damaged(db, "a record of absurd length", err);
    if (code == SQLITE_IOERR || code == SQLITE_CANTOPEN)
        return fail(err, GS_E_IO, "the disk or a journal beside it cannot be read: %s",
                    sqlite3_errmsg(db->handle));
    if (code == SQLITE_NOTADB)
        return fail(err, GS_E_FORMAT, "not a database, or encrypted");
    return db_damaged(db, sqlite3_errmsg(db->handle), err);
}

/* The process that has the write-ahead log open, or 0. Asks the locks, changes nothing. */
static long wal_user(const char *path)
{
    char shm[4096];
    if (snprintf(shm, sizeof(shm), "%s-shm", path) >= (int)sizeof(shm))
        return 0;
    int fd = fs_open(shm, NULL);
    if (fd < 0)
        return 0;
    struct flock lock = {.l_type = F_WRLCK,
                         .l_whence = SEEK_SET,
                         .l_start = WAL_LOCK_FIRST,
                         .l_len = WAL_LOCK_BYTES};
    long pid = 0;
    if (fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK)
        pid = (long)lock.l_pid;
    close(fd);
    return pid;
}

static int64_t size_beside(const char *path, const char *suffix)
{
    char name[4096];
    if (snprintf(name, sizeof(name), "%s%s", path, suffix) >= (int)sizeof(name))
        return 0;
    int64_t size = fs_size(name);
    return size < 0 ? 0 : size;
}

static uint32_t be32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* The size as the header tells it, 0 when it does not: SQLite takes half a last page for a whole.
 */
static uint64_t told_size(const uint8_t *header, uint64_t bytes)
{
    if (bytes < PAGES_HEADER)
        return PAGES_HEADER;
    uint64_t page = be32(header + 14) & 0xffff; /* the two bytes at 16; 1 stands for 65536 */
    uint64_t pages = be32(header + 28);
    bool holds = be32(header + 24) == be32(header + 92) && !(page & (page - 1));
    return holds ? (page == 1 ? 65536 : page) * pages : 0;
}

/*
 * Begins to read: from here on the content stays as it is. Does not look at the schema yet. A log
 * is carried over into the overlay first, so that its pages can be checked like those of the file.
 */
static bool begin(struct db *db, bool has_log)
{
    int in_log = 0, carried = 0;
    guard_install(db);
    sqlite3_busy_timeout(db->handle, LOCK_WAIT_MS);
    /* Only after a first read SQLite knows that there is a log. */
    if (sqlite3_exec(db->handle, "PRAGMA cell_size_check=ON; PRAGMA schema_version", NULL, NULL,
                     NULL) != SQLITE_OK)
        return false;
    db->log_left = has_log && db->log_bytes > MOST_CARRIED;
    if (has_log && !db->log_left &&
        sqlite3_wal_checkpoint_v2(db->handle, NULL, SQLITE_CHECKPOINT_TRUNCATE, &in_log,
                                  &carried) != SQLITE_OK)
        return false;
    db->log_left |= in_log != carried;
    return sqlite3_exec(db->handle, "BEGIN; PRAGMA schema_version", NULL, NULL, NULL) == SQLITE_OK;
}

static bool open_handle(struct db *db, bool has_log, struct gs_error *err)
{
    db->overlay = overlay_new();
    if (!db->overlay)
        return fail(err, GS_E_IO, "out of memory");
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(db->unpacked.path, &db->handle, flags, overlay_name(db->overlay)) !=
        SQLITE_OK)
        return db_fail(db, err);
    return begin(db, has_log) || db_fail(db, err);
}

/* A log with something in it, beside the file itself (as SQLite looks for it), not beside a link.
 */
static bool find_log(struct db *db, bool *found, struct gs_error *err)
{
    char resolved[PATH_MAX];
    const char *real = realpath(db->path, resolved) ? resolved : db->path;
    for (size_t i = 1; i < FS_DB_FILES; i++) /* what appears there would be taken for part of it */
        inputs_add_beside(real, fs_db_ends[i]);
    bool packed = db->unpacked.fd >= 0;
    db->log_bytes = packed ? 0 : (uint64_t)size_beside(real, "-wal");
    db->journal_bytes = packed ? 0 : (uint64_t)size_beside(real, "-journal");
    *found = db->log_bytes > WAL_HEADER;
    long pid = *found ? wal_user(real) : 0;
    return !pid || fail(err, GS_E_IO,
                        "another program (pid %ld) is writing it; wait until it has finished", pid);
}

/*
 * Threads that read through one descriptor wait for each other's count of its users and its place
 * for reading ahead: each gets its own, if that still is the same file.
 */
static bool open_fds(struct db *db, struct gs_error *err)
{
    struct stat first, now;
    const char *path = db->unpacked.path;
    int fd = fs_open_plain(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return fail(err, GS_E_IO, "cannot open '%s': %s", path, strerror(errno));
    for (int i = 0; i < PARALLEL_MAX; i++)
        db->fds[i] = fd;
    db->n_fds = 1;
    if (fstat(fd, &first) != 0 || !S_ISREG(first.st_mode))
        return fail(err, GS_E_IO, "cannot read '%s': not a regular file", path);
    if (db->unpacked.fd < 0 && !confine_allows(fd, path, err))
        return false;
    db->bytes = (uint64_t)first.st_size;
    for (; db->n_fds < db->threads; db->n_fds++) {
        fd = fs_open_plain(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (fd < 0)
            return true;
        if (fstat(fd, &now) != 0 || now.st_ino != first.st_ino || now.st_dev != first.st_dev) {
            close(fd);
            return true;
        }
        db->fds[db->n_fds] = fd;
    }
    return true;
}

static bool read_header(struct db *db, uint8_t *header)
{
    struct stat st;
    memset(header, 0, PAGES_HEADER);
    if (fstat(db->fds[0], &st) != 0 || fs_read_at(db->fds[0], header, PAGES_HEADER, 0) < 0)
        return false;
    db->bytes = (uint64_t)st.st_size;
    return true;
}

/* The pages as SQLite sees them after a recovery; only to be checked. */
static bool open_view(struct db *db)
{
    uint8_t header[PAGES_HEADER];
    uint64_t size = overlay_size(db->overlay);
    if (!overlay_read(db->overlay, 0, header, sizeof(header)))
        return false;
    uint64_t page = be32(header + 14) & 0xffff, whole = page == 1 ? 65536 : page ? page : 1;
    if (!pages_init(&db->pages, header, (size + whole - 1) / whole * whole, db->fds))
        return false;
    db->pages.view = overlay_read;
    db->pages.view_of = db->overlay;
    return true;
}

/* How the pages are read, and whether they are the ones SQLite sees. */
static bool open_pages(struct db *db, const uint8_t *header, bool has_log, struct gs_error *err)
{
    struct tree_check check;
    bool changed = overlay_changed(db->overlay);
    uint64_t page = be32(header + 14) & 0xffff, whole = page == 1 ? 65536 : page ? page : 1;
    db->unfinished = has_log || changed;
    if (has_log)
        db->not_fast = "write-ahead log";
    else if (changed)
        db->not_fast = "rolled-back journal";
    bool fits = pages_init(&db->pages, header, db->bytes, db->fds);
    if (!fits && !db->not_fast)
        db->not_fast = "unusual page layout";
    /* Also where half a page follows the last one: SQLite does not mind. */
    uint64_t rounded = (db->bytes + whole - 1) / whole * whole;
    db->can_check =
        db->unfinished ? open_view(db) : fits || pages_init(&db->pages, header, rounded, db->fds);
    if (!db->can_check)
        return true;
    db->pages.problem = &db->problem;
    size_t owners = ((size_t)db->pages.n_pages + 1) * sizeof(*db->pages.owner);
    db->pages.owner = arena_calloc(&db->schema.arena, owners, 1);
    return pages_check(&db->pages, 1, &check) ||
           (check.lacks_memory ? fail(err, GS_E_IO, "out of memory")
                               : db_damaged(db, check.why, err));
}

static bool open_all(struct db *db, struct gs_error *err)
{
    struct gs_error why = {0};
    uint8_t header[PAGES_HEADER];
    bool has_log = false;
    /* Before SQLite: closing any descriptor of a file drops the locks SQLite holds on it. */
    if (!open_fds(db, err) || !find_log(db, &has_log, err))
        return false;
    bool ok = open_handle(db, has_log, &why);
    /* After SQLite: a writer that was at work has finished now, and the next one waits. */
    if (!read_header(db, header))
        return fail(err, GS_E_IO, "cannot read '%s': %s", db->unpacked.path, strerror(errno));
    bool plain = !has_log && db->overlay && !overlay_changed(db->overlay);
    uint64_t told = plain && (ok || why.code == GS_E_FORMAT) ? told_size(header, db->bytes) : 0;
    if (db->bytes < told)
        return fail(err, GS_E_FORMAT,
                    "the file was cut: %" PRIu64 " of %" PRIu64 " bytes are there", db->bytes,
                    told);
    if (!ok)
        return fail(err, why.code, "%s", why.text);
    return open_pages(db, header, has_log, err) && schema_load(db, err);
}

static void close_it(void *db)
{
    db_close(db);
}

bool db_open(struct db *db, struct arena *owner, const char *path, enum reader_mode mode,
             int threads, struct gs_error *err)
{
    *db = (struct db){.path = path, .mode = mode, .unpacked.fd = -1};
    /* Readers number what they find by thread, and have room for so many: keys.h, launches.h. */
    db->threads = threads < PARALLEL_USUAL ? threads : PARALLEL_USUAL;
    arena_defer(owner, close_it, db);
    enum unpack_part part = mode == READER_NAMES ? UNPACK_FRONT : UNPACK_ALL;
    if (unpack_open(&db->unpacked, path, part, err) && open_all(db, err))
        return true;
    db_close(db);
    return false;
}

void db_close(struct db *db)
{
    /* Statements are left over when a shortage of memory unwound past them. */
    for (sqlite3_stmt *s; db->handle && (s = sqlite3_next_stmt(db->handle, NULL));)
        sqlite3_finalize(s);
    if (db->handle)
        sqlite3_close_v2(db->handle);
    db->handle = NULL;
    overlay_free(db->overlay);
    db->overlay = NULL;
    schema_release(&db->schema);
    while (db->n_fds > 0)
        close(db->fds[--db->n_fds]);
    unpack_close(&db->unpacked);
}

bool db_query(struct db_query *q, struct db *db, struct gs_error *err, const char *fmt, ...)
{
    *q = (struct db_query){.db = db, .rc = SQLITE_OK};
    va_list ap;
    va_start(ap, fmt);
    char *sql = sqlite3_vmprintf(fmt, ap);
    va_end(ap);
    if (!sql)
        return fail(err, GS_E_IO, "out of memory");
    guard_query(db);
    q->rc = sqlite3_prepare_v2(db->handle, sql, -1, &q->stmt, NULL);
    sqlite3_free(sql);
    return q->rc == SQLITE_OK || db_fail(db, err);
}

const char *db_columns(struct db *db, const char *table, const char *const *columns,
                       struct arena *arena)
{
    struct str list;
    str_init(&list, arena);
    for (; *columns; columns++) {
        str_puts(&list, list.len ? ", " : "");
        if (db_has_column(db, table, *columns))
            str_printf(&list, "\"%s\"", *columns);
        else
            str_puts(&list, "NULL");
    }
    return list.buf;
}

bool db_select(struct db_query *q, struct db *db, const char *table, const char *const *columns,
               struct gs_error *err)
{
    *q = (struct db_query){.db = db, .rc = SQLITE_DONE};
    if (!db_has_table(db, table))
        return true;
    struct arena *temporary = arena_scratch();
    bool ok = db_query(q, db, err, "SELECT %s FROM \"%w\" NOT INDEXED",
                       db_columns(db, table, columns, temporary), table);
    arena_release(temporary);
    return ok;
}

bool db_next(struct db_query *q)
{
    if (!q->stmt)
        return false;
    if (q->db->guard.why[0]) { /* something was too much */
        q->rc = SQLITE_CORRUPT;
        return false;
    }
    q->rc = sqlite3_step(q->stmt);
    if (q->rc == SQLITE_ROW && !guard_row(q->db, ++q->rows))
        q->rc = SQLITE_CORRUPT;
    return q->rc == SQLITE_ROW;
}

bool db_done(struct db_query *q, struct gs_error *err)
{
    bool ok = q->rc == SQLITE_DONE || q->rc == SQLITE_ROW || q->rc == SQLITE_OK;
    if (!ok)
        db_fail(q->db, err);
    sqlite3_finalize(q->stmt);
    q->stmt = NULL;
    return ok;
}

const char *db_text(struct db_query *q, int column)
{
    const char *text = (const char *)sqlite3_column_text(q->stmt, column);
    size_t n = (size_t)sqlite3_column_bytes(q->stmt, column);
    return text && guard_text(q->db, n) ? text : "";
}

size_t db_bytes(struct db_query *q, int column)
{
    return q->db->guard.why[0] ? 0 : (size_t)sqlite3_column_bytes(q->stmt, column);
}

bool db_has_table(struct db *db, const char *name)
{
    return schema_table(&db->schema, name) != NULL;
}

bool db_has_column(struct db *db, const char *table, const char *column)
{
    const struct db_table *t = schema_columns(db, table, NULL);
    return t && schema_column(t, column);
}

struct db *db_new(struct arena *a, const char *path, enum reader_mode mode, int threads,
                  struct gs_error *err)
{
    struct db *db = arena_new(a, struct db);
    return db_open(db, a, path, mode, threads, err) ? db : NULL;
}
