/* Kernels, copies and fills on tracks of streams or queues; allocations; PC samples. */
#include <stdio.h>

#include "convert/perfetto_in.h"

/* Rows of kernels, then of copies from `copies` on. */
struct device {
    struct pf *w;
    uint32_t copies;
    uint64_t kernel_category, copy_category, set_category;
    uint64_t memory[MEMORY_KINDS], operation[COPY_KINDS];
    uint32_t *agent_of; /* by stream: the agent of its GPU in its process */
};

static void note_times(struct pf_event *e, int64_t start, int64_t end)
{
    pf_note_int(e, PF_BEGIN_NS, start);
    pf_note_int(e, PF_END_NS, end);
    pf_note_int(e, PF_DELTA_NS, (int64_t)((uint64_t)end - (uint64_t)start));
}

static void note_place(struct device *d, struct pf_event *e, uint32_t stream, uint32_t thread)
{
    const struct trace *t = d->w->t;
    if (thread < t->threads.n)
        pf_note_int(e, PF_TID, t->threads.v[thread].tid);
    if (stream >= t->streams.n)
        return;
    uint32_t agent = d->agent_of[stream], gpu = t->streams.v[stream].gpu;
    if (agent != NO_INDEX)
        pf_note_int(e, PF_AGENT, agent_number(d->w->c, agent));
    if (gpu != NO_INDEX)
        pf_note_int(e, PF_GPU, t->gpus.v[gpu].index);
    pf_note_int(e, PF_STREAM_ID, t->streams.v[stream].id);
}

static void note_call(struct device *d, struct pf_event *e, uint32_t call)
{
    if (call < d->w->t->regions.n)
        pf_note_int(e, PF_CORR_ID, conversion_call(d->w->c, call));
}

/* Instances are added up: one number a counter, as AMD's tools have it. */
static void note_counters(struct pf *w, struct pf_event *e, uint32_t kernel)
{
    const struct counters *c = &w->t->counters;
    const uint32_t *rows = w->counters->rows;
    size_t to = w->counters->of[kernel + 1];
    for (size_t i = w->counters->of[kernel]; i < to;) {
        uint32_t which = c->counter[rows[i]];
        double sum = 0;
        for (; i < to && c->counter[rows[i]] == which; i++)
            sum += c->value[rows[i]];
        char *length;
        if (e->p > w->sink.buf + SINK_BYTES - 64)
            return; /* counter tracks have them all */
        e->p = pb_open(e->p, EVENT_ANNOTATION, &length);
        e->p = pb_uint(e->p, NOTE_NAME_IID, PF_NOTES + 1 + which);
        e->p = pb_double(e->p, NOTE_DOUBLE, sum);
        pb_close(e->p, length);
    }
}

static void begin_kernel(struct device *d, uint64_t track, uint32_t row)
{
    struct pf *w = d->w;
    const struct trace *t = w->t;
    const struct kernels *k = &t->kernels;
    const struct symbol *s = &t->symbols.v[k->symbol[row]];
    uint32_t launch = kernels_launch_at(t, row);
    const struct launch *l = &t->launches.v[launch];
    bool renamed = w->c->o->kernel_rename && l->rename;
    uint64_t name = pf_name(w, renamed ? l->rename : s->name);
    uint64_t grid = pf_extent(w, launch, false), group = pf_extent(w, launch, true);
    uint64_t region = l->rename && !renamed ? pf_text(w, l->rename) : 0;
    bool annotated = w->counters && w->c->o->annotate_pmc;
    struct pf_event e;
    pf_room(w, EVENT_ROOM + (annotated ? SINK_BYTES / 2 : 0));
    pf_begin(w, &e, k->start_ns[row], SLICE_BEGIN, track);
    e.p = pb_uint(e.p, EVENT_CATEGORY_IID, d->kernel_category);
    e.p = pb_uint(e.p, EVENT_NAME_IID, name);
    if (k->call[row] < t->regions.n)
        e.p = pb_fixed(e.p, EVENT_FLOW_END, w->flow + row + 1);
    note_times(&e, k->start_ns[row], k->end_ns[row]);
    note_call(d, &e, k->call[row]);
    note_place(d, &e, k->stream[row], kernels_thread_at(t, row));
    if (kernels_queue_at(t, row) < t->queues.n)
        pf_note_int(&e, PF_QUEUE, t->queues.v[kernels_queue_at(t, row)].id);
    pf_note_int(&e, PF_KERNEL_ID, s->id);
    pf_note_int(&e, PF_DISPATCH_ID, kernels_id_at(t, row));
    pf_note_uint(&e, PF_SCRATCH_SIZE, l->scratch_bytes);
    pf_note_uint(&e, PF_LDS_SIZE, l->lds_bytes);
    pf_note_text(&e, PF_WORKGROUP_SIZE, group);
    pf_note_text(&e, PF_GRID_SIZE, grid);
    if (s->vgprs || s->sgprs) {
        pf_note_uint(&e, PF_VGPRS, s->vgprs);
        pf_note_uint(&e, PF_ACCUM_VGPRS, s->accum_vgprs);
        pf_note_uint(&e, PF_SGPRS, s->sgprs);
    }
    if (l->graph)
        pf_note_uint(&e, PF_GRAPH, l->graph);
    if (region)
        pf_note_text(&e, PF_REGION, region);
    if (annotated)
        note_counters(w, &e, row);
    pf_end(w, &e);
}

