/*
 * The Nsight Systems reader, inside. One file is one session of one or more processes; everything
 * is told apart by "global" numbers that hold machine, process and thread.
 *
 * Tables exist only where something was recorded, and columns come and go between versions: an
 * absent table is a missing capability, never an error; absent columns have defaults.
 *
 * Order of reading (open.c): metadata (meta.c), strings (strings.c), hosts and names (who.c),
 * GPUs (gpus.c), host calls (regions.c) and their index (calls.c), kernels (kernels.c), copies
 * (copies.c), allocations (memory.c), waits (syncs.c), markers (nvtx.c), GPU metrics (metrics.c),
 * CPU samples (samples.c), counts of all tables (tables.c). Later steps use the maps of earlier
 * ones.
 */
#ifndef GS_INGEST_NSYS_NSYS_H
#define GS_INGEST_NSYS_NSYS_H

#include "base/idindex.h"
#include "base/parallel.h"
#include "ingest/ingest.h"
#include "ingest/launches.h"
#include "ingest/nsys/keys.h"
#include "ingest/sqlite/scan.h"
#include "model/trace.h"

/* Mistakes counted while many threads read; one per worker, added up at the end. */
struct tally {
    uint64_t no_time, no_name;
    char padding[64]; /* workers do not share cache lines */
};

struct table_count {
    const char *table;
    uint64_t rows;
};

/* Calls of one process by correlation id. */
struct call_index {
    size_t n;
    int64_t least, most;
    uint32_t *dense; /* regions row by id - least; NULL where ids are sparse */
    struct idindex sorted;
    int64_t *ids; /* what it is made of */
    uint32_t *rows;
};

struct nsys {
    struct trace *trace;
    struct db *db;
    struct arena *arena; /* for this file only */
    uint32_t file;
    uint32_t first_process; /* processes of this file start here */
    int64_t shift_ns;       /* added to every time: see meta.c */
    uint32_t command;       /* string: what was launched */
    struct process env;     /* only the rank: from the launched program's environment */

    struct idtable strings; /* StringIds -> trace string */
    uint32_t *clean;        /* trace string -> the same without a version suffix */
    uint8_t *api_kind;      /* trace string -> enum region_kind */
    size_t n_listed;        /* size of both */

    struct idmap hosts;        /* machine -> trace string */
    struct idmap processes;    /* machine and pid -> process */
    struct idmap machines;     /* process -> machine */
    struct idmap names;        /* the same -> trace string */
    struct idmap thread_names; /* global thread -> trace string */
    struct idmap ranks;        /* machine and pid -> rank */
    struct idmap cuda_users;   /* process -> 1: calls CUDA or has GPU work */

    struct idmap gpu_by_id, gpu_by_device; /* machine and number -> gpu */
    struct idmap gpu_of_process;           /* pid and CUDA device -> gpu id */
    struct idmap sm_counts;                /* pid and CUDA device -> SMs */
    struct idmap agents;                   /* process and device -> agent */
    struct idmap stream_kinds;             /* pid and stream -> enum stream_kind */
    bool no_gpu_list;

    struct keys threads, streams, symbols, graphs, series, domains, waited;
    struct texts texts;
    struct launches launches;
    struct call_index *calls; /* by process - first_process */
    size_t n_calls;
    struct tally tally[PARALLEL_MAX];
    VEC(struct table_count) counts; /* of the tables that were scanned */
    struct idmap count_of;          /* hash of the name -> counts */

    /* First rows of this file in the tables. */
    size_t kernels0, copies0, regions0;
};

/* ---- global numbers: machine (16 bits), process (24), thread (24) ---- */

#define NSYS_ID_MASK INT64_C(0xffffff)

static inline uint64_t gid_process(int64_t global)
{
    return (uint64_t)global >> 24;
}

static inline uint64_t gid_machine(int64_t global)
{
    return (uint64_t)global >> 48;
}

static inline int64_t gid_pid(int64_t global)
{
    return global >> 24 & NSYS_ID_MASK;
}

/* Two numbers as one key of an idmap; the second of 32 bits. */
static inline uint64_t pair_key(uint64_t a, int64_t b)
{
    return a << 32 | (uint32_t)b;
}

/* ---- tables and columns ---- */

bool nsys_has(struct nsys *n, const char *table);
bool nsys_has_column(struct nsys *n, const char *table, const char *column);
/* scan_table(), and remembers how many rows there were. */
bool nsys_scan(struct nsys *n, const struct scan *s, struct gs_error *err);
/* A text column of the current row, as a string of the trace. */
uint32_t nsys_text(struct nsys *n, struct db_query *q, int column);
/* The string of a StringIds id; 0 ("") where there is none. */
uint32_t nsys_string(const struct nsys *n, int64_t id);

/* ---- the steps ---- */

