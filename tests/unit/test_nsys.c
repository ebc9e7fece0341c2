/* The Nsight Systems reader on small databases made here, of every age and oddity. */
#include "unit.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "ingest/detect.h"
#include "load_paths.h"
#include "sql.h"

/* Process 5 and 6 of machine 1, as Nsight Systems numbers them; threads are added. */
#define P5 "281475060596736"
#define P6 "281475077373952"

struct fixture {
    char dir[64], path[96];
    struct trace trace;
    struct gs_error err;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    strcpy(f->dir, "/tmp/nsys-XXXXXX");
    if (!mkdtemp(f->dir))
        return -1;
    snprintf(f->path, sizeof(f->path), "%s/t.sqlite", f->dir);
    trace_init(&f->trace);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    char command[128];
    trace_release(&f->trace);
    snprintf(command, sizeof(command), "rm -r %s", f->dir);
    int rc = system(command);
    free(f);
    return rc;
}

static bool load_these(struct fixture *f, const char **paths, size_t n)
{
    struct opt_list list = {paths, n, n};
    struct ingest_opts o = {.reader = READER_CHECK, .threads = 3};
    return load_paths(&f->trace, &list, &o, &f->err);
}

/* Reads it both ways and compares; the trace is that of the fast one. */
static struct trace *load(struct fixture *f, const char *sql)
{
    const char *path = f->path;
    run_sql_in(f->path, sql);
    bool ok = load_these(f, &path, 1);
    if (!ok)
        print_error("%s\n", f->err.text);
    assert_true(ok);
    return &f->trace;
}

static const char *kernel_name(const struct trace *t, size_t row)
{
    return trace_str(t, t->symbols.v[t->kernels.symbol[row]].name);
}

static const char *region_name(const struct trace *t, size_t row)
{
    return trace_str(t, t->regions.name[row]);
}

#define STRINGS                                                                                    \
    "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT);"                        \
    "INSERT INTO StringIds VALUES (1,'void add<float>(float*)'),(2,'add'),(3,'_Z3addIfEvPT_'),"    \
    "(4,'cudaLaunchKernel_v7000'),(5,'cuLaunchKernel'),(6,'cudaMemcpyAsync_ptsz_v7000'),"          \
    "(7,'registered'),(8,'MPI_Allreduce'),(9,'poll'),(10,'NCCL'),(11,'cuMemAlloc_v2'),"            \
    "(12,'worker'),(13,'_Z3mulPf');"

#define META(version)                                                                              \
    "CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);"                                       \
    "INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION','" version "'),"                 \
    "('EXPORT_PRODUCT_VERSION','2024.5.1');"

#define KERNELS                                                                                    \
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER,"       \
    "contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER,"               \
    "demangledName INTEGER, shortName INTEGER, mangledName INTEGER, registersPerThread INTEGER,"   \
    "gridX INTEGER, gridY INTEGER, gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER," \
    "staticSharedMemory INTEGER, dynamicSharedMemory INTEGER, localMemoryPerThread INTEGER,"       \
    "graphNodeId INTEGER);"

#define RUNTIME                                                                                    \
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, eventClass INTEGER,"    \
    "globalTid INTEGER, correlationId INTEGER, nameId INTEGER, returnValue INTEGER);"

