/*
 * The critical path by phase, and as stretches of time for the timeline. Fed step by step, from
 * the end to the start.
 */
#ifndef GS_DEPEND_PATH_PARTS_H
#define GS_DEPEND_PATH_PARTS_H

#include "analyze/analysis.h"
#include "depend/path.h"

struct path_parts {
    struct analysis *a;
    struct arena *temporary;
    int64_t start, length; /* of the path, from the start of the view */
    size_t phase;          /* the one at hand, from the last to the first; + 1 */
    int64_t (*phases)[PATH_KINDS];
    VEC(struct path_step) steps; /* the first ones; with more of them than stretches are kept: */
    int64_t (*bins)[PATH_KINDS]; /* what is shown where there are too many stretches */
    int64_t bin, bin_start;      /* the one at hand */
    VEC(struct path_span) spans; /* from the end to the start */
};

void path_parts_init(struct path_parts *p, struct analysis *a, const struct replay *r,
                     struct arena *temporary);
void path_parts_add(struct path_parts *p, const struct path_step *s);

/* Fills a->path_phases and a->path_spans. */
void path_parts_keep(struct path_parts *p, struct arena *arena);

#endif
