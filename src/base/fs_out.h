/*
 * Files written in pieces, or by a library that wants a name: they appear under their own name only
 * when they are whole.
 *
 *     struct fs_out out;
 *     if (!fs_out_open(&out, path, err))
 *         return false;
 *     fprintf(out.file, ...);
 *     return fs_out_close(&out, err); // or fs_out_abandon(&out)
 *
 * Write errors need not be checked on the way: fs_out_close() reports them.
 *
 * - A file that this process has read (base/inputs.h) is never a target: that fails with GS_E_USAGE
 *   before anything is written.
 * - The bytes go to a file without a name in the same folder where the system has such (O_TMPFILE),
 *   else to NAME.PID.tmp, which is removed when a signal ends the process (base/unfinished.h) or,
 *   after SIGKILL, by the next one that writes NAME (base/fs_stale.h). They reach the disk before
 *   the file gets its name.
 * - A file that was there keeps its permissions. A symbolic link is replaced, its target stays.
 * - "-", /dev/stdout and the like, pipes and devices are written into; nothing is renamed over
 * them.
 */
#ifndef GS_BASE_FS_OUT_H
#define GS_BASE_FS_OUT_H

#include <stdio.h>

#include "base/arena.h"
#include "base/err.h"

struct unfinished;

struct fs_out {
    FILE *file;       /* after fs_out_open() only */
    char temp[4096];  /* a name the bytes can be written to first; "" after fs_out_open() of "-" */
    const char *path; /* as given; must outlive this */
    bool direct;      /* a pipe or a device: there is nothing to rename */
    bool nameless;    /* temp is /proc/self/fd/N */
    bool is_private;  /* set before fs_out_complete(): for its owner alone, whatever stood there */
    bool named;       /* it has its name, which can still be taken back */
    bool swapped;     /* and what stood there before has the name temp */
    int fd;           /* the file that will get the name; -1: none is open */
    int stream;       /* what `file` writes to */
    struct unfinished *unfinished;
};

/* Whether the path may be written: what the functions below check first. */
bool fs_out_check(const char *path, struct gs_error *err);

/* "-", /dev/stdout and the like, a pipe, a device: what is written into. */
bool fs_out_is_direct(const char *path);

/*
 * Of a name that we made, in a folder that may come from elsewhere: a pipe or a device that stands
 * there was put there by somebody else. It would keep us waiting, or be written over.
 */
bool fs_out_is_no_device(const char *path, struct gs_error *err);

bool fs_out_open(struct fs_out *out, const char *path, struct gs_error *err);

/* All of it into an open file, pipe or socket; false with errno. */
bool fs_write_all(int fd, const void *data, size_t n);

/* All of a file in one piece, after fs_out_open(). */
bool fs_out_write(struct fs_out *out, const char *data, size_t n, struct gs_error *err);

/*
 * For libraries that open files themselves: out->temp is a name to write to. For "-", pipes and
 * devices it lies in the folder for temporary files and is copied at the end.
 */
bool fs_out_name(struct fs_out *out, const char *path, struct gs_error *err);

/*
 * For SQLite, which needs a name in a folder; "-", pipes and devices are refused. A database that is
 * alone, without journal and log, needs none, if it is opened in its own way (synth/db_file.h).
 */
bool fs_out_database(struct fs_out *out, const char *path, struct gs_error *err);
bool fs_out_database_alone(struct fs_out *out, const char *path, struct gs_error *err);

bool fs_out_close(struct fs_out *out, struct gs_error *err);
void fs_out_abandon(struct fs_out *out); /* removes what was written so far; twice is fine */

/*
 * The parts of fs_out_close(), for files that appear together: first all are complete and on
 * the disk, then all get their names. After a failure of the first half abandon them all. What a
 * library wrote for a pipe or device goes there in the second.
 */
bool fs_out_complete(struct fs_out *out, struct gs_error *err);
bool fs_out_publish(struct fs_out *out, struct gs_error *err);

/*
 * The second half once more in two, so that all of several files appear or none: after
 * fs_out_give_name() of each either fs_out_keep_name() of each, or fs_out_abandon(), which puts back
 * what stood there (where the file system can exchange two names; else that one is gone).
 */
bool fs_out_give_name(struct fs_out *out, struct gs_error *err);
void fs_out_keep_name(struct fs_out *out);

/* The third, once a folder: that a file has its name reaches the disk as well. */
void fs_out_settle(const char *path);

/* Makes a folder and those above it, where they are missing. */
bool fs_make_folders(const char *dir, struct arena *a, struct gs_error *err);

#endif