static void note_end_of_copy(struct device *d, struct pf_event *e, uint32_t agent, bool source)
{
    const struct trace *t = d->w->t;
    if (agent >= t->agents.n)
        return;
    uint32_t gpu = t->agents.v[agent].gpu;
    pf_note_int(e, source ? PF_SRC_AGENT : PF_DST_AGENT, agent_number(d->w->c, agent));
    pf_note_int(e, source ? PF_SRC_GPU : PF_DST_GPU, gpu == NO_INDEX ? -1 : t->gpus.v[gpu].index);
}

static void begin_copy(struct device *d, uint64_t track, uint32_t row)
{
    struct pf *w = d->w;
    const struct copies *c = &w->t->copies;
    enum copy_kind kind = c->kind[row] < COPY_KINDS ? c->kind[row] : COPY_UNKNOWN;
    struct pf_event e;
    pf_room(w, EVENT_ROOM);
    pf_begin(w, &e, c->start_ns[row], SLICE_BEGIN, track);
    e.p = pb_uint(e.p, EVENT_CATEGORY_IID, kind == COPY_SET ? d->set_category : d->copy_category);
    e.p = pb_uint(e.p, EVENT_NAME_IID, d->operation[kind]); /* words are names, too */
    if (c->call[row] < w->t->regions.n)
        e.p = pb_fixed(e.p, EVENT_FLOW_END, w->flow + w->t->kernels.n + row + 1);
    note_times(&e, c->start_ns[row], c->end_ns[row]);
    note_call(d, &e, c->call[row]);
    note_place(d, &e, c->stream[row], copies_thread_at(w->t, row));
    pf_note_text(&e, PF_OPERATION, d->operation[kind]);
    pf_note_int(&e, PF_ID, copies_id_at(w->t, row));
    note_end_of_copy(d, &e, copies_src_at(w->t, row), true);
    note_end_of_copy(d, &e, copies_dst_at(w->t, row), false);
    if (c->bytes[row] != BYTES_UNKNOWN)
        pf_note_uint(&e, PF_COPY_BYTES, c->bytes[row]);
    if (c->src_memory[row] && c->src_memory[row] < MEMORY_KINDS)
        pf_note_text(&e, PF_SRC_MEMORY, d->memory[c->src_memory[row]]);
    if (c->dst_memory[row] && c->dst_memory[row] < MEMORY_KINDS)
        pf_note_text(&e, PF_DST_MEMORY, d->memory[c->dst_memory[row]]);
    pf_end(w, &e);
}

static void begin(void *ctx, uint32_t lane, const struct lane_item *item)
{
    struct device *d = ctx;
    uint64_t track = pf_lane(d->w, lane);
    if (item->row < d->copies)
        begin_kernel(d, track, item->row);
    else
        begin_copy(d, track, item->row - d->copies);
}

static void end(void *ctx, uint32_t lane, const struct lane_item *item)
{
    struct pf *w = ((struct device *)ctx)->w;
    struct pf_event e;
    uint64_t track = pf_lane(w, lane);
    pf_room(w, EVENT_ROOM);
    pf_begin(w, &e, item->end_ns, SLICE_END, track);
    pf_end(w, &e);
}

