/*
 * Focus: the SQLite VFS that never writes. What SQLite writes is seen by SQLite and by nobody else;
 * journals and logs are applied, and nothing on disk changes.
 */
#define _GNU_SOURCE /* nftw */
#include "unit.h"

#include <dirent.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "ingest/sqlite/db.h"
#include "ingest/sqlite/overlay.h"
#include "scratch.h"
#include "sql.h"

static const char *beside(const char *suffix)
{
    static char name[128];
    snprintf(name, sizeof(name), "%s%s", path, suffix);
    return name;
}

/* Names, sizes, times and content of everything in the folder. */
static uint64_t state_of_dir(void)
{
    uint64_t sum = 0;
    DIR *d = opendir(dir);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) {
        char name[400], block[4096];
        struct stat st;
        if (!strcmp(e->d_name, ".."))
            continue;
        snprintf(name, sizeof(name), "%s/%s", dir, e->d_name);
        assert_int_equal(lstat(name, &st), 0);
        uint64_t h = hash_bytes(e->d_name, strlen(e->d_name)) ^ (uint64_t)st.st_size;
        h = hash_u64(h ^ (uint64_t)st.st_mtim.tv_nsec ^ (uint64_t)st.st_mtim.tv_sec);
        int fd = S_ISREG(st.st_mode) ? open(name, O_RDONLY) : -1;
        for (ssize_t n; fd >= 0 && (n = read(fd, block, sizeof(block))) > 0;)
            h = hash_u64(h ^ hash_bytes(block, (size_t)n));
        if (fd >= 0)
            close(fd);
        sum += h;
    }
    closedir(d);
    return sum;
}

static void make_database(const char *pragma)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    run_sql(db, pragma);
    run_sql(db,
            "CREATE TABLE t (id INTEGER PRIMARY KEY, v); WITH RECURSIVE c(x) AS (SELECT 1 UNION "
            "ALL SELECT x + 1 FROM c WHERE x < 5000) INSERT INTO t SELECT x, x FROM c");
    sqlite3_close(db);
}

/* A process that changes the database and is killed in the middle. */
static void interrupt_a_writer(const char *before, const char *sql)
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        sqlite3 *db;
        sqlite3_open(path, &db);
        sqlite3_exec(db, before, NULL, NULL, NULL);
        sqlite3_exec(db, sql, NULL, NULL, NULL);
        _exit(0); /* neither commits nor closes */
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

/* Opens, and gives the sum of v; -1 with the error when it cannot be read. */
static int64_t sum_in(struct arena *owner, const char *name, bool *unfinished, struct gs_error *err)
{
    struct db *db = db_new(owner, name, READER_FAST, 1, err);
    if (!db)
        return -1;
    struct db_query q;
    int64_t sum = 0;
    if (!db_query(&q, db, err, "SELECT v FROM t")) { /* its pages are checked now */
        db_done(&q, NULL);
        return -1;
    }
    while (db_next(&q))
        sum += sqlite3_column_int64(q.stmt, 0);
    assert_true(db_done(&q, NULL));
    if (unfinished)
        *unfinished = db->unfinished;
    assert_int_equal(db->unfinished, db->not_fast != NULL);
    return sum;
}

static int64_t sum_of(const char *name, bool *unfinished, struct gs_error *err)
{
    struct arena owner = {0};
    int64_t sum = sum_in(&owner, name, unfinished, err);
    arena_release(&owner);
    return sum;
}

enum { SUM = 5000 * 5001 / 2 };

/* ---- journals and logs ---- */

static void a_plain_database_is_as_it_is(void **state)
{
    (void)state;
    make_database("PRAGMA journal_mode=DELETE");
    uint64_t before = state_of_dir();
    bool unfinished = true;
    assert_int_equal(sum_of(path, &unfinished, NULL), SUM);
    assert_false(unfinished);
    assert_true(state_of_dir() == before);
}

static void a_hot_journal_is_rolled_back_in_memory(void **state)
{
    (void)state;
    make_database("PRAGMA journal_mode=DELETE");
    interrupt_a_writer("PRAGMA cache_size=1; BEGIN",
                       "UPDATE t SET v = 0; INSERT INTO t SELECT id + 5000, 77 FROM t;");
    assert_int_equal(access(beside("-journal"), F_OK), 0);
    uint64_t before = state_of_dir();
    bool unfinished = false;
    for (int i = 0; i < 3; i++)
        assert_int_equal(sum_of(path, &unfinished, NULL), SUM);
    assert_true(unfinished);
    assert_true(state_of_dir() == before);
}

