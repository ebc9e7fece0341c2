/* Processes and threads: how they begin and end, and their environment. */
#include <stdio.h>
#include <string.h>

#include "synth/sim.h"

static const int64_t default_settings[SET_COUNT] = {
    [SET_LAUNCH_COST] = 4000,  [SET_LAUNCH_LATENCY] = 3000, [SET_COPY_COST] = 6000,
    [SET_COPY_LATENCY] = 4000, [SET_MALLOC_COST] = 20000,   [SET_FREE_COST] = 10000,
    [SET_SYNC_COST] = 2000,    [SET_GRAPH_LATENCY] = 1000,
};

struct thread *sim_thread_new(struct sim *s, struct process *p, const struct thread *parent,
                              const struct block *body, uint32_t name)
{
    if (p->threads.n >= MAX_THREADS || !sim_count(s)) {
        sim_fail(s, "more than %d threads", MAX_THREADS);
        return NULL;
    }
    struct thread *t = arena_new(s->arena, struct thread);
    t->process = p;
    t->index = (int)p->threads.n;
    t->clock = parent ? parent->clock : s->base_ns;
    t->gpu = parent ? parent->gpu : 0;
    if (parent)
        memcpy(t->locals, parent->locals, sizeof(t->locals));
    t->locals[SLOT_THREAD] = t->index;
    t->random = s->options->seed * 0x9e3779b97f4a7c15u + (uint64_t)p->rec.index * 1000003 +
                (uint64_t)t->index;
    random_next(&t->random);
    t->frames[t->depth++] = (struct frame){body, 0, NULL, 0, 1};
    vec_push(&p->threads, s->arena, t);
    if (s->wants & WANT_INFO && s->sink->thread)
        s->sink->thread(s->sink,
                        &(struct rec_thread){p->rec.index, t->index, p->rec.pid + t->index, name});
    return t;
}

static uint32_t printed(struct sim *s, const char *fmt, long long n)
{
    char text[64];
    snprintf(text, sizeof(text), fmt, n);
    return names_adds(&s->program->names, text);
}

static void add_env(struct sim *s, struct process *p, const char *name, uint32_t value)
{
    struct rec_env e = {names_adds(&s->program->names, name), value};
    vec_push(&p->env, s->arena, e);
}

/* What a batch system and a careless user leave in the environment. */
static void usual_env(struct sim *s, struct process *p, int64_t local)
{
    struct names *n = &s->program->names;
    add_env(s, p, "HOME", names_adds(n, "/home/user"));
    add_env(s, p, "PATH", names_adds(n, "/opt/rocm/bin:/usr/bin:/bin"));
    /* A bait: tests look for it in every output. */
    add_env(s, p, "AWS_SECRET_ACCESS_KEY", names_adds(n, "hunter2-do-not-print"));
    if (p->rec.count < 2)
        return;
    add_env(s, p, "OMPI_COMM_WORLD_RANK", printed(s, "%lld", p->rec.rank));
    add_env(s, p, "OMPI_COMM_WORLD_SIZE", printed(s, "%lld", p->rec.count));
    add_env(s, p, "OMPI_COMM_WORLD_LOCAL_RANK", printed(s, "%lld", local));
    add_env(s, p, "SLURM_PROCID", printed(s, "%lld", p->rec.rank));
    add_env(s, p, "SLURM_LOCALID", printed(s, "%lld", local));
    add_env(s, p, "SLURM_NTASKS", printed(s, "%lld", p->rec.count));
}

/* Processes on one host share a node; the local rank counts on it. */
static int64_t find_node(struct sim *s, struct process *p)
{
    int64_t local = 0;
    int nodes = 0;
    p->rec.node = -1;
    for (size_t i = 0; i < s->processes.n; i++) {
        const struct rec_process *other = &s->processes.v[i]->rec;
        if (other->node >= nodes)
            nodes = other->node + 1;
        if (other->host == p->rec.host) {
            p->rec.node = other->node;
            local++;
        }
    }
    if (p->rec.node < 0)
        p->rec.node = nodes;
    return local;
}

struct process *sim_process_new(struct sim *s, const struct stmt *st, int index, int nth, int count)
{
    static const struct block empty;
    struct names *n = &s->program->names;
    struct process *p = arena_new(s->arena, struct process);
    struct thread ask = {.process = p, .random = s->options->seed};
    ask.locals[SLOT_RANK] = st->body && stmt_arg(st, K_count) ? nth : index;
    ask.locals[SLOT_RANK] = arg_int(s, &ask, st, K_rank, ask.locals[SLOT_RANK]);
    ask.locals[SLOT_RANKS] = count;
    p->rec = (struct rec_process){.index = index, .count = count, .start_ns = s->base_ns};
    p->rec.rank = ask.locals[SLOT_RANK];
    p->rec.pid = arg_time(s, &ask, st, K_pid, 4242 + 100 * index);
    p->rec.ppid = arg_time(s, &ask, st, K_ppid, 4200);
    p->rec.host = stmt_arg(st, K_host) ? arg_name(s, &ask, st, K_host) : names_adds(n, "node0");
    p->rec.command = stmt_arg(st, K_command) ? arg_name(s, &ask, st, K_command)
                                             : names_adds(n, "./app --steps 100");
    p->last_ns = s->base_ns;
    p->ahead_ns = arg_int(s, &ask, st, K_ahead, 0);
    p->drift_ppm = arg_int(s, &ask, st, K_drift, 0);
    p->rec.start_ns = sim_told(s, p, s->base_ns);
    for (int i = 0; i < SET_COUNT; i++) {
        struct expr *e = arena_new(s->arena, struct expr);
        e->value = default_settings[i];
        p->settings[i] = (struct value){.type = V_INT, .e = e};
    }
    struct idmap *maps[] = {&p->stream_by_name, &p->symbol_by_name, &p->buffer_by_name,
                            &p->event_by_name};
    for (int i = 0; i < 4; i++)
        idmap_init(maps[i], s->arena);
    usual_env(s, p, find_node(s, p));
    if (s->sink->process && s->wants & WANT_INFO)
        s->sink->process(s->sink, &p->rec);
    struct thread *t = sim_thread_new(s, p, &ask, st->body ? st->body : &empty, 0);
    if (t) {
        t->clock = s->base_ns;
        t->frames[t->depth++] = (struct frame){&s->program->top, 0, NULL, 0, 1};
    }
    return p;
}

void sim_process_finish(struct sim *s, struct process *p)
{
    sim_need_gpu(s, p);
    for (size_t i = 0; i < p->threads.n; i++)
        if (p->threads.v[i]->clock > p->last_ns)
            p->last_ns = p->threads.v[i]->clock;
    emit_series(s, p);
    p->rec.end_ns = sim_told(s, p, p->last_ns);
    p->rec.env = p->env.v;
    p->rec.env_n = p->env.n;
    if (s->sink->process_end && s->wants & WANT_INFO)
        s->sink->process_end(s->sink, &p->rec);
}
