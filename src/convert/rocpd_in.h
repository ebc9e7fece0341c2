/* The rocpd converter, inside: rocpd.c (small tables), rocpd_rows.c (bulk). */
#ifndef GS_CONVERT_ROCPD_IN_H
#define GS_CONVERT_ROCPD_IN_H

#include <string.h>

#include "convert/convert.h"
#include "convert/rocpd_writer.h"

struct rocpd_process {
    struct rocpd_set *set;
    uint32_t process;
    int64_t nid, pid; /* ids of its rows */
    int64_t tracks, samples, pmcs, copies, allocs, args;
    bool has_stream_0, has_queue_0, has_nobody;
};

struct rocpd_out {
    struct conversion *c;
    const struct trace *t;
    struct rocpd_writer *out;
    VEC(struct rocpd_process *) processes; /* by process; NULL: not written */
    int64_t *thread_row, *symbol_row, *series_track;
    struct idmap tracks; /* (thread, name) -> id */
    int64_t *event_of;   /* by region, markers behind them; NULL: no arguments will come */
};

static inline struct rocpd_process *rocpd_process_at(const struct rocpd_out *w, uint32_t process)
{
    return process < w->processes.n ? w->processes.v[process] : NULL;
}

void rocpd_put_host(struct rocpd_out *w);
bool rocpd_put_args(struct rocpd_out *w, struct gs_error *err);
void rocpd_put_device(struct rocpd_out *w);

#endif
