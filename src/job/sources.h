/*
 * Sources: the parts of a trace that have a clock and a window of their own.
 *
 * A file may hold several captures: sets of tables that were merged, processes of several hosts.
 * Each is to be seen as if it were a file of its own, since times of different hosts and captures
 * cannot be compared before their clocks have been.
 */
#ifndef GS_JOB_SOURCES_H
#define GS_JOB_SOURCES_H

#include "analyze/intervals.h"
#include "job/owners.h"

struct sources {
    uint32_t *of_process; /* by process: its source */
    uint32_t *of_load;    /* by file (trace.loads): its only one, or NO_INDEX */
    uint32_t *place;      /* by process: its place among those of its capture (process.file) */
    struct span *span;    /* by source: of all its rows; start > end without any */
    size_t n;
};

void sources_find(struct sources *s, const struct owners *o, struct arena *arena);

#endif