static void a_log_is_applied_in_memory(void **state)
{
    (void)state;
    make_database("PRAGMA journal_mode=WAL");
    interrupt_a_writer("PRAGMA wal_autocheckpoint=0", "UPDATE t SET v = v + 1");
    assert_int_equal(access(beside("-wal"), F_OK), 0);
    for (int shm = 0; shm < 2; shm++) {
        uint64_t before = state_of_dir();
        bool unfinished = false;
        assert_int_equal(sum_of(path, &unfinished, NULL), SUM + 5000);
        assert_true(unfinished);
        assert_true(state_of_dir() == before);
        unlink(beside("-shm"));
    }
}

static void a_log_behind_a_link_is_applied(void **state)
{
    (void)state;
    make_database("PRAGMA journal_mode=WAL");
    interrupt_a_writer("PRAGMA wal_autocheckpoint=0", "UPDATE t SET v = v + 1");
    char link[96];
    snprintf(link, sizeof(link), "%s/link", dir);
    assert_int_equal(symlink(path, link), 0);
    bool unfinished = false;
    assert_int_equal(sum_of(link, &unfinished, NULL), SUM + 5000);
    assert_true(unfinished);
}

static void wal_mode_without_a_log_is_plain(void **state)
{
    (void)state;
    make_database("PRAGMA journal_mode=WAL");
    uint64_t before = state_of_dir();
    bool unfinished = true;
    assert_int_equal(sum_of(path, &unfinished, NULL), SUM);
    assert_false(unfinished);
    assert_true(state_of_dir() == before);
}

static void what_is_no_file_is_no_journal(void **state)
{
    (void)state;
    make_database("PRAGMA journal_mode=DELETE");
    static const char *const suffixes[] = {"-journal", "-wal"};
    for (int i = 0; i < 2; i++) {
        struct gs_error err = {0};
        assert_int_equal(mkfifo(beside(suffixes[i]), 0600), 0);
        assert_int_equal(sum_of(path, NULL, &err), -1); /* and does not wait */
        assert_int_equal(err.code, GS_E_IO);
        unlink(beside(suffixes[i]));
    }
    assert_int_equal(sum_of(path, NULL, NULL), SUM);
}

/* ---- the file methods ---- */

struct opened {
    struct overlay *overlay;
    sqlite3_vfs *vfs;
    sqlite3_file *file;
};

static struct opened open_file(int kind)
{
    struct opened o = {.overlay = overlay_new()};
    assert_non_null(o.overlay);
    o.vfs = sqlite3_vfs_find(overlay_name(o.overlay));
    assert_non_null(o.vfs);
    o.file = calloc(1, (size_t)o.vfs->szOsFile);
    assert_int_equal(
        o.vfs->xOpen(o.vfs, path, o.file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | kind, NULL),
        SQLITE_OK);
    return o;
}

static void close_file(struct opened *o)
{
    o->file->pMethods->xClose(o->file);
    free(o->file);
    overlay_free(o->overlay);
}

/* Compares with an ordinary array under random writes, truncations and reads. */
static void writes_are_seen_as_on_a_disk(void **state)
{
    (void)state;
    enum { MOST = 20000 };
    static unsigned char model[MOST], buf[MOST];
    sqlite3_int64 size = 7000;
    for (int i = 0; i < size; i++)
        model[i] = (unsigned char)(i * 7);
    FILE *f = fopen(path, "wb");
    fwrite(model, 1, (size_t)size, f);
    fclose(f);
    uint64_t before = state_of_dir(), random = 1;
    struct opened o = open_file(SQLITE_OPEN_MAIN_DB);
    const sqlite3_io_methods *m = o.file->pMethods;
    for (int round = 0; round < 5000; round++) {
        random = hash_fixed_u64(random + 1);
        int at = (int)(random % 12000), n = (int)((random >> 32) % 3000) + 1;
        int what = (int)((random >> 20) % 8);
        if (what < 3) {
            memset(buf, round, (size_t)n);
            assert_int_equal(m->xWrite(o.file, buf, n, at), SQLITE_OK);
            if (at > size)
                memset(model + size, 0, (size_t)(at - size));
            memcpy(model + at, buf, (size_t)n);
            size = at + n > size ? at + n : size;
        } else if (what == 3) {
            assert_int_equal(m->xTruncate(o.file, at), SQLITE_OK);
            if (at > size)
                memset(model + size, 0, (size_t)(at - size));
            size = at;
        } else {
            int rc = m->xRead(o.file, buf, n, at);
            assert_int_equal(rc, at + n > size ? SQLITE_IOERR_SHORT_READ : SQLITE_OK);
            int have = at >= size ? 0 : (int)(size - at) < n ? (int)(size - at) : n;
            assert_memory_equal(buf, model + at, (size_t)have);
            for (int i = have; i < n; i++)
                assert_int_equal(buf[i], 0);
        }
        sqlite3_int64 reported;
        m->xFileSize(o.file, &reported);
        assert_int_equal(reported, size);
    }
    assert_true(overlay_changed(o.overlay));
    close_file(&o);
    assert_true(state_of_dir() == before);
}

