/* Kernels, waits, graphs: what goes on in streams. */
#include <string.h>

#include "synth/sim.h"

void sim_advance(struct sim *s, struct thread *t, int64_t to)
{
    t->clock = sim_time_add(s, to, sim_setting(s, t, SET_HOST_GAP));
}

int64_t sim_stream_start(struct sim *s, struct thread *t, const struct stream *st, int64_t ready)
{
    int64_t after = st->last_end;
    if (st->used && !t->graph_exec)
        after = sim_time_add(s, after, sim_setting(s, t, SET_KERNEL_GAP));
    return st->used && after > ready ? after : ready;
}

void sim_stream_busy(struct stream *st, int64_t end)
{
    if (!st->used || end > st->last_end)
        st->last_end = end;
    st->used = true;
}

/* Workgroup and grid: of the statement, else of the kernel, else 256 and 304 groups. */
static void geometry(struct sim *s, struct thread *t, const struct stmt *st, const struct symbol *y,
                     struct rec_kernel *k)
{
    static const int64_t usual[3] = {256, 1, 1};
    const struct value *wg = stmt_arg(st, K_wg) ? stmt_arg(st, K_wg) : y->wg;
    const struct value *grid = stmt_arg(st, K_grid), *blocks = stmt_arg(st, K_blocks);
    if (!grid && !blocks) {
        grid = y->grid;
        blocks = y->blocks;
    }
    memcpy(k->wg, usual, sizeof(usual));
    if (wg)
        sim_value_dim(s, t, wg, k->wg);
    int64_t n[3] = {1216, 1, 1};
    if (grid)
        sim_value_dim(s, t, grid, n);
    else if (blocks)
        sim_value_dim(s, t, blocks, n);
    for (int i = 0; i < 3; i++) {
        k->grid[i] = grid ? (n[i] + k->wg[i] - 1) / k->wg[i] * k->wg[i] : n[i] * k->wg[i];
        if (k->grid[i] > UINT32_MAX) {
            sim_fail(s, "the grid is larger than 4294967295 work-items");
            k->grid[i] = k->wg[i];
        }
    }
}

struct rec_kernel sim_kernel_record(struct sim *s, struct thread *t, const struct stmt *st,
                                    const struct symbol *y, const struct stream *stream)
{
    struct rec_kernel k = {.process = t->process->rec.index, .thread = t->index};
    k.gpu = stream->gpu;
    k.stream = stream->id;
    k.queue = stream->queue;
    k.symbol = &y->rec;
    k.lds = arg_time(s, t, st, K_lds, y->rec.lds);
    k.scratch = arg_time(s, t, st, K_scratch, y->rec.scratch);
    geometry(s, t, st, y, &k);
    return k;
}

static int64_t kernel_duration(struct sim *s, struct thread *t, const struct stmt *st,
                               const struct symbol *y)
{
    const struct value *v = stmt_arg(st, K_dur) ? stmt_arg(st, K_dur) : y->dur;
    int64_t d = sim_value_int(s, t, v, 10000);
    if (d > MAX_TIME)
        sim_fail(s, "the kernel is too long");
    return d < 0 ? 0 : d;
}

void sim_enqueue(struct sim *s, struct thread *t, struct stream *stream, struct rec_kernel *k,
                 int64_t ready, int64_t dur)
{
    if (t->graph_exec) {
        k->corr = t->graph_corr;
        k->graph_exec = t->graph_exec;
        k->graph_node = ++t->graph_node;
        ready = t->graph_ready;
        if (t->graph_node > 1)
            ready = sim_time_add(s, stream->last_end, sim_setting(s, t, SET_GRAPH_LATENCY));
    }
    k->start_ns = sim_stream_start(s, t, stream, ready);
    k->end_ns = sim_time_add(s, k->start_ns, dur);
    sim_stream_busy(stream, k->end_ns);
    emit_kernel(s, t, k);
}

bool sim_without_call(struct sim *s, struct thread *t, const struct stmt *st, struct stream *stream,
                      struct rec_kernel *k, int64_t dur)
{
    if (sim_exact_start(s, t, st, &k->start_ns)) {
        k->end_ns = sim_time_add(s, k->start_ns, dur);
        sim_stream_busy(stream, k->end_ns);
        emit_kernel(s, t, k);
        return true;
    }
    if (t->graph_exec)
        sim_enqueue(s, t, stream, k, 0, dur);
    return t->graph_exec;
}

static void do_launch(struct sim *s, struct thread *t, const struct stmt *st)
{
    struct stream *stream = sim_find_stream(s, t, st);
    struct symbol *y = sim_find_symbol(s, t, arg_name(s, t, st, K_name));
    if (!y)
        return;
    struct rec_kernel k = sim_kernel_record(s, t, st, y, stream);
    int64_t dur = kernel_duration(s, t, st, y);
    if (sim_without_call(s, t, st, stream, &k, dur))
        return;
    struct call c = {.name = arg_name(s, t, st, K_api), .lds = k.lds};
    c.pointer = 0x200000 + (uint64_t)y->rec.id * 0x1000;
    c.stream = (uint64_t)stream->id;
    memcpy(c.wg, k.wg, sizeof(c.wg));
    memcpy(c.grid, k.grid, sizeof(c.grid));
    int64_t end = sim_time_add(s, t->clock, sim_setting(s, t, SET_LAUNCH_COST));
    int64_t latency = sim_setting(s, t, SET_LAUNCH_LATENCY);
    k.corr = emit_call(s, t, API_LAUNCH, t->clock, end, &c);
    sim_enqueue(s, t, stream, &k, sim_time_add(s, end, latency), dur);
    sim_advance(s, t, end);
}

