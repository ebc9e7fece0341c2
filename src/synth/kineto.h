/*
 * The Kineto writer: a sink that makes JSON as the PyTorch profiler exports it.
 *
 *     struct kineto_options o = {.path = "out.json.gz"};
 *     struct sink *w = kinetow_new(&o, arena);
 *     bool ok = synth_run(program, &options, w, err);
 *     ok = kinetow_finish(w, ok, &files, err);       needed in any case; removes half-made files
 *
 * One file holds one process; a name that ends in ".gz" makes it compressed. On a GPU of NVIDIA's,
 * HIP calls get the names of their CUDA counterparts. Files appear under their name only when they
 * are complete. What the format has no place for is left out: queues, counters, sensors,
 * allocations of the driver, and on AMD registers and LDS; see docs/formats.md.
 */
#ifndef GS_SYNTH_KINETO_H
#define GS_SYNTH_KINETO_H

#include "base/arena.h"
#include "base/err.h"
#include "base/opt.h"
#include "synth/sink.h"

struct kineto_options {
    /* A file; a folder when it ends in '/' or exists, or for several processes; %pid%, %rank%
     * and %host% are replaced. */
    const char *path;
};

struct sink *kinetow_new(const struct kineto_options *o, struct arena *a);

/* Closes and renames the files, or removes them when !keep. *files lists what was made. */
bool kinetow_finish(struct sink *sink, bool keep, struct opt_list *files, struct gs_error *err);

#endif