static void a_deleted_file_is_gone_for_sqlite_only(void **state)
{
    (void)state;
    make_database("PRAGMA journal_mode=DELETE");
    struct opened o = open_file(SQLITE_OPEN_MAIN_DB);
    int there = 0;
    o.vfs->xAccess(o.vfs, path, SQLITE_ACCESS_EXISTS, &there);
    assert_int_equal(there, 1);
    assert_int_equal(o.vfs->xDelete(o.vfs, path, 0), SQLITE_OK);
    o.vfs->xAccess(o.vfs, path, SQLITE_ACCESS_EXISTS, &there);
    assert_int_equal(there, 0);
    assert_int_equal(access(path, F_OK), 0);
    close_file(&o);
}

static void a_database_that_is_not_there_is_not_made(void **state)
{
    (void)state;
    uint64_t before = state_of_dir();
    struct overlay *o = overlay_new();
    sqlite3 *db;
    assert_int_equal(
        sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, overlay_name(o)),
        SQLITE_CANTOPEN);
    sqlite3_close(db);
    overlay_free(o);
    assert_true(state_of_dir() == before);
}

/* ---- shortage ---- */

static void no_memory_is_a_code_for_sqlite(void **state)
{
    (void)state;
    make_database("PRAGMA journal_mode=DELETE");
    static unsigned char buf[100000];
    struct opened o = open_file(SQLITE_OPEN_MAIN_DB);
    void volatile *shm;
    mem_fail_after(0);
    assert_int_equal(o.file->pMethods->xWrite(o.file, buf, sizeof(buf), 0), SQLITE_NOMEM);
    mem_fail_after(0);
    assert_int_equal(o.file->pMethods->xShmMap(o.file, 0, 32768, 1, &shm), SQLITE_NOMEM);
    mem_fail_never();
    assert_true(overlay_lacks_memory(o.overlay));
    assert_int_equal(o.file->pMethods->xWrite(o.file, buf, sizeof(buf), 0), SQLITE_OK);
    assert_int_equal(o.file->pMethods->xShmMap(o.file, 0, 32768, 1, &shm), SQLITE_OK);
    assert_non_null((void *)(uintptr_t)shm);
    close_file(&o);
    mem_fail_after(0);
    assert_null(overlay_new());
    mem_fail_never();
}

struct sum_call {
    struct gs_error err;
    struct arena owner;
    int64_t sum;
};

static void sum_guarded(void *ctx)
{
    struct sum_call *c = ctx;
    c->sum = sum_in(&c->owner, path, NULL, &c->err);
}

/* Every allocation of a recovery fails once: an error each time, and nothing is lost. */
static void recovery_without_memory(const char *pragma, const char *before, const char *sql,
                                    int64_t sum)
{
    make_database(pragma);
    interrupt_a_writer(before, sql);
    size_t held = mem_held();
    sqlite3_int64 used = sqlite3_memory_used();
    bool failed = true;
    int n = 0;
    for (; failed; n++) {
        struct sum_call call = {.sum = -1};
        mem_fail_after(n);
        mem_guard(sum_guarded, &call, &call.err);
        mem_fail_never();
        arena_release(&call.owner);
        failed = call.sum < 0;
        assert_string_equal(call.err.text, failed ? "out of memory" : "");
        if (!failed)
            assert_int_equal(call.sum, sum);
        assert_int_equal(mem_held(), held);
        assert_int_equal(sqlite3_memory_used(), used);
    }
    assert_true(n > 1);
}

static void a_journal_needs_memory(void **state)
{
    (void)state;
    recovery_without_memory("PRAGMA journal_mode=DELETE", "PRAGMA cache_size=1; BEGIN",
                            "UPDATE t SET v = 0", SUM);
}

static void a_log_needs_memory(void **state)
{
    (void)state;
    recovery_without_memory("PRAGMA journal_mode=WAL", "PRAGMA wal_autocheckpoint=0",
                            "UPDATE t SET v = v + 1", SUM + 5000);
}

#define in_dir(f) cmocka_unit_test_setup_teardown(f, scratch_make, scratch_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_dir(a_plain_database_is_as_it_is),
        in_dir(a_hot_journal_is_rolled_back_in_memory),
        in_dir(a_log_is_applied_in_memory),
        in_dir(a_log_behind_a_link_is_applied),
        in_dir(wal_mode_without_a_log_is_plain),
        in_dir(what_is_no_file_is_no_journal),
        in_dir(writes_are_seen_as_on_a_disk),
        in_dir(a_deleted_file_is_gone_for_sqlite_only),
        in_dir(a_database_that_is_not_there_is_not_made),
        in_dir(no_memory_is_a_code_for_sqlite),
        in_dir(a_journal_needs_memory),
        in_dir(a_log_needs_memory),
    };
    return unit_run(tests);
}
