/*
 * What a trace holds, what it can answer and how far it can be trusted, without an analysis: what
 * `gpusight info` shows.
 */
#ifndef GS_ANALYZE_INVENTORY_H
#define GS_ANALYZE_INVENTORY_H

#include "analyze/capability.h"
#include "analyze/quality.h"

struct inventory {
    const struct trace *trace;
    bool has_span;
    int64_t start_ns, end_ns;
    uint64_t regions, markers; /* a marker range is a region too, as in the profiler's own tables */
    struct capabilities capabilities;
    struct quality quality;
    bool checked; /* read twice and compared */
};

void inventory_make(struct inventory *i, const struct trace *t, bool checked, int workers,
                    struct arena *a);
uint64_t inventory_span_ns(const struct inventory *i);

/* Of its files, each once. */
uint64_t inventory_bytes(const struct trace *t);

#endif