/* The rows of one track: of `kernels` group a, of `copies` group b; either may be NULL. */
static void write_track(struct device *d, const struct row_groups *kernels, size_t a,
                        const struct row_groups *copies, size_t b)
{
    const struct trace *t = d->w->t;
    struct arena *temporary = arena_scratch();
    size_t most = (kernels ? kernels->at[a + 1] - kernels->at[a] : 0) +
                  (copies ? copies->at[b + 1] - copies->at[b] : 0);
    struct lane_item *items = arena_array(temporary, struct lane_item, most + 1);
    size_t n = 0;
    for (size_t i = kernels ? kernels->at[a] : 0; kernels && i < kernels->at[a + 1]; i++) {
        uint32_t row = kernels->list[i];
        if (conversion_takes(d->w->c, process_of_kernel(t, row)))
            items[n++] =
                (struct lane_item){t->kernels.start_ns[row],
                                   later_of(t->kernels.start_ns[row], t->kernels.end_ns[row]), row};
    }
    for (size_t i = copies ? copies->at[b] : 0; copies && i < copies->at[b + 1]; i++) {
        uint32_t row = copies->list[i];
        if (conversion_takes(d->w->c, process_of_copy(t, row)))
            items[n++] = (struct lane_item){
                t->copies.start_ns[row], later_of(t->copies.start_ns[row], t->copies.end_ns[row]),
                d->copies + row};
    }
    lanes_walk(items, n, true, &(struct lane_events){begin, end, d}, temporary);
    arena_release(temporary);
}

static uint64_t parent_of(const struct pf *w, uint32_t process)
{
    return process < w->t->processes.n ? w->process_track[process] : 0;
}

/* By process: whether it uses more than one GPU, so that tracks must say which. */
static uint8_t *find_several(const struct trace *t, struct arena *a)
{
    uint8_t *several = arena_array(a, uint8_t, t->processes.n + 1);
    uint32_t *first = arena_array(a, uint32_t, t->processes.n + 1);
    for (size_t i = 0; i < t->streams.n; i++) {
        const struct stream *s = &t->streams.v[i];
        if (s->gpu == NO_INDEX)
            continue;
        if (first[s->process] && first[s->process] != s->gpu + 1)
            several[s->process] = 1;
        first[s->process] = s->gpu + 1;
    }
    return several;
}

static void write_streams(struct device *d)
{
    struct pf *w = d->w;
    const struct trace *t = w->t;
    struct row_groups kernels =
        row_groups_make(t->kernels.stream, t->kernels.n, t->streams.n, w->arena);
    struct row_groups copies =
        row_groups_make(t->copies.stream, t->copies.n, t->streams.n, w->arena);
    uint8_t *several = find_several(t, w->arena);
    for (size_t s = 0; s <= t->streams.n; s++) {
        uint32_t process = process_of_stream(t, (uint32_t)s);
        uint32_t gpu = gpu_of_stream(t, (uint32_t)s);
        char *name = "STREAM [?]";
        if (s < t->streams.n && gpu != NO_INDEX && several[process])
            name = arena_printf(w->arena, "GPU [%d] STREAM [%lld]", (int)t->gpus.v[gpu].index,
                                (long long)t->streams.v[s].id);
        else if (s < t->streams.n)
            name = arena_printf(w->arena, "STREAM [%lld]", (long long)t->streams.v[s].id);
        pf_track(w, parent_of(w, process), name);
        write_track(d, &kernels, s, &copies, s);
    }
}

/* The GPU a queue was first used on: queues do not say. */
static int gpu_of_queue(const struct trace *t, const struct row_groups *kernels, size_t queue)
{
    if (kernels->at[queue] == kernels->at[queue + 1])
        return -1;
    uint32_t gpu = gpu_of_stream(t, t->kernels.stream[kernels->list[kernels->at[queue]]]);
    return gpu == NO_INDEX ? -1 : (int)t->gpus.v[gpu].index;
}

