/* CUPTI_ACTIVITY_KIND_MEMCPY and CUPTI_ACTIVITY_KIND_MEMSET. */
#include <string.h>

#include "ingest/nsys/nsys.h"

struct copy_job {
    struct nsys *n;
    size_t base;
    struct nsys_enums enums;
};

enum { BYTES = W_COLS, KIND, SRC_KIND, DST_KIND, SRC_DEVICE, DST_DEVICE, N_COLS };

static const struct scan_col columns[N_COLS] = {
    NSYS_WORK_COLUMNS,
    [BYTES] = {"bytes", SCAN_INT, true, -1},
    [KIND] = {"copyKind", SCAN_INT, true, 0},
    [SRC_KIND] = {"srcKind", SCAN_INT, true, -1},
    [DST_KIND] = {"dstKind", SCAN_INT, true, -1},
    [SRC_DEVICE] = {"srcDeviceId", SCAN_INT, true, NO_VALUE},
    [DST_DEVICE] = {"dstDeviceId", SCAN_INT, true, NO_VALUE},
};

static void begin(void *ctx, size_t rows)
{
    struct copy_job *job = ctx;
    struct trace *t = job->n->trace;
    trace_rows_from(t, copies, job->base, rows);
    memset(job->n->tally, 0, sizeof(job->n->tally));
}

/* While reading, src and dst hold device numbers; NO_INDEX: the copy's own. */
static uint32_t device_number(int64_t device)
{
    return device < 0 || device >= NO_INDEX ? NO_INDEX : (uint32_t)device;
}

/* Migrations of managed memory do not say what kind of memory it was: managed, at both ends. */
static uint8_t memory_of(const struct copy_job *job, int64_t copy, int64_t kind)
{
    enum memory_kind m = nsys_memory_kind(&job->enums, kind);
    bool managed = copy >= 0 && copy < NSYS_COPY_KINDS && job->enums.managed[copy];
    return (uint8_t)(m == MEMORY_UNKNOWN && managed ? MEMORY_MANAGED : m);
}

/* What copies and fills have in common; returns the row. */
static size_t take_work(const struct copy_job *job, const struct scan_batch *b, size_t i,
                        int64_t bytes)
{
    struct nsys *n = job->n;
    struct copies *c = &n->trace->copies;
    size_t row = job->base + b->first + i;
    int64_t start = nsys_time(n, batch_ints(b, W_START)[i]);
    int64_t end = nsys_time(n, batch_ints(b, W_END)[i]);
    n->tally[b->worker].no_time += nsys_fix_times(&start, &end);
    c->start_ns[row] = start;
    c->end_ns[row] = end;
    c->id[row] = batch_ints(b, W_CORRELATION)[i];
    c->bytes[row] = bytes < 0 ? BYTES_UNKNOWN : (uint64_t)bytes;
    c->stream[row] = nsys_stream_key(n, b->worker, batch_ints(b, W_PID)[i],
                                     batch_ints(b, W_DEVICE)[i], batch_ints(b, W_STREAM)[i]);
    return row;
}

static void rows(void *ctx, const struct scan_batch *b)
{
    const struct copy_job *job = ctx;
    struct copies *c = &job->n->trace->copies;
    for (size_t i = 0; i < b->n; i++) {
        size_t row = take_work(job, b, i, batch_ints(b, BYTES)[i]);
        int64_t kind = batch_ints(b, KIND)[i];
        c->src[row] = device_number(batch_ints(b, SRC_DEVICE)[i]);
        c->dst[row] = device_number(batch_ints(b, DST_DEVICE)[i]);
        c->kind[row] = (uint8_t)nsys_copy_kind(&job->enums, kind);
        c->src_memory[row] = memory_of(job, kind, batch_ints(b, SRC_KIND)[i]);
        c->dst_memory[row] = memory_of(job, kind, batch_ints(b, DST_KIND)[i]);
    }
}

/* The agent of a device a row names; `own` where it names none. */
static uint32_t end_of(struct nsys *n, uint32_t process, uint32_t device, uint32_t own)
{
    return device == NO_INDEX ? own : nsys_agent(n, process, device);
}

