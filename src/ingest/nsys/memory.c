/* CUDA_GPU_MEMORY_USAGE_EVENTS: allocations, where --cuda-memory-usage was asked for. */
#include <string.h>

#include "ingest/nsys/nsys.h"

struct memory_job {
    struct nsys *n;
    size_t base;
    uint32_t *stream; /* provisional: only to find process and device */
    struct nsys_enums enums;
};

enum { START, PID, DEVICE, ADDRESS, BYTES, KIND, OPERATION, CORRELATION, N_COLS };

static const struct scan_col columns[N_COLS] = {
    [START] = {"start", SCAN_INT, false, NO_VALUE},
    [PID] = {"globalPid", SCAN_INT, true, 0},
    [DEVICE] = {"deviceId", SCAN_INT, true, 0},
    [ADDRESS] = {"address", SCAN_INT, true, 0},
    [BYTES] = {"bytes", SCAN_INT, true, 0},
    [KIND] = {"memKind", SCAN_INT, true, -1},
    [OPERATION] = {"memoryOperationType", SCAN_INT, true, 0},
    [CORRELATION] = {"correlationId", SCAN_INT, true, -1},
};

static void begin(void *ctx, size_t rows)
{
    struct memory_job *job = ctx;
    struct trace *t = job->n->trace;
    trace_rows_from(t, allocations, job->base, rows);
    job->stream = arena_array(job->n->arena, uint32_t, rows);
    memset(job->n->tally, 0, sizeof(job->n->tally));
}

static bool on_host(const struct nsys_enums *e, int64_t kind)
{
    enum memory_kind m = nsys_memory_kind(e, kind);
    return m == MEMORY_PAGEABLE || m == MEMORY_PINNED;
}

static void rows(void *ctx, const struct scan_batch *b)
{
    struct memory_job *job = ctx;
    struct nsys *n = job->n;
    struct allocations *a = &n->trace->allocations;
    for (size_t i = 0; i < b->n; i++) {
        size_t row = job->base + b->first + i;
        int64_t start = nsys_time(n, batch_ints(b, START)[i]);
        int64_t bytes = batch_ints(b, BYTES)[i];
        bool host = on_host(&job->enums, batch_ints(b, KIND)[i]);
        n->tally[b->worker].no_time += start == NO_VALUE;
        a->start_ns[row] = a->end_ns[row] = start;
        a->id[row] = batch_ints(b, CORRELATION)[i];
        a->bytes[row] = bytes < 0 ? 0 : (uint64_t)bytes;
        a->address[row] = (uint64_t)batch_ints(b, ADDRESS)[i];
        a->op[row] = batch_ints(b, OPERATION)[i] == 1 ? ALLOC_FREE : ALLOC_ALLOC;
        a->level[row] = LEVEL_REAL;
        job->stream[b->first + i] = nsys_stream_key(n, b->worker, batch_ints(b, PID)[i],
                                                    host ? NSYS_HOST : batch_ints(b, DEVICE)[i], 0);
    }
}

/* The record is a moment; the call around it says how long the allocation took. */
static void finish(struct memory_job *job)
{
    struct nsys *n = job->n;
    struct trace *t = n->trace;
    struct allocations *a = &t->allocations;
    nsys_note_times(n, a->start_ns, a->end_ns, job->base, a->n, "allocations without times");
    for (size_t i = job->base; i < a->n; i++) {
        const struct key *key = keys_get(&n->streams, job->stream[i - job->base]);
        uint32_t process = nsys_process(n, key->v[0]);
        uint32_t call = nsys_call(n, process, a->id[i]);
        a->agent[i] = nsys_agent(n, process, key->v[1]);
        a->call[i] = call;
        a->thread[i] = call == NO_INDEX ? NO_INDEX : t->regions.thread[call];
        if (call == NO_INDEX || t->regions.start_ns[call] > a->start_ns[i] ||
            t->regions.end_ns[call] < a->start_ns[i])
            continue;
        a->start_ns[i] = t->regions.start_ns[call];
        a->end_ns[i] = t->regions.end_ns[call];
    }
}

bool nsys_read_allocations(struct nsys *n, struct gs_error *err)
{
    static const char table[] = "CUDA_GPU_MEMORY_USAGE_EVENTS";
    struct allocations *a = &n->trace->allocations;
    struct memory_job job = {.n = n, .base = a->n};
    struct scan scan = {table, columns, N_COLS, begin, rows, &job, NULL};
    if (!nsys_has(n, table))
        return true;
    if (!nsys_read_enums(n, &job.enums, err))
        return false;
    if (!nsys_scan(n, &scan, err))
        return false;
    finish(&job);
    return true;
}