static void a_kernel_has_names_sizes_and_resources(void **state)
{
    struct fixture *f = *state;
    const struct trace *t =
        load(f, STRINGS META("3.13.2") KERNELS RUNTIME
             "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (100,150,0,1,7,42," P5
             ",1,2,3,32,10,2,1,128,2,1,1024,512,16,NULL);"
             "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (80,90,0," P5 "+5,42,4,0);");
    assert_int_equal(t->kernels.n, 1);
    assert_int_equal(t->files.v[0].format, TRACE_NSYS);
    assert_string_equal(t->files.v[0].schema_version, "3.13.2");
    assert_string_equal(t->files.v[0].tool_version, "2024.5.1");
    assert_string_equal(t->files.v[0].reader, "fast");
    const struct symbol *s = &t->symbols.v[t->kernels.symbol[0]];
    assert_string_equal(trace_str(t, s->name), "void add<float>(float*)");
    assert_string_equal(trace_str(t, s->short_name), "add<float>");
    assert_string_equal(trace_str(t, s->mangled), "_Z3addIfEvPT_");
    assert_int_equal(s->vgprs, 32);
    assert_int_equal(s->lds_bytes, 1024);
    const struct launch *l = &t->launches.v[t->kernels.launch[0]];
    assert_int_equal(l->grid[0], 1280);
    assert_int_equal(l->grid[1], 4);
    assert_int_equal(l->group[0], 128);
    assert_int_equal(l->lds_bytes, 1536);
    assert_int_equal(l->scratch_bytes, 16);
    assert_int_equal(t->kernels.call[0], 0);
    assert_string_equal(region_name(t, 0), "cudaLaunchKernel");
    assert_int_equal(t->threads.v[t->kernels.thread[0]].tid, 5);
    assert_int_equal(t->processes.v[0].pid, 5);
}

static void correlation_ids_count_per_process(void **state)
{
    struct fixture *f = *state;
    const struct trace *t =
        load(f, STRINGS KERNELS RUNTIME
             "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (100,150,0,1,7,42," P5
             ",1,2,3,32,1,1,1,1,1,1,0,0,0,NULL),(200,250,1,2,7,42," P6
             ",1,2,3,32,1,1,1,1,1,1,0,0,0,NULL),(300,350,1,2,7,43," P6
             ",1,2,3,32,1,1,1,1,1,1,0,0,0,NULL);"
             "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (180,190,0," P6 "+6,42,4,0),"
             "(80,90,0," P5 "+5,42,4,0);");
    assert_int_equal(t->kernels.n, 3);
    assert_int_equal(t->kernels.call[0], 1);
    assert_int_equal(t->kernels.call[1], 0);
    assert_int_equal(t->kernels.call[2], NO_INDEX); /* the window cut it off */
    assert_int_equal(t->streams.n, 2);              /* both are stream 7 */
    assert_int_not_equal(t->kernels.stream[0], t->kernels.stream[1]);
    assert_int_equal(t->gpus.n, 2);
}

static void the_runtime_call_is_preferred_to_the_driver_call(void **state)
{
    struct fixture *f = *state;
    const struct trace *t =
        load(f, STRINGS KERNELS RUNTIME
             "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (100,150,0,1,7,42," P5
             ",1,2,3,32,1,1,1,1,1,1,0,0,0,NULL);"
             "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (82,88,1," P5 "+5,42,5,0),"
             "(80,90,0," P5 "+5,42,4,0),(95,99,1," P5 "+5,99000000,11,0);");
    assert_int_equal(t->kernels.call[0], 1);
    assert_int_equal(t->regions.kind[0], REGION_HSA);
    assert_int_equal(t->regions.kind[1], REGION_HIP);
    assert_string_equal(region_name(t, 2), "cuMemAlloc");
}

static void names_fall_back_and_missing_ones_are_noted(void **state)
{
    struct fixture *f = *state;
    const struct trace *t =
        load(f, STRINGS KERNELS "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1,2,0,1,7,1," P5
                                ",NULL,2,3,8,1,1,1,1,1,1,0,0,0,NULL),(3,4,0,1,7,2," P5
                                ",NULL,NULL,13,8,1,1,1,1,1,1,0,0,0,NULL),(5,6,0,1,7,3," P5
                                ",777,NULL,NULL,8,1,1,1,1,1,1,0,0,0,NULL);");
    assert_string_equal(kernel_name(t, 0), "add");
    assert_true(str_eq(kernel_name(t, 1), "mul(float*)") || str_eq(kernel_name(t, 1), "_Z3mulPf"));
    assert_string_equal(kernel_name(t, 2), "(unknown kernel)");
    assert_int_equal(t->notes.v[0].kind, NOTE_DANGLING);
    assert_int_equal(t->notes.v[0].count, 1);
}

