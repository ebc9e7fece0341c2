#include "ingest/sqlite/nameless.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
    char *to = buf;
    while (n > 0) {
        ssize_t got = pread(descriptor(file), to, (size_t)n, (off_t)at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return SQLITE_IOERR_READ;
        if (got == 0) {
            memset(to, 0, (size_t)n);
            return SQLITE_IOERR_SHORT_READ;
        }
        to += got;
        at += got;
        n -= (int)got;
    }
    return SQLITE_OK;
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
    f->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (f->fd < 0)
        return SQLITE_CANTOPEN;
    file->pMethods = &methods;
    return SQLITE_OK;
}
