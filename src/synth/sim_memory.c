/* Copies, fills and allocations. */
#include "synth/sim.h"

/* How long bytes take at a rate; at least 1 ns. */
static int64_t transfer_ns(struct sim *s, int64_t bytes, int64_t rate)
{
    if (rate <= 0) {
        sim_fail(s, "the bandwidth must be more than 0");
        return 1;
    }
    __int128 ns = (__int128)bytes * 1000000000 / rate;
    if (ns > MAX_TIME)
        sim_fail(s, "the copy is too long");
    return ns < 1 || ns > MAX_TIME ? 1 : (int64_t)ns;
}

static uint64_t device_address(const struct process *p, int gpu)
{
    return UINT64_C(0x7f0000000000) + ((uint64_t)gpu << 36) + (p->copies % 64 << 21);
}

static uint64_t host_address(const struct process *p)
{
    return UINT64_C(0x560000000000) + (p->copies % 64 << 21);
}

/* Both ends of a copy between the stream's GPU, the host and a peer. */
static struct rec_copy copy_record(struct sim *s, struct thread *t, const struct stmt *st,
                                   const struct stream *stream)
{
    struct process *p = t->process;
    struct rec_copy c = {.process = p->rec.index, .thread = t->index, .stream = stream->id};
    bool managed = stmt_arg(st, K_managed) != NULL;
    enum memory host = managed ? MEM_MANAGED : stmt_arg(st, K_pageable) ? MEM_PAGEABLE : MEM_PINNED;
    c.direction = (enum direction)stmt_arg(st, K_direction)->word;
    bool from_host = c.direction == COPY_H2D || c.direction == COPY_H2H;
    bool to_host = c.direction == COPY_D2H || c.direction == COPY_H2H;
    int64_t peer = arg_int(s, t, st, K_peer, (stream->gpu + 1) % (int)p->gpus.n);
    if (peer < 0 || peer >= (int64_t)p->gpus.n) {
        sim_fail(s, "there is no GPU %lld", (long long)peer);
        peer = 0;
    }
    c.src_gpu = from_host ? -1 : stream->gpu;
    c.dst_gpu = to_host ? -1 : c.direction == COPY_P2P ? (int)peer : stream->gpu;
    c.src_agent = from_host ? 0 : CPU_AGENTS + c.src_gpu;
    c.dst_agent = to_host ? 0 : CPU_AGENTS + c.dst_gpu;
    c.src_memory = from_host || managed ? host : MEM_DEVICE;
    c.dst_memory = to_host || managed ? host : MEM_DEVICE;
    c.src_address = from_host ? host_address(p) : device_address(p, c.src_gpu);
    c.dst_address = to_host ? host_address(p) : device_address(p, c.dst_gpu) + (1 << 30);
    p->copies++;
    return c;
}

static int64_t copy_duration(struct sim *s, struct thread *t, const struct stmt *st,
                             const struct rec_copy *c)
{
    const struct gpu_spec *g = &t->process->gpus.v[t->gpu].spec;
    int64_t rate = g->link_bw;
    if (c->direction == COPY_D2D)
        rate = g->memory_bw / 2;
    else if (c->direction == COPY_P2P)
        rate = g->peer_bw;
    else if (stmt_arg(st, K_pageable) || c->direction == COPY_H2H)
        rate /= 6;
    rate = arg_int(s, t, st, K_bw, rate);
    int64_t usual = stmt_arg(st, K_dur) ? 0 : transfer_ns(s, c->size, rate);
    return arg_time(s, t, st, K_dur, usual);
}

/* Copies in, out and within a GPU have an engine each; copies in host memory have none. */
static int64_t *copy_engine(struct process *p, const struct rec_copy *c, const struct stream *st)
{
    static const int engine[] = {[COPY_H2D] = 0, [COPY_D2H] = 1, [COPY_D2D] = 2, [COPY_P2P] = 1};
    if (c->direction == COPY_H2H)
        return NULL;
    return &p->gpus.v[st->gpu].engine_free[engine[c->direction]];
}

static void place_copy(struct sim *s, struct thread *t, struct stream *stream, struct rec_copy *c,
                       int64_t ready, int64_t dur)
{
    int64_t *engine = copy_engine(t->process, c, stream);
    if (engine && *engine > ready)
        ready = *engine;
    c->start_ns = sim_stream_start(s, t, stream, ready);
    c->end_ns = sim_time_add(s, c->start_ns, dur);
    sim_stream_busy(stream, c->end_ns);
    if (engine && *engine < c->end_ns)
        *engine = c->end_ns;
}