/* As old and small as they come: no process, no device, no names but the short one. */
static void an_old_file_of_few_columns_loads(void **state)
{
    struct fixture *f = *state;
    const struct trace *t = load(
        f, STRINGS
        "CREATE TABLE EXPORT_META_DATA (name TEXT, value TEXT);"
        "INSERT INTO EXPORT_META_DATA VALUES ('EXPORT_SCHEMA_VERSION','2.9.0');"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, shortName INTEGER);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (10,20,2);"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, bytes INTEGER,"
        "copyKind INTEGER);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (1,5,64,1);"
        "CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, text TEXT, eventType INTEGER);"
        "INSERT INTO NVTX_EVENTS VALUES (1,30,'phase',59);"
        "CREATE TABLE ENUM_CUDA_KRENEL_LAUNCH_TYPE (id INTEGER, label TEXT);");
    assert_string_equal(t->files.v[0].schema_version, "2.9.0");
    assert_string_equal(kernel_name(t, 0), "add");
    assert_int_equal(t->copies.kind[0], COPY_H2D);
    assert_int_equal(t->markers.n, 1);
    assert_int_equal(t->gpus.n, 1);
    assert_int_equal(t->gpus.v[0].vendor, VENDOR_NVIDIA);
    assert_int_equal(t->processes.n, 1);
}

#define MEMCPY                                                                                     \
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER,"       \
    "contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER,"               \
    "bytes INTEGER, copyKind INTEGER, srcKind INTEGER, dstKind INTEGER, srcDeviceId INTEGER,"      \
    "dstDeviceId INTEGER);"

static void copies_have_kinds_ends_and_memory(void **state)
{
    struct fixture *f = *state;
    const struct trace *t = load(
        f, STRINGS MEMCPY RUNTIME
        "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES"
        "(1,2,0,1,7,1," P5 ",100,1,0,2,NULL,NULL),(3,4,0,1,7,2," P5 ",200,2,2,1,NULL,NULL),"
        "(5,6,0,1,7,3," P5 ",300,8,2,2,0,1),(7,8,0,1,7,4," P5 ",400,10,2,2,0,1),"
        "(9,9,0,1,7,5," P5 ",500,8,2,2,NULL,NULL),(10,11,1,1,7,6," P5 ",NULL,11,7,7,NULL,NULL),"
        "(12,13,1,1,7,6," P5 ",1,99,99,-3,NULL,NULL);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (0,1,0," P5 "+5,1,6,0);"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER, end INTEGER, deviceId INTEGER,"
        "streamId INTEGER, correlationId INTEGER, globalPid INTEGER, value INTEGER, bytes INTEGER,"
        "memKind INTEGER);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (20,21,0,7,9," P5 ",0,4096,2);");
    static const uint8_t kinds[] = {COPY_H2D, COPY_D2H, COPY_P2P,     COPY_P2P,
                                    COPY_D2D, COPY_H2D, COPY_UNKNOWN, COPY_SET};
    assert_int_equal(t->copies.n, 8);
    assert_memory_equal(t->copies.kind, kinds, sizeof(kinds));
    assert_int_equal(t->copies.src_memory[0], MEMORY_PAGEABLE);
    assert_int_equal(t->copies.dst_memory[0], MEMORY_DEVICE);
    assert_int_equal(t->copies.dst_memory[1], MEMORY_PINNED);
    assert_int_equal(t->copies.src_memory[5], MEMORY_MANAGED);
    assert_true(t->copies.bytes[5] == BYTES_UNKNOWN);
    assert_true(t->copies.bytes[7] == 4096);
    assert_int_equal(t->copies.call[0], 0);
    assert_string_equal(region_name(t, 0), "cudaMemcpyAsync");
    assert_int_equal(t->agents.v[t->copies.src[0]].type, AGENT_CPU);
    assert_int_equal(t->agents.v[t->copies.dst[2]].id, 1);
    assert_int_equal(t->copies.src[7], NO_INDEX);
}

