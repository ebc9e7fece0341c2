#include <string.h>

#include "base/mem.h"
#include "ingest/rocpd/rocpd.h"

struct kernel_job {
    struct rocpd *r;
    size_t base;
};

enum {
    ID,
    TID,
    AGENT,
    SYMBOL,
    DISPATCH,
    QUEUE,
    STREAM,
    START,
    END,
    SCRATCH,
    LDS,
    GROUP_X,
    GROUP_Y,
    GROUP_Z,
    GRID_X,
    GRID_Y,
    GRID_Z,
    RENAME,
    EVENT,
    GRAPH,
    N_COLS
};

static const struct scan_col columns[N_COLS] = {
    [ID] = {"id", SCAN_INT, false, 0},
    [TID] = {"tid", SCAN_INT, true, NO_TIME},
    [AGENT] = {"agent_id", SCAN_INT, false, NO_TIME},
    [SYMBOL] = {"kernel_id", SCAN_INT, false, NO_TIME},
    [DISPATCH] = {"dispatch_id", SCAN_INT, true, NO_TIME},
    [QUEUE] = {"queue_id", SCAN_INT, true, NO_TIME},
    [STREAM] = {"stream_id", SCAN_INT, true, NO_TIME},
    [START] = {"start", SCAN_INT, false, NO_TIME},
    [END] = {"end", SCAN_INT, false, NO_TIME},
    [SCRATCH] = {"private_segment_size", SCAN_INT, true, 0},
    [LDS] = {"group_segment_size", SCAN_INT, true, 0},
    [GROUP_X] = {"workgroup_size_x", SCAN_INT, true, 0},
    [GROUP_Y] = {"workgroup_size_y", SCAN_INT, true, 0},
    [GROUP_Z] = {"workgroup_size_z", SCAN_INT, true, 0},
    [GRID_X] = {"grid_size_x", SCAN_INT, true, 0},
    [GRID_Y] = {"grid_size_y", SCAN_INT, true, 0},
    [GRID_Z] = {"grid_size_z", SCAN_INT, true, 0},
    [RENAME] = {"region_name_id", SCAN_INT, true, NO_TIME},
    [EVENT] = {"event_id", SCAN_INT, true, NO_TIME},
    [GRAPH] = {"graph_exec_id", SCAN_INT, true, 0},
};

static void begin(void *ctx, size_t rows)
{
    struct kernel_job *job = ctx;
    struct trace *t = job->r->trace;
    trace_rows_from(t, kernels, job->base, rows);
    memset(job->r->tally, 0, sizeof(job->r->tally));
    if (job->r->events.kernel)
        memset(job->r->events.kernel, 0xff, job->r->events.n * sizeof(uint32_t));
}

/* The first kernel with an event owns its counters, whichever thread comes first. */
static void own_event(uint32_t *kernel, uint32_t row)
{
    uint32_t now = __atomic_load_n(kernel, __ATOMIC_RELAXED);
    while (row < now && !__atomic_compare_exchange_n(kernel, &now, row, true, __ATOMIC_RELAXED,
                                                     __ATOMIC_RELAXED))
        ;
}

static uint32_t clamp(int64_t v)
{
    return v < 0 ? 0 : v > UINT32_MAX ? UINT32_MAX : (uint32_t)v;
}

static uint32_t launch_of(struct rocpd *r, const struct scan_batch *b, size_t i, uint32_t symbol)
{
    uint32_t rename = idtable_get(&r->strings, batch_ints(b, RENAME)[i]);
    struct launch l = {
        .grid = {clamp(batch_ints(b, GRID_X)[i]), clamp(batch_ints(b, GRID_Y)[i]),
                 clamp(batch_ints(b, GRID_Z)[i])},
        .group = {clamp(batch_ints(b, GROUP_X)[i]), clamp(batch_ints(b, GROUP_Y)[i]),
                  clamp(batch_ints(b, GROUP_Z)[i])},
        .lds_bytes = clamp(batch_ints(b, LDS)[i]),
        .scratch_bytes = clamp(batch_ints(b, SCRATCH)[i]),
        .rename = rename == NO_INDEX ? 0 : rename,
        .graph = clamp(batch_ints(b, GRAPH)[i]),
    };
    return launches_add(&r->launches, b->worker, symbol, &l);
}