static void graph_copy(struct sim *s, struct thread *t, struct stream *stream, struct rec_copy *c,
                       int64_t dur)
{
    c->corr = t->graph_corr;
    c->graph_exec = t->graph_exec;
    c->graph_node = ++t->graph_node;
    place_copy(s, t, stream, c, t->graph_ready, dur);
    emit_copy(s, c);
}

static void do_copy(struct sim *s, struct thread *t, const struct stmt *st)
{
    struct stream *stream = sim_find_stream(s, t, st);
    struct rec_copy c = copy_record(s, t, st, stream);
    c.size = arg_time(s, t, st, K_size, 0);
    c.async = stmt_arg(st, K_async) != NULL || (stmt_arg(st, K_stream) && !stmt_arg(st, K_sync));
    int64_t dur = copy_duration(s, t, st, &c), start;
    if (sim_exact_start(s, t, st, &start)) {
        c.start_ns = start;
        c.end_ns = sim_time_add(s, start, dur);
        sim_stream_busy(stream, c.end_ns);
        emit_copy(s, &c);
        return;
    }
    if (t->graph_exec) {
        graph_copy(s, t, stream, &c, dur);
        return;
    }
    int64_t end = sim_time_add(s, t->clock, sim_setting(s, t, SET_COPY_COST));
    place_copy(s, t, stream, &c, sim_time_add(s, end, sim_setting(s, t, SET_COPY_LATENCY)), dur);
    /* The runtime stages pageable memory itself, so the host is held up even by async copies. */
    if (!c.async || stmt_arg(st, K_pageable))
        end = c.end_ns;
    struct call call = {.name = arg_name(s, t, st, K_api), .pointer = c.dst_address};
    static const int kinds[] = {1, 2, 3, 3, 0}; /* hipMemcpyKind */
    call.other = c.src_address;
    call.size = c.size;
    call.kind = kinds[c.direction];
    call.stream = (uint64_t)stream->id;
    c.corr = emit_call(s, t, c.async ? API_MEMCPY_ASYNC : API_MEMCPY, t->clock, end, &call);
    emit_copy(s, &c);
    sim_advance(s, t, end);
}

/* A fill is a small kernel of the runtime. */
static void do_memset(struct sim *s, struct thread *t, const struct stmt *st)
{
    struct process *p = t->process;
    struct stream *stream = sim_find_stream(s, t, st);
    uint32_t name = names_adds(&s->program->names, "__amd_rocclr_fillBufferAligned");
    uint32_t known = idmap_get(&p->symbol_by_name, name);
    struct symbol *y = known == NO_INDEX ? sim_symbol_add(s, p, name, 0) : p->symbols.v[known];
    if (known == NO_INDEX && s->wants & WANT_INFO && s->sink->symbol)
        s->sink->symbol(s->sink, &y->rec);
    struct rec_kernel k = sim_kernel_record(s, t, st, y, stream);
    int64_t rate = arg_int(s, t, st, K_bw, p->gpus.v[stream->gpu].spec.memory_bw / 2);
    k.memset_bytes = arg_time(s, t, st, K_size, 0);
    int64_t usual = stmt_arg(st, K_dur) ? 0 : transfer_ns(s, k.memset_bytes, rate);
    int64_t dur = arg_time(s, t, st, K_dur, usual);
    if (sim_without_call(s, t, st, stream, &k, dur))
        return;
    bool sync = stmt_arg(st, K_sync) != NULL;
    struct call c = {.pointer = device_address(p, stream->gpu), .size = k.memset_bytes};
    c.stream = (uint64_t)stream->id;
    int64_t end = sim_time_add(s, t->clock, sim_setting(s, t, SET_LAUNCH_COST));
    int64_t ready = sim_time_add(s, end, sim_setting(s, t, SET_LAUNCH_LATENCY));
    if (sync)
        end = sim_time_add(s, sim_stream_start(s, t, stream, ready), dur);
    k.corr = emit_call(s, t, sync ? API_MEMSET : API_MEMSET_ASYNC, t->clock, end, &c);
    sim_enqueue(s, t, stream, &k, ready, dur);
    sim_advance(s, t, end);
}

