/*
 * The files this process has read, so that it never writes over one of them.
 *
 * Every file of the user's is opened with fs_open(), which says so here, and db_open() adds what
 * belongs to a database; fs_out.c asks before it writes. Files are known by device and inode: links
 * of both kinds, other spellings of a path and names made up from the input's are all the same
 * file.
 *
 * This is state of the process, as the files themselves are. Thread-safety: all functions.
 */
#ifndef GS_BASE_INPUTS_H
#define GS_BASE_INPUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "base/err.h"

void inputs_add(const struct stat *st);

/* NAME + tail beside a file that was read, there or not: "-wal" of a database. */
void inputs_add_beside(const char *path, const char *tail);

/*
 * Files that this thread opened only to see what they are, and are none of ours, are forgotten again:
 *
 *     size_t mark = inputs_mark();
 *     if (!is_a_trace(path))
 *         inputs_forget(mark);
 */
size_t inputs_mark(void);
void inputs_forget(size_t mark);

/*
 * Fails with GS_E_USAGE when the file is one that was read, or has the name of one that belongs to
 * it. `path` may be NULL for an open file without a name of its own.
 */
bool inputs_allow(const char *path, const struct stat *st, struct gs_error *err);

#endif
