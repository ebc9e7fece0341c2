/*
 * SQLite calls the methods here, so nothing may unwind through them (mem.h): what allocates runs
 * under a guard of its own.
 */
#include "ingest/sqlite/overlay.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"
#include "ingest/sqlite/nameless.h"
#include "ingest/unpack.h"

enum { BLOCK = 512, SHM_REGIONS = 1024 };

struct block {
    sqlite3_int64 number;
    unsigned char bytes[BLOCK];
};

struct overlay_file;

struct overlay {
    sqlite3_vfs vfs;
    sqlite3_vfs *real;
    char name[64];
    struct arena arena;
    VEC(char *) deleted; /* paths that SQLite believes it deleted */
    struct overlay_file *database;
    bool changed, lacks_memory;
    int problem; /* overlay_problem() */
};

/* One open file: the real one below (absent when there is none on disk) and the writes above. */
struct overlay_file {
    sqlite3_file base;
    struct overlay *owner;
    bool is_database, on_disk;
    int lock;
    sqlite3_int64 size;
    sqlite3_int64 disk_limit; /* bytes of the real file that still show */
    struct idmap index;       /* block number -> blocks */
    VEC(struct block *) blocks;
    void *shm[SHM_REGIONS];
    sqlite3_file *real; /* behind this struct */
};

static struct overlay_file *file_of(sqlite3_file *f)
{
    return (struct overlay_file *)(void *)f;
}

static struct overlay *overlay_of(sqlite3_vfs *vfs)
{
    return vfs->pAppData;
}

static bool is_deleted(const struct overlay *o, const char *path)
{
    for (size_t i = 0; i < o->deleted.n; i++)
        if (!strcmp(o->deleted.v[i], path))
            return true;
    return false;
}

/* Runs what may allocate; the code for SQLite. */
static int guarded(struct overlay *o, void (*fn)(void *ctx), void *ctx)
{
    if (mem_guard(fn, ctx, NULL))
        return SQLITE_OK;
    o->lacks_memory = true;
    return SQLITE_NOMEM;
}

/* ---- file methods ---- */

static int file_close(sqlite3_file *file)
{
    struct overlay_file *f = file_of(file);
    if (f->owner->database == f)
        f->owner->database = NULL;
    return f->on_disk ? f->real->pMethods->xClose(f->real) : SQLITE_OK;
}

/* Reads what the disk shows of [at, at + n); the rest of buf becomes zero. */
static int read_disk(struct overlay_file *f, void *buf, int n, sqlite3_int64 at)
{
    sqlite3_int64 have = f->on_disk ? f->disk_limit - at : 0;
    if (have > n)
        have = n;
    memset(buf, 0, (size_t)n);
    if (have <= 0)
        return SQLITE_OK;
    errno = 0;
    int rc = f->real->pMethods->xRead(f->real, buf, (int)have, at);
    if (rc == SQLITE_IOERR_SHORT_READ)
        return SQLITE_OK;
    if (rc != SQLITE_OK)
        f->owner->problem = errno ? errno : EIO;
    return rc;
}

static int file_read(sqlite3_file *file, void *buf, int n, sqlite3_int64 at)
{
    struct overlay_file *f = file_of(file);
    int rc = read_disk(f, buf, n, at);
    if (rc != SQLITE_OK)
        return rc;
    for (sqlite3_int64 b = at / BLOCK; f->blocks.n && b * BLOCK < at + n; b++) {
        uint32_t i = idmap_get(&f->index, (uint64_t)b);
        if (i == NO_INDEX)
            continue;
        sqlite3_int64 from = b * BLOCK > at ? b * BLOCK : at;
        sqlite3_int64 to = (b + 1) * BLOCK < at + n ? (b + 1) * BLOCK : at + n;
        memcpy((char *)buf + (from - at), f->blocks.v[i]->bytes + (from - b * BLOCK),
               (size_t)(to - from));
    }
    return at + n > f->size ? SQLITE_IOERR_SHORT_READ : SQLITE_OK;
}

