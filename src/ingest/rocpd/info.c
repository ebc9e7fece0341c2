/* The info tables: who ran, where, on what. Small, so libsqlite3 reads them. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "ingest/rank.h"
#include "ingest/rocpd/rocpd.h"

bool rocpd_read_strings(struct rocpd *r, struct gs_error *err)
{
    idtable_init(&r->strings, r->arena);
    return !rocpd_has(r, "string") ||
           scan_strings(r->db, rocpd_table(r, "string"), &r->trace->strings, &r->strings, err);
}

/* ---- the rest, by query ---- */

bool rocpd_query(struct db_query *q, struct rocpd *r, const char *base, const char *const *columns,
                 struct gs_error *err)
{
    rocpd_has(r, base); /* it is noted where it is not */
    return db_select(q, r->db, rocpd_table(r, base), columns, err);
}

uint32_t rocpd_text(struct rocpd *r, struct db_query *q, int column)
{
    const char *text = db_text(q, column);
    return strings_addn(&r->trace->strings, text, db_bytes(q, column));
}

uint32_t rocpd_process(const struct rocpd *r, int64_t pid)
{
    uint32_t p = idtable_get(&r->processes, pid);
    return p == NO_INDEX ? r->process : p;
}

/*
 * Where many processes share a set, ids that repeat from process to process (stream 0, agent 1) are
 * kept beside the row, by the converter; those of AMD's files are the rows' own.
 */
static int64_t id_in_process(struct db_query *q, int extdata, int64_t row)
{
    static const char key[] = "\"id_in_process\":";
    const char *at = strstr(db_text(q, extdata), key);
    return at ? strtoll(at + sizeof(key) - 1, NULL, 10) : row;
}

static bool read_nodes(struct rocpd *r, struct gs_error *err)
{
    static const char *const columns[] = {"id", "hostname", NULL};
    struct db_query q;
    if (!rocpd_query(&q, r, "info_node", columns, err))
        return false;
    while (db_next(&q)) {
        vec_push(&r->node_hosts, r->arena, rocpd_text(r, &q, 1));
        idtable_put(&r->nodes, sqlite3_column_int64(q.stmt, 0), (uint32_t)r->node_hosts.n - 1);
    }
    idtable_seal(&r->nodes);
    return db_done(&q, err);
}

static uint32_t host_of(const struct rocpd *r, int64_t nid)
{
    uint32_t node = idtable_get(&r->nodes, nid);
    return node == NO_INDEX ? 0 : r->node_hosts.v[node];
}

static bool read_processes(struct rocpd *r, struct gs_error *err)
{
    static const char *const columns[] = {"id",  "nid",     "pid",         "ppid", "start",
                                          "end", "command", "environment", NULL};
    struct db_query q;
    const char *path = r->trace->files.v[r->file].path;
    r->process = (uint32_t)r->trace->processes.n;
    if (!rocpd_query(&q, r, "info_process", columns, err))
        return false;
    while (db_next(&q)) {
        struct process p = {.rank = -1, .file = r->file};
        p.host = host_of(r, sqlite3_column_int64(q.stmt, 1));
        p.pid = sqlite3_column_int64(q.stmt, 2);
        p.ppid = sqlite3_column_int64(q.stmt, 3);
        p.start_ns = sqlite3_column_int64(q.stmt, 4);
        p.end_ns = sqlite3_column_int64(q.stmt, 5);
        p.command = rocpd_text(r, &q, 6);
        rank_from_environment(&p, db_text(&q, 7), db_bytes(&q, 7));
        rank_from_path(&p, path);
        idtable_put(&r->processes, sqlite3_column_int64(q.stmt, 0),
                    (uint32_t)r->trace->processes.n);
        vec_push(&r->trace->processes, &r->trace->arena, p);
    }
    if (!db_done(&q, err))
        return false;
    idtable_seal(&r->processes);
    if (r->trace->processes.n == r->process) { /* rows must belong to something */
        struct process p = {.rank = -1, .file = r->file};
        rank_from_path(&p, path);
        vec_push(&r->trace->processes, &r->trace->arena, p);
    }
    return true;
}

