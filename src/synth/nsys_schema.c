/* Tables of Nsight Systems exports, schema 3.13 and its neighbours. */
#include <stdio.h>
#include <string.h>

#include "synth/nsys_in.h"

/* Bulk tables; all columns are integers but `text`. */
static const struct {
    const char *name, *columns;
} bulk[NI_COUNT] = {
    [NI_RUNTIME] = {"CUPTI_ACTIVITY_KIND_RUNTIME",
                    "start end eventClass globalTid correlationId nameId returnValue callchainId"},
    [NI_KERNEL] = {"CUPTI_ACTIVITY_KIND_KERNEL",
                   "start end deviceId contextId greenContextId streamId correlationId globalPid "
                   "demangledName shortName mangledName launchType cacheConfig registersPerThread "
                   "gridX gridY gridZ blockX blockY blockZ staticSharedMemory dynamicSharedMemory "
                   "localMemoryPerThread localMemoryTotal gridId sharedMemoryExecuted graphNodeId "
                   "sharedMemoryLimitConfig"},
    [NI_MEMCPY] = {"CUPTI_ACTIVITY_KIND_MEMCPY",
                   "start end deviceId contextId greenContextId streamId correlationId globalPid "
                   "bytes copyKind deprecatedSrcId srcKind dstKind srcDeviceId srcContextId "
                   "dstDeviceId dstContextId migrationCause graphNodeId virtualAddress"},
    [NI_MEMSET] = {"CUPTI_ACTIVITY_KIND_MEMSET",
                   "start end deviceId contextId greenContextId streamId correlationId globalPid "
                   "value bytes graphNodeId memKind"},
    [NI_SYNC] = {"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
                 "start end deviceId contextId greenContextId streamId correlationId globalPid "
                 "syncType eventId"},
    [NI_EVENT] = {"CUPTI_ACTIVITY_KIND_CUDA_EVENT",
                  "deviceId contextId greenContextId streamId correlationId globalPid eventId"},
    [NI_MEMORY] = {"CUDA_GPU_MEMORY_USAGE_EVENTS",
                   "start globalPid deviceId contextId address pc bytes memKind "
                   "memoryOperationType correlationId"},
    [NI_NVTX] = {"NVTX_EVENTS",
                 "start end eventType rangeId category color text globalTid endGlobalTid textId "
                 "domainId uint64Value jsonTextId"},
    [NI_MPI_P2P] = {"MPI_P2P_EVENTS",
                    "start end globalTid textId commHandle tag remoteRank size requestHandle"},
    [NI_MPI_COLLECTIVE] = {"MPI_COLLECTIVES_EVENTS",
                           "start end globalTid textId commHandle rootRank size recvSize"},
    [NI_MPI_WAIT] = {"MPI_START_WAIT_EVENTS", "start end globalTid textId requestHandle"},
    [NI_MPI_OTHER] = {"MPI_OTHER_EVENTS", "start end globalTid textId"},
    [NI_MPI_RANKS] = {"MPI_RANKS", "globalTid rank"},
    [NI_METRIC] = {"GPU_METRICS", "timestamp typeId metricId value"},
};