static void emit_memory(struct sim *s, struct thread *t, const struct stmt *st, uint64_t address,
                        int64_t size, int64_t end)
{
    bool host = stmt_arg(st, K_host_memory) != NULL, async = stmt_arg(st, K_async) != NULL;
    bool freed = st->op == OP_free;
    struct call c = {.name = arg_name(s, t, st, K_api), .pointer = address, .size = size};
    c.other = 0x7ffd00001000 + (address >> 12 & 0xff8);
    enum api_id api = host ? API_HOST_MALLOC : async ? API_MALLOC_ASYNC : API_MALLOC;
    if (freed)
        api = host ? API_HOST_FREE : async ? API_FREE_ASYNC : API_FREE;
    struct rec_alloc r = {.process = t->process->rec.index, .thread = t->index};
    r.corr = emit_call(s, t, api, t->clock, end, &c);
    r.type = freed ? ALLOC_FREE : ALLOC_ALLOC;
    r.agent = host ? 0 : CPU_AGENTS + t->gpu;
    r.memory = host ? MEM_PINNED : MEM_DEVICE;
    r.address = address;
    r.size = size;
    /* The record lies inside the call. */
    int64_t quarter = (end - t->clock) / 4;
    r.start_ns = t->clock + quarter;
    r.end_ns = end - quarter;
    emit_alloc(s, &r);
    sim_advance(s, t, end);
}

static void do_malloc(struct sim *s, struct thread *t, const struct stmt *st)
{
    struct process *p = t->process;
    int64_t size = arg_time(s, t, st, K_size, 0);
    int64_t cost = arg_time(s, t, st, K_dur, sim_setting(s, t, SET_MALLOC_COST));
    uint64_t address = UINT64_C(0x7f8000000000) + (p->addresses << 21);
    p->addresses += (uint64_t)(size >> 21) % (1 << 20) + 1;
    if (stmt_arg(st, K_name) && sim_count(s)) {
        struct buffer b = {arg_name(s, t, st, K_name), address, size};
        idmap_put(&p->buffer_by_name, b.name, (uint32_t)p->buffers.n);
        vec_push(&p->buffers, s->arena, b);
    }
    emit_memory(s, t, st, address, size, sim_time_add(s, t->clock, cost));
}

/* A plain free waits for the device, as the runtime's does. */
static void do_free(struct sim *s, struct thread *t, const struct stmt *st)
{
    struct process *p = t->process;
    struct buffer b = {0, UINT64_C(0x7f8000000000), arg_time(s, t, st, K_size, 0)};
    if (stmt_arg(st, K_name)) {
        uint32_t name = arg_name(s, t, st, K_name), i = idmap_get(&p->buffer_by_name, name);
        if (i == NO_INDEX) {
            sim_fail(s, "unknown buffer '%.40s'; 'malloc name=' makes one",
                     names_text(&s->program->names, name));
            return;
        }
        b = p->buffers.v[i];
    }
    int64_t cost = arg_time(s, t, st, K_dur, sim_setting(s, t, SET_FREE_COST));
    int64_t end = sim_time_add(s, t->clock, cost);
    for (size_t i = 0; i < p->streams.n && !stmt_arg(st, K_async); i++)
        if (p->streams.v[i].gpu == t->gpu && p->streams.v[i].used && p->streams.v[i].last_end > end)
            end = p->streams.v[i].last_end;
    emit_memory(s, t, st, b.address, b.size, end);
}

static void do_alloc(struct sim *s, struct thread *t, const struct stmt *st)
{
    const struct value *level = stmt_arg(st, K_level);
    struct rec_alloc r = {.process = t->process->rec.index, .thread = t->index};
    r.type = (enum alloc_type)stmt_arg(st, K_type)->word;
    r.level = level ? (enum alloc_level)level->word : LEVEL_REAL;
    r.agent = CPU_AGENTS + t->gpu;
    r.address = (uint64_t)arg_int(s, t, st, K_address, INT64_C(0x7f8000000000));
    r.size = arg_time(s, t, st, K_size, 0);
    if (!sim_exact_start(s, t, st, &r.start_ns))
        r.start_ns = t->clock;
    r.end_ns = sim_time_add(s, r.start_ns, arg_time(s, t, st, K_dur, 1000));
    emit_alloc(s, &r);
}

void memory_execute(struct sim *s, struct thread *t, const struct stmt *st)
{
    sim_need_gpu(s, t->process);
    switch (st->op) {
    case OP_copy:
        do_copy(s, t, st);
        break;
    case OP_memset:
        do_memset(s, t, st);
        break;
    case OP_malloc:
        do_malloc(s, t, st);
        break;
    case OP_free:
        do_free(s, t, st);
        break;
    default:
        do_alloc(s, t, st);
        break;
    }
}
