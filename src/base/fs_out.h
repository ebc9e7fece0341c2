/*
 * Files written in pieces, or by a library that wants a name: as with fs_write(), they appear under
 * their own name only when they are whole.
 *
 *     struct fs_out out;
 *     if (!fs_out_open(&out, path, err))
 *         return false;
 *     fprintf(out.file, ...);
 *     return fs_out_close(&out, err); // or fs_out_abandon(&out)
 *
 * Write errors need not be checked on the way: fs_out_close() reports them.
 */
#ifndef GS_BASE_FS_OUT_H
#define GS_BASE_FS_OUT_H

#include <stdio.h>

#include "base/arena.h"
#include "base/err.h"

struct fs_out {
    FILE *file;       /* NULL after fs_out_name() */
    char temp[4096];  /* where the bytes go first; "" for standard output */
    const char *path; /* as given; must outlive this */
    bool direct;      /* a pipe or a device: there is nothing to rename */
};

/* "-" is standard output; what stands there already is not overwritten by a failure. */
bool fs_out_open(struct fs_out *out, const char *path, struct gs_error *err);

/*
 * For libraries that open files themselves: out->temp is a name to write to, in the same folder.
 * For "-", pipes and devices it lies in the folder for temporary files and is copied at the end.
 */
bool fs_out_name(struct fs_out *out, const char *path, struct gs_error *err);

bool fs_out_close(struct fs_out *out, struct gs_error *err);
void fs_out_abandon(struct fs_out *out); /* removes what was written so far */

/* Makes a folder and those above it, where they are missing. */
bool fs_make_folders(const char *dir, struct arena *a, struct gs_error *err);

#endif
