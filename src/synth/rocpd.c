#include "synth/rocpd.h"

#include <stdio.h>
#include <string.h>

#include "synth/rocpd_in.h"

/* Passes in the order in which rocprofv3 fills a file; rocprof-sys writes as things happen. */
static const unsigned v3_passes[] = {
    WANT_INFO,     WANT_HIP,    WANT_HSA,   WANT_MARKER | WANT_HOST, WANT_RCCL, WANT_KERNELS,
    WANT_COUNTERS, WANT_COPIES, WANT_ALLOCS};
static const unsigned sys_passes[] = {WANT_INFO,
                                      WANT_HIP | WANT_HSA | WANT_MARKER | WANT_HOST | WANT_RCCL,
                                      WANT_KERNELS,
                                      WANT_COUNTERS,
                                      WANT_COPIES | WANT_ALLOCS,
                                      WANT_SAMPLES};

static const char *const v3_categories[RCAT_COUNT] = {
    [CAT_HIP] = "HIP_RUNTIME_API_EXT",
    [CAT_HSA] = "HSA_CORE_API",
    [CAT_MARKER] = "MARKER_CORE_RANGE_API",
    [CAT_RCCL] = "RCCL_API",
    [CAT_MPI] = "MARKER_CORE_RANGE_API",
    [CAT_HOST] = "MARKER_CORE_RANGE_API",
    [CAT_COMPILER] = "HIP_COMPILER_API_EXT",
    [CAT_DRIVER] = "KFD_EVENTS",
    [RCAT_KERNEL] = "KERNEL_DISPATCH",
    [RCAT_COPY] = "MEMORY_COPY",
    [RCAT_ALLOC] = "MEMORY_ALLOCATION",
    [RCAT_SCRATCH] = "SCRATCH_MEMORY",
    [RCAT_SMI] = "amd_smi",
    [RCAT_HSA_AMD] = "HSA_AMD_EXT_API",
};

static const char *const sys_categories[RCAT_COUNT] = {
    [CAT_HIP] = "rocm_hip_api",
    [CAT_HSA] = "rocm_hsa_api",
    [CAT_MARKER] = "rocm_marker_api",
    [CAT_RCCL] = "rocm_rccl_api",
    [CAT_MPI] = "mpi",
    [CAT_HOST] = "host",
    [CAT_COMPILER] = "rocm_hip_api",
    [CAT_DRIVER] = "rocm_kfd",
    [RCAT_KERNEL] = "rocm_kernel_dispatch",
    [RCAT_COPY] = "rocm_memory_copy",
    [RCAT_ALLOC] = "rocm_memory_allocate",
    [RCAT_SCRATCH] = "rocm_scratch_memory",
    [RCAT_SMI] = "amd_smi",
    [RCAT_HSA_AMD] = "rocm_hsa_api",
};

/* Names that stand in every string table although a small trace does not use them. */
static const char *const always[] = {
    "MEMORY_COPY_HOST_TO_DEVICE",
    "MEMORY_COPY_DEVICE_TO_HOST",
    "MEMORY_COPY_DEVICE_TO_DEVICE",
    "MEMORY_COPY_HOST_TO_HOST",
    "MEMORY_COPY_NONE",
    "hipInit",
    "hipGetDeviceCount",
    "hipSetDevice",
    "hipGetDevice",
    "hipStreamCreate",
    "hipStreamDestroy",
    "hipEventCreate",
    "hipEventDestroy",
    "hipGetLastError",
    "hipModuleLoad",
    "hipModuleLaunchKernel",
    "hsa_init",
    "hsa_shut_down",
    "hsa_queue_create",
    "hsa_amd_memory_async_copy",
    "roctxMarkA",
    "roctxThreadRangeA",
    "roctxProcessRangeA",
    "roctxGetThreadId",
    "device_power",
    "device_gfx_clock",
    "device_busy_gfx",
    "device_temp",
    "device_memory_usage",
};

void rocpdw_fail(struct rocpd *w, sqlite3 *db, const char *what)
{
    if (w->sink.failed)
        return;
    w->sink.failed = true;
    fail(&w->sink.error, GS_E_IO, "cannot write the trace: %s (%s)", sqlite3_errmsg(db), what);
}

bool rocpdw_exec(struct rocpd *w, sqlite3 *db, const char *sql)
{
    if (w->sink.failed)
        return false;
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK)
        return true;
    char head[64];
    snprintf(head, sizeof(head), "%.60s", sql);
    rocpdw_fail(w, db, head);
    return false;
}

