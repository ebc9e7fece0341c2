/* CUPTI_ACTIVITY_KIND_KERNEL, and CUPTI_ACTIVITY_KIND_GRAPH_TRACE: graphs recorded as a whole. */
#include <string.h>

#include "ingest/nsys/nsys.h"

struct kernel_job {
    struct nsys *n;
    size_t base;
};

enum {
    DEMANGLED = W_COLS,
    SHORT,
    MANGLED,
    REGISTERS,
    GRID_X,
    GRID_Y,
    GRID_Z,
    BLOCK_X,
    BLOCK_Y,
    BLOCK_Z,
    STATIC_SHARED,
    DYNAMIC_SHARED,
    LOCAL,
    NODE,
    GRAPH,
    N_COLS
};

static const struct scan_col columns[N_COLS] = {
    NSYS_WORK_COLUMNS,
    [DEMANGLED] = {"demangledName", SCAN_INT, true, NO_VALUE},
    [SHORT] = {"shortName", SCAN_INT, true, NO_VALUE},
    [MANGLED] = {"mangledName", SCAN_INT, true, NO_VALUE},
    [REGISTERS] = {"registersPerThread", SCAN_INT, true, 0},
    [GRID_X] = {"gridX", SCAN_INT, true, 0},
    [GRID_Y] = {"gridY", SCAN_INT, true, 0},
    [GRID_Z] = {"gridZ", SCAN_INT, true, 0},
    [BLOCK_X] = {"blockX", SCAN_INT, true, 0},
    [BLOCK_Y] = {"blockY", SCAN_INT, true, 0},
    [BLOCK_Z] = {"blockZ", SCAN_INT, true, 0},
    [STATIC_SHARED] = {"staticSharedMemory", SCAN_INT, true, 0},
    [DYNAMIC_SHARED] = {"dynamicSharedMemory", SCAN_INT, true, 0},
    [LOCAL] = {"localMemoryPerThread", SCAN_INT, true, 0},
    [NODE] = {"graphNodeId", SCAN_INT, true, 0},
    [GRAPH] = {"graphId", SCAN_INT, true, 0},
};

static void begin(void *ctx, size_t rows)
{
    struct kernel_job *job = ctx;
    struct trace *t = job->n->trace;
    trace_rows_from(t, kernels, job->base, rows);
    memset(job->n->tally, 0, sizeof(job->n->tally));
}

/* A node's number holds that of its graph in the upper half. */
static uint32_t graph_of(int64_t graph, int64_t node)
{
    if (graph > 0)
        return nsys_clamp(graph);
    return node > 0 && node >> 32 ? (uint32_t)(node >> 32) : nsys_clamp(node);
}

