/*
 * Unpack: a compressed database as a file that can be read anywhere in it.
 *
 *     struct unpacked u;
 *     if (!unpack_open(&u, path, err))
 *         return false;                     nothing to close then
 *     open(u.path) ...                      the path itself when the file is not compressed
 *     unpack_close(&u);
 *
 * A gzip or zstd file with a database inside is written to a temporary file in $TMPDIR (else
 * /tmp), never beside the input. It has no name: it is reached through /proc/self/fd and gone with
 * the process, whatever happens. Its size is bounded by what the database's own header says, and
 * checked against the free space and what input.h allows before anything is written.
 *
 * Thread-safety: an unpacked file belongs to one thread; its content may be read by all.
 */
#ifndef GS_INGEST_UNPACK_H
#define GS_INGEST_UNPACK_H

#include <stdbool.h>

#include "base/err.h"

enum { UNPACK_PATH = 64 };

struct unpacked {
    const char *path;      /* to open */
    int fd;                /* -1: not compressed */
    bool whole;            /* false: only its front was wanted, and there is more */
    char own[UNPACK_PATH]; /* what path points to when it is */
};

enum unpack_part {
    UNPACK_ALL,
    UNPACK_FRONT, /* the first megabytes, where the schema is; the pages behind are zero */
};

bool unpack_open(struct unpacked *u, const char *path, enum unpack_part part, struct gs_error *err);
void unpack_close(struct unpacked *u);

/* True for a path unpack_open() made: there is no such name to resolve. */
bool unpack_is_own(const char *path);

#endif
