/*
 * Tracks: the events of a view laid out as the rows of a timeline.
 *
 * One track for the kernels and one for the copies of every (process, GPU, stream), one for the
 * calls and one for the markers of every thread, one for every series of telemetry; in the order
 * in which they are shown: the critical path, then by process, its GPUs first, busy streams before
 * idle ones, then its threads; telemetry last.
 *
 * Above a limit of events the longest of each track are kept: markers and GPU work before calls.
 * What was left out is counted, so that a reader can be told.
 *
 * Rows are rows of the trace's tables, by start, longer first at equal starts. Everything lives
 * in the arena given.
 */
#ifndef GS_REPORT_TRACKS_H
#define GS_REPORT_TRACKS_H

#include "analyze/analysis.h"

enum track_kind {
    TRACK_KERNELS,
    TRACK_COPIES,
    TRACK_MARKERS,
    TRACK_CALLS,
    TRACK_SERIES,
    TRACK_PATH, /* the critical path; its rows are places in a->path_spans */
};

struct track {
    enum track_kind kind;
    uint32_t process; /* NO_INDEX: none */
    uint32_t slot;    /* GPU of the view, or NO_INDEX */
    uint32_t of; /* streams, threads or series of the trace; NO_INDEX: calls without a thread */
    uint32_t *rows;
    size_t n;
    uint64_t total; /* before anything was left out */
};

struct tracks {
    const struct analysis *a;
    VEC(struct track) v;
    uint64_t total, kept;  /* events, telemetry aside */
    uint64_t gpu_left_out; /* of the events left out, kernels and copies */
};

/* limit 0: everything. */
void tracks_make(struct tracks *t, const struct analysis *a, uint64_t limit, struct arena *arena);

/* The limit: called by tracks_make(), in a file of its own. */
void tracks_cut(struct tracks *t, uint64_t limit, struct arena *arena);

/* Start and end of a row, the end never before the start. */
struct span track_span(const struct tracks *t, const struct track *k, size_t i);

#endif
