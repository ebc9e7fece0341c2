/* From slots to numbers of the trace, and from correlation ids to calls. */
#include <string.h>

#include "ingest/agents.h"
#include "ingest/rocpd/rocpd.h"
#include "ingest/rocprofv3/build.h"
#include "ingest/rocprofv3/rowindex.h"

/* ---- streams ---- */

struct finals {
    struct rv3_build *b;
    uint32_t *stream; /* slot -> stream of the trace, NO_INDEX until used */
    struct rowindex *calls, *dispatches;
};

static uint32_t agent_at(const struct rv3_build *b, uint32_t slot)
{
    return slot == NO_INDEX ? NO_INDEX : b->agents.v[slot].agent;
}

static uint32_t gpu_at(const struct rv3_build *b, uint32_t slot)
{
    uint32_t agent = agent_at(b, slot);
    return agent == NO_INDEX ? NO_INDEX : b->trace->agents.v[agent].gpu;
}

static uint32_t final_stream(struct finals *f, uint32_t slot)
{
    struct rv3_build *b = f->b;
    if (f->stream[slot] != NO_INDEX)
        return f->stream[slot];
    const struct rv3_stream *s = &b->streams.v[slot];
    uint32_t gpu = gpu_at(b, s->agent);
    if (gpu != NO_INDEX)
        b->trace->gpus.v[gpu].used = true;
    f->stream[slot] =
        trace_stream(b->trace, b->processes.v[s->process].process, gpu, (int64_t)s->id, 0);
    if (!s->id) /* HIP's default stream */
        b->trace->streams.v[f->stream[slot]].kind = STREAM_NULL;
    return f->stream[slot];
}

/* ---- calls ---- */

static struct rowindex *index_calls(struct rv3_build *b)
{
    const struct trace *t = b->trace;
    size_t n = t->regions.n - b->first_region;
    struct arena *temporary = arena_child(b->arena);
    uint32_t *process = arena_array(temporary, uint32_t, n);
    uint32_t first = b->processes.n ? b->processes.v[0].process : 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t thread = t->regions.thread[b->first_region + i];
        bool known = thread != NO_INDEX && t->regions.id[b->first_region + i];
        process[i] = known ? t->threads.v[thread].process - first : NO_INDEX;
    }
    struct rowindex *calls = rowindex_make(t->regions.id, process, b->processes.n, b->first_region,
                                           t->regions.n, b->arena);
    arena_release(temporary);
    return calls;
}

static uint32_t call_at(const struct finals *f, const struct rv3_links *l, size_t i)
{
    uint64_t id = l->correlation[i];
    return id && id != RV3_NO_ID ? rowindex_get(&f->calls[l->process[i]], (int64_t)id) : NO_INDEX;
}

static void fix_rows(struct trace *t, int64_t *start, int64_t *end, size_t first, size_t n,
                     const char *note)
{
    uint64_t missing = 0;
    for (size_t i = first; i < n; i++)
        missing += fix_times(&start[i], &end[i]);
    trace_note(t, NOTE_NULL, missing, note);
    if (missing)
        rocpd_fill_times(start, end, first, n);
}

/* ---- kernels ---- */

/* Counters came without a kernel trace, or for dispatches it lacks: these ran, too. */
static void add_counted(struct rv3_build *b, size_t i)
{
    struct kernels *k = &b->trace->kernels, *c = &b->counted;
    struct rv3_links *from = &b->counted_links, *to = &b->kernel_links;
    trace_room(b->trace, kernels, 1);
    table_reserve(to, &rv3_links_desc, to->n + 1);
    size_t row = k->n++;
    k->start_ns[row] = c->start_ns[i];
    k->end_ns[row] = c->end_ns[i];
    k->id[row] = c->id[i];
    k->symbol[row] = c->symbol[i];
    k->launch[row] = c->launch[i];
    k->stream[row] = c->stream[i];
    k->queue[row] = c->queue[i];
    k->thread[row] = c->thread[i];
    k->call[row] = NO_INDEX;
    to->correlation[to->n] = from->correlation[i];
    to->process[to->n] = from->process[i];
    to->operation[to->n++] = from->operation[i];
}

/* For counters and samples; most traces have neither. */
static struct rowindex *index_dispatches(struct rv3_build *b)
{
    if (!b->counted.n && b->trace->pc_samples.n == b->first_pc_sample)
        return NULL;
    const struct kernels *k = &b->trace->kernels;
    return rowindex_make(k->id, b->kernel_links.process, b->processes.n, b->first_kernel, k->n,
                         b->arena);
}

/* The kernels row of every counted dispatch. */
static uint32_t *place_counted(struct finals *f)
{
    struct rv3_build *b = f->b;
    uint32_t *row = arena_array(b->arena, uint32_t, b->counted.n);
    bool grown = false;
    for (size_t i = 0; i < b->counted.n; i++)
        row[i] = rowindex_get(&f->dispatches[b->counted_links.process[i]], b->counted.id[i]);
    for (size_t i = 0; i < b->counted.n; i++) {
        if (row[i] != NO_INDEX)
            continue;
        row[i] = (uint32_t)b->trace->kernels.n;
        add_counted(b, i);
        grown = true;
    }
    if (grown)
        f->dispatches = index_dispatches(b);
    return row;
}