static void write_queues(struct device *d)
{
    struct pf *w = d->w;
    const struct trace *t = w->t;
    uint32_t *queue = arena_array(w->arena, uint32_t, t->kernels.n + 1);
    for (size_t i = 0; i < t->kernels.n; i++)
        queue[i] = kernels_queue_at(t, i);
    struct row_groups kernels = row_groups_make(queue, t->kernels.n, t->queues.n, w->arena);
    for (size_t q = 0; q <= t->queues.n; q++) {
        uint32_t process = q < t->queues.n ? t->queues.v[q].process : 0;
        long long id = q < t->queues.n ? (long long)t->queues.v[q].id : -1;
        pf_track(w, parent_of(w, process),
                 arena_printf(w->arena, "COMPUTE Agent [%d] QUEUE [%lld] GPU",
                              gpu_of_queue(t, &kernels, q), id));
        write_track(d, &kernels, q, NULL, 0);
    }
    uint32_t *to = arena_array(w->arena, uint32_t, t->copies.n + 1);
    for (size_t i = 0; i < t->copies.n; i++)
        to[i] = copies_dst_at(t, i);
    struct row_groups copies = row_groups_make(to, t->copies.n, t->agents.n, w->arena);
    for (size_t a = 0; a <= t->agents.n; a++) {
        uint32_t process = a < t->agents.n ? t->agents.v[a].process : 0;
        const char *type = a < t->agents.n && t->agents.v[a].type == AGENT_GPU ? "GPU" : "CPU";
        pf_track(w, parent_of(w, process),
                 arena_printf(w->arena, "COPY to AGENT [%lld] (%s)",
                              a < t->agents.n ? (long long)agent_number(w->c, (uint32_t)a) : -1LL,
                              type));
        write_track(d, NULL, 0, &copies, a);
    }
}

static void put_pc_sample(struct pf *w, uint32_t i)
{
    const struct pc_samples *s = &w->t->pc_samples;
    struct pf_event e;
    uint64_t name = pf_name(w, s->instruction[i]), track = pf_lane(w, 0);
    uint64_t comment = s->comment[i] ? pf_text(w, s->comment[i]) : 0;
    uint64_t type = s->type[i] ? pf_text(w, s->type[i]) : 0;
    uint64_t stall = s->stall[i] ? pf_text(w, s->stall[i]) : 0;
    pf_room(w, EVENT_ROOM);
    pf_begin(w, &e, s->time_ns[i], INSTANT, track);
    e.p = pb_uint(e.p, EVENT_CATEGORY_IID, pf_category("pc_sampling"));
    e.p = pb_uint(e.p, EVENT_NAME_IID, name);
    pf_note_int(&e, PF_DISPATCH_ID, s->dispatch[i]);
    pf_note_uint(&e, PF_OFFSET, s->offset[i]);
    pf_note_uint(&e, PF_EXEC_MASK, s->exec_mask[i]);
    pf_note_uint(&e, PF_CODE_OBJECT, s->code_object[i]);
    if (comment)
        pf_note_text(&e, PF_COMMENT, comment);
    if (type)
        pf_note_text(&e, PF_INSTRUCTION_TYPE, type);
    if (stall)
        pf_note_text(&e, PF_STALL_REASON, stall);
    if (s->waves[i])
        pf_note_uint(&e, PF_WAVES_ON_SIMD, s->waves[i]);
    if (s->issued[i] != PC_ISSUED_UNKNOWN)
        pf_note_uint(&e, PF_ISSUED, s->issued[i] == PC_ISSUED_YES);
    if (s->pipes_issue[i] || s->pipes_stall[i]) {
        pf_note_uint(&e, PF_PIPES_ISSUE, s->pipes_issue[i]);
        pf_note_uint(&e, PF_PIPES_STALL, s->pipes_stall[i]);
    }
    pf_end(w, &e);
}

/* A track for each process that has any; samples of no kernel are those of the first. */
static void write_pc_samples(struct pf *w)
{
    const struct trace *t = w->t;
    const struct pc_samples *s = &t->pc_samples;
    uint32_t *owner = arena_array(w->arena, uint32_t, s->n);
    for (size_t i = 0; i < s->n; i++)
        owner[i] = s->kernel[i] < t->kernels.n ? process_of_kernel(t, s->kernel[i]) : 0;
    struct row_groups by = row_groups_make(owner, s->n, t->processes.n, w->arena);
    for (uint32_t p = 0; p < t->processes.n; p++) {
        if (by.at[p] == by.at[p + 1] || !conversion_takes(w->c, p))
            continue;
        pf_track(w, parent_of(w, p), "PC SAMPLES");
        for (size_t i = by.at[p]; i < by.at[p + 1]; i++)
            put_pc_sample(w, by.list[i]);
    }
}