/* A table of names that counts differently is believed; one with strange names changes nothing. */
static void enumerations_of_the_file_are_believed(void **state)
{
    struct fixture *f = *state;
    const struct trace *t = load(
        f, STRINGS MEMCPY
        "CREATE TABLE ENUM_CUDA_MEMCPY_KIND (id INTEGER PRIMARY KEY, name TEXT, label TEXT);"
        "INSERT INTO ENUM_CUDA_MEMCPY_KIND VALUES (21,'CUDA_MEMCPY_KIND_DTOH','Device-to-Host'),"
        "(1,'-','-'),(-1,'CUDA_MEMCPY_KIND_DTOH',''),(1000000,'CUDA_MEMCPY_KIND_DTOH','');"
        "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES"
        "(1,2,0,1,7,1," P5 ",100,21,0,2,NULL,NULL),(3,4,0,1,7,2," P5 ",200,1,2,1,NULL,NULL);");
    assert_int_equal(t->copies.kind[0], COPY_D2H);
    assert_int_equal(t->copies.kind[1], COPY_H2D);
}

#define NVTX                                                                                       \
    "CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL,"   \
    "rangeId INTEGER, category INTEGER, color INTEGER, text TEXT, globalTid INTEGER,"              \
    "endGlobalTid INTEGER, textId INTEGER, domainId INTEGER, jsonText TEXT);"

static void markers_have_texts_domains_and_ends(void **state)
{
    struct fixture *f = *state;
    const struct trace *t = load(
        f, STRINGS NVTX
        "INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, textId, domainId) VALUES"
        "(5,NULL,75,'physics'," P5 "+5,NULL,3),(6,NULL,75,NULL," P5 "+5,10,4),"
        "(7,NULL,75,'other'," P6 "+6,NULL,3),"
        "(10,20,59,'inline'," P5 "+5,NULL,0),(11,19,59,NULL," P5 "+5,7,3),"
        "(12,NULL,60,'open'," P5 "+5,NULL,3),(13,NULL,34,'mark'," P6 "+6,NULL,3),"
        "(14,18,59,'ncclAllReduce'," P5 "+5,NULL,4),(15,16,59,NULL," P5 "+5,NULL,0),"
        "(17,NULL,33,'a category'," P5 "+9,NULL,0);");
    assert_int_equal(t->markers.n, 5);
    static const char *const names[] = {"inline", "registered", "open", "mark", ""};
    static const char *const domains[] = {"", "physics", "physics", "other", ""};
    static const uint8_t kinds[] = {MARKER_THREAD_RANGE, MARKER_THREAD_RANGE, MARKER_PROCESS_RANGE,
                                    MARKER_INSTANT, MARKER_THREAD_RANGE};
    for (size_t i = 0; i < 5; i++) {
        assert_string_equal(trace_str(t, t->markers.name[i]), names[i]);
        assert_string_equal(trace_str(t, t->markers.domain[i]), domains[i]);
        assert_int_equal(t->markers.kind[i], kinds[i]);
    }
    assert_int_equal(t->markers.end_ns[2], 20); /* the last moment of the file */
    assert_int_equal(t->markers.end_ns[3], 13);
    assert_int_equal(t->regions.n, 1);
    assert_int_equal(t->regions.kind[0], REGION_COLLECTIVE);
    assert_string_equal(region_name(t, 0), "ncclAllReduce");
    assert_int_equal(t->threads.n, 2);
}