sqlite3_stmt *rocpdw_prepare(struct rocpd *w, struct rprocess *p, const char *sql)
{
    sqlite3_stmt *st = NULL;
    if (w->sink.failed)
        return NULL;
    if (sqlite3_prepare_v3(p->file->db, rocpdw_expand(w, p, sql), -1, SQLITE_PREPARE_PERSISTENT,
                           &st, NULL) != SQLITE_OK)
        rocpdw_fail(w, p->file->db, "prepare");
    return st;
}

void rocpdw_step(struct rocpd *w, struct rprocess *p, sqlite3_stmt *st)
{
    if (!st || w->sink.failed)
        return;
    if (sqlite3_step(st) != SQLITE_DONE)
        rocpdw_fail(w, p->file->db, "insert");
    sqlite3_reset(st);
}

/* --- passes ------------------------------------------------------------------------------ */

static unsigned begin(struct sink *s, int pass, struct names *names)
{
    struct rocpd *w = (struct rocpd *)s;
    w->pass = pass;
    w->names = names;
    if (pass == 0) {
        bool sys = w->o.flavor == ROCPD_SYS;
        for (int i = 0; i < RCAT_COUNT; i++)
            w->category[i] = names_adds(names, sys ? sys_categories[i] : v3_categories[i]);
        for (size_t i = 0; i < ARRAY_LEN(always); i++)
            names_adds(names, always[i]);
    }
    return w->o.flavor == ROCPD_SYS ? sys_passes[pass] : v3_passes[pass];
}

SINK_ADD_PROCESS(struct rocpd, struct rprocess)
SINK_END_PROCESS(struct rocpd)

static void add_agent(struct sink *s, const struct rec_agent *r)
{
    struct rocpd *w = (struct rocpd *)s;
    vec_push(&w->processes.v[r->process].agents, w->arena, rec_keep_agent(r, w->arena));
}

SINK_KEEP(struct rocpd, add_thread, rec_thread, threads)
SINK_KEEP(struct rocpd, add_stream, rec_stream, streams)
SINK_KEEP(struct rocpd, add_queue, rec_queue, queues)
SINK_KEEP(struct rocpd, add_symbol, rec_symbol, symbols)
SINK_KEEP(struct rocpd, add_counter_info, rec_counter_info, counters)

static void finish(struct sink *s, int pass)
{
    struct rocpd *w = (struct rocpd *)s;
    for (size_t i = 0; i < w->processes.n && pass > 0; i++)
        rocpdw_flush_graph(w, &w->processes.v[i]);
    if (pass > 0)
        return;
    rocpdw_strings(w);
    for (size_t i = 0; i < w->processes.n && !w->sink.failed; i++) {
        struct rprocess *p = &w->processes.v[i];
        rocpdw_identity(w, p);
        p->file = w->o.merge && i ? w->processes.v[0].file : rocpdw_open(w, p);
        rocpdw_tables(w, p);
    }
    for (size_t i = 0; i < w->files.n && !w->o.drop.n; i++)
        rocpdw_views(w, w->files.v[i]);
    for (size_t i = 0; i < w->processes.n && !w->sink.failed; i++) {
        rocpdw_info(w, &w->processes.v[i]);
        rocpdw_prepare_inserts(w, &w->processes.v[i]);
    }
}

struct sink *rocpdw_new(const struct rocpd_options *o, struct arena *a)
{
    struct rocpd *w = arena_new(a, struct rocpd);
    w->o = *o;
    w->arena = a;
    str_init(&w->text, a);
    size_t v3 = ARRAY_LEN(v3_passes), sys = ARRAY_LEN(sys_passes);
    w->sink = (struct sink){
        .passes = (int)(o->flavor == ROCPD_SYS ? sys : v3),
        .begin = begin,
        .process = add_process,
        .process_end = end_process,
        .agent = add_agent,
        .thread = add_thread,
        .stream = add_stream,
        .queue = add_queue,
        .symbol = add_symbol,
        .counter_info = add_counter_info,
        .region = rocpdw_region,
        .kernel = rocpdw_kernel,
        .counter = rocpdw_counter,
        .copy = rocpdw_copy,
        .alloc = rocpdw_alloc,
        .sample = rocpdw_sample,
        .finish = finish,
    };
    return &w->sink;
}
