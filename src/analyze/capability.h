/*
 * What a trace can answer and what it cannot, with the command that would capture the rest.
 */
#ifndef GS_ANALYZE_CAPABILITY_H
#define GS_ANALYZE_CAPABILITY_H

#include "model/trace.h"

struct capability {
    const char *key; /* "kernels", in JSON */
    bool present;
    const char *answers; /* what can be said with it */
    const char *lacking; /* what cannot be said without it */
    const char *command; /* how to capture it; "" where nothing can */
};

struct capabilities {
    struct capability *v;
    size_t n, cap;
};

void capabilities_find(struct capabilities *out, const struct trace *t, struct arena *a);
bool capability_has(const struct capabilities *c, const char *key);

/* The command the trace was recorded of, quoted for a shell, or "./app". */
const char *trace_command(const struct trace *t, struct arena *a);

#endif