bool nsys_read_meta(struct nsys *n, struct trace_file *f, struct gs_error *err);
bool nsys_read_strings(struct nsys *n, struct gs_error *err);
bool nsys_read_who(struct nsys *n, struct gs_error *err);
bool nsys_read_gpus(struct nsys *n, struct gs_error *err);
bool nsys_read_regions(struct nsys *n, struct gs_error *err);
bool nsys_read_kernels(struct nsys *n, struct gs_error *err);
bool nsys_read_graphs(struct nsys *n, struct gs_error *err);
bool nsys_read_copies(struct nsys *n, struct gs_error *err);
bool nsys_read_memsets(struct nsys *n, struct gs_error *err);
bool nsys_read_allocations(struct nsys *n, struct gs_error *err);
bool nsys_read_syncs(struct nsys *n, struct gs_error *err);
bool nsys_read_markers(struct nsys *n, struct gs_error *err);
bool nsys_read_metrics(struct nsys *n, struct gs_error *err);
bool nsys_read_samples(struct nsys *n, struct gs_error *err);
bool nsys_read_diagnostics(struct nsys *n, struct gs_error *err);
bool nsys_count_tables(struct nsys *n, struct gs_error *err);
/* Ranks, and a process for the file where nothing named one. */
bool nsys_finish_processes(struct nsys *n, struct gs_error *err);

/* ---- who and where, found or made when first used ---- */

uint32_t nsys_process(struct nsys *n, int64_t global_pid);
uint32_t nsys_host(const struct nsys *n, int64_t global);
/* The agent of a CUDA device as a process numbers it; device -1 is the host. */
uint32_t nsys_agent(struct nsys *n, uint32_t process, int64_t device);
enum { NSYS_HOST = -1 };

/* Final numbers for columns of provisional ones, rows [first, end). */
void nsys_finish_threads(struct nsys *n, uint32_t *column, size_t first, size_t end);
void nsys_finish_streams(struct nsys *n, uint32_t *column, size_t first, size_t end);

static inline uint32_t nsys_thread_key(struct nsys *n, int worker, int64_t global_tid)
{
    return keys_add(&n->threads, worker, (struct key){{global_tid}});
}

static inline uint32_t nsys_stream_key(struct nsys *n, int worker, int64_t global_pid,
                                       int64_t device, int64_t stream)
{
    return keys_add(&n->streams, worker, (struct key){{global_pid, device, stream}});
}

/* ---- calls by correlation id (calls.c) ---- */

/* Indexes the rows [first, end) of the regions table, whose `id` is the correlation id. */
void nsys_index_calls(struct nsys *n, size_t first, size_t end);
/* The call for each row: by the process of its stream and its id; and that call's thread. */
void nsys_link(struct nsys *n, const uint32_t *stream, const int64_t *id, uint32_t *call,
               uint32_t *thread, size_t first, size_t end);
uint32_t nsys_call(const struct nsys *n, uint32_t process, int64_t correlation);

/* ---- enumerations (enums.c) ---- */

enum { NSYS_COPY_KINDS = 32, NSYS_MEMORY_KINDS = 16 };

struct nsys_enums {
    uint8_t copy[NSYS_COPY_KINDS];     /* copyKind -> enum copy_kind */
    bool managed[NSYS_COPY_KINDS];     /* a migration of managed memory */
    uint8_t memory[NSYS_MEMORY_KINDS]; /* memKind -> enum memory_kind */
};
bool nsys_read_enums(struct nsys *n, struct nsys_enums *e, struct gs_error *err);
enum copy_kind nsys_copy_kind(const struct nsys_enums *e, int64_t kind);
enum memory_kind nsys_memory_kind(const struct nsys_enums *e, int64_t kind);

/* ---- times and tallies ---- */

/* Stands for SQL NULL in integer columns where 0 means something. */
#define NO_VALUE INT64_MIN

/* The columns that all tables of work on a GPU begin with here. */
enum { W_START, W_END, W_PID, W_DEVICE, W_STREAM, W_CORRELATION, W_COLS };
#define NSYS_WORK_COLUMNS                                                                          \
    [W_START] = {"start", SCAN_INT, false, NO_VALUE},                                              \
    [W_END] = {"end", SCAN_INT, false, NO_VALUE}, [W_PID] = {"globalPid", SCAN_INT, true, 0},      \
    [W_DEVICE] = {"deviceId", SCAN_INT, true, 0}, [W_STREAM] = {"streamId", SCAN_INT, true, 0},    \
    [W_CORRELATION] = {"correlationId", SCAN_INT, true, -1}

static inline int64_t nsys_time(const struct nsys *n, int64_t t)
{
    return t == NO_VALUE ? t : (int64_t)((uint64_t)t + (uint64_t)n->shift_ns);
}

/* A missing time is taken from the other one; true when both are missing. */
static inline bool nsys_fix_times(int64_t *start, int64_t *end)
{
    if (*start == NO_VALUE)
        *start = *end;
    if (*end == NO_VALUE)
        *end = *start;
    return *start == NO_VALUE;
}

static inline uint32_t nsys_clamp(int64_t v)
{
    return v < 0 ? 0 : v > UINT32_MAX ? UINT32_MAX : (uint32_t)v;
}

/* Notes rows without any time and gives them that of their predecessor. */
void nsys_note_times(struct nsys *n, int64_t *start, int64_t *end, size_t first, size_t last,
                     const char *text);
uint64_t nsys_tally_names(const struct nsys *n);

#endif
