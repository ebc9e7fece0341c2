/* Rows of records: calls and markers, kernels, copies, allocations. */
#include <string.h>

#include "ingest/agents.h"
#include "ingest/rocpd/rocpd.h"
#include "ingest/rocprofv3_csv/csv_in.h"

/* ---- calls and markers ---- */

/* The function cell holds the user's text. A range of the process has no thread. */
static void add_marker(struct rv3c *r, uint32_t thread, uint64_t tid)
{
    trace_room(r->trace, markers, 1);
    struct markers *m = &r->trace->markers;
    size_t row = m->n;
    int64_t start = rv3c_time(r, COL_START), end = rv3c_time(r, COL_END);
    if (fix_times(&start, &end)) {
        trace_note(r->trace, NOTE_NULL, 1, "markers without times");
        return;
    }
    m->start_ns[row] = start;
    m->end_ns[row] = end;
    m->id[row] = (int64_t)rv3c_id(r, COL_CORRELATION);
    m->name[row] = rv3c_string(r, COL_FUNCTION);
    m->domain[row] = 0;
    m->thread[row] = thread;
    m->kind[row] = start == end ? MARKER_INSTANT
                   : !tid       ? MARKER_PROCESS_RANGE
                                : MARKER_THREAD_RANGE;
    m->n++;
    r->trace->sample_records += start == end; /* as rocpd counts them */
}

void rv3c_add_call(struct rv3c *r)
{
    csv_join(r->csv, r->header.at[COL_FUNCTION]);
    uint32_t domain = rv3c_string(r, COL_DOMAIN), process = rv3c_process(r);
    uint64_t tid = rv3c_id(r, COL_THREAD);
    uint32_t thread = rv3_thread(&r->build, process, tid == RV3_NO_ID ? 0 : tid);
    struct category_info info = category_of(trace_str(r->trace, domain));
    rv3_count(&r->build, domain, 1);
    if (info.category == CATEGORY_MARKER) {
        add_marker(r, thread, tid);
        return;
    }
    uint64_t id = rv3c_id(r, COL_CORRELATION);
    size_t row = rv3_add_region(&r->build, rv3c_time(r, COL_START), rv3c_time(r, COL_END),
                                id == RV3_NO_ID ? 0 : id, thread);
    r->trace->regions.name[row] = rv3c_string(r, COL_FUNCTION);
    r->trace->regions.kind[row] = (uint8_t)info.kind;
}

/* ---- kernels ---- */

/* A symbol is a name and the profiler's id: with --kernel-rename one id goes by several names. */
static uint32_t symbol_of(struct rv3c *r, uint32_t process)
{
    size_t n;
    const char *text = rv3c_text(r, COL_KERNEL_NAME, &n);
    uint32_t name = strings_addn(&r->trace->strings, text, n);
    uint64_t id = rv3c_id(r, COL_KERNEL);
    uint32_t slot = rv3_symbol(&r->build, process, (uint64_t)name << 32 | (id & UINT32_MAX));
    if (r->build.symbols.v[slot] == NO_INDEX) {
        struct symbol s = {
            .process = r->build.processes.v[process].process,
            .mangled = name,
            .id = (int64_t)id,
            .vgprs = rv3c_small(r, COL_VGPR),
            .accum_vgprs = rv3c_small(r, COL_ACCUM_VGPR),
            .sgprs = rv3c_small(r, COL_SGPR),
        };
        rv3_describe_symbol(&r->build, slot, &s, trace_str(r->trace, name));
    }
    return slot;
}