static void host_calls_of_all_kinds_become_regions(void **state)
{
    struct fixture *f = *state;
    const struct trace *t = load(
        f, STRINGS RUNTIME
        "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1,2,0," P5 "+5,1,4,0),"
        "(3,4,1," P5 "+5,2,5,0),(5,6,0," P5 "+5,3,NULL,0);"
        "CREATE TABLE MPI_COLLECTIVES_EVENTS (start INTEGER, end INTEGER, globalTid INTEGER,"
        "textId INTEGER);INSERT INTO MPI_COLLECTIVES_EVENTS VALUES (7,8," P5 "+5,8);"
        "CREATE TABLE MPI_RANKS (globalTid INTEGER, rank INTEGER);"
        "INSERT INTO MPI_RANKS VALUES (" P5 "+5,3);"
        "CREATE TABLE OSRT_API (start INTEGER, end INTEGER, eventClass INTEGER, globalTid INTEGER,"
        "nameId INTEGER);INSERT INTO OSRT_API VALUES (9,10,27," P5 "+8,9);"
        "CREATE TABLE ThreadNames (nameId INTEGER, priority INTEGER, globalTid INTEGER);"
        "INSERT INTO ThreadNames VALUES (12,20," P5 "+8),(12,20," P6 "+1);");
    static const uint8_t kinds[] = {REGION_HIP, REGION_HSA, REGION_HIP, REGION_MPI, REGION_OS};
    assert_int_equal(t->regions.n, 5);
    assert_memory_equal(t->regions.kind, kinds, sizeof(kinds));
    assert_string_equal(region_name(t, 3), "MPI_Allreduce");
    assert_string_equal(region_name(t, 4), "poll");
    assert_int_equal(t->processes.n, 1);
    assert_int_equal(t->processes.v[0].rank, 3);
    assert_string_equal(trace_str(t, t->threads.v[t->regions.thread[4]].name), "worker");
}

static void gpus_are_described_and_found(void **state)
{
    struct fixture *f = *state;
    const struct trace *t = load(
        f, STRINGS KERNELS
        "CREATE TABLE TARGET_INFO_SYSTEM_ENV (globalVid INTEGER, name TEXT, value TEXT);"
        "INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES (281474976710656,'Hostname','node7');"
        "CREATE TABLE TARGET_INFO_GPU (vmId INTEGER, id INTEGER, name TEXT, busLocation TEXT,"
        "totalMemory INTEGER, clockRate INTEGER, smCount INTEGER, cuDevice INTEGER,"
        "maxShmemPerSm INTEGER, threadsPerWarp INTEGER, maxWarpsPerSm INTEGER,"
        "computeMajor INTEGER, computeMinor INTEGER);"
        "INSERT INTO TARGET_INFO_GPU VALUES (281474976710656,1,'H100','0000:41:00.0',8000000000,"
        "1755000000,114,0,233472,32,64,9,0),(281474976710656,0,'T4','0000:a1:00.0',1600000000,"
        "1590000000,40,1,65536,32,32,7,5);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1,2,0,1,7,1," P5
        ",1,2,3,8,1,1,1,1,1,1,0,0,0,NULL);");
    assert_int_equal(t->gpus.n, 2);
    const struct gpu *g = &t->gpus.v[t->streams.v[0].gpu];
    assert_string_equal(trace_str(t, g->name),
                        "H100"); /* device 0 of CUDA is GPU 1 of the machine */
    assert_string_equal(trace_str(t, g->arch), "sm_90");
    assert_string_equal(trace_str(t, g->host), "node7");
    assert_int_equal(g->cu_count, 114);
    assert_int_equal(g->clock_mhz, 1755);
    assert_int_equal(g->max_waves_per_simd, 16);
    assert_true(g->used);
    assert_false(t->gpus.v[0].used);
}

