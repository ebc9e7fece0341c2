#include "ingest/sqlite/nameless.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"

static int descriptor(sqlite3_file *file)
{
    return ((struct nameless *)(void *)file)->fd;
}

static int nameless_close(sqlite3_file *file)
{
    close(descriptor(file));
    return SQLITE_OK;
}

static int nameless_read(sqlite3_file *file, void *buf, int n, sqlite3_int64 at)
{
    ptrdiff_t got = fs_read_at(descriptor(file), buf, (size_t)n, (uint64_t)at);
    if (got < 0)
        return SQLITE_IOERR_READ;
    memset((char *)buf + got, 0, (size_t)(n - got));
    return got == n ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

static int nameless_size(sqlite3_file *file, sqlite3_int64 *size)
{
    struct stat st;
    if (fstat(descriptor(file), &st) != 0)
        return SQLITE_IOERR_FSTAT;
    *size = st.st_size;
    return SQLITE_OK;
}

static int nameless_lock(sqlite3_file *file, int level)
{
    (void)file, (void)level;
    return SQLITE_OK;
}

static int nameless_reserved(sqlite3_file *file, int *reserved)
{
    (void)file;
    *reserved = 0;
    return SQLITE_OK;
}

int nameless_open(sqlite3_file *file, const char *path)
{
    static const sqlite3_io_methods methods = {
        .iVersion = 1,
        .xClose = nameless_close,
        .xRead = nameless_read,
        .xFileSize = nameless_size,
        .xLock = nameless_lock,
        .xUnlock = nameless_lock,
        .xCheckReservedLock = nameless_reserved,
    };
    struct nameless *f = (struct nameless *)(void *)file;
    f->fd = fs_open_plain(path, O_RDONLY | O_CLOEXEC);
    if (f->fd < 0)
        return SQLITE_CANTOPEN;
    file->pMethods = &methods;
    return SQLITE_OK;
}
