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

/* Those of any run, for tables of a struct with a member `change`; `rank` needs a job. */
/* clang-format off */
#define CHANGE_OPTS(T)                                                                             \
    OPT_LIST(T, change.kernels, 0, "kernel", "PATTERN=0.5x",                                       \
             "kernels whose name holds PATTERN take this much of their time; '*' is all"),         \
    OPT_LIST(T, change.remove, 0, "remove", "WHAT",                                                \
             "take out: sync, allocation, launch, copy, first-use or communication"),              \
    OPT_FLAG(T, change.graph, 0, "graph",                                                          \
             "launches that follow each other closely become one graph"),                          \
    OPT_TEXT(T, change.graph_range, 0, "graph-range", "START..END",                                \
             "... only in this part of the run, written as for --window"),                         \
    OPT_CHOICE(T, change.overlap, 0, "overlap", "copies",                                          \
               "copies over the link run beside kernels, double-buffered"),                        \
    OPT_CHOICE(T, change.merge, 0, "merge", "copies",                                              \
               "tiny copies in a row, of one direction, become one"),                              \
    OPT_CHOICE(T, change.fuse, 0, "fuse", "optimizer|chains",                                      \
               "kernels become one: those of an optimizer step, or chains of elementwise ones"),   \
    OPT_FLAG(T, change.stay, 0, "stay",                                                            \
             "data that goes to the host only to come back stays on the device"),                  \
    OPT_INT(T, change.streams, 0, "streams", 1, 1024, "N",                                         \
            "kernels that leave room on the device run N at once"),                                \
    OPT_FLAG(T, change.pinned, 0, "pinned",                                                        \
             "copies from and to pageable memory run as from pinned memory"),                      \
    OPT_TEXT(T, change.link, 0, "link", "2x",                                                      \
             "the link to the host is so much faster"),                                            \
    OPT_TEXT(T, change.host, 0, "host", "0.5x",                                                    \
             "the host takes so much of its time"),                                                \
    OPT_FLAG(T, change.prefetch, 0, "prefetch",                                                    \
             "long host work between calls is done ahead by another thread"),                      \
    OPT_TEXT(T, change.gpu, 0, "gpu", "MODEL",                                                     \
             "another GPU, by its name: matrix kernels scale by its matrix units, others by memory")
/* clang-format on */

/* All but graph_range; `rank` is that of "N=typical", or -1. */
bool change_read(struct change *c, const struct change_words *w, int64_t *rank, struct arena *arena,
                 struct gs_error *err);

/* graph_range and the hardware, which need the run. */
bool change_of_run(struct change *c, const struct change_words *w, const struct analysis *a,
                   struct gs_error *err);

#endif
