/* The rocpd converter, inside: rocpd_groups.c (sets), rocpd_places.c and rocpd.c (small tables),
 * rocpd_rows.c (bulk). */
#ifndef GS_CONVERT_ROCPD_IN_H
#define GS_CONVERT_ROCPD_IN_H

#include <string.h>

#include "convert/convert.h"
#include "convert/rocpd_writer.h"

/*
 * A set of tables, and the last ids used in it. One for each process up to ROCPD_OWN_SETS of them;
 * more share sets, since each costs some 120 KB of file and a term in every view. The schema has it
 * so: each row names its process.
 */
#define ROCPD_OWN_SETS 500
struct rocpd_group {
    struct rocpd_set *set;
    uint32_t number;
    int64_t tracks, samples, pmcs, copies, allocs, args;
    int64_t instead; /* last row id that stands for an id which another process has, too */
};

struct rocpd_process {
    struct rocpd_group *group;
    struct rocpd_set *set;
    uint32_t process;
    int64_t nid, pid; /* ids of its rows */
    int64_t code_object, stream_0, queue_0;
    bool has_stream_0, has_queue_0, has_nobody;
};

struct rocpd_out {
    struct conversion *c;
    const struct trace *t;
    struct rocpd_writer *out;
    VEC(struct rocpd_group *) groups;
    VEC(struct rocpd_process *) processes; /* by process; NULL: not written */
    bool shared;                           /* processes share sets */
    int64_t *thread_row, *symbol_row, *series_track, *agent_row, *stream_row, *queue_row;
    struct idmap tracks; /* (thread, name) -> id */
    int64_t *event_of;   /* by region, markers behind them; NULL: no arguments will come */
};

static inline struct rocpd_process *rocpd_process_at(const struct rocpd_out *w, uint32_t process)
{
    return process < w->processes.n ? w->processes.v[process] : NULL;
}

/* Which process goes into which set; makes the sets and w->processes. */
bool rocpd_make_groups(struct rocpd_out *w, struct gs_error *err);

/* A row id for an id of a process: itself where the group has not used it yet. */
int64_t rocpd_take_row(struct rocpd_group *g, struct idmap *used, int64_t id);

/* "{}", or what a row was called in its process (ingest/rocpd/info.c reads it back). */
const char *rocpd_extdata(struct rocpd_out *w, int64_t row, int64_t id);

/* Nodes, processes, and what names them: agents, threads, streams, queues. */
void rocpd_put_places(struct rocpd_out *w);

void rocpd_put_host(struct rocpd_out *w);
bool rocpd_put_args(struct rocpd_out *w, struct gs_error *err);
void rocpd_put_device(struct rocpd_out *w);

#endif
