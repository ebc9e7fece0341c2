/* Between the files that filter. */
#ifndef GS_RUN_FILTER_IN_H
#define GS_RUN_FILTER_IN_H

#include "run/filter.h"
#include "run/pattern.h"
#include "run/run.h"

/* Kinds of rows, as --category calls them; host calls are by their kind, behind these. */
enum row_kind {
    ROW_KERNEL,
    ROW_COPY,
    ROW_ALLOCATION,
    ROW_SCRATCH,
    ROW_COUNTER,
    ROW_PC_SAMPLE,
    ROW_SAMPLE,
    ROW_TELEMETRY,
    ROW_MARKER,
    ROW_CALL, /* + enum region_kind */
    ROW_KINDS = ROW_CALL + REGION_KINDS
};

/* Which rows stay: 0 and 1 by row. */
struct keep {
#define KEEP_MEMBER_(name) uint8_t *name;
    TRACE_TABLES(KEEP_MEMBER_)
#undef KEEP_MEMBER_
};

/* Time that markers cover, in order and without overlap. */
struct covered {
    struct spans *by_thread, *by_process;
    struct spans all;
};

struct filtering {
    struct trace *t;
    const struct run_opts *o;
    const struct filter_opts *f;
    struct arena *arena, *temporary;
    struct keep keep;
    struct patterns kernels, markers;
    bool by_kernel, by_marker, by_category, by_process, by_gpu;
    uint8_t *symbol, *stream, *thread, *process; /* which of them are meant */
    bool kinds[ROW_KINDS];
    int32_t gpu; /* of the trace; -1: all */
    struct covered covered;
    bool has_window, inside, ends; /* both ends inside; one of them */
    int64_t start_ns, end_ns;
    struct str only;
    struct gs_error *err;
};

/* filter_parse.c: what is meant. */
bool filter_understand(struct filtering *x, bool rows);
/* filter_rows.c: which rows that is, and a trace without the others. */
void filter_choose(struct filtering *x);
void filter_compact(struct filtering *x, const uint32_t **kernel_wait_ns);

/* part.c */
bool run_find_gpu(int32_t *gpu, const struct trace *t, const char *text, struct gs_error *err);

static inline bool filter_covers(const struct spans *s, int64_t time)
{
    size_t lo = 0;
    BISECT(lo, s->n, mid, s->v[mid].start <= time);
    return lo && time < s->v[lo - 1].end;
}

#endif