void rv3c_kernel(struct rv3c *r, struct rv3_kernel *k)
{
    csv_join(r->csv, r->header.at[COL_KERNEL_NAME]);
    uint32_t process = rv3c_process(r);
    *k = (struct rv3_kernel){
        .process = process,
        .agent = rv3c_agent(r, process, COL_AGENT),
        .symbol = symbol_of(r, process),
        .start_ns = rv3c_time(r, COL_START),
        .end_ns = rv3c_time(r, COL_END),
        .dispatch = rv3c_id(r, COL_DISPATCH),
        .correlation = rv3c_id(r, COL_CORRELATION),
        .thread = rv3c_id(r, COL_THREAD),
        .queue = rv3c_id(r, COL_QUEUE),
        .stream = rv3c_id(r, COL_STREAM),
        .launch.lds_bytes = rv3c_small(r, COL_LDS),
        .launch.scratch_bytes = rv3c_small(r, COL_SCRATCH),
        .launch.graph = rv3c_small(r, COL_GRAPH),
    };
}

void rv3c_add_kernel(struct rv3c *r)
{
    struct rv3_kernel k;
    rv3c_kernel(r, &k);
    for (unsigned i = 0; i < 3; i++) {
        k.launch.grid[i] = rv3c_small(r, (enum column)(COL_GRID_X + i));
        k.launch.group[i] = rv3c_small(r, (enum column)(COL_GROUP_X + i));
    }
    rv3_count(&r->build, rv3c_string(r, COL_KIND), 1);
    rv3_add_kernel(&r->build, &k);
}

/* ---- copies and allocations ---- */

/* The direction says which end is what, for captures without agent_info. */
static void saw_ends(struct rv3c *r, const struct rv3_copy *c)
{
    bool from_gpu = c->kind == COPY_D2H || c->kind == COPY_D2D;
    bool to_gpu = c->kind == COPY_H2D || c->kind == COPY_D2D;
    if (c->kind == COPY_UNKNOWN)
        return;
    rv3c_saw_agent(r, c->src, from_gpu ? AGENT_GPU : AGENT_CPU);
    rv3c_saw_agent(r, c->dst, to_gpu ? AGENT_GPU : AGENT_CPU);
}

void rv3c_add_copy(struct rv3c *r)
{
    uint32_t process = rv3c_process(r);
    uint32_t direction = rv3c_string(r, COL_DIRECTION);
    struct rv3_copy c = {
        .process = process,
        .src = rv3c_agent(r, process, COL_SRC_AGENT),
        .dst = rv3c_agent(r, process, COL_DST_AGENT),
        .start_ns = rv3c_time(r, COL_START),
        .end_ns = rv3c_time(r, COL_END),
        .correlation = rv3c_id(r, COL_CORRELATION),
        .thread = rv3c_id(r, COL_THREAD),
        .stream = rv3c_id(r, COL_STREAM),
        .bytes = rv3c_id(r, COL_SIZE), /* no such column so far: BYTES_UNKNOWN */
        .kind = copy_kind_said(trace_str(r->trace, direction)),
    };
    saw_ends(r, &c);
    rv3_count(&r->build, rv3c_string(r, COL_KIND), 1);
    rv3_add_copy(&r->build, &c);
}

void rv3c_add_alloc(struct rv3c *r)
{
    uint32_t process = rv3c_process(r);
    uint64_t bytes = rv3c_id(r, COL_ALLOC_SIZE), address = rv3c_id(r, COL_ADDRESS);
    const char *operation = trace_str(r->trace, rv3c_string(r, COL_OPERATION));
    rv3_count(&r->build, rv3c_string(r, COL_KIND), 1);
    rv3_add_alloc(&r->build, &(struct rv3_alloc){
                                 .process = process,
                                 .agent = rv3c_agent(r, process, COL_AGENT),
                                 .start_ns = rv3c_time(r, COL_START),
                                 .end_ns = rv3c_time(r, COL_END),
                                 .correlation = rv3c_id(r, COL_CORRELATION),
                                 .thread = rv3c_id(r, COL_THREAD),
                                 .bytes = bytes == RV3_NO_ID ? 0 : bytes,
                                 .address = address == RV3_NO_ID ? 0 : address,
                                 .op = rv3_alloc_op(operation),
                                 .level = rv3_alloc_level(operation),
                             });
}