/* The block, or NULL with the reason in *rc. */
static struct block *block_for_write(struct overlay_file *f, sqlite3_int64 number, int *rc)
{
    uint32_t i = idmap_get(&f->index, (uint64_t)number);
    if (i != NO_INDEX)
        return f->blocks.v[i];
    struct block *b = arena_new(&f->owner->arena, struct block);
    b->number = number;
    *rc = read_disk(f, b->bytes, BLOCK, number * BLOCK);
    if (*rc != SQLITE_OK)
        return NULL;
    vec_push(&f->blocks, &f->owner->arena, b);
    idmap_put(&f->index, (uint64_t)number, (uint32_t)f->blocks.n - 1);
    return b;
}

struct write_call {
    struct overlay_file *file;
    const char *buf;
    sqlite3_int64 n, at;
    int rc;
};

static void write_blocks(void *ctx)
{
    struct write_call *c = ctx;
    for (sqlite3_int64 done = 0; done < c->n;) {
        sqlite3_int64 number = (c->at + done) / BLOCK, inside = (c->at + done) % BLOCK;
        sqlite3_int64 part = BLOCK - inside < c->n - done ? BLOCK - inside : c->n - done;
        struct block *b = block_for_write(c->file, number, &c->rc);
        if (!b)
            return;
        memcpy(b->bytes + inside, c->buf + done, (size_t)part);
        done += part;
    }
}

static int file_write(sqlite3_file *file, const void *buf, int n, sqlite3_int64 at)
{
    struct overlay_file *f = file_of(file);
    struct write_call call = {f, buf, n, at, SQLITE_OK};
    f->owner->changed |= f->is_database;
    int rc = guarded(f->owner, write_blocks, &call);
    if (rc == SQLITE_OK)
        rc = call.rc;
    if (rc == SQLITE_OK && at + n > f->size)
        f->size = at + n;
    return rc;
}

/* What was written behind the new end must not come back when the file grows again. */
static void forget_behind(struct overlay_file *f, sqlite3_int64 size)
{
    for (size_t i = 0; i < f->blocks.n; i++) {
        struct block *b = f->blocks.v[i];
        sqlite3_int64 keep = size - b->number * BLOCK;
        keep = keep < 0 ? 0 : keep;
        if (keep < BLOCK)
            memset(b->bytes + keep, 0, (size_t)(BLOCK - keep));
    }
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    struct overlay_file *f = file_of(file);
    forget_behind(f, size);
    f->owner->changed |= f->is_database && size != f->size;
    if (size < f->disk_limit)
        f->disk_limit = size;
    f->size = size;
    return SQLITE_OK;
}

static int file_sync(sqlite3_file *file, int flags)
{
    (void)file, (void)flags;
    return SQLITE_OK;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size)
{
    *size = file_of(file)->size;
    return SQLITE_OK;
}

/* Shared locks are real; the locks of a writer are only ours, since only we see the writes. */
static int file_lock(sqlite3_file *file, int level)
{
    struct overlay_file *f = file_of(file);
    if (level == SQLITE_LOCK_SHARED && f->lock < SQLITE_LOCK_SHARED && f->on_disk) {
        int rc = f->real->pMethods->xLock(f->real, SQLITE_LOCK_SHARED);
        if (rc != SQLITE_OK)
            return rc;
    }
    if (level > f->lock)
        f->lock = level;
    return SQLITE_OK;
}

static int file_unlock(sqlite3_file *file, int level)
{
    struct overlay_file *f = file_of(file);
    f->lock = level;
    if (level == SQLITE_LOCK_NONE && f->on_disk)
        return f->real->pMethods->xUnlock(f->real, level);
    return SQLITE_OK;
}

