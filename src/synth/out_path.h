/*
 * Where a writer puts the file of a process.
 *
 * %pid%, %rank% and %host% in the path are replaced. The path is a folder when it ends in '/' or is
 * one, or when several processes need a file each and nothing in it tells them apart; files in it
 * get the name the writer gives. Folders on the way are made.
 */
#ifndef GS_SYNTH_OUT_PATH_H
#define GS_SYNTH_OUT_PATH_H

#include "base/arena.h"
#include "base/err.h"
#include "base/fs_out.h"
#include "synth/sink.h"

/*
 * NULL with an error when a folder cannot be made. `merged`: one file holds all processes. `name`:
 * what the file is called in a folder.
 */
char *out_path(const char *path, bool merged, const struct rec_process *p,
               const struct names *names, const char *name, struct arena *a, struct gs_error *err);

/* The first failure is the one that is told. */
void sink_fail(struct sink *s, const struct gs_error *why);

/* What a writer's finish returns: its files are there; a failure since then is told. */
bool sink_finished(const struct sink *s, bool keep, bool failed_before, struct gs_error *err);

/* A file of the sink is whole: it gets its name, now or with all others. */
bool sink_file_done(const struct sink *s, struct fs_out *out, struct gs_error *err);

#endif