static uint32_t unknown_symbol(struct rv3_build *b)
{
    struct trace *t = b->trace;
    uint32_t name = strings_add(&t->strings, "(unknown kernel)");
    struct symbol s = {.name = name, .short_name = name, .mangled = name, .id = -1};
    s.process = b->processes.v[0].process;
    vec_push(&t->symbols, &t->arena, s);
    return (uint32_t)t->symbols.n - 1;
}

static void finish_kernels(struct finals *f)
{
    struct rv3_build *b = f->b;
    struct trace *t = b->trace;
    struct kernels *k = &t->kernels;
    uint64_t no_symbol = 0, no_agent = 0;
    uint32_t unknown = NO_INDEX;
    for (size_t i = b->first_kernel; i < k->n; i++) {
        uint32_t slot = k->symbol[i];
        uint32_t symbol = slot == NO_INDEX ? NO_INDEX : b->symbols.v[slot];
        if (symbol == NO_INDEX) {
            if (unknown == NO_INDEX)
                unknown = unknown_symbol(b);
            symbol = unknown;
            no_symbol++;
        }
        no_agent += agent_at(b, b->streams.v[k->stream[i]].agent) == NO_INDEX;
        k->symbol[i] = symbol;
        k->stream[i] = final_stream(f, k->stream[i]);
        k->call[i] = call_at(f, &b->kernel_links, i - b->first_kernel);
    }
    fix_rows(t, k->start_ns, k->end_ns, b->first_kernel, k->n, "kernels without times");
    trace_note(t, NOTE_DANGLING, no_agent, "kernels on a device that is not listed");
    trace_note(t, NOTE_DANGLING, no_symbol, "kernels whose symbol is not listed");
    launches_finish(&b->launches, t, b->first_kernel);
}

/* ---- copies and allocations ---- */

static void finish_copies(struct finals *f)
{
    struct rv3_build *b = f->b;
    struct trace *t = b->trace;
    struct copies *c = &t->copies;
    uint64_t no_agent = 0;
    for (size_t i = b->first_copy; i < c->n; i++) {
        /* Its time is that of the GPU it arrives at, else of the one it leaves. */
        bool arrives = gpu_at(b, c->dst[i]) != NO_INDEX;
        bool leaves = gpu_at(b, c->src[i]) != NO_INDEX;
        c->stream[i] = final_stream(f, !arrives && leaves ? c->call[i] : c->stream[i]);
        c->call[i] = call_at(f, &b->copy_links, i - b->first_copy);
        c->src[i] = agent_at(b, c->src[i]);
        c->dst[i] = agent_at(b, c->dst[i]);
        no_agent += !arrives && !leaves && c->kind[i] != COPY_H2H;
        c->kind[i] =
            (uint8_t)copy_kind_between(t, (enum copy_kind)c->kind[i], c->src[i], c->dst[i]);
    }
    trace_note(t, NOTE_DANGLING, no_agent, "copies between devices that are not listed");
    fix_rows(t, c->start_ns, c->end_ns, b->first_copy, c->n, "copies without times");
}

static void finish_allocs(struct finals *f)
{
    struct rv3_build *b = f->b;
    struct allocations *a = &b->trace->allocations;
    for (size_t i = b->first_alloc; i < a->n; i++) {
        a->agent[i] = agent_at(b, a->agent[i]);
        a->call[i] = call_at(f, &b->alloc_links, i - b->first_alloc);
    }
    fix_rows(b->trace, a->start_ns, a->end_ns, b->first_alloc, a->n, "allocations without times");
}

/* ---- counters and samples ---- */

/* Values of counters that are described nowhere mean nothing: they go. */
static void finish_counters(struct rv3_build *b, const uint32_t *row_of)
{
    struct trace *t = b->trace;
    struct counters *c = &t->counters;
    size_t to = b->first_counter;
    t->counter_records += c->n - to;
    for (size_t i = to; i < c->n; i++) {
        uint32_t slot = c->counter[i];
        uint32_t info = slot == NO_INDEX ? NO_INDEX : b->counters.v[slot];
        if (info == NO_INDEX)
            continue;
        c->counter[to] = info;
        c->kernel[to] = row_of[c->kernel[i]];
        c->value[to] = c->value[i];
        c->instance[to++] = c->instance[i];
    }
    trace_note(t, NOTE_DANGLING, c->n - to, "counter values of a counter that is not listed");
    c->n = to;
}

static void finish_pc_samples(const struct finals *f)
{
    struct pc_samples *s = &f->b->trace->pc_samples;
    for (size_t i = f->b->first_pc_sample; i < s->n; i++) /* kernel: the process, until here */
        s->kernel[i] = rowindex_get(&f->dispatches[s->kernel[i]], s->dispatch[i]);
}

void rv3_finish(struct rv3_build *b)
{
    struct trace *t = b->trace;
    struct finals f = {.b = b};
    if (!b->processes.n)
        return;
    rv3_trim(b);
    f.stream = arena_array(b->arena, uint32_t, b->streams.n);
    memset(f.stream, 0xff, b->streams.n * sizeof(*f.stream));
    fix_rows(t, t->regions.start_ns, t->regions.end_ns, b->first_region, t->regions.n,
             "regions without times");
    f.calls = index_calls(b);
    f.dispatches = index_dispatches(b);
    uint32_t *row_of = place_counted(&f);
    finish_kernels(&f);
    finish_copies(&f);
    finish_allocs(&f);
    finish_counters(b, row_of);
    finish_pc_samples(&f);
}