/* Both ends become agents; a copy between two GPUs is one between peers whatever it is called. */
static void place(struct nsys *n, size_t row, uint32_t own)
{
    struct trace *t = n->trace;
    struct copies *c = &t->copies;
    uint32_t process = t->streams.v[c->stream[row]].process;
    uint32_t host = nsys_agent(n, process, NSYS_HOST);
    enum copy_kind kind = (enum copy_kind)c->kind[row];
    uint32_t src = NO_INDEX, dst = NO_INDEX;
    if (kind == COPY_D2H || kind == COPY_D2D || kind == COPY_P2P)
        src = end_of(n, process, c->src[row], own);
    else if (kind == COPY_H2D || kind == COPY_H2H)
        src = host;
    if (kind == COPY_H2D || kind == COPY_D2D || kind == COPY_P2P || kind == COPY_SET)
        dst = end_of(n, process, c->dst[row], own);
    else if (kind == COPY_D2H || kind == COPY_H2H)
        dst = host;
    if (kind == COPY_D2D && t->agents.v[src].gpu != t->agents.v[dst].gpu)
        c->kind[row] = COPY_P2P;
    c->src[row] = src;
    c->dst[row] = dst;
}

static void finish(struct nsys *n, size_t base)
{
    struct trace *t = n->trace;
    struct copies *c = &t->copies;
    nsys_note_times(n, c->start_ns, c->end_ns, base, c->n, "copies without times");
    uint32_t *device = arena_array(n->arena, uint32_t, c->n - base);
    for (size_t i = base; i < c->n; i++)
        device[i - base] = (uint32_t)keys_get(&n->streams, c->stream[i])->v[1];
    nsys_finish_streams(n, c->stream, base, c->n);
    for (size_t i = base; i < c->n; i++)
        place(n, i, nsys_agent(n, t->streams.v[c->stream[i]].process, device[i - base]));
    nsys_link(n, c->stream, c->id, c->call, c->thread, base, c->n);
}

static bool read_copies(struct nsys *n, const char *table, const struct scan_col *cols,
                        size_t n_cols, void (*convert)(void *, const struct scan_batch *),
                        struct gs_error *err)
{
    struct copies *c = &n->trace->copies;
    struct copy_job job = {.n = n, .base = c->n};
    struct scan scan = {table, cols, n_cols, begin, convert, &job, NULL};
    if (!nsys_has(n, table))
        return true;
    if (!nsys_read_enums(n, &job.enums, err))
        return false;
    if (!nsys_scan(n, &scan, err))
        return false;
    finish(n, job.base);
    return true;
}

bool nsys_read_copies(struct nsys *n, struct gs_error *err)
{
    return read_copies(n, "CUPTI_ACTIVITY_KIND_MEMCPY", columns, N_COLS, rows, err);
}

/* ---- fills ---- */

enum { S_BYTES = W_COLS, S_KIND, S_COLS };

static const struct scan_col set_columns[S_COLS] = {
    NSYS_WORK_COLUMNS,
    [S_BYTES] = {"bytes", SCAN_INT, true, -1},
    [S_KIND] = {"memKind", SCAN_INT, true, -1},
};

static void set_rows(void *ctx, const struct scan_batch *b)
{
    const struct copy_job *job = ctx;
    struct copies *c = &job->n->trace->copies;
    for (size_t i = 0; i < b->n; i++) {
        size_t row = take_work(job, b, i, batch_ints(b, S_BYTES)[i]);
        c->src[row] = c->dst[row] = NO_INDEX;
        c->kind[row] = COPY_SET;
        c->src_memory[row] = MEMORY_UNKNOWN;
        c->dst_memory[row] = (uint8_t)nsys_memory_kind(&job->enums, batch_ints(b, S_KIND)[i]);
    }
}

bool nsys_read_memsets(struct nsys *n, struct gs_error *err)
{
    return read_copies(n, "CUPTI_ACTIVITY_KIND_MEMSET", set_columns, S_COLS, set_rows, err);
}
