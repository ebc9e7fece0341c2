/* Which process a row belongs to: the files of rocprofv3 seldom say, those of rocpd convert do. */
#include <string.h>

#include "ingest/rocprofv3_csv/csv_in.h"

/* Instead of a pid: some row will tell, or none can. */
enum { PID_UNKNOWN = -1, PID_NEVER = -2 };

static struct csv_process *add_process(struct rv3c *r, uint32_t guid, int64_t pid)
{
    struct process p = {
        .rank = -1, .file = r->build.file, .host = r->host, .pid = pid < 0 ? 0 : pid};
    struct csv_process own = {guid, pid, rv3_process(&r->build, &p)};
    vec_push(&r->processes, r->build.arena, own);
    return &r->processes.v[r->processes.n - 1];
}

static void set_pid(struct rv3c *r, struct csv_process *p, int64_t pid)
{
    if (p->pid != PID_UNKNOWN || pid < 0)
        return;
    p->pid = pid;
    r->trace->processes.v[r->build.processes.v[p->process].process].pid = pid;
}

static struct csv_process *by_guid(struct rv3c *r, uint32_t guid)
{
    for (size_t i = r->processes.n; i-- > 0;)
        if (r->processes.v[i].guid == guid)
            return &r->processes.v[i];
    return add_process(r, guid, PID_UNKNOWN);
}

/* The row does not say. Where there are several it must not be linked to the calls of another. */
static struct csv_process *by_thread(struct rv3c *r)
{
    uint64_t tid = rv3c_id(r, COL_THREAD);
    if (r->processes.n == 1)
        return &r->processes.v[0];
    for (size_t i = 0; i < r->processes.n && tid != RV3_NO_ID; i++) {
        const struct rv3_process *p = &r->build.processes.v[r->processes.v[i].process];
        if (idmap_get(&p->threads, tid) != NO_INDEX)
            return &r->processes.v[i];
    }
    for (size_t i = 0; i < r->processes.n; i++)
        if (!r->processes.v[i].guid && r->processes.v[i].pid == PID_NEVER)
            return &r->processes.v[i];
    return add_process(r, 0, r->processes.n ? PID_NEVER : PID_UNKNOWN);
}

/* One whose pid is not known yet is this one: it comes from the same capture. */
static struct csv_process *by_pid(struct rv3c *r, int64_t pid)
{
    for (size_t i = r->processes.n; i-- > 0;) {
        struct csv_process *p = &r->processes.v[i];
        if (!p->guid && (p->pid == pid || p->pid == PID_UNKNOWN))
            return p;
    }
    return add_process(r, 0, pid);
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
    return r->processes.n ? r->processes.v[0].process : add_process(r, 0, PID_UNKNOWN)->process;
}
