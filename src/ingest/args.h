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

/* One of them as it is read; texts are valid until the next. */
struct trace_arg_text {
    struct trace_arg arg; /* without its strings */
    const char *type, *name, *value, *extdata;
};

/* Calls `take` for each, in the order of the files. Nothing is kept. */
bool ingest_each_arg(const struct trace *t, void (*take)(void *ctx, const struct trace_arg_text *a),
                     void *ctx, struct gs_error *err);

/* Whether any file of the trace can have arguments. */
bool ingest_has_args(const struct trace *t);

/* All of them, as a list. */
bool ingest_args(struct trace_args *out, const struct trace *t, struct arena *a,
                 struct gs_error *err);

#endif