static void gpus_of_a_process_are_renumbered(void **state)
{
    struct fixture *f = *state;
    const struct trace *t = load(
        f, STRINGS KERNELS
        "CREATE TABLE TARGET_INFO_GPU (vmId INTEGER, id INTEGER, name TEXT, cuDevice INTEGER);"
        "INSERT INTO TARGET_INFO_GPU VALUES (281474976710656,0,'a',0),(281474976710656,1,'b',1);"
        "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER, pid INTEGER);"
        "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (0,0,5),(1,0,6);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1,2,0,1,7,1," P5
        ",1,2,3,8,1,1,1,1,1,1,0,0,0,NULL),(1,2,0,1,7,1," P6 ",1,2,3,8,1,1,1,1,1,1,0,0,0,NULL);");
    assert_int_equal(t->streams.v[t->kernels.stream[0]].gpu, 0);
    assert_int_equal(t->streams.v[t->kernels.stream[1]].gpu, 1);
}

static void files_without_gpu_tables_load(void **state)
{
    struct fixture *f = *state;
    const struct trace *t = load(
        f, STRINGS META(
               "3.4.0") "CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);"
                        "INSERT INTO PROCESSES VALUES (" P5 ",5,'a.out'),(" P6 ",6,'sshd');"
                        "CREATE TABLE ProcessStreams (globalPid INTEGER, filenameId INTEGER, "
                        "contentId INTEGER);"
                        "INSERT INTO ProcessStreams VALUES (" P5 ",1,1);"
                        "CREATE TABLE SCHED_EVENTS (start INTEGER, cpu INTEGER, globalTid INTEGER);"
                        "INSERT INTO SCHED_EVENTS VALUES (1,2,3),(4,5,6);");
    assert_int_equal(trace_events(t), 0);
    assert_int_equal(t->processes.n, 1);
    assert_string_equal(trace_str(t, t->processes.v[0].command), "a.out");
    assert_int_equal(t->categories.n, 1);
    assert_int_equal(t->categories.v[0].count, 2);
}

static void graphs_metrics_samples_and_allocations_are_read(void **state)
{
    struct fixture *f = *state;
    const struct trace *t = load(
        f, STRINGS RUNTIME
        "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1,9,0," P5 "+5,1,4,0);"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER, end INTEGER, deviceId "
        "INTEGER,"
        "streamId INTEGER, correlationId INTEGER, globalPid INTEGER, graphId INTEGER);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (10,30,0,7,1," P5 ",12);"
        "CREATE TABLE GPU_METRICS (timestamp INTEGER, typeId INTEGER, metricId INTEGER,"
        "value INTEGER);INSERT INTO GPU_METRICS VALUES (5,256,1,40),(6,256,2,50),(7,256,1,60);"
        "CREATE TABLE TARGET_INFO_GPU_METRICS (typeId INTEGER, metricId INTEGER, metricName TEXT);"
        "INSERT INTO TARGET_INFO_GPU_METRICS VALUES (256,1,'SMs Active [Throughput %]');"
        "CREATE TABLE COMPOSITE_EVENTS (id INTEGER PRIMARY KEY, start INTEGER, globalTid INTEGER);"
        "INSERT INTO COMPOSITE_EVENTS VALUES (1,3," P5 "+5),(2,4," P6 "+6);"
        "CREATE TABLE SAMPLING_CALLCHAINS (id INTEGER, symbol INTEGER, stackDepth INTEGER);"
        "INSERT INTO SAMPLING_CALLCHAINS VALUES (1,9,0),(1,2,1);"
        "CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start INTEGER, globalPid INTEGER,"
        "deviceId INTEGER, address INTEGER, bytes INTEGER, memKind INTEGER,"
        "memoryOperationType INTEGER, correlationId INTEGER);"
        "INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES (5," P5 ",0,4096,1000,2,0,1),"
        "(20," P5 ",0,4096,1000,1,1,77);");
    assert_string_equal(kernel_name(t, 0), "(CUDA graph 12)");
    assert_int_equal(t->launches.v[t->kernels.launch[0]].graph, 12);
    assert_int_equal(t->kernels.call[0], 0);
    assert_int_equal(t->telemetry.n, 3);
    assert_string_equal(trace_str(t, t->series.v[0].name), "SMs Active");
    assert_string_equal(trace_str(t, t->series.v[0].units), "Throughput %");
    assert_string_equal(trace_str(t, t->series.v[1].name), "metric 2");
    assert_int_equal(t->samples.n, 1); /* process 6 is not traced */
    assert_string_equal(trace_str(t, t->samples.name[0]), "poll");
    assert_int_equal(t->allocations.n, 2);
    assert_int_equal(t->allocations.end_ns[0], 9); /* of the call */
    assert_int_equal(t->allocations.op[1], ALLOC_FREE);
    assert_int_equal(t->agents.v[t->allocations.agent[1]].type, AGENT_CPU);
}