static void rows(void *ctx, const struct scan_batch *b)
{
    struct kernel_job *job = ctx;
    struct rocpd *r = job->r;
    struct kernels *k = &r->trace->kernels;
    struct tally *tally = &r->tally[b->worker];
    for (size_t i = 0; i < b->n; i++) {
        size_t row = job->base + b->first + i;
        int64_t start = batch_ints(b, START)[i], end = batch_ints(b, END)[i];
        int64_t dispatch = batch_ints(b, DISPATCH)[i];
        uint32_t agent = idtable_get(&r->agents, batch_ints(b, AGENT)[i]);
        uint32_t symbol = idtable_get(&r->symbols, batch_ints(b, SYMBOL)[i]);
        uint32_t event = event_row(&r->events, batch_ints(b, EVENT)[i]);
        tally->no_time += fix_times(&start, &end);
        tally->no_agent += agent == NO_INDEX;
        tally->no_symbol += symbol == NO_INDEX;
        tally->no_event += event == NO_INDEX;
        k->start_ns[row] = start;
        k->end_ns[row] = end;
        k->id[row] = dispatch == NO_TIME ? batch_ints(b, ID)[i] : dispatch;
        k->symbol[row] = symbol;
        k->launch[row] = launch_of(r, b, i, symbol);
        k->stream[row] = rocpd_provisional_stream(r, agent, batch_ints(b, STREAM)[i]);
        k->queue[row] = idtable_get(&r->queues, batch_ints(b, QUEUE)[i]);
        k->thread[row] = idtable_get(&r->threads, batch_ints(b, TID)[i]);
        k->call[row] = event_call(r, event);
        if (r->events.kernel && event != NO_INDEX)
            own_event(&r->events.kernel[event], (uint32_t)row);
    }
}

/* Kernels whose symbol is not listed still ran: they share one nameless symbol. */
static void name_unknown_symbols(struct rocpd *r, size_t base)
{
    struct trace *t = r->trace;
    uint32_t unknown = NO_INDEX;
    for (size_t i = base; i < t->kernels.n; i++) {
        if (t->kernels.symbol[i] != NO_INDEX)
            continue;
        if (unknown == NO_INDEX) {
            uint32_t name = strings_add(&t->strings, "(unknown kernel)");
            struct symbol s = {
                .name = name, .short_name = name, .mangled = name, .process = r->process, .id = -1};
            unknown = (uint32_t)t->symbols.n;
            vec_push(&t->symbols, &t->arena, s);
        }
        t->kernels.symbol[i] = unknown;
    }
}

bool rocpd_read_kernels(struct rocpd *r, struct gs_error *err)
{
    if (!rocpd_has(r, "kernel_dispatch"))
        return true;
    if (r->has_counters)
        r->events.kernel = mem_alloc(mem_mul(r->events.n, sizeof(uint32_t)));
    struct kernel_job job = {r, r->trace->kernels.n};
    struct scan scan = {
        rocpd_table(r, "kernel_dispatch"), columns, N_COLS, begin, rows, &job, NULL};
    if (!scan_table(r->db, &scan, err))
        return false;
    struct tally sum = {0};
    for (int w = 0; w < PARALLEL_MAX; w++) {
        sum.no_time += r->tally[w].no_time;
        sum.no_agent += r->tally[w].no_agent;
        sum.no_symbol += r->tally[w].no_symbol;
    }
    trace_note(r->trace, NOTE_NULL, sum.no_time, "kernels without times");
    if (sum.no_time)
        rocpd_fill_times(r->trace->kernels.start_ns, r->trace->kernels.end_ns, job.base,
                         r->trace->kernels.n);
    trace_note(r->trace, NOTE_DANGLING, sum.no_agent, "kernels on a device that is not listed");
    trace_note(r->trace, NOTE_DANGLING, sum.no_symbol, "kernels whose symbol is not listed");
    if (sum.no_symbol)
        name_unknown_symbols(r, job.base);
    launches_finish(&r->launches, r->trace, job.base);
    rocpd_finish_streams(r, r->trace->kernels.stream, job.base, r->trace->kernels.n);
    return true;
}
