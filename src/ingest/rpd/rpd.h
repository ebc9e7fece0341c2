/*
 * The reader of rocmProfileData (.rpd), inside. One file holds any number of processes. Device
 * operations (rocpd_op) and host calls (rocpd_api) are joined by rocpd_api_ops; how a kernel was
 * launched and what a copy moved stands with the call (rocpd_kernelapi, rocpd_copyapi).
 *
 * Order of reading (open.c): strings (columns.c), calls (calls.c), operations (ops.c, which uses
 * kernels.c and copies.c), monitors (monitor.c).
 */
#ifndef GS_INGEST_RPD_RPD_H
#define GS_INGEST_RPD_RPD_H

#include "ingest/ingest.h"
#include "ingest/launches.h"
#include "ingest/sqlite/scan.h"
#include "model/trace.h"

/* Stands for SQL NULL, and for a number that is not there. */
#define RPD_NONE INT64_MIN

enum { RPD_COLS = 12, RPD_GPUS_MAX = 4096, RPD_SERIES_MAX = 4096 };

/* Columns of a table as integers; "0x7f00" in a text column is a number, too. */
struct rpd_columns {
    size_t n;
    int64_t *col[RPD_COLS];
};

/* Positions in rpd.apis, rpd.ops, rpd.kernel_calls, rpd.copy_calls. */
enum { API_ID, API_PID, API_TID, API_START, API_END, API_NAME, API_ARGS };
enum { OP_ID, OP_GPU, OP_QUEUE, OP_START, OP_END, OP_NAME, OP_TYPE };
enum {
    KERNEL_API,
    KERNEL_STREAM,
    KERNEL_GRID, /* x, y, z */
    KERNEL_GROUP = KERNEL_GRID + 3,
    KERNEL_LDS = KERNEL_GROUP + 3,
    KERNEL_SCRATCH,
    KERNEL_NAME
};
enum { COPY_API, COPY_STREAM, COPY_SIZE, COPY_MEMCPY_KIND, COPY_TO, COPY_FROM, COPY_PINNED };

struct rpd {
    struct trace *trace;
    struct db *db;
    struct arena *arena; /* for this file only */
    uint32_t file;
    uint32_t first_process; /* of this file; rows that name none get it */
    struct idtable strings; /* rocpd_string.id -> trace string */
    struct rpd_columns apis, ops, kernel_calls, copy_calls;
    uint32_t *api_region; /* by row of apis: regions row, NO_INDEX for markers */
    uint32_t *api_thread; /* by row of apis */
    struct idmap processes, threads, symbols, graphs, streams, queues, gpus, agents;
    VEC(int64_t) gpu_ids; /* as the file numbers them, in order of first use */
    struct launches launches;
    uint64_t nameless; /* kernels */
    bool cuda;         /* calls of the CUDA runtime: an NVIDIA trace */
};

/* Reads columns of a table into out; a table that is absent has no rows. */
bool rpd_read_columns(struct rpd *r, const char *table, const struct scan_col *cols, size_t n,
                      struct rpd_columns *out, struct gs_error *err);
bool rpd_read_strings(struct rpd *r, struct gs_error *err);

bool rpd_read_calls(struct rpd *r, struct gs_error *err);
bool rpd_read_ops(struct rpd *r, struct gs_error *err);
bool rpd_read_kernel_calls(struct rpd *r, struct gs_error *err);
bool rpd_read_copy_calls(struct rpd *r, struct gs_error *err);
bool rpd_read_monitors(struct rpd *r, struct gs_error *err);

/* Row i of ops, caused by row api of apis (or NO_INDEX); room for it has been made. */
void rpd_add_kernel(struct rpd *r, size_t i, uint32_t api, uint32_t gpu);
void rpd_add_copy(struct rpd *r, size_t i, uint32_t api, uint32_t gpu, const char *type);

/* What a call belongs to and says; api may be NO_INDEX. A stream without handle is -1. */
uint32_t rpd_process(const struct rpd *r, uint32_t api);
const char *rpd_call_args(const struct rpd *r, uint32_t api);
uint32_t rpd_stream(struct rpd *r, uint32_t api, uint32_t gpu, int64_t handle);
uint32_t rpd_queue(struct rpd *r, uint32_t process, uint32_t gpu, int64_t id);

/* The GPU of a number of the file, or NO_INDEX. */
uint32_t rpd_gpu(struct rpd *r, int64_t id);

/* The trace string of a rocpd_string id; 0 when it is not listed. */
static inline uint32_t rpd_string(const struct rpd *r, int64_t id)
{
    uint32_t s = idtable_get(&r->strings, id);
    return s == NO_INDEX ? 0 : s;
}

/* The number behind "key = 0x…" in a call's arguments, or RPD_NONE. */
int64_t rpd_argument(const char *args, const char *key);

/* The row whose first column is id, or NO_INDEX. First columns ascend: they are primary keys. */
static inline uint32_t rpd_row(const struct rpd_columns *c, int64_t id)
{
    const int64_t *ids = c->col[0];
    size_t lo = 0;
    if (!c->n || id < ids[0] || id > ids[c->n - 1])
        return NO_INDEX;
    uint64_t guess = (uint64_t)id - (uint64_t)ids[0];
    if (guess < c->n && ids[guess] == id) /* most tables are dense */
        return (uint32_t)guess;
    BISECT(lo, c->n, mid, ids[mid] < id);
    return lo < c->n && ids[lo] == id ? (uint32_t)lo : NO_INDEX;
}

#endif
