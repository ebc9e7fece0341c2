/* Kernels: operations of the GPU that ran code, and how their calls launched them. */
#include "base/str.h"
#include "ingest/rpd/rpd.h"

static const struct scan_col kernel_columns[] = {
    [KERNEL_API] = {"api_ptr_id", SCAN_INT, false, 0},
    [KERNEL_STREAM] = {"stream", SCAN_TEXT, true, RPD_NONE},
    [KERNEL_GRID] = {"gridX", SCAN_INT, true, 0},
    {"gridY", SCAN_INT, true, 0},
    {"gridZ", SCAN_INT, true, 0},
    [KERNEL_GROUP] = {"workgroupX", SCAN_INT, true, 0},
    {"workgroupY", SCAN_INT, true, 0},
    {"workgroupZ", SCAN_INT, true, 0},
    [KERNEL_LDS] = {"groupSegmentSize", SCAN_INT, true, 0},
    [KERNEL_SCRATCH] = {"privateSegmentSize", SCAN_INT, true, 0},
    [KERNEL_NAME] = {"kernelName_id", SCAN_INT, true, RPD_NONE},
};

bool rpd_read_kernel_calls(struct rpd *r, struct gs_error *err)
{
    return rpd_read_columns(r, "rocpd_kernelapi", kernel_columns, ARRAY_LEN(kernel_columns),
                            &r->kernel_calls, err);
}

static uint32_t symbol_of(struct rpd *r, uint32_t name)
{
    struct trace *t = r->trace;
    uint32_t s = idmap_get(&r->symbols, name);
    if (s != NO_INDEX)
        return s;
    const char *mangled = name ? trace_str(t, name) : "(unknown kernel)";
    struct symbol made = {.mangled = strings_add(&t->strings, mangled),
                          .process = r->first_process,
                          .id = (int64_t)t->symbols.n};
    s = trace_symbol(t, &made, mangled);
    idmap_put(&r->symbols, name, s);
    return s;
}

static uint32_t clamp(uint64_t v)
{
    return v > UINT32_MAX ? UINT32_MAX : (uint32_t)v;
}

static uint32_t column(const struct rpd_columns *c, int which, uint32_t row)
{
    int64_t v = c->col[which][row];
    return v < 0 ? 0 : clamp((uint64_t)v);
}

/* These two calls take the grid in work-items, all others in work-groups. */
static bool counts_items(const char *call)
{
    return str_starts(call, "hipExtModuleLaunch") || str_starts(call, "hipHccModuleLaunch");
}

static uint32_t launch_of(struct rpd *r, uint32_t api, uint32_t row)
{
    struct launch l = {0};
    int64_t graph = rpd_argument(rpd_call_args(r, api), "graphExec");
    if (row != NO_INDEX) {
        const struct rpd_columns *k = &r->kernel_calls;
        bool items = counts_items(trace_str(r->trace, rpd_string(r, r->apis.col[API_NAME][api])));
        for (int d = 0; d < 3; d++) {
            l.group[d] = column(k, KERNEL_GROUP + d, row);
            l.grid[d] = column(k, KERNEL_GRID + d, row);
            if (!items)
                l.grid[d] = clamp((uint64_t)l.grid[d] * l.group[d]);
        }
        l.lds_bytes = column(k, KERNEL_LDS, row);
        l.scratch_bytes = column(k, KERNEL_SCRATCH, row);
    }
    if (graph != RPD_NONE) {
        l.graph = idmap_get(&r->graphs, (uint64_t)graph);
        if (l.graph == NO_INDEX)
            idmap_put(&r->graphs, (uint64_t)graph, l.graph = (uint32_t)r->graphs.n + 1);
    }
    return launches_add(&r->launches, 0, 0, &l);
}

void rpd_add_kernel(struct rpd *r, size_t i, uint32_t api, uint32_t gpu)
{
    struct trace *t = r->trace;
    struct kernels *k = &t->kernels;
    const struct rpd_columns *o = &r->ops;
    uint32_t row = api == NO_INDEX ? NO_INDEX : rpd_row(&r->kernel_calls, r->apis.col[API_ID][api]);
    uint32_t name = rpd_string(r, o->col[OP_NAME][i]);
    if (!name && row != NO_INDEX)
        name = rpd_string(r, r->kernel_calls.col[KERNEL_NAME][row]);
    r->nameless += !name;
    size_t n = k->n++;
    k->start_ns[n] = o->col[OP_START][i];
    k->end_ns[n] = o->col[OP_END][i];
    k->id[n] = o->col[OP_ID][i];
    k->symbol[n] = symbol_of(r, name);
    k->launch[n] = launch_of(r, api, row);
    k->stream[n] = rpd_stream(r, api, gpu,
                              row == NO_INDEX ? RPD_NONE : r->kernel_calls.col[KERNEL_STREAM][row]);
    k->queue[n] = rpd_queue(r, rpd_process(r, api), gpu, o->col[OP_QUEUE][i]);
    k->thread[n] = api == NO_INDEX ? NO_INDEX : r->api_thread[api];
    k->call[n] = api == NO_INDEX ? NO_INDEX : r->api_region[api];
}
