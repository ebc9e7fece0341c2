/* Which process a row belongs to: the files of rocprofv3 seldom say, those of rocpd convert do. */
#include <assert.h>
#include <string.h>

#include "ingest/rocprofv3_csv/csv_in.h"

/* Instead of a pid: some row will tell, or none can. */
enum { PID_UNKNOWN = -1, PID_NEVER = -2 };

void rv3c_init_processes(struct rv3c *r)
{
    idmap_init(&r->of_pid, r->build.arena);
    idmap_init(&r->of_guid, r->build.arena);
    idmap_init(&r->of_thread, r->build.arena);
    r->unknown = r->never = NO_INDEX;
    r->threads_seen = r->trace->threads.n;
}

struct csv_process *rv3c_new_process(struct rv3c *r, uint32_t guid, int64_t pid)
{
    struct process p = {
        .rank = -1, .file = r->build.file, .host = r->host, .pid = pid < 0 ? 0 : pid};
    struct csv_process own = {guid, pid, rv3_process(&r->build, &p)};
    uint32_t at = (uint32_t)r->processes.n;
    assert(own.process == at);
    if (guid)
        idmap_put(&r->of_guid, guid, at);
    else if (pid >= 0)
        idmap_put(&r->of_pid, (uint64_t)pid, at);
    else
        *(pid == PID_NEVER ? &r->never : &r->unknown) = at;
    vec_push(&r->processes, r->build.arena, own);
    return &r->processes.v[at];
}

static void set_pid(struct rv3c *r, struct csv_process *p, int64_t pid)
{
    if (p->pid != PID_UNKNOWN || pid < 0)
        return;
    p->pid = pid;
    r->trace->processes.v[r->build.processes.v[p->process].process].pid = pid;
    if (!p->guid) {
        r->unknown = NO_INDEX;
        idmap_put(&r->of_pid, (uint64_t)pid, p->process);
    }
}

static struct csv_process *by_guid(struct rv3c *r, uint32_t guid)
{
    uint32_t at = idmap_get(&r->of_guid, guid);
    return at != NO_INDEX ? &r->processes.v[at] : rv3c_new_process(r, guid, PID_UNKNOWN);
}

/* The first process that a thread was seen in. */
static uint32_t process_with(struct rv3c *r, uint64_t tid)
{
    for (; r->threads_seen < r->trace->threads.n; r->threads_seen++) {
        const struct thread *th = &r->trace->threads.v[r->threads_seen];
        uint32_t at = th->process - r->build.processes.v[0].process;
        if (at < idmap_get(&r->of_thread, (uint64_t)th->tid))
            idmap_put(&r->of_thread, (uint64_t)th->tid, at);
    }
    return tid == RV3_NO_ID ? NO_INDEX : idmap_get(&r->of_thread, tid);
}

/* The row does not say. Where there are several it must not be linked to the calls of another. */
static struct csv_process *by_thread(struct rv3c *r)
{
    uint64_t tid = rv3c_id(r, COL_THREAD);
    if (r->processes.n == 1)
        return &r->processes.v[0];
    uint32_t at = process_with(r, tid);
    at = at == NO_INDEX ? r->never : at;
    return at != NO_INDEX ? &r->processes.v[at]
                          : rv3c_new_process(r, 0, r->processes.n ? PID_NEVER : PID_UNKNOWN);
}

/* One whose pid is not known yet is this one: it comes from the same capture. */
static struct csv_process *by_pid(struct rv3c *r, int64_t pid)
{
    uint32_t at = idmap_get(&r->of_pid, (uint64_t)pid);
    at = at == NO_INDEX ? r->unknown : at;
    return at != NO_INDEX ? &r->processes.v[at] : rv3c_new_process(r, 0, pid);
}

uint32_t rv3c_process(struct rv3c *r)
{
    int64_t pid = PID_UNKNOWN;
    size_t n, at = r->header.at[COL_GUID];
    if (!csv_int(r->csv, r->header.at[COL_PROCESS], &pid) || pid < 0)
        pid = PID_UNKNOWN;
    if (at == NO_COLUMN)
        at = r->header.at[COL_PID_OR_GUID];
    int64_t number;
    const char *text = csv_text(r->csv, at, &n);
    bool is_guid = n && !csv_int(r->csv, at, &number);
    if (n && !is_guid && pid < 0)
        pid = number;
    struct csv_process *p;
    if (is_guid)
        p = by_guid(r, strings_addn(&r->trace->strings, text, n));
    else if (pid >= 0)
        p = by_pid(r, pid);
    else
        p = by_thread(r);
    set_pid(r, p, pid);
    return p->process;
}

uint32_t rv3c_any_process(struct rv3c *r)
{
    return r->processes.n ? r->processes.v[0].process
                          : rv3c_new_process(r, 0, PID_UNKNOWN)->process;
}