static int file_check_reserved(sqlite3_file *file, int *reserved)
{
    struct overlay_file *f = file_of(file);
    *reserved = 0;
    if (!f->on_disk)
        return SQLITE_OK;
    return f->real->pMethods->xCheckReservedLock(f->real, reserved);
}

static int file_control(sqlite3_file *file, int op, void *arg)
{
    (void)file, (void)op, (void)arg;
    return SQLITE_NOTFOUND;
}

static int file_sector(sqlite3_file *file)
{
    (void)file;
    return 4096;
}

static int file_traits(sqlite3_file *file)
{
    (void)file;
    return SQLITE_IOCAP_UNDELETABLE_WHEN_OPEN;
}

struct shm_call {
    struct overlay_file *file;
    int region, size;
};

static void add_region(void *ctx)
{
    struct shm_call *c = ctx;
    c->file->shm[c->region] = arena_alloc(&c->file->owner->arena, (size_t)c->size);
}

static int shm_map(sqlite3_file *file, int region, int size, int extend, void volatile **p)
{
    struct overlay_file *f = file_of(file);
    struct shm_call call = {f, region, size};
    *p = NULL;
    if (region < 0 || region >= SHM_REGIONS || size < 0)
        return SQLITE_IOERR_SHMMAP;
    int rc = !f->shm[region] && extend ? guarded(f->owner, add_region, &call) : SQLITE_OK;
    *p = f->shm[region];
    return rc;
}

static int shm_lock(sqlite3_file *file, int offset, int n, int flags)
{
    (void)file, (void)offset, (void)n, (void)flags;
    return SQLITE_OK;
}

static void shm_barrier(sqlite3_file *file)
{
    (void)file;
}

static int shm_unmap(sqlite3_file *file, int remove)
{
    (void)file, (void)remove;
    return SQLITE_OK;
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_check_reserved,
    .xFileControl = file_control,
    .xSectorSize = file_sector,
    .xDeviceCharacteristics = file_traits,
    .xShmMap = shm_map,
    .xShmLock = shm_lock,
    .xShmBarrier = shm_barrier,
    .xShmUnmap = shm_unmap,
};

/* ---- VFS methods ---- */

/*
 * Nothing but regular files is opened: a pipe in place of a journal would wait for ever. To whom a
 * log or journal belongs is changed by SQLite, for root, when it is opened as what it is.
 */
static int open_real(struct overlay *o, const char *path, sqlite3_file *file, int kinds)
{
    const int journals = SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL;
    struct stat st;
    if (kinds & journals)
        kinds = (kinds & ~journals) | SQLITE_OPEN_SUPER_JOURNAL;
    if (unpack_is_own(path))
        return nameless_open(file, path);
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return SQLITE_CANTOPEN;
    return o->real->xOpen(o->real, path, file, kinds | SQLITE_OPEN_READONLY, NULL);
}

/* A journal that is there and cannot be read is an error: without it the database is half-written.
 */
static bool is_there(struct overlay *o, const char *path)
{
    int there = 0;
    return o->real->xAccess(o->real, path, SQLITE_ACCESS_EXISTS, &there) != SQLITE_OK || there;
}

static int vfs_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *out)
{
    struct overlay *o = overlay_of(vfs);
    struct overlay_file *f = file_of(file);
    memset(f, 0, sizeof(*f));
    f->owner = o;
    f->is_database = flags & SQLITE_OPEN_MAIN_DB;
    f->real = (sqlite3_file *)(void *)(f + 1);
    idmap_init(&f->index, &o->arena);
    int kinds = flags & ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_EXCLUSIVE |
                          SQLITE_OPEN_DELETEONCLOSE | SQLITE_OPEN_READONLY);
    if (path && !is_deleted(o, path)) {
        memset(f->real, 0, (size_t)o->real->szOsFile);
        int rc = open_real(o, path, f->real, kinds);
        f->on_disk = rc == SQLITE_OK;
        if (rc != SQLITE_OK && (f->is_database || is_there(o, path)))
            return rc;
        if (f->on_disk)
            f->real->pMethods->xFileSize(f->real, &f->size);
        f->disk_limit = f->size;
    }
    file->pMethods = &methods;
    if (f->is_database)
        o->database = f;
    if (out)
        *out = flags;
    return SQLITE_OK;
}

