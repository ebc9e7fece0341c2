/*
 * What a trace can answer and what it cannot, with the command that would capture the rest.
 */
#ifndef GS_ANALYZE_CAPABILITY_H
#define GS_ANALYZE_CAPABILITY_H

#include "model/trace.h"

enum capability_id {
    CAPABLE_KERNELS,
    CAPABLE_API,
    CAPABLE_LINKS,
    CAPABLE_COPIES,
    CAPABLE_COPY_SIZES,
    CAPABLE_ALLOCATIONS,
    CAPABLE_MARKERS,
    CAPABLE_RESOURCES,
    CAPABLE_COUNTERS,
    CAPABLE_TELEMETRY,
    CAPABLE_MPI,
    CAPABLE_COLLECTIVES,
    CAPABILITIES
};

struct capability {
    enum capability_id id;
    const char *key; /* "kernels", in JSON */
    bool present;
    bool wanted;         /* absent, and a capture could bring it: the program may do such things */
    const char *answers; /* what can be said with it */
    const char *lacking; /* what cannot be said without it */
    const char *command; /* how to capture it; "" where nothing can */
};

struct capabilities {
    struct capability *v;
    size_t n, cap;
};

void capabilities_find(struct capabilities *out, const struct trace *t, struct arena *a);
/* Those of a trace without events, for their words. */
void capabilities_words(struct capabilities *out, enum vendor vendor, struct arena *a);
const char *capability_key(enum capability_id id); /* "kernels", in JSON */
bool capability_has(const struct capabilities *c, enum capability_id id);

/* The command the trace was recorded of, in plain words; NULL: none that can be repeated. */
const char *trace_own_command(const struct trace *t, struct arena *a);

/* The same, or "./app". */
const char *trace_command(const struct trace *t, struct arena *a);

#endif