#define SESSION(utc, row)                                                                          \
    STRINGS KERNELS "CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER);"            \
                    "INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (" utc ");"                 \
                    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (" row ",0,1,7,1," P5           \
                    ",1,2,3,8,1,1,1,1,1,1,0,0,0,NULL);"

static void files_of_one_job_share_a_clock(void **state)
{
    struct fixture *f = *state;
    char a[128], b[128];
    snprintf(a, sizeof(a), "%s/rank0.sqlite", f->dir);
    snprintf(b, sizeof(b), "%s/rank1.sqlite", f->dir);
    run_sql_in(a, SESSION("1000000", "100,150"));
    run_sql_in(b, SESSION("1000500", "100,150"));
    const char *paths[] = {a, b};
    assert_true(load_these(f, paths, 2));
    assert_int_equal(f->trace.kernels.start_ns[0], 100);
    assert_int_equal(f->trace.kernels.start_ns[1], 600);
    assert_int_equal(f->trace.processes.v[0].rank, 0);
    assert_int_equal(f->trace.processes.v[1].rank, 1);
}

static void the_environment_names_the_rank_and_nothing_else(void **state)
{
    struct fixture *f = *state;
    const struct trace *t = load(
        f, SESSION("1", "1,2") "CREATE TABLE META_DATA_CAPTURE (name TEXT, value TEXT);"
                               "INSERT INTO META_DATA_CAPTURE VALUES ('PROCESS_0:COMMAND','./app'),"
                               "('PROCESS_0:ARGUMENT_1','b'),('PROCESS_0:ARGUMENT_0','a'),"
                               "('PROCESS_0:ENVIRONMENT_VARIABLE','SECRET=\"hush\"'),"
                               "('PROCESS_0:ENVIRONMENT_VARIABLE','PMI_RANK=\"4\"');");
    assert_int_equal(t->processes.v[0].rank, 4);
    assert_string_equal(t->processes.v[0].rank_source, "PMI_RANK");
    assert_string_equal(trace_str(t, t->processes.v[0].command), "./app a b");
    for (size_t i = 0; i < t->strings.n; i++)
        assert_null(strstr(t->strings.v[i].text, "hush"));
}

/* Wild numbers, NULLs where none may be, rows that end before they start. */
static void strange_values_do_no_harm(void **state)
{
    struct fixture *f = *state;
    const struct trace *t = load(
        f, STRINGS KERNELS RUNTIME NVTX MEMCPY
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES"
        "(NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,"
        "NULL,NULL,NULL,NULL),"
        "(9223372036854775807,-9223372036854775808,-1,-1,-1,-1,-1,-1,-1,-1,-1,4294967295,-1,"
        "9223372036854775807,9223372036854775807,-1,2,9223372036854775807,9223372036854775807,"
        "9223372036854775807,9223372036854775807);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (NULL,NULL,NULL,NULL,NULL,NULL,NULL),"
        "(5,1,7,-1,9223372036854775807,-1,0),(5,1,7,-1,0,-1,0);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (1,2,-1,1,7,1,-1,100,8,0,2,-1,4294967295);"
        "INSERT INTO NVTX_EVENTS (start, end, eventType, text, textId, domainId) VALUES"
        "(1,0,59,'a' || char(0) || 'b',1,-9223372036854775808);");
    assert_int_equal(t->kernels.n, 2);
    assert_int_equal(t->regions.n, 3);
    assert_int_equal(t->markers.n, 1);
}

