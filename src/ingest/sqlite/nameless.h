/*
 * Nameless: a file that has no name any more, for SQLite, which follows no links and so cannot
 * open /proc/self/fd/N itself. Read-only; nobody else knows the file, so locks always succeed.
 */
#ifndef GS_INGEST_SQLITE_NAMELESS_H
#define GS_INGEST_SQLITE_NAMELESS_H

#include <sqlite3.h>

/* The room behind `file` must hold a struct nameless. SQLITE_OK or SQLITE_CANTOPEN. */
int nameless_open(sqlite3_file *file, const char *path);

struct nameless {
    sqlite3_file base;
    int fd;
};

#endif
