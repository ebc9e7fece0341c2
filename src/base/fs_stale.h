/*
 * What a killed process leaves: a file that was not finished, NAME.PID.tmp (base/fs_out.h). No
 * process can clean up after SIGKILL or a power cut; the next one that writes NAME does, and
 * nobody takes such a file for a trace.
 *
 * Thread-safety: all functions.
 */
#ifndef GS_BASE_FS_STALE_H
#define GS_BASE_FS_STALE_H

#include <stdbool.h>

/* Whether a name is that of an unfinished file. */
bool fs_is_unfinished(const char *name);

/* Whether the process whose number such a name has is gone, as far as one can see. */
bool fs_writer_is_gone(const char *name);

/*
 * Removes unfinished files of `path` whose process is gone: there is no process of that number,
 * and nobody holds the lock of fs_stale_claim(). What this process reads is never removed.
 */
void fs_stale_remove(const char *path);

/* As long as fd is open, the file is not left. */
void fs_stale_claim(int fd);

#endif