static const char small_tables[] =
    "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT);"
    "CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);"
    "CREATE TABLE ThreadNames (nameId INTEGER NOT NULL, priority INTEGER, globalTid INTEGER);"
    "CREATE TABLE ProcessStreams (globalPid INTEGER, filenameId INTEGER NOT NULL, contentId "
    "INTEGER NOT NULL);"
    "CREATE TABLE ANALYSIS_DETAILS (globalVid INTEGER, duration INTEGER, startTime INTEGER, "
    "stopTime INTEGER);"
    "CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER, utcTime TEXT, localTime "
    "TEXT);"
    "CREATE TABLE TARGET_INFO_SYSTEM_ENV (globalVid INTEGER, devStateName TEXT, name TEXT, "
    "nameEnum "
    "INTEGER, value TEXT);"
    "CREATE TABLE TARGET_INFO_GPU (vmId INTEGER, id INTEGER, name TEXT, busLocation TEXT, "
    "isDiscrete "
    "INTEGER, totalMemory INTEGER, memoryBandwidth INTEGER, clockRate INTEGER, smCount INTEGER, "
    "cuDevice INTEGER, maxShmemPerSm INTEGER, threadsPerWarp INTEGER, maxWarpsPerSm INTEGER, "
    "computeMajor INTEGER, computeMinor INTEGER);"
    "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER, pid INTEGER, uuid TEXT, "
    "numMultiprocessors INTEGER);"
    "CREATE TABLE TARGET_INFO_CUDA_STREAM (streamId INTEGER, hwId INTEGER, vmId INTEGER, processId "
    "INTEGER, contextId INTEGER, priority INTEGER, flag INTEGER);"
    "CREATE TABLE TARGET_INFO_GPU_METRICS (typeId INTEGER, sourceId INTEGER, typeName TEXT, "
    "metricId "
    "INTEGER, metricName TEXT);"
    "CREATE TABLE META_DATA_CAPTURE (name TEXT, value TEXT);"
    "CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);"
    "CREATE TABLE ENUM_CUDA_MEMCPY_OPER (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);"
    "CREATE TABLE ENUM_CUDA_MEM_KIND (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);"
    "CREATE TABLE ENUM_NSYS_EVENT_TYPE (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);"
    "INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_NAME','NVIDIA Nsight Systems'),"
    "('EXPORT_PRODUCT_VERSION','2024.5.1'),('EXPORT_SCHEMA_VERSION','3.13.2'),"
    "('EXPORT_SCHEMA_VERSION_MAJOR','3'),('EXPORT_SCHEMA_VERSION_MINOR','13'),"
    "('EXPORT_PARAM_TIME_NORMALIZE','false');"
    "INSERT INTO ENUM_CUDA_MEMCPY_OPER VALUES (0,'CUDA_MEMCPY_KIND_UNKNOWN','Unknown'),"
    "(1,'CUDA_MEMCPY_KIND_HTOD','Host-to-Device'),(2,'CUDA_MEMCPY_KIND_DTOH','Device-to-Host'),"
    "(8,'CUDA_MEMCPY_KIND_DTOD','Device-to-Device'),(9,'CUDA_MEMCPY_KIND_HTOH','Host-to-Host'),"
    "(10,'CUDA_MEMCPY_KIND_PTOP','Peer-to-Peer');"
    "INSERT INTO ENUM_CUDA_MEM_KIND VALUES (0,'CUDA_MEMOPR_MEMORY_KIND_PAGEABLE','Pageable'),"
    "(1,'CUDA_MEMOPR_MEMORY_KIND_PINNED','Pinned'),(2,'CUDA_MEMOPR_MEMORY_KIND_DEVICE','Device'),"
    "(4,'CUDA_MEMOPR_MEMORY_KIND_MANAGED','Managed');"
    "INSERT INTO ENUM_NSYS_EVENT_TYPE VALUES (34,'NvtxMark','NvtxMark'),"
    "(59,'NvtxPushPopRange','NvtxPushPopRange'),(60,'NvtxStartEndRange','NvtxStartEndRange'),"
    "(75,'NvtxDomainCreate','NvtxDomainCreate');";

/* "a b" as `a INTEGER,b INTEGER`, and one "?" for each. */
static void expand(const char *columns, struct str *create, struct str *values)
{
    for (const char *p = columns; *p; p += strspn(p, " ")) {
        size_t n = strcspn(p, " ");
        bool text = n == 4 && !memcmp(p, "text", 4);
        str_printf(create, "%s\"%.*s\" %s", create->len ? "," : "", (int)n, p,
                   text ? "TEXT" : "INTEGER");
        str_puts(values, values->len ? ",?" : "?");
        p += n;
    }
}

void nsysw_tables(struct nsys_writer *w, struct nfile *f)
{
    nsysw_exec(w, f, small_tables);
    for (int i = 0; i < NI_COUNT && !w->sink.failed; i++) {
        struct str create, values;
        str_init(&create, w->arena);
        str_init(&values, w->arena);
        expand(bulk[i].columns, &create, &values);
        nsysw_exec(w, f, arena_printf(w->arena, "CREATE TABLE %s (%s)", bulk[i].name, create.buf));
        const char *sql =
            arena_printf(w->arena, "INSERT INTO %s VALUES (%s)", bulk[i].name, values.buf);
        if (!w->sink.failed && sqlite3_prepare_v3(f->db, sql, -1, SQLITE_PREPARE_PERSISTENT,
                                                  &f->insert[i], NULL) != SQLITE_OK)
            nsysw_fail(w, f->db, sql);
    }
}

static bool is_empty(struct nfile *f, const char *table, struct arena *a)
{
    sqlite3_stmt *st = NULL;
    sqlite3_prepare_v2(f->db, arena_printf(a, "SELECT 1 FROM %s LIMIT 1", table), -1, &st, NULL);
    bool empty = st && sqlite3_step(st) == SQLITE_DONE;
    sqlite3_finalize(st);
    return empty;
}

/* Tables exist only where something was recorded; then what the user wants missing. */
void nsysw_complete(struct nsys_writer *w, struct nfile *f)
{
    for (int i = 0; i < NI_COUNT; i++)
        if (is_empty(f, bulk[i].name, w->arena))
            nsysw_exec(w, f, arena_printf(w->arena, "DROP TABLE %s", bulk[i].name));
    if (is_empty(f, "TARGET_INFO_GPU_METRICS", w->arena))
        nsysw_exec(w, f, "DROP TABLE TARGET_INFO_GPU_METRICS");
    for (size_t i = 0; i < w->o.drop.n && !w->sink.failed; i++) {
        const char *what = w->o.drop.v[i], *dot = strchr(what, '.');
        char *sql = dot ? sqlite3_mprintf("ALTER TABLE \"%.*w\" DROP COLUMN \"%w\"",
                                          (int)(dot - what), what, dot + 1)
                        : sqlite3_mprintf("DROP TABLE IF EXISTS \"%w\"", what);
        if (sql)
            nsysw_exec(w, f, sql);
        sqlite3_free(sql);
    }
}
