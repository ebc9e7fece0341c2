/*
 * GPUs, agents and streams. Devices are numbered three ways: as the machine lists them (id), as
 * CUDA does on it (cuDevice), and as each process sees them (deviceId of events, which
 * CUDA_VISIBLE_DEVICES changes; TARGET_INFO_CUDA_DEVICE says how).
 */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "ingest/nsys/nsys.h"

enum { MOST_GPUS = 4096 };

enum {
    VM,
    ID,
    NAME,
    BUS,
    MEMORY,
    MEMORY_OLD,
    CLOCK,
    CLOCK_OLD,
    SMS,
    SMS_OLD,
    DEVICE,
    SHARED,
    WARP,
    WARPS,
    MAJOR,
    MINOR,
    MAJOR_OLD,
    MINOR_OLD
};

/* Newer names first; TARGET_INFO_CUDA_GPU of old files has the others. */
static const char *const gpu_columns[] = {"vmId",
                                          "id",
                                          "name",
                                          "busLocation",
                                          "totalMemory",
                                          "globalMemorySize",
                                          "clockRate",
                                          "coreClockRate",
                                          "smCount",
                                          "numMultiprocessors",
                                          "cuDevice",
                                          "maxShmemPerSm",
                                          "threadsPerWarp",
                                          "maxWarpsPerSm",
                                          "computeMajor",
                                          "computeMinor",
                                          "computeCapabilityMajor",
                                          "computeCapabilityMinor",
                                          NULL};

static int64_t either(struct db_query *q, int column, int old)
{
    bool there = sqlite3_column_type(q->stmt, column) != SQLITE_NULL;
    return sqlite3_column_int64(q->stmt, there ? column : old);
}

/* "0000:c1:00.0" as one number, never 0 for a GPU. */
static uint64_t location_of(const char *bus)
{
    unsigned domain, number, device, function;
    if (sscanf(bus, "%x:%x:%x.%x", &domain, &number, &device, &function) != 4)
        return 0;
    return (uint64_t)domain << 32 | (number & 0xff) << 8 | (device & 0x1f) << 3 | (function & 7);
}

static uint32_t read_gpu(struct nsys *n, struct db_query *q)
{
    struct gpu g = {.vendor = VENDOR_NVIDIA};
    int64_t clock = either(q, CLOCK, CLOCK_OLD); /* Hz; kHz in old files */
    g.host = nsys_host(n, sqlite3_column_int64(q->stmt, VM));
    g.index = g.node_id = sqlite3_column_int(q->stmt, ID);
    g.name = nsys_text(n, q, NAME);
    g.location = location_of(db_text(q, BUS));
    g.memory_bytes = (uint64_t)either(q, MEMORY, MEMORY_OLD);
    g.clock_mhz = nsys_clamp(clock / (clock >= 100000000 ? 1000000 : 1000));
    g.cu_count = nsys_clamp(either(q, SMS, SMS_OLD));
    g.lds_bytes_per_cu = nsys_clamp(sqlite3_column_int64(q->stmt, SHARED));
    g.wave_size = nsys_clamp(sqlite3_column_int64(q->stmt, WARP));
    g.simd_per_cu = 4; /* sub-partitions of an SM, since Maxwell */
    g.max_waves_per_simd = nsys_clamp(sqlite3_column_int64(q->stmt, WARPS) / 4);
    int64_t major = either(q, MAJOR, MAJOR_OLD), minor = either(q, MINOR, MINOR_OLD);
    if (major > 0 && major < 100 && minor >= 0 && minor < 10)
        g.arch = strings_add(&n->trace->strings,
                             arena_printf(n->arena, "sm_%d%d", (int)major, (int)minor));
    return trace_gpu(n->trace, &g);
}

static bool read_gpu_table(struct nsys *n, const char *table, struct gs_error *err)
{
    struct db_query q;
    if (!nsys_has(n, table))
        return true;
    if (!db_query(&q, n->db, err, "SELECT %s FROM \"%w\" NOT INDEXED ORDER BY 1, 2",
                  db_columns(n->db, table, gpu_columns, n->arena), table))
        return false;
    while (db_next(&q)) {
        uint64_t machine = gid_machine(sqlite3_column_int64(q.stmt, VM));
        uint32_t gpu = read_gpu(n, &q);
        idmap_put(&n->gpu_by_id, pair_key(machine, sqlite3_column_int64(q.stmt, ID)), gpu);
        if (sqlite3_column_type(q.stmt, DEVICE) != SQLITE_NULL)
            idmap_put(&n->gpu_by_device, pair_key(machine, sqlite3_column_int64(q.stmt, DEVICE)),
                      gpu);
    }
    return db_done(&q, err);
}

static bool read_cuda_devices(struct nsys *n, struct gs_error *err)
{
    static const char *const columns[] = {"pid", "cudaId", "gpuId", "numMultiprocessors", NULL};
    struct db_query q;
    if (!db_select(&q, n->db, "TARGET_INFO_CUDA_DEVICE", columns, err))
        return false;
    while (db_next(&q)) {
        uint64_t key =
            pair_key((uint64_t)sqlite3_column_int64(q.stmt, 0), sqlite3_column_int64(q.stmt, 1));
        idmap_put(&n->gpu_of_process, key, (uint32_t)sqlite3_column_int64(q.stmt, 2));
        idmap_put(&n->sm_counts, key, nsys_clamp(sqlite3_column_int64(q.stmt, 3)));
    }
    return db_done(&q, err);
}

