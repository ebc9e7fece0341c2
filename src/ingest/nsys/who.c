/*
 * Hosts, processes and threads. A file lists every process of the machine; only those that some
 * event names come into the trace, when they are first named.
 */
#include <string.h>

#include "ingest/nsys/nsys.h"
#include "ingest/rank.h"

static bool read_hosts(struct nsys *n, struct gs_error *err)
{
    struct db_query q;
    if (!nsys_has_column(n, "TARGET_INFO_SYSTEM_ENV", "name") ||
        !nsys_has_column(n, "TARGET_INFO_SYSTEM_ENV", "value"))
        return true;
    const char *machine =
        nsys_has_column(n, "TARGET_INFO_SYSTEM_ENV", "globalVid") ? "globalVid" : "0";
    if (!db_query(&q, n->db, err,
                  "SELECT %s, value FROM TARGET_INFO_SYSTEM_ENV NOT INDEXED WHERE name='Hostname'",
                  machine))
        return false;
    while (db_next(&q))
        idmap_put(&n->hosts, gid_machine(sqlite3_column_int64(q.stmt, 0)), nsys_text(n, &q, 1));
    return db_done(&q, err);
}

uint32_t nsys_host(const struct nsys *n, int64_t global)
{
    uint32_t host = idmap_get(&n->hosts, gid_machine(global));
    if (host == NO_INDEX && n->hosts.n == 1) /* numbers without a machine in old files */
        for (size_t i = 0; i <= n->hosts.mask; i++)
            if (n->hosts.slots[i].value != NO_INDEX)
                host = n->hosts.slots[i].value;
    return host == NO_INDEX ? 0 : host;
}

static bool read_process_names(struct nsys *n, struct gs_error *err)
{
    static const char *const columns[] = {"globalPid", "name", NULL};
    struct db_query q;
    if (!db_select(&q, n->db, "PROCESSES", columns, err))
        return false;
    while (db_next(&q))
        idmap_put(&n->names, gid_process(sqlite3_column_int64(q.stmt, 0)), nsys_text(n, &q, 1));
    return db_done(&q, err);
}

static bool read_thread_names(struct nsys *n, struct gs_error *err)
{
    static const char *const columns[] = {"globalTid", "nameId", NULL};
    struct db_query q;
    if (!db_select(&q, n->db, "ThreadNames", columns, err))
        return false;
    while (db_next(&q)) {
        uint32_t name = nsys_string(n, sqlite3_column_int64(q.stmt, 1));
        if (name)
            idmap_put(&n->thread_names, (uint64_t)sqlite3_column_int64(q.stmt, 0), name);
    }
    return db_done(&q, err);
}

static bool read_ranks(struct nsys *n, struct gs_error *err)
{
    static const char *const columns[] = {"globalTid", "rank", "globalPid", NULL};
    struct db_query q;
    if (!db_select(&q, n->db, "MPI_RANKS", columns, err))
        return false;
    while (db_next(&q)) {
        bool by_thread = sqlite3_column_type(q.stmt, 0) != SQLITE_NULL;
        int64_t global = sqlite3_column_int64(q.stmt, by_thread ? 0 : 2);
        int64_t rank = sqlite3_column_int64(q.stmt, 1);
        if (rank >= 0 && rank < INT32_MAX)
            idmap_put(&n->ranks, gid_process(global), (uint32_t)rank);
    }
    return db_done(&q, err);
}

bool nsys_read_who(struct nsys *n, struct gs_error *err)
{
    return read_hosts(n, err) && read_process_names(n, err) && read_thread_names(n, err) &&
           read_ranks(n, err);
}

uint32_t nsys_process(struct nsys *n, int64_t global_pid)
{
    struct trace *t = n->trace;
    uint64_t key = gid_process(global_pid);
    uint32_t found = idmap_get(&n->processes, key);
    if (found != NO_INDEX)
        return found;
    struct process p = {.pid = gid_pid(global_pid), .rank = -1, .file = n->file};
    uint32_t name = idmap_get(&n->names, key), rank = idmap_get(&n->ranks, key);
    p.host = nsys_host(n, global_pid);
    p.command = n->command ? n->command : name == NO_INDEX ? 0 : name;
    if (rank != NO_INDEX) {
        p.rank = (int32_t)rank;
        p.rank_source = "MPI_RANKS";
    }
    found = (uint32_t)t->processes.n;
    vec_push(&t->processes, &t->arena, p);
    idmap_put(&n->processes, key, found);
    idmap_put(&n->machines, found, (uint32_t)gid_machine(global_pid));
    return found;
}

static uint32_t resolve_thread(void *ctx, const struct key *key)
{
    struct nsys *n = ctx;
    int64_t global = key->v[0];
    uint32_t name = idmap_get(&n->thread_names, (uint64_t)global);
    struct thread t = {.process = nsys_process(n, global & ~NSYS_ID_MASK),
                       .tid = global & NSYS_ID_MASK,
                       .name = name == NO_INDEX ? 0 : name};
    vec_push(&n->trace->threads, &n->trace->arena, t);
    return (uint32_t)n->trace->threads.n - 1;
}

void nsys_finish_threads(struct nsys *n, uint32_t *column, size_t first, size_t end)
{
    keys_finish(&n->threads, column, first, end, resolve_thread, n);
}

/* Where no event named a process: the one whose output was kept is the one that was launched. */
static bool add_launched(struct nsys *n, struct gs_error *err)
{
    struct db_query q;
    int64_t global = 0;
    if (nsys_has_column(n, "ProcessStreams", "globalPid")) {
        if (!db_query(&q, n->db, err, "SELECT globalPid FROM ProcessStreams NOT INDEXED LIMIT 1"))
            return false;
        if (db_next(&q))
            global = sqlite3_column_int64(q.stmt, 0);
        if (!db_done(&q, err))
            return false;
    }
    nsys_process(n, global);
    return true;
}

/*
 * The environment and the file name speak of the launched program. They name the rank of the one
 * process that uses the GPU; of several, MPI_RANKS alone can tell.
 */
bool nsys_finish_processes(struct nsys *n, struct gs_error *err)
{
    struct trace *t = n->trace;
    if (t->processes.n == n->first_process && !add_launched(n, err))
        return false;
    size_t count = t->processes.n - n->first_process;
    if (count > 1 && n->cuda_users.n > 1)
        return true;
    for (size_t i = n->first_process; i < t->processes.n; i++) {
        struct process *p = &t->processes.v[i];
        if (count > 1 && idmap_get(&n->cuda_users, i) == NO_INDEX)
            continue;
        if (p->rank < 0 && n->env.rank >= 0) {
            p->rank = n->env.rank;
            p->rank_source = n->env.rank_source;
        }
        rank_from_path(p, t->files.v[n->file].path);
    }
    return true;
}