static bool read_threads(struct rocpd *r, struct gs_error *err)
{
    static const char *const columns[] = {"id", "pid", "tid", "name", NULL};
    struct db_query q;
    if (!rocpd_query(&q, r, "info_thread", columns, err))
        return false;
    while (db_next(&q)) {
        struct thread t = {.process = rocpd_process(r, sqlite3_column_int64(q.stmt, 1)),
                           .tid = sqlite3_column_int64(q.stmt, 2),
                           .name = rocpd_text(r, &q, 3)};
        if (t.tid < 0) /* stands for "not known" where the schema wants a thread */
            continue;
        idtable_put(&r->threads, sqlite3_column_int64(q.stmt, 0), (uint32_t)r->trace->threads.n);
        vec_push(&r->trace->threads, &r->trace->arena, t);
    }
    idtable_seal(&r->threads);
    return db_done(&q, err);
}

enum {
    A_ID,
    A_NID,
    A_PID,
    A_TYPE,
    A_ABSOLUTE,
    A_TYPE_INDEX,
    A_NAME,
    A_MODEL,
    A_PRODUCT,
    A_USER,
    A_EXT,
    A_VENDOR
};

static uint32_t read_gpu(struct rocpd *r, struct db_query *q)
{
    struct gpu g = {.vendor = str_has(db_text(q, A_VENDOR), "NVIDIA") ? VENDOR_NVIDIA : VENDOR_AMD};
    g.host = host_of(r, sqlite3_column_int64(q->stmt, A_NID));
    g.node_id = sqlite3_column_int(q->stmt, A_ABSOLUTE);
    g.index = sqlite3_column_int(q->stmt, A_TYPE_INDEX);
    g.arch = rocpd_text(r, q, A_NAME);
    for (int column = A_PRODUCT; column <= A_USER && !g.name; column++)
        g.name = rocpd_text(r, q, column);
    if (!g.name)
        g.name = rocpd_text(r, q, A_MODEL);
    rocpd_read_agent_json(&g, db_text(q, A_EXT), db_bytes(q, A_EXT));
    return trace_gpu(r->trace, &g);
}

static bool read_agents(struct rocpd *r, struct gs_error *err)
{
    static const char *const columns[] = {
        "id",         "nid",         "pid",        "type",         "absolute_index",
        "type_index", "name",        "model_name", "product_name", "user_name",
        "extdata",    "vendor_name", NULL};
    struct db_query q;
    if (!rocpd_query(&q, r, "info_agent", columns, err))
        return false;
    while (db_next(&q)) {
        int64_t row = sqlite3_column_int64(q.stmt, A_ID);
        struct agent a = {.gpu = NO_INDEX, .id = id_in_process(&q, A_EXT, row)};
        a.process = rocpd_process(r, sqlite3_column_int64(q.stmt, A_PID));
        a.type = str_eq(db_text(&q, A_TYPE), "GPU")   ? AGENT_GPU
                 : str_eq(db_text(&q, A_TYPE), "CPU") ? AGENT_CPU
                                                      : AGENT_OTHER;
        if (a.type == AGENT_GPU)
            a.gpu = read_gpu(r, &q);
        idtable_put(&r->agents, row, (uint32_t)r->trace->agents.n);
        vec_push(&r->trace->agents, &r->trace->arena, a);
    }
    idtable_seal(&r->agents);
    return db_done(&q, err);
}

