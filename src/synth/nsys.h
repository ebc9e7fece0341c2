/*
 * The Nsight Systems writer: a sink that makes SQLite files as `nsys export --type sqlite` does.
 *
 *     struct nsys_options o = {.path = "out.sqlite"};
 *     struct sink *w = nsysw_new(&o, arena);
 *     bool ok = synth_run(program, &options, w, err);
 *     ok = nsysw_finish(w, ok, &files, err);        needed in any case; removes half-made files
 *
 * HIP calls get the names of their CUDA counterparts. One file holds one process; with `merge` one
 * file holds all, as when the launcher itself runs under the profiler. Files appear under their
 * name only when they are complete. What the format has no place for is left out: counters,
 * scratch memory, power and temperature; see docs/formats.md.
 */
#ifndef GS_SYNTH_NSYS_H
#define GS_SYNTH_NSYS_H

#include "base/arena.h"
#include "base/err.h"
#include "base/opt.h"
#include "synth/sink.h"

struct nsys_options {
    /* A file; a folder when it ends in '/' or exists, or for several processes; %pid%, %rank%
     * and %host% are replaced. */
    const char *path;
    bool merge;
    int64_t page_size;    /* 0: 4096 */
    struct opt_list drop; /* "TABLE" or "TABLE.COLUMN", missing in the result */
};

struct sink *nsysw_new(const struct nsys_options *o, struct arena *a);

/* Closes and renames the files, or removes them when !keep. *files lists what was made. */
bool nsysw_finish(struct sink *sink, bool keep, struct opt_list *files, struct gs_error *err);

#endif
