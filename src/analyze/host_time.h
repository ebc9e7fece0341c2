/*
 * What the host did while a GPU starved, by what is recorded of it, with the share of each.
 *
 *     struct host_time h;
 *     host_time_find(&h, analysis, CAUSE_HOST, arena);
 *     h.v[0].name, h.v[0].source, h.v[0].ns                  // largest first
 *
 * Looked at are the gaps that the ledger puts down to the cause, on the threads that launched what
 * ended them. Time in a call is the call's. Time between calls is named by the innermost
 * instrumented function, operator or Python frame; else by the CPU samples in it; else by the
 * innermost marker; else by a call of another thread of the process that allocates or loads
 * meanwhile. What nothing names stays unknown, and is not in the list.
 */
#ifndef GS_ANALYZE_HOST_TIME_H
#define GS_ANALYZE_HOST_TIME_H

#include "analyze/analysis.h"

enum host_source { HOST_CALL, HOST_FUNCTION, HOST_SAMPLE, HOST_MARKER, HOST_OTHER_THREAD };

struct host_part {
    const char *name;
    enum host_source source;
    int64_t ns;
    uint64_t pieces;
    uint32_t call; /* HOST_CALL: the regions row with the largest piece; NO_INDEX otherwise */
    int64_t call_ns;
    enum api_class class; /* of a call */
};

struct host_time {
    VEC(struct host_part) parts; /* largest first, then by name */
    int64_t all_ns;              /* over all GPUs, as in the ledger */
    int64_t named_ns;
};

void host_time_find(struct host_time *out, const struct analysis *a, enum cause cause,
                    struct arena *arena);

/* "in the function", "by CPU samples in"... */
const char *host_source_text(enum host_source s);

#endif
