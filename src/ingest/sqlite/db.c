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

#include "base/inputs.h"
#include "base/str.h"
#include "ingest/sqlite/overlay.h"

enum { HEADER = 100, LONGEST_VALUE = 256 * 1024 * 1024 };
enum { WAL_HEADER = 32, LOCK_WAIT_MS = 1000, WAL_LOCK_FIRST = 120, WAL_LOCK_BYTES = 9 };

/* SQLite speaks of memory also where a record claims to be gigabytes long. */
static bool lacks_memory(const struct db *db)
{
    if (!db->handle || overlay_lacks_memory(db->overlay))
        return true;
    void *p = sqlite3_malloc64(LONGEST_VALUE);
    sqlite3_free(p);
    return !p;
}

bool db_fail(struct db *db, struct gs_error *err)
{
    int code = db->handle ? sqlite3_errcode(db->handle) & 0xff : SQLITE_NOMEM;
    if (code == SQLITE_BUSY || code == SQLITE_LOCKED)
        return fail(err, GS_E_IO, "another program is writing it; wait until it has finished");
    if (code == SQLITE_NOMEM && lacks_memory(db))
        return fail(err, GS_E_IO, "out of memory");
    if (code == SQLITE_NOMEM || code == SQLITE_TOOBIG)
        return fail(err, GS_E_FORMAT, "damaged database: a record of absurd length");
    if (code == SQLITE_IOERR || code == SQLITE_CANTOPEN)
        return fail(err, GS_E_IO, "the disk or a journal beside it cannot be read: %s",
                    sqlite3_errmsg(db->handle));
    if (code == SQLITE_NOTADB)
        return fail(err, GS_E_FORMAT, "not a database, or encrypted");
    return fail(err, GS_E_FORMAT, "damaged database: %s", sqlite3_errmsg(db->handle));
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
static uint64_t told_size(const struct mapping *m)
{
    if (m->size < HEADER)
        return HEADER;
    uint64_t page = be32(m->data + 14) & 0xffff; /* the two bytes at 16; 1 stands for 65536 */
    uint64_t pages = be32(m->data + 28);
    bool holds = be32(m->data + 24) == be32(m->data + 92) && !(page & (page - 1));
    return holds ? (page == 1 ? 65536 : page) * pages : 0;
}

static bool harden(struct db *db)
{
    sqlite3_db_config(db->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)NULL);
    sqlite3_db_config(db->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)NULL);
    sqlite3_db_config(db->handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, (int *)NULL);
    sqlite3_db_config(db->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)NULL);
    sqlite3_limit(db->handle, SQLITE_LIMIT_LENGTH, LONGEST_VALUE);
    sqlite3_busy_timeout(db->handle, LOCK_WAIT_MS);
    return sqlite3_exec(db->handle, "PRAGMA cell_size_check=ON; BEGIN; SELECT 1 FROM sqlite_schema",
                        NULL, NULL, NULL) == SQLITE_OK;
}

static bool open_handle(struct db *db, struct gs_error *err)
{
    db->overlay = overlay_new();
    if (!db->overlay)
        return fail(err, GS_E_IO, "out of memory");
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(db->unpacked.path, &db->handle, flags, overlay_name(db->overlay)) !=
        SQLITE_OK)
        return db_fail(db, err);
    return harden(db) || db_fail(db, err);
}

/* A log with something in it, beside the file itself (as SQLite looks for it), not beside a link.
 */
static bool find_log(const struct db *db, bool *found, struct gs_error *err)
{
    char resolved[PATH_MAX];
    const char *real = realpath(db->path, resolved) ? resolved : db->path;
    inputs_add_beside(real, "-wal"); /* what appears there would be taken for part of it */
    inputs_add_beside(real, "-shm");
    inputs_add_beside(real, "-journal");
    *found = db->unpacked.fd < 0 && size_beside(real, "-wal") > WAL_HEADER;
    long pid = *found ? wal_user(real) : 0;
    return !pid || fail(err, GS_E_IO,
                        "another program (pid %ld) is writing it; wait until it has finished", pid);
}

/*
 * Threads that read through one descriptor wait for each other's count of its users and its place
 * for reading ahead: each gets its own, if that still is the same file.
 */
static void open_fds(struct db *db)
{
    struct stat first, now;
    int wanted = db->threads < PARALLEL_MAX ? db->threads : PARALLEL_MAX;
    int fd = open(db->unpacked.path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    for (int i = 0; i < PARALLEL_MAX; i++)
        db->fds[i] = fd;
    bool known = fstat(fd, &first) == 0;
    for (db->n_fds = 1; known && db->n_fds < wanted; db->n_fds++) {
        fd = open(db->unpacked.path, O_RDONLY | O_CLOEXEC);
        if (fd < 0)
            return;
        if (fstat(fd, &now) != 0 || now.st_ino != first.st_ino || now.st_dev != first.st_dev) {
            close(fd);
            return;
        }
        db->fds[db->n_fds] = fd;
    }
}

static bool open_all(struct db *db, bool *has_log, struct gs_error *err)
{
    /* Before SQLite: closing any descriptor of a file drops the locks SQLite holds on it. */
    if (!map_file(&db->map, db->unpacked.path, err))
        return false;
    open_fds(db);
    if (!find_log(db, has_log, err))
        return false;
    struct gs_error why = {0};
    bool ok = open_handle(db, &why);
    bool plain = !*has_log && db->overlay && !overlay_changed(db->overlay);
    uint64_t told = plain && (ok || why.code == GS_E_FORMAT) ? told_size(&db->map) : 0;
    if (db->map.size < told)
        return fail(err, GS_E_FORMAT, "the file was cut: %zu of %" PRIu64 " bytes are there",
                    db->map.size, told);
    return ok || fail(err, why.code, "%s", why.text);
}

bool db_open(struct db *db, const char *path, enum reader_mode mode, int threads,
             struct gs_error *err)
{
    *db = (struct db){.path = path, .mode = mode, .threads = threads};
    bool has_log = false;
    enum unpack_part part = mode == READER_SCHEMA ? UNPACK_FRONT : UNPACK_ALL;
    if (!unpack_open(&db->unpacked, path, part, err))
        return false;
    if (!open_all(db, &has_log, err)) {
        db_close(db);
        return false;
    }
    db->unfinished = has_log || overlay_changed(db->overlay);
    if (has_log)
        db->not_fast = "write-ahead log";
    else if (overlay_changed(db->overlay))
        db->not_fast = "rolled-back journal";
    else if (!db->n_fds || !pages_init(&db->pages, db->map.data, db->map.size, db->fds))
        db->not_fast = "unusual page layout";
    return true;
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
    unmap_file(&db->map);
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
    q->rc = sqlite3_prepare_v2(db->handle, sql, -1, &q->stmt, NULL);
    sqlite3_free(sql);
    return q->rc == SQLITE_OK || db_fail(db, err);
}

bool db_next(struct db_query *q)
{
    q->rc = sqlite3_step(q->stmt);
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
    return text ? text : "";
}

bool db_has_table(struct db *db, const char *name)
{
    struct db_query q;
    if (!db_query(&q, db, NULL,
                  "SELECT 1 FROM sqlite_schema WHERE type='table' AND rootpage>0 AND name=%Q",
                  name))
        return false;
    bool found = db_next(&q);
    return db_done(&q, NULL) && found;
}
