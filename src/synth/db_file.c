#define _GNU_SOURCE /* O_NOFOLLOW */
#include "synth/db_file.h"

#include <fcntl.h>
#include <stdio.h>

#include "base/str.h"

#define OWN_FILES "/proc/self/fd/"

/* Resolved, the name of a file without a name would be one that nobody can open. */
static int as_it_is(sqlite3_vfs *vfs, const char *path, int n, char *out)
{
    (void)vfs;
    return snprintf(out, (size_t)n, "%s", path) < n ? SQLITE_OK : SQLITE_CANTOPEN;
}

/* SQLite follows no links, and this one leads to a file that is open already. */
static int open_link(const char *path, int flags, int mode)
{
    if (str_starts(path, OWN_FILES))
        flags &= ~(O_NOFOLLOW | O_CREAT);
    return open(path, flags, mode);
}

static const char *nameless_vfs(void)
{
    static const char name[] = "gpusight-nameless";
    static sqlite3_vfs vfs; /* SQLite keeps it as long as the process lives */
    sqlite3_vfs *usual = sqlite3_vfs_find(NULL);
    if (!usual || vfs.zName)
        return usual ? name : NULL;
    vfs = *usual;
    vfs.zName = name;
    vfs.pNext = NULL;
    vfs.xFullPathname = as_it_is;
    bool opens = usual->iVersion >= 3 && usual->xSetSystemCall &&
                 usual->xSetSystemCall(usual, "open", (sqlite3_syscall_ptr)open_link) == SQLITE_OK;
    return opens && sqlite3_vfs_register(&vfs, 0) == SQLITE_OK ? name : NULL;
}

int db_file_open(const char *temp, sqlite3 **db)
{
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    const char *vfs = str_starts(temp, OWN_FILES) ? nameless_vfs() : NULL;
    return sqlite3_open_v2(temp, db, flags, vfs);
}