static uint32_t threads_along(int64_t grid, int64_t block)
{
    uint64_t n = (uint64_t)nsys_clamp(grid) * (block > 1 ? nsys_clamp(block) : 1);
    return n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

static uint32_t launch_of(struct nsys *n, const struct scan_batch *b, size_t i)
{
    struct launch l = {
        .grid = {threads_along(batch_ints(b, GRID_X)[i], batch_ints(b, BLOCK_X)[i]),
                 threads_along(batch_ints(b, GRID_Y)[i], batch_ints(b, BLOCK_Y)[i]),
                 threads_along(batch_ints(b, GRID_Z)[i], batch_ints(b, BLOCK_Z)[i])},
        .group = {nsys_clamp(batch_ints(b, BLOCK_X)[i]), nsys_clamp(batch_ints(b, BLOCK_Y)[i]),
                  nsys_clamp(batch_ints(b, BLOCK_Z)[i])},
        .lds_bytes = nsys_clamp((int64_t)nsys_clamp(batch_ints(b, STATIC_SHARED)[i]) +
                                nsys_clamp(batch_ints(b, DYNAMIC_SHARED)[i])),
        .scratch_bytes = nsys_clamp(batch_ints(b, LOCAL)[i]),
        .graph = graph_of(batch_ints(b, GRAPH)[i], batch_ints(b, NODE)[i]),
    };
    return launches_add(&n->launches, b->worker, 0, &l);
}

static void rows(void *ctx, const struct scan_batch *b)
{
    struct kernel_job *job = ctx;
    struct nsys *n = job->n;
    struct kernels *k = &n->trace->kernels;
    struct tally *tally = &n->tally[b->worker];
    for (size_t i = 0; i < b->n; i++) {
        size_t row = job->base + b->first + i;
        int64_t start = nsys_time(n, batch_ints(b, W_START)[i]);
        int64_t end = nsys_time(n, batch_ints(b, W_END)[i]);
        int64_t pid = batch_ints(b, W_PID)[i];
        struct key symbol = {{pid, nsys_string(n, batch_ints(b, DEMANGLED)[i]),
                              nsys_string(n, batch_ints(b, SHORT)[i]),
                              nsys_string(n, batch_ints(b, MANGLED)[i]),
                              batch_ints(b, REGISTERS)[i], batch_ints(b, STATIC_SHARED)[i],
                              batch_ints(b, LOCAL)[i]}};
        tally->no_time += nsys_fix_times(&start, &end);
        tally->no_name += !symbol.v[1] && !symbol.v[2] && !symbol.v[3];
        k->start_ns[row] = start;
        k->end_ns[row] = end;
        k->id[row] = batch_ints(b, W_CORRELATION)[i];
        k->symbol[row] = keys_add(&n->symbols, b->worker, symbol);
        k->launch[row] = launch_of(n, b, i);
        k->stream[row] = nsys_stream_key(n, b->worker, pid, batch_ints(b, W_DEVICE)[i],
                                         batch_ints(b, W_STREAM)[i]);
        k->queue[row] = NO_INDEX;
    }
}

static uint32_t resolve_symbol(void *ctx, const struct key *key)
{
    struct nsys *n = ctx;
    struct trace *t = n->trace;
    struct symbol s = {.process = nsys_process(n, key->v[0]),
                       .id = (int64_t)t->symbols.n,
                       .mangled = (uint32_t)key->v[3],
                       .vgprs = nsys_clamp(key->v[4]),
                       .lds_bytes = nsys_clamp(key->v[5]),
                       .scratch_bytes = nsys_clamp(key->v[6])};
    int64_t best = key->v[1] ? key->v[1] : key->v[2] ? key->v[2] : key->v[3];
    const char *full = best ? trace_str(t, (uint32_t)best) : "(unknown kernel)";
    return trace_symbol(t, &s, full);
}

/* Scans a table of work and resolves what its rows name. */
static bool read_work(struct nsys *n, struct scan *scan, struct keys *symbols,
                      uint32_t (*resolve)(void *, const struct key *), enum note_kind kind,
                      const char *note, struct gs_error *err)
{
    struct kernels *k = &n->trace->kernels;
    struct kernel_job job = {n, k->n};
    scan->begin = begin;
    scan->ctx = &job;
    if (!nsys_has(n, scan->table))
        return true;
    if (!nsys_scan(n, scan, err))
        return false;
    uint64_t count = kind == NOTE_DANGLING ? nsys_tally_names(n) : k->n - job.base;
    trace_note(n->trace, kind, count, note);
    keys_finish(symbols, k->symbol, job.base, k->n, resolve, n);
    nsys_note_times(n, k->start_ns, k->end_ns, job.base, k->n, "kernels without times");
    launches_finish(&n->launches, n->trace, job.base);
    nsys_finish_streams(n, k->stream, job.base, k->n);
    nsys_link(n, k->stream, k->id, k->call, k->thread, job.base, k->n);
    return true;
}

bool nsys_read_kernels(struct nsys *n, struct gs_error *err)
{
    struct scan scan = {
        .table = "CUPTI_ACTIVITY_KIND_KERNEL", .cols = columns, .n_cols = N_COLS, .rows = rows};
    return read_work(n, &scan, &n->symbols, resolve_symbol, NOTE_DANGLING,
                     "kernels whose name is not listed", err);
}

/* ---- whole graphs: one row each, with no word about the kernels inside ---- */

enum { G_GRAPH = W_COLS, G_COLS };

static const struct scan_col graph_columns[G_COLS] = {
    NSYS_WORK_COLUMNS,
    [G_GRAPH] = {"graphId", SCAN_INT, true, 0},
};

static void graph_rows(void *ctx, const struct scan_batch *b)
{
    struct kernel_job *job = ctx;
    struct nsys *n = job->n;
    struct kernels *k = &n->trace->kernels;
    for (size_t i = 0; i < b->n; i++) {
        size_t row = job->base + b->first + i;
        int64_t start = nsys_time(n, batch_ints(b, W_START)[i]);
        int64_t end = nsys_time(n, batch_ints(b, W_END)[i]);
        int64_t pid = batch_ints(b, W_PID)[i], graph = batch_ints(b, G_GRAPH)[i];
        struct launch launch = {.graph = graph_of(graph, 0)};
        n->tally[b->worker].no_time += nsys_fix_times(&start, &end);
        k->start_ns[row] = start;
        k->end_ns[row] = end;
        k->id[row] = batch_ints(b, W_CORRELATION)[i];
        k->symbol[row] = keys_add(&n->graphs, b->worker, (struct key){{pid, graph}});
        k->launch[row] = launches_add(&n->launches, b->worker, 0, &launch);
        k->stream[row] = nsys_stream_key(n, b->worker, pid, batch_ints(b, W_DEVICE)[i],
                                         batch_ints(b, W_STREAM)[i]);
        k->queue[row] = NO_INDEX;
    }
}

static uint32_t resolve_graph(void *ctx, const struct key *key)
{
    struct nsys *n = ctx;
    struct trace *t = n->trace;
    struct symbol s = {.process = nsys_process(n, key->v[0]), .id = (int64_t)t->symbols.n};
    s.name = s.short_name =
        strings_add(&t->strings, arena_printf(n->arena, "(CUDA graph %lld)", (long long)key->v[1]));
    vec_push(&t->symbols, &t->arena, s);
    return (uint32_t)t->symbols.n - 1;
}

bool nsys_read_graphs(struct nsys *n, struct gs_error *err)
{
    struct scan scan = {.table = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
                        .cols = graph_columns,
                        .n_cols = G_COLS,
                        .rows = graph_rows};
    return read_work(n, &scan, &n->graphs, resolve_graph, NOTE_OTHER,
                     "CUDA graphs are recorded as a whole, without their kernels; capture with "
                     "--cuda-graph-trace=node to see them",
                     err);
}