static bool read_streams(struct nsys *n, const char *table, const char *stream, const char *flag,
                         struct gs_error *err)
{
    const char *const columns[] = {"processId", stream, flag, NULL};
    struct db_query q;
    if (!db_select(&q, n->db, table, columns, err))
        return false;
    while (db_next(&q)) {
        /* CUPTI_…_STREAM_CREATE_FLAG_UNKNOWN, DEFAULT, NON_BLOCKING, NULL */
        static const enum stream_kind kinds[] = {STREAM_UNKNOWN, STREAM_BLOCKING,
                                                 STREAM_NON_BLOCKING, STREAM_NULL};
        int type = flag ? sqlite3_column_int(q.stmt, 2) : 3;
        if (type > 0 && type <= 3)
            idmap_put(&n->stream_kinds,
                      pair_key((uint64_t)sqlite3_column_int64(q.stmt, 0),
                               sqlite3_column_int64(q.stmt, 1)),
                      kinds[type]);
    }
    return db_done(&q, err);
}

bool nsys_read_gpus(struct nsys *n, struct gs_error *err)
{
    if (!read_gpu_table(n, "TARGET_INFO_GPU", err))
        return false;
    if (!n->gpu_by_id.n && !read_gpu_table(n, "TARGET_INFO_CUDA_GPU", err))
        return false;
    n->no_gpu_list = !n->gpu_by_id.n;
    return read_cuda_devices(n, err) &&
           read_streams(n, "TARGET_INFO_CUDA_STREAM", "streamId", "flag", err) &&
           read_streams(n, "TARGET_INFO_CUDA_NULL_STREAM", "streamId", NULL, err) &&
           read_streams(n, "TARGET_INFO_CUDA_CONTEXT_INFO", "nullStreamId", NULL, err);
}

/* A device some event names and nothing describes: all that is known is its number. */
static uint32_t unlisted_gpu(struct nsys *n, const struct process *p, int64_t device)
{
    trace_note(n->trace, NOTE_MISSING_TABLE, 1,
               n->no_gpu_list ? "the file does not describe its GPUs: product, SMs and clocks "
                                "are not known"
                              : "events on a GPU that is not listed");
    if (n->trace->gpus.n >= MOST_GPUS) /* numbers of a damaged file */
        return NO_INDEX;
    uint32_t sms = idmap_get(&n->sm_counts, pair_key((uint64_t)p->pid, device));
    struct gpu g = {.vendor = VENDOR_NVIDIA, .host = p->host, .wave_size = 32};
    g.index = g.node_id = (int32_t)(device & INT32_MAX);
    g.cu_count = sms == NO_INDEX ? 0 : sms;
    return trace_gpu(n->trace, &g);
}

static uint32_t gpu_of(struct nsys *n, uint32_t process, int64_t device)
{
    const struct process p = n->trace->processes.v[process];
    uint32_t known = idmap_get(&n->machines, process);
    uint64_t machine = known == NO_INDEX ? 0 : known;
    uint32_t id = idmap_get(&n->gpu_of_process, pair_key((uint64_t)p.pid, device)), gpu = NO_INDEX;
    if (id != NO_INDEX)
        gpu = idmap_get(&n->gpu_by_id, pair_key(machine, id));
    if (gpu == NO_INDEX)
        gpu = idmap_get(&n->gpu_by_device, pair_key(machine, device));
    if (gpu == NO_INDEX)
        gpu = idmap_get(&n->gpu_by_id, pair_key(machine, device));
    return gpu == NO_INDEX ? unlisted_gpu(n, &p, device) : gpu;
}

uint32_t nsys_agent(struct nsys *n, uint32_t process, int64_t device)
{
    struct trace *t = n->trace;
    uint64_t key = pair_key(process, device);
    uint32_t found = idmap_get(&n->agents, key);
    if (found != NO_INDEX)
        return found;
    struct agent a = {.process = process, .type = AGENT_CPU, .gpu = NO_INDEX, .id = device};
    if (device != NSYS_HOST) {
        a.type = AGENT_GPU;
        a.gpu = gpu_of(n, process, device);
        if (a.gpu != NO_INDEX)
            t->gpus.v[a.gpu].used = true;
    }
    found = (uint32_t)t->agents.n;
    vec_push(&t->agents, &t->arena, a);
    idmap_put(&n->agents, key, found);
    return found;
}

static uint32_t resolve_stream(void *ctx, const struct key *key)
{
    struct nsys *n = ctx;
    struct trace *t = n->trace;
    uint32_t process = nsys_process(n, key->v[0]);
    uint32_t agent = nsys_agent(n, process, key->v[1]); /* may move the list of agents */
    uint32_t gpu = t->agents.v[agent].gpu;
    int64_t id = key->v[2];
    uint64_t stream = pair_key((uint64_t)t->processes.v[process].pid, id);
    uint32_t kind = idmap_get(&n->stream_kinds, stream);
    kind = kind == NO_INDEX ? STREAM_UNKNOWN : kind;
    const char *name = arena_printf(
        n->arena, "%s %lld", kind == STREAM_NULL ? "Default stream" : "Stream", (long long)id);
    idmap_put(&n->cuda_users, process, 1);
    struct stream s = {process, gpu, id, strings_add(&t->strings, name), kind};
    vec_push(&t->streams, &t->arena, s);
    return (uint32_t)t->streams.n - 1;
}

void nsys_finish_streams(struct nsys *n, uint32_t *column, size_t first, size_t end)
{
    keys_finish(&n->streams, column, first, end, resolve_stream, n);
}