/* What profilers record beside a call that has to do with an event; `stream` may be NULL. */
static struct rec_sync of_event(const struct process *p, enum sync_kind kind, uint32_t event,
                                const struct stream *stream)
{
    if (event >= p->events.n)
        return (struct rec_sync){0};
    const struct event *e = &p->events.v[event];
    return (struct rec_sync){kind,
                             stream ? stream->gpu : e->gpu,
                             stream ? stream->id : e->stream,
                             event + 1,
                             e->stream,
                             e->corr};
}

static void do_sync(struct sim *s, struct thread *t, const struct stmt *st)
{
    struct process *p = t->process;
    int64_t until = INT64_MIN, end;
    struct call c = {0};
    enum api_id api = API_DEVICE_SYNC;
    sim_need_gpu(s, p);
    if (stmt_arg(st, K_stream)) {
        const struct stream *stream = sim_find_stream(s, t, st);
        api = API_STREAM_SYNC;
        until = stream->used ? stream->last_end : until;
        c.stream = (uint64_t)stream->id;
        c.sync = (struct rec_sync){.kind = SYNC_STREAM, .gpu = stream->gpu, .stream = stream->id};
    } else if (stmt_arg(st, K_event)) {
        uint32_t i = idmap_get(&p->event_by_name, arg_name(s, t, st, K_event));
        api = API_EVENT_SYNC;
        if (i == NO_INDEX)
            sim_fail(s, "unknown event; make it with 'record'");
        else
            until = p->events.v[i].reached;
        c.other = 0x600000 + i * 64;
        c.sync = of_event(p, SYNC_EVENT, i, NULL);
    } else {
        c.sync = (struct rec_sync){.kind = SYNC_DEVICE, .gpu = t->gpu};
        for (size_t i = 0; i < p->streams.n; i++)
            if (p->streams.v[i].gpu == t->gpu && p->streams.v[i].used &&
                p->streams.v[i].last_end > until)
                until = p->streams.v[i].last_end;
    }
    int64_t cost = arg_time(s, t, st, K_dur, sim_setting(s, t, SET_SYNC_COST));
    end = sim_time_add(s, t->clock, cost);
    if (until > end)
        end = until;
    emit_call(s, t, api, t->clock, end, &c);
    sim_advance(s, t, end);
}

/* `record` remembers when the stream's work so far ends, `wait` holds another stream until then. */
static void do_event(struct sim *s, struct thread *t, const struct stmt *st)
{
    struct process *p = t->process;
    struct stream *stream = sim_find_stream(s, t, st);
    uint32_t name = arg_name(s, t, st, K_event), i = idmap_get(&p->event_by_name, name);
    int64_t end = sim_time_add(s, t->clock, sim_setting(s, t, SET_SYNC_COST));
    if (st->op == OP_record) {
        int64_t reached = stream->used && stream->last_end > end ? stream->last_end : end;
        if (i == NO_INDEX) {
            i = (uint32_t)p->events.n;
            idmap_put(&p->event_by_name, name, i);
            vec_push(&p->events, s->arena, (struct event){0});
        }
        p->events.v[i] = (struct event){reached, stream->gpu, stream->id, 0};
    } else if (i == NO_INDEX) {
        sim_fail(s, "unknown event '%.40s'; make it with 'record'",
                 names_text(&s->program->names, name));
        return;
    } else if (!stream->used || stream->last_end < p->events.v[i].reached) {
        stream->used = true;
        stream->last_end = p->events.v[i].reached;
    }
    struct call c = {.stream = (uint64_t)stream->id, .other = 0x600000 + i * 64};
    bool records = st->op == OP_record;
    c.sync = of_event(p, records ? SYNC_RECORD : SYNC_STREAM_WAIT, i, stream);
    uint64_t corr =
        emit_call(s, t, records ? API_EVENT_RECORD : API_STREAM_WAIT, t->clock, end, &c);
    if (records)
        p->events.v[i].corr = corr;
    sim_advance(s, t, end);
}

void graph_begin(struct sim *s, struct thread *t, const struct stmt *st)
{
    if (t->graph_exec) {
        sim_fail(s, "a graph inside a graph");
        return;
    }
    const struct stream *stream = sim_find_stream(s, t, st);
    struct call c = {.stream = (uint64_t)stream->id, .other = 0x700000};
    int64_t end = sim_time_add(s, t->clock, sim_setting(s, t, SET_LAUNCH_COST));
    t->graph_corr = emit_call(s, t, API_GRAPH_LAUNCH, t->clock, end, &c);
    t->graph_exec = ++t->process->graphs;
    t->graph_node = 0;
    t->graph_stream = (int)(stream - t->process->streams.v);
    t->graph_ready = sim_time_add(s, end, sim_setting(s, t, SET_LAUNCH_LATENCY));
    sim_advance(s, t, end);
}

void graph_end(struct sim *s, struct thread *t)
{
    (void)s;
    t->graph_exec = 0;
}

void gpu_execute(struct sim *s, struct thread *t, const struct stmt *st)
{
    switch (st->op) {
    case OP_launch:
        do_launch(s, t, st);
        break;
    case OP_sync:
        do_sync(s, t, st);
        break;
    case OP_raw:
        raw_execute(s, t, st);
        break;
    default:
        do_event(s, t, st);
        break;
    }
}