struct delete_call {
    struct overlay *overlay;
    const char *path;
};

static void remember_deleted(void *ctx)
{
    struct delete_call *c = ctx;
    struct overlay *o = c->overlay;
    vec_push(&o->deleted, &o->arena, arena_strdup(&o->arena, c->path));
}

static int vfs_delete(sqlite3_vfs *vfs, const char *path, int sync)
{
    (void)sync;
    struct delete_call call = {overlay_of(vfs), path};
    return guarded(call.overlay, remember_deleted, &call);
}

static int vfs_access(sqlite3_vfs *vfs, const char *path, int flags, int *result)
{
    struct overlay *o = overlay_of(vfs);
    *result = 0;
    if (is_deleted(o, path))
        return SQLITE_OK;
    if (flags == SQLITE_ACCESS_READWRITE)
        flags = SQLITE_ACCESS_EXISTS;
    return o->real->xAccess(o->real, path, flags, result);
}

static int vfs_full_path(sqlite3_vfs *vfs, const char *path, int n, char *out)
{
    struct overlay *o = overlay_of(vfs);
    if (unpack_is_own(path)) { /* resolving it would give the name the file no longer has */
        snprintf(out, (size_t)n, "%s", path);
        return SQLITE_OK;
    }
    return o->real->xFullPathname(o->real, path, n, out);
}

struct overlay *overlay_new(void)
{
    sqlite3_vfs *real = sqlite3_vfs_find(NULL);
    if (!real)
        return NULL;
    struct overlay *o = mem_try_alloc(sizeof(*o));
    if (!o)
        return NULL;
    memset(o, 0, sizeof(*o));
    arena_init(&o->arena);
    o->real = real;
    snprintf(o->name, sizeof(o->name), "gpusight-%p", (void *)o);
    o->vfs = *real; /* clock, randomness, sleeping */
    o->vfs.iVersion = 1;
    int below = real->szOsFile > (int)sizeof(struct nameless) ? real->szOsFile
                                                              : (int)sizeof(struct nameless);
    o->vfs.szOsFile = (int)sizeof(struct overlay_file) + below;
    o->vfs.pNext = NULL;
    o->vfs.zName = o->name;
    o->vfs.pAppData = o;
    o->vfs.xOpen = vfs_open;
    o->vfs.xDelete = vfs_delete;
    o->vfs.xAccess = vfs_access;
    o->vfs.xFullPathname = vfs_full_path;
    if (sqlite3_vfs_register(&o->vfs, 0) == SQLITE_OK)
        return o;
    overlay_free(o);
    return NULL;
}

void overlay_free(struct overlay *o)
{
    if (!o)
        return;
    sqlite3_vfs_unregister(&o->vfs);
    arena_release(&o->arena);
    mem_free(o);
}

const char *overlay_name(const struct overlay *o)
{
    return o->name;
}

bool overlay_changed(const struct overlay *o)
{
    return o->changed;
}

bool overlay_lacks_memory(const struct overlay *o)
{
    return o->lacks_memory;
}

int overlay_problem(const struct overlay *o)
{
    return o ? o->problem : 0;
}

uint64_t overlay_size(const struct overlay *o)
{
    return o->database && o->database->size > 0 ? (uint64_t)o->database->size : 0;
}

bool overlay_read(void *overlay, uint64_t at, uint8_t *buf, size_t n)
{
    struct overlay *o = overlay;
    if (!o->database || at > INT64_MAX - n || n > INT32_MAX)
        return false;
    int rc = file_read(&o->database->base, buf, (int)n, (sqlite3_int64)at);
    return rc == SQLITE_OK || rc == SQLITE_IOERR_SHORT_READ;
}
