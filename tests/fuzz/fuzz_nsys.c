/*
 * Fuzzing the Nsight Systems reader: the bytes become values in the tables it reads, of any kind
 * and size, and the file is read both ways. (SQLite files as such are fuzzed elsewhere.)
 */
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../unit/load_paths.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct {
    const char *name, *columns;
    int n;
} tables[] = {
    {"StringIds", "id INTEGER PRIMARY KEY, value", 2},
    {"CUPTI_ACTIVITY_KIND_KERNEL",
     "start,end,deviceId,streamId,correlationId,globalPid,demangledName,shortName,mangledName,"
     "registersPerThread,gridX,blockX,staticSharedMemory,dynamicSharedMemory,graphNodeId",
     15},
    {"CUPTI_ACTIVITY_KIND_RUNTIME", "start,end,eventClass,globalTid,correlationId,nameId", 6},
    {"CUPTI_ACTIVITY_KIND_MEMCPY",
     "start,end,deviceId,streamId,correlationId,globalPid,bytes,copyKind,srcKind,dstKind,"
     "srcDeviceId,dstDeviceId",
     12},
    {"CUPTI_ACTIVITY_KIND_MEMSET", "start,end,deviceId,streamId,correlationId,globalPid,bytes", 7},
    {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE", "start,end,deviceId,streamId,correlationId,graphId", 6},
    {"NVTX_EVENTS", "start,end,eventType,text,globalTid,textId,domainId", 7},
    {"MPI_COLLECTIVES_EVENTS", "start,end,globalTid,textId", 4},
    {"MPI_RANKS", "globalTid,rank", 2},
    {"CUDA_GPU_MEMORY_USAGE_EVENTS",
     "start,globalPid,deviceId,address,bytes,memKind,memoryOperationType,correlationId", 8},
    {"GPU_METRICS", "timestamp,typeId,metricId,value", 4},
    {"TARGET_INFO_GPU_METRICS", "typeId,metricId,metricName", 3},
    {"COMPOSITE_EVENTS", "id INTEGER PRIMARY KEY,start,globalTid", 3},
    {"SAMPLING_CALLCHAINS", "id,symbol,stackDepth", 3},
    {"TARGET_INFO_GPU", "vmId,id,name,busLocation,totalMemory,clockRate,smCount,cuDevice", 8},
    {"TARGET_INFO_CUDA_DEVICE", "gpuId,cudaId,pid,numMultiprocessors", 4},
    {"TARGET_INFO_SYSTEM_ENV", "globalVid,name,value", 3},
    {"ENUM_CUDA_MEMCPY_OPER", "id,name", 2},
    {"META_DATA_CAPTURE", "name,value", 2},
};

enum { N_TABLES = ARRAY_LEN(tables), MOST_ROWS = 200 };

struct bytes {
    const uint8_t *p;
    size_t n;
};

static uint64_t take(struct bytes *b, unsigned count)
{
    uint64_t v = 0;
    for (; count && b->n; count--, b->n--)
        v = v << 8 | *b->p++;
    return v;
}

static void bind(sqlite3_stmt *st, int column, struct bytes *b)
{
    static const char *const words[] = {"Hostname",
                                        "PROCESS_0:COMMAND",
                                        "NCCL",
                                        "ncclReduce",
                                        "cudaLaunchKernel_v7000",
                                        "_Z3addIfEvPT_",
                                        "[x]",
                                        "0000:01:00.0"};
    uint8_t kind = (uint8_t)take(b, 1);
    if (kind < 16)
        sqlite3_bind_null(st, column);
    else if (kind < 160)
        sqlite3_bind_int64(st, column, kind % 16);
    else if (kind < 200)
        sqlite3_bind_int64(st, column, (int64_t)take(b, kind % 8 + 1));
    else if (kind < 210)
        sqlite3_bind_double(st, column, (double)(int64_t)take(b, 8) / 7);
    else if (kind < 240)
        sqlite3_bind_text(st, column, words[kind % 8], -1, SQLITE_STATIC);
    else {
        size_t n = take(b, 1);
        n = n < b->n ? n : b->n;
        sqlite3_bind_text(st, column, (const char *)b->p, (int)n, SQLITE_STATIC);
        b->p += n;
        b->n -= n;
    }
}

static void fill(sqlite3 *db, struct bytes b)
{
    sqlite3_stmt *st[N_TABLES];
    char sql[512];
    for (size_t i = 0; i < N_TABLES; i++) {
        snprintf(sql, sizeof(sql), "CREATE TABLE %s (%s)", tables[i].name, tables[i].columns);
        sqlite3_exec(db, sql, NULL, NULL, NULL);
        int len = snprintf(sql, sizeof(sql), "INSERT OR IGNORE INTO %s VALUES (?", tables[i].name);
        for (int c = 1; c < tables[i].n; c++)
            len += snprintf(sql + len, sizeof(sql) - (size_t)len, ",?");
        snprintf(sql + len, sizeof(sql) - (size_t)len, ")");
        if (sqlite3_prepare_v2(db, sql, -1, &st[i], NULL) != SQLITE_OK)
            abort();
    }
    for (int row = 0; b.n && row < MOST_ROWS; row++) {
        size_t t = take(&b, 1) % N_TABLES;
        for (int c = 1; c <= tables[t].n; c++)
            bind(st[t], c, &b);
        sqlite3_step(st[t]);
        sqlite3_reset(st[t]);
    }
    for (size_t i = 0; i < N_TABLES; i++)
        sqlite3_finalize(st[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char path[64];
    sqlite3 *db;
    if (!*path)
        snprintf(path, sizeof(path), "/tmp/fuzz-nsys-%d.sqlite", (int)getpid());
    sqlite3_open(":memory:", &db);
    fill(db, (struct bytes){data, size});
    sqlite3_int64 n = 0;
    unsigned char *image = sqlite3_serialize(db, "main", &n, 0);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (!image || fd < 0 || write(fd, image, (size_t)n) != (ssize_t)n)
        abort();
    close(fd);
    sqlite3_free(image);
    sqlite3_close(db);

    const char *paths[] = {path};
    struct opt_list list = {paths, 1, 1};
    struct ingest_opts o = {.reader = READER_CHECK, .threads = 1};
    struct gs_error err;
    struct trace t;
    trace_init(&t);
    if (!load_paths(&t, &list, &o, &err) && strstr(err.text, "differ"))
        abort(); /* the two ways of reading must agree */
    trace_release(&t);
    return 0;
}
