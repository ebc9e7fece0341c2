/*
 * A change as people and programs write it: the options of 'gpusight whatif' and the arguments of
 * the tool of that name.
 */
#ifndef GS_DEPEND_CHANGE_WORDS_H
#define GS_DEPEND_CHANGE_WORDS_H

#include "analyze/analysis.h"
#include "base/opt.h"
#include "depend/replay.h"

struct change_words {
    struct opt_list kernels, remove; /* "gemm=0.5x"; "sync" */
    const char *graph_range, *overlap, *merge, *fuse, *link, *host, *rank,
        *gpu; /* NULL: not given */
    bool graph, pinned, prefetch, stay;
    int64_t streams;
    const char *noun; /* how errors call one: "option '--", "argument '" */
};

/* All but graph_range; `rank` is that of "N=typical", or -1. */
bool change_read(struct change *c, const struct change_words *w, int64_t *rank, struct arena *arena,
                 struct gs_error *err);

/* graph_range and the hardware, which need the run. */
bool change_of_run(struct change *c, const struct change_words *w, const struct analysis *a,
                   struct gs_error *err);

#endif