/* The file has the times it had: whoever looks only at those sees no change. */
static void write_unnoticed(const char *path, const char *text)
{
    struct stat st;
    FILE *file = fopen(path, "rb+");
    assert_non_null(file);
    assert_int_equal(fstat(fileno(file), &st), 0);
    fputs(text, file);
    fclose(file);
    struct timespec times[2] = {st.st_atim, st.st_mtim};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void files_are_looked_at_once(void **state)
{
    struct fixture *f = *state;
    struct arena a;
    struct sighting s;
    char path[128];
    arena_init(&a);
    struct sightings *seen = sightings_new(&a);
    snprintf(path, sizeof(path), "%s/file", f->dir);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs("some text", file);
    fclose(file);
    detect_look(&s, seen, path);
    assert_true(s.readable && strstr(s.why.text, "a text file"));
    write_unnoticed(path, "QDSTRM");
    detect_look(&s, seen, path);
    assert_true(s.readable && strstr(s.why.text, "a text file"));
    detect_look(&s, NULL, path);
    assert_non_null(strstr(s.why.text, "QdstrmImporter"));
    file = fopen(path, "ab");
    assert_non_null(file);
    fputs(" and more", file);
    fclose(file);
    detect_look(&s, seen, path);
    assert_non_null(strstr(s.why.text, "QdstrmImporter"));
    arena_release(&a);
}

static void reports_are_told_how_to_export(void **state)
{
    struct fixture *f = *state;
    struct sighting seen;
    char path[128];
    snprintf(path, sizeof(path), "%s/my run.nsys-rep", f->dir);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fwrite("\x01\x02\x00 binary", 1, 10, file);
    fclose(file);
    detect_look(&seen, NULL, path);
    assert_null(seen.format);
    char expected[512];
    snprintf(expected, sizeof(expected),
             "nsys export --type sqlite --output '%s/my run.sqlite' '%s/my run.nsys-rep'", f->dir,
             f->dir);
    assert_non_null(strstr(seen.why.text, expected));
    snprintf(path, sizeof(path), "%s/stream", f->dir);
    file = fopen(path, "wb");
    fwrite("QDSTRM\0\0\0", 1, 9, file);
    fclose(file);
    detect_look(&seen, NULL, path);
    assert_null(seen.format);
    assert_non_null(strstr(seen.why.text, "QdstrmImporter -i"));
}

#define nsys_test(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        nsys_test(a_kernel_has_names_sizes_and_resources),
        nsys_test(correlation_ids_count_per_process),
        nsys_test(the_runtime_call_is_preferred_to_the_driver_call),
        nsys_test(names_fall_back_and_missing_ones_are_noted),
        nsys_test(an_old_file_of_few_columns_loads),
        nsys_test(copies_have_kinds_ends_and_memory),
        nsys_test(enumerations_of_the_file_are_believed),
        nsys_test(markers_have_texts_domains_and_ends),
        nsys_test(host_calls_of_all_kinds_become_regions),
        nsys_test(gpus_are_described_and_found),
        nsys_test(gpus_of_a_process_are_renumbered),
        nsys_test(files_without_gpu_tables_load),
        nsys_test(graphs_metrics_samples_and_allocations_are_read),
        nsys_test(files_of_one_job_share_a_clock),
        nsys_test(the_environment_names_the_rank_and_nothing_else),
        nsys_test(strange_values_do_no_harm),
        nsys_test(reports_are_told_how_to_export),
        nsys_test(files_are_looked_at_once),
    };
    return unit_run(tests);
}
