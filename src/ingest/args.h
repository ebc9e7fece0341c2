/*
 * Arguments of host calls. They are many, texts, and hardly anyone wants them, so a trace does not hold
 * them; who does reads them from the files once more.
 *
 * Only rocpd databases have any that can be read. Calls that the trace does not hold (any more: see
 * run/filter.h) have none.
 */
#ifndef GS_INGEST_ARGS_H
#define GS_INGEST_ARGS_H

#include "base/err.h"
#include "model/trace.h"

struct trace_arg {
    int64_t id;
    uint32_t region, marker; /* the row it belongs to; NO_INDEX for the other one */
    int32_t position;
    uint32_t type, name, value, extdata; /* strings of the list */
};

struct trace_args {
    VEC(struct trace_arg) v;
    struct strings strings;
};

bool ingest_args(struct trace_args *out, const struct trace *t, struct arena *a,
                 struct gs_error *err);

#endif
