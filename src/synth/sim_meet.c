/*
 * Meetings: barriers, MPI collectives and collectives on GPUs. A thread that arrives stops until
 * one thread of every process that still runs has arrived; then all go on, each in its own way:
 * hosts leave a barrier together, kernels of a collective end together.
 */
#include <stdio.h>

#include "synth/sim.h"

/* --- collectives on GPUs ----------------------------------------------------------------- */

static struct symbol *collective_symbol(struct sim *s, struct thread *t, const char *what)
{
    struct process *p = t->process;
    char text[160];
    snprintf(text, sizeof(text), "ncclDevKernel_%.100s_RING_LL", what);
    uint32_t name = names_adds(&s->program->names, text);
    uint32_t i = idmap_get(&p->symbol_by_name, name);
    if (i != NO_INDEX)
        return p->symbols.v[i];
    struct symbol *y = sim_symbol_add(s, p, name, 0);
    y->rec.vgpr = 96;
    y->rec.lds = 20480;
    if (s->wants & WANT_INFO && s->sink->symbol)
        s->sink->symbol(s->sink, &y->rec);
    return y;
}

/* When this rank's kernel could start. */
static int64_t collective_arrival(struct sim *s, struct thread *t, const struct stmt *st)
{
    const struct stream *stream = sim_find_stream(s, t, st);
    t->meeting_cost = sim_setting(s, t, SET_LAUNCH_COST);
    int64_t end = sim_time_add(s, t->clock, 2 * t->meeting_cost);
    return sim_stream_start(s, t, stream,
                            sim_time_add(s, end, sim_setting(s, t, SET_LAUNCH_LATENCY)));
}

/* All ranks' kernels are known to start: this one's runs from `start` until all are through. */
static void collective_end(struct sim *s, struct thread *t, const struct stmt *st, int64_t start,
                           int64_t ready)
{
    struct process *p = t->process;
    struct stream *stream = sim_find_stream(s, t, st);
    const char *what = names_text(&s->program->names, arg_name(s, t, st, K_name));
    struct symbol *y = collective_symbol(s, t, what);
    int64_t size = arg_time(s, t, st, K_size, 1 << 20);
    int64_t bw = p->gpus.v[stream->gpu].spec.peer_bw;
    int64_t dur = arg_time(s, t, st, K_dur, (int64_t)((__int128)size * 1000000000 / bw) + 5000);
    int64_t half = t->meeting_cost, end = sim_time_add(s, t->clock, 2 * half);
    char text[120];
    snprintf(text, sizeof(text), "nccl%.100s", what);
    struct rec_arg args[] = {
        {"const void*", "sendbuff", ARG_POINTER, 0x7f2000000000, 0, 0},
        {"void*", "recvbuff", ARG_POINTER, 0x7f2000000000, 0, 0},
        {"size_t", "count", ARG_INT, (uint64_t)size / 4, 0, 0},
        {"hipStream_t", "stream", ARG_POINTER, (uint64_t)stream->id, 0, 0},
    };
    struct rec_region r = {.process = p->rec.index, .thread = t->index, .category = CAT_RCCL};
    r.name = names_adds(&s->program->names, text);
    r.start_ns = t->clock;
    r.end_ns = end;
    r.corr = ++p->corr;
    r.args = args;
    r.arg_n = 4;
    r.bytes = size;
    r.peer = -1;
    emit_region(s, &r);
    struct rec_kernel k = sim_kernel_record(s, t, &(struct stmt){.op = OP_launch}, y, stream);
    k.wg[0] = 256;
    k.grid[0] = 256 * 32;
    k.start_ns = start;
    k.end_ns = sim_time_add(s, ready, dur);
    struct call c = {.stream = (uint64_t)stream->id, .wg = {256, 1, 1}, .grid = {8192, 1, 1}};
    k.corr = emit_call(s, t, API_EXT_LAUNCH, t->clock + half / 2, t->clock + half / 2 + half, &c);
    sim_stream_busy(stream, k.end_ns);
    emit_kernel(s, t, &k);
    sim_advance(s, t, end);
}

/* --- meetings ---------------------------------------------------------------------------- */

void meet_arrive(struct sim *s, struct thread *t, const struct stmt *st)
{
    sim_need_gpu(s, t->process);
    t->meeting = st;
    t->arrival = st->op == OP_collective ? collective_arrival(s, t, st) : t->clock;
    t->state = THREAD_MEETS;
}

/* The thread of a process that takes part: the one that came first. */
static struct thread *delegate(const struct process *p)
{
    struct thread *best = NULL;
    for (size_t i = 0; i < p->threads.n; i++) {
        struct thread *t = p->threads.v[i];
        if (t->state == THREAD_MEETS && (!best || t->arrival < best->arrival))
            best = t;
    }
    return best;
}

static void go_on(struct sim *s, struct thread *t, int64_t all_there)
{
    const struct stmt *st = t->meeting;
    s->line = st->line;
    t->state = THREAD_RUNS;
    if (st->op == OP_collective) {
        collective_end(s, t, st, t->arrival, all_there);
        return;
    }
    int64_t start = t->clock, end = sim_time_add(s, all_there, arg_time(s, t, st, K_dur, 0));
    t->clock = end;
    if (stmt_arg(st, K_quiet))
        return;
    uint32_t name = st->op == OP_barrier ? names_adds(&s->program->names, "MPI_Barrier")
                                         : arg_name(s, t, st, K_name);
    sim_mpi_region(s, t, st, name, start, end);
}

bool meet_resolve(struct sim *s)
{
    int64_t all_there = INT64_MIN;
    size_t n = 0;
    for (size_t i = 0; i < s->processes.n; i++) {
        struct thread *t = delegate(s->processes.v[i]);
        if (t && t->arrival > all_there)
            all_there = t->arrival;
        n += t != NULL;
    }
    for (size_t i = 0; i < s->processes.n && n && !s->failed; i++) {
        struct thread *t = delegate(s->processes.v[i]);
        if (t)
            go_on(s, t, all_there);
    }
    return n > 0;
}