static bool read_queues_and_streams(struct rocpd *r, struct gs_error *err)
{
    static const char *const columns[] = {"id", "pid", "name", "extdata", NULL};
    struct db_query q;
    if (!rocpd_query(&q, r, "info_queue", columns, err))
        return false;
    while (db_next(&q)) {
        int64_t row = sqlite3_column_int64(q.stmt, 0);
        struct queue queue = {.process = rocpd_process(r, sqlite3_column_int64(q.stmt, 1)),
                              .id = id_in_process(&q, 3, row),
                              .name = rocpd_text(r, &q, 2)};
        idtable_put(&r->queues, row, (uint32_t)r->trace->queues.n);
        vec_push(&r->trace->queues, &r->trace->arena, queue);
    }
    if (!db_done(&q, err))
        return false;
    idtable_seal(&r->queues);
    if (!rocpd_query(&q, r, "info_stream", columns, err))
        return false;
    while (db_next(&q)) {
        int64_t row = sqlite3_column_int64(q.stmt, 0);
        struct stream s = {rocpd_process(r, sqlite3_column_int64(q.stmt, 1)), NO_INDEX,
                           id_in_process(&q, 3, row), rocpd_text(r, &q, 2), STREAM_UNKNOWN};
        idtable_put(&r->streams, row, (uint32_t)r->stream_list.n);
        vec_push(&r->stream_list, r->arena, s);
    }
    idtable_seal(&r->streams);
    return db_done(&q, err);
}

static bool read_pmcs(struct rocpd *r, struct gs_error *err)
{
    static const char *const columns[] = {"id",         "agent_id", "name",        "block",
                                          "expression", "units",    "description", "is_derived",
                                          "pid",        NULL};
    struct db_query q;
    if (!rocpd_query(&q, r, "info_pmc", columns, err))
        return false;
    r->first_pmc = r->trace->counter_infos.n;
    while (db_next(&q)) {
        struct counter_info c = {.id = sqlite3_column_int64(q.stmt, 0), .gpu = NO_INDEX};
        uint32_t agent = idtable_get(&r->agents, sqlite3_column_int64(q.stmt, 1));
        if (agent != NO_INDEX)
            c.gpu = r->trace->agents.v[agent].gpu;
        c.name = rocpd_text(r, &q, 2);
        c.block = rocpd_text(r, &q, 3);
        c.expression = rocpd_text(r, &q, 4);
        c.units = rocpd_text(r, &q, 5);
        c.description = rocpd_text(r, &q, 6);
        c.derived = sqlite3_column_int(q.stmt, 7) != 0;
        vec_push(&r->pmc_process, r->arena, rocpd_process(r, sqlite3_column_int64(q.stmt, 8)));
        idtable_put(&r->pmcs, c.id, (uint32_t)r->trace->counter_infos.n);
        vec_push(&r->trace->counter_infos, &r->trace->arena, c);
    }
    idtable_seal(&r->pmcs);
    return db_done(&q, err);
}

static bool read_tracks(struct rocpd *r, struct gs_error *err)
{
    static const char *const columns[] = {"id", "tid", "name_id", NULL};
    struct db_query q;
    if (!rocpd_query(&q, r, "track", columns, err))
        return false;
    while (db_next(&q)) {
        bool has_thread = sqlite3_column_type(q.stmt, 1) != SQLITE_NULL;
        uint32_t name = idtable_get(&r->strings, sqlite3_column_int64(q.stmt, 2));
        vec_push(&r->track_names, r->arena, name == NO_INDEX ? 0 : name);
        vec_push(&r->track_threads, r->arena,
                 has_thread ? idtable_get(&r->threads, sqlite3_column_int64(q.stmt, 1)) : NO_INDEX);
        idtable_put(&r->tracks, sqlite3_column_int64(q.stmt, 0), (uint32_t)r->track_names.n - 1);
    }
    idtable_seal(&r->tracks);
    return db_done(&q, err);
}

bool rocpd_read_info(struct rocpd *r, struct gs_error *err)
{
    struct idtable *all[] = {&r->nodes,   &r->processes, &r->threads, &r->agents, &r->queues,
                             &r->streams, &r->symbols,   &r->tracks,  &r->pmcs};
    for (size_t i = 0; i < ARRAY_LEN(all); i++)
        idtable_init(all[i], r->arena);
    return read_nodes(r, err) && read_processes(r, err) && read_threads(r, err) &&
           read_agents(r, err) && read_queues_and_streams(r, err) && read_pmcs(r, err) &&
           read_tracks(r, err) && rocpd_read_symbols(r, err);
}
