/*
 * The rocprofv3 JSON writer: a sink that makes *_results.json as rocprofv3 writes them.
 *
 *     struct rv3json_options o = {.path = "out_results.json", .args = -1};
 *     struct sink *w = rv3jsonw_new(&o, arena);
 *     bool ok = synth_run(program, &options, w, err);
 *     ok = rv3jsonw_finish(w, ok, NULL, err) && ok;    needed in any case; removes half-made files
 *
 * One file holds one process; with `merge` one file holds all. Files appear under their name only
 * when they are complete.
 */
#ifndef GS_SYNTH_ROCPROFV3_JSON_H
#define GS_SYNTH_ROCPROFV3_JSON_H

#include "base/arena.h"
#include "base/err.h"
#include "base/opt.h"
#include "synth/sink.h"

struct rv3json_options {
    /* A file; a folder when it ends in '/' or exists, or for several processes; %pid%, %rank%
     * and %host% are replaced. */
    const char *path;
    bool merge;
    int64_t args; /* most arguments per call; -1: all */
};

struct sink *rv3jsonw_new(const struct rv3json_options *o, struct arena *a);

/* Completes and renames the files, or removes them when !keep. *files lists what was made. */
bool rv3jsonw_finish(struct sink *sink, bool keep, struct opt_list *files, struct gs_error *err);

#endif