void pf_gpu(struct pf *w)
{
    const struct trace *t = w->t;
    struct device *d = arena_new(w->arena, struct device);
    *d = (struct device){.w = w,
                         .copies = (uint32_t)t->kernels.n,
                         .kernel_category = pf_category("kernel_dispatch"),
                         .copy_category = pf_category("memory_copy"),
                         .set_category = pf_category("memory_set")};
    for (int k = 0; k < COPY_KINDS; k++)
        d->operation[k] = pf_word(w, k == COPY_P2P ? "MEMORY_COPY_PEER_TO_PEER"
                                                   : copy_operation((enum copy_kind)k));
    for (uint8_t k = MEMORY_UNKNOWN + 1; k < MEMORY_KINDS; k++)
        d->memory[k] = pf_word(w, memory_kind_name(k));
    d->agent_of = arena_array(w->arena, uint32_t, t->streams.n + 1);
    for (size_t s = 0; s < t->streams.n; s++)
        d->agent_of[s] = conversion_agent(w->c, t->streams.v[s].process, t->streams.v[s].gpu);
    if (w->c->o->group_by_queue)
        write_queues(d);
    else
        write_streams(d);
    if (t->pc_samples.n)
        write_pc_samples(w);
}

/* ---- allocations ---- */

static void begin_alloc(void *ctx, uint32_t lane, const struct lane_item *item)
{
    struct pf *w = ctx;
    const struct trace *t = w->t;
    const struct allocations *a = &t->allocations;
    uint32_t row = item->row;
    bool scratch = a->level[row] == LEVEL_SCRATCH;
    uint64_t word = pf_word(w, alloc_operation(a->op[row], a->level[row]));
    uint64_t track = pf_lane(w, lane);
    struct pf_event e;
    pf_room(w, EVENT_ROOM);
    pf_begin(w, &e, a->start_ns[row], SLICE_BEGIN, track);
    e.p = pb_uint(e.p, EVENT_CATEGORY_IID,
                  pf_category(scratch ? "scratch_memory" : "memory_allocation"));
    e.p = pb_uint(e.p, EVENT_NAME_IID, word);
    pf_note_text(&e, PF_OPERATION, word);
    pf_note_uint(&e, PF_SIZE, a->bytes[row]);
    pf_note_uint(&e, PF_ADDRESS, a->address[row]);
    if (a->agent[row] < t->agents.n) {
        uint32_t gpu = t->agents.v[a->agent[row]].gpu;
        pf_note_int(&e, PF_AGENT, agent_number(w->c, a->agent[row]));
        pf_note_int(&e, PF_GPU, gpu == NO_INDEX ? -1 : t->gpus.v[gpu].index);
    }
    if (a->call[row] < t->regions.n)
        pf_note_int(&e, PF_CORR_ID, conversion_call(w->c, a->call[row]));
    if (a->thread[row] < t->threads.n)
        pf_note_int(&e, PF_TID, t->threads.v[a->thread[row]].tid);
    pf_end(w, &e);
}

static void end_alloc(void *ctx, uint32_t lane, const struct lane_item *item)
{
    struct pf *w = ctx;
    struct pf_event e;
    uint64_t track = pf_lane(w, lane);
    pf_room(w, EVENT_ROOM);
    pf_begin(w, &e, item->end_ns, SLICE_END, track);
    pf_end(w, &e);
}

void pf_allocations(struct pf *w)
{
    const struct allocations *a = &w->t->allocations;
    struct row_groups g = row_groups_make(a->thread, a->n, w->t->threads.n, w->arena);
    for (size_t thread = 0; thread <= w->t->threads.n; thread++) {
        uint32_t process = process_of_thread(w->t, (uint32_t)thread);
        size_t n = g.at[thread + 1] - g.at[thread];
        if (!n || !conversion_takes(w->c, process))
            continue;
        struct arena *temporary = arena_scratch();
        struct lane_item *items = arena_array(temporary, struct lane_item, n);
        for (size_t i = 0; i < n; i++) {
            uint32_t row = g.list[g.at[thread] + i];
            items[i] = (struct lane_item){a->start_ns[row],
                                          later_of(a->start_ns[row], a->end_ns[row]), row};
        }
        pf_track(w, parent_of(w, process), "MEMORY ALLOCATIONS");
        lanes_walk(items, n, true, &(struct lane_events){begin_alloc, end_alloc, w}, temporary);
        arena_release(temporary);
    }
}
