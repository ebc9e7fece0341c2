/*
 * Where a writer puts the file of a process.
 *
 * %pid%, %rank% and %host% in the path are replaced. The path is a folder when it ends in '/' or is
 * one, or when several processes need a file each and nothing in it tells them apart; files in it
 * are named by pid and `suffix`. Folders on the way are made.
 */
#ifndef GS_SYNTH_OUT_PATH_H
#define GS_SYNTH_OUT_PATH_H

#include "base/arena.h"
#include "base/err.h"
#include "synth/sink.h"

/* NULL with an error when a folder cannot be made. `merged`: one file holds all processes. */
char *out_path(const char *path, bool merged, const struct rec_process *p,
               const struct names *names, const char *suffix, struct arena *a,
               struct gs_error *err);

#endif
