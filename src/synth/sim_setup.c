/* What a description declares: GPUs, streams, kernels, counters, sensors, costs. */
#include <string.h>

#include "base/opt.h"
#include "synth/sim.h"

static const enum key setting_keys[SET_COUNT] = {
    [SET_LAUNCH_COST] = K_launch_cost,
    [SET_LAUNCH_LATENCY] = K_launch_latency,
    [SET_COPY_COST] = K_copy_cost,
    [SET_COPY_LATENCY] = K_copy_latency,
    [SET_MALLOC_COST] = K_malloc_cost,
    [SET_FREE_COST] = K_free_cost,
    [SET_SYNC_COST] = K_sync_cost,
    [SET_HOST_GAP] = K_host_gap,
    [SET_KERNEL_GAP] = K_kernel_gap,
    [SET_GRAPH_LATENCY] = K_graph_latency,
    [SET_HSA] = K_hsa,
};

/* --- GPUs and streams -------------------------------------------------------------------- */

static struct stream *stream_add(struct sim *s, struct process *p, int gpu, uint32_t name, int id,
                                 int queue)
{
    struct gpu *g = &p->gpus.v[gpu];
    /* Queues of a GPU are numbered behind those of the GPUs before it. */
    int number = gpu * QUEUES_PER_GPU + queue + 1;
    struct stream fresh = {.id = id, .gpu = gpu, .queue = number, .name = name};
    g->streams++;
    vec_push(&p->streams, s->arena, fresh);
    if (!(s->wants & WANT_INFO))
        return &p->streams.v[p->streams.n - 1];
    if (!(g->queues & 1 << queue) && s->sink->queue)
        s->sink->queue(s->sink, &(struct rec_queue){p->rec.index, number, gpu});
    g->queues |= 1 << queue;
    if (s->sink->stream)
        s->sink->stream(s->sink, &(struct rec_stream){p->rec.index, id, gpu, name});
    return &p->streams.v[p->streams.n - 1];
}

/* Whether there may be another one is decided before. */
static void gpu_add(struct sim *s, struct process *p, const struct gpu_spec *spec)
{
    struct gpu g = {.spec = *spec, .default_stream = (int)p->streams.n};
    vec_push(&p->gpus, s->arena, g);
    stream_add(s, p, (int)p->gpus.n - 1, 0, 0, 0);
    for (size_t i = 0; i < p->threads.n; i++)
        p->threads.v[i]->locals[SLOT_GPUS] = (int64_t)p->gpus.n;
}

/* Agents are announced when all are known: at the first use or at the end. */
static void announce(struct sim *s, struct process *p)
{
    if (!(s->wants & WANT_INFO) || !s->sink->agent)
        return;
    struct rec_agent r = {.process = p->rec.index, .gpu_count = (int)p->gpus.n};
    for (r.id = 0; r.id < CPU_AGENTS; r.id++)
        s->sink->agent(s->sink, &r);
    for (size_t i = 0; i < p->gpus.n; i++, r.id++) {
        r.gpu = &p->gpus.v[i].spec;
        r.gpu_index = (int)i;
        s->sink->agent(s->sink, &r);
    }
}

void sim_need_gpu(struct sim *s, struct process *p)
{
    enum { MI300X = 4 };
    if (p->gpus_known)
        return;
    p->gpus_known = true;
    if (!p->gpus.n) {
        sim_count(s);
        gpu_add(s, p, &gpu_models[MI300X]);
    }
    announce(s, p);
}

static void do_gpu(struct sim *s, struct thread *t, const struct stmt *st)
{
    enum { MI300X = 4 };
    const struct value *model = stmt_arg(st, K_model);
    struct gpu_spec spec = gpu_models[model ? model->word : MI300X];
    const struct names *n = &s->program->names;
    int64_t count = arg_int(s, t, st, K_count, 1);
    if (t->process->gpus_known) {
        sim_fail(s, "a GPU must be declared before the first use of any");
        return;
    }
    spec.cu = arg_time(s, t, st, K_cu, spec.cu);
    spec.clock_mhz = arg_time(s, t, st, K_clock, spec.clock_mhz);
    if (stmt_arg(st, K_arch))
        spec.arch = names_text(n, arg_name(s, t, st, K_arch));
    if (stmt_arg(st, K_product))
        spec.product = names_text(n, arg_name(s, t, st, K_product));
    for (int64_t i = 0; i < count && sim_count(s); i++) {
        if (t->process->gpus.n >= MAX_GPUS) {
            sim_fail(s, "more than %d GPUs", MAX_GPUS);
            return;
        }
        gpu_add(s, t->process, &spec);
    }
}

static void do_stream(struct sim *s, struct thread *t, const struct stmt *st)
{
    struct process *p = t->process;
    sim_need_gpu(s, p);
    int64_t gpu = arg_int(s, t, st, K_gpu, t->gpu);
    uint32_t name = arg_name(s, t, st, K_name);
    if (gpu < 0 || gpu >= (int64_t)p->gpus.n) {
        sim_fail(s, "there is no GPU %lld", (long long)gpu);
        return;
    }
    int64_t queue = arg_int(s, t, st, K_queue, p->gpus.v[gpu].streams % QUEUES_PER_GPU);
    if (queue < 0 || queue >= QUEUES_PER_GPU)
        sim_fail(s, "a queue is 0 to %d", QUEUES_PER_GPU - 1);
    if (idmap_get(&p->stream_by_name, name) != NO_INDEX)
        sim_fail(s, "stream '%.40s' exists already", names_text(&s->program->names, name));
    if (p->streams.n - p->gpus.n >= MAX_STREAMS)
        sim_fail(s, "more than %d streams in a process", MAX_STREAMS);
    if (!sim_count(s))
        return;
    idmap_put(&p->stream_by_name, name, (uint32_t)p->streams.n);
    stream_add(s, p, (int)gpu, name, (int)(p->streams.n - p->gpus.n) + 1, (int)queue);
}

struct stream *sim_find_stream(struct sim *s, struct thread *t, const struct stmt *st)
{
    struct process *p = t->process;
    sim_need_gpu(s, p);
    if (!stmt_arg(st, K_stream))
        return &p->streams.v[t->graph_exec ? t->graph_stream : p->gpus.v[t->gpu].default_stream];
    uint32_t name = arg_name(s, t, st, K_stream);
    uint32_t i = idmap_get(&p->stream_by_name, name);
    if (i != NO_INDEX)
        return &p->streams.v[i];
    sim_fail(s, "unknown stream '%.40s'; declare it with 'stream'",
             names_text(&s->program->names, name));
    return &p->streams.v[0];
}

static void do_device(struct sim *s, struct thread *t, const struct stmt *st)
{
    sim_need_gpu(s, t->process);
    int64_t gpu = arg_int(s, t, st, K_gpu, 0);
    if (gpu < 0 || gpu >= (int64_t)t->process->gpus.n)
        sim_fail(s, "there is no GPU %lld; this process has %zu", (long long)gpu,
                 t->process->gpus.n);
    else
        t->gpu = (int)gpu;
}

/* --- kernels ----------------------------------------------------------------------------- */

struct symbol *sim_symbol_add(struct sim *s, struct process *p, uint32_t name, uint32_t mangled)
{
    struct symbol *y = arena_new(s->arena, struct symbol);
    y->rec = (struct rec_symbol){.process = p->rec.index, .id = (int)p->symbols.n + 1};
    y->rec.name = name;
    y->rec.vgpr = 32;
    y->rec.sgpr = 32;
    if (!mangled) {
        struct name text = names_get(&s->program->names, name);
        str_clear(&s->scratch);
        size_t plain =
            strspn(text.s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
        if (plain == text.n && plain)
            str_printf(&s->scratch, "_Z%zu", text.n);
        str_put(&s->scratch, text.s, text.n);
        str_puts(&s->scratch, plain == text.n && plain ? "Pfi.kd" : ".kd");
        mangled = names_add(&s->program->names, s->scratch.buf, s->scratch.len);
    }
    y->rec.mangled = mangled;
    idmap_put(&p->symbol_by_name, name, (uint32_t)p->symbols.n);
    vec_push(&p->symbols, s->arena, y);
    return y;
}

static void do_kernel(struct sim *s, struct thread *t, const struct stmt *st)
{
    struct process *p = t->process;
    uint32_t name = arg_name(s, t, st, K_name);
    if (idmap_get(&p->symbol_by_name, name) != NO_INDEX)
        sim_fail(s, "kernel '%.60s' exists already", names_text(&s->program->names, name));
    if (!sim_count(s))
        return;
    struct symbol *y = sim_symbol_add(s, p, name, arg_name(s, t, st, K_mangled));
    y->rec.vgpr = arg_time(s, t, st, K_vgpr, 32);
    y->rec.agpr = arg_time(s, t, st, K_agpr, 0);
    y->rec.sgpr = arg_time(s, t, st, K_sgpr, 32);
    y->rec.lds = arg_time(s, t, st, K_lds, 0);
    y->rec.scratch = arg_time(s, t, st, K_scratch, 0);
    y->wg = stmt_arg(st, K_wg);
    y->grid = stmt_arg(st, K_grid);
    y->blocks = stmt_arg(st, K_blocks);
    y->dur = stmt_arg(st, K_dur);
    if (s->wants & WANT_INFO && s->sink->symbol)
        s->sink->symbol(s->sink, &y->rec);
}

struct symbol *sim_find_symbol(struct sim *s, struct thread *t, uint32_t name)
{
    struct process *p = t->process;
    uint32_t i = idmap_get(&p->symbol_by_name, name);
    if (i != NO_INDEX)
        return p->symbols.v[i];
    const char *words[257], *wanted = names_text(&s->program->names, name);
    size_t n = p->symbols.n < 256 ? p->symbols.n : 256;
    for (size_t k = 0; k < n; k++)
        words[k] = names_text(&s->program->names, p->symbols.v[k]->rec.name);
    words[n] = NULL;
    const char *near = opt_nearest(wanted, words);
    sim_fail(s, "unknown kernel '%.60s'; %s%.60s%s", wanted, near ? "did you mean '" : "",
             near ? near : "declare it with 'kernel'", near ? "'?" : "");
    return NULL;
}

/* --- counters, sensors, costs ------------------------------------------------------------ */

static void do_counter(struct sim *s, struct thread *t, const struct stmt *st)
{
    struct process *p = t->process;
    sim_need_gpu(s, p);
    uint32_t name = arg_name(s, t, st, K_name);
    bool off = stmt_arg(st, K_off) != NULL;
    struct counter *c = NULL;
    for (size_t i = 0; i < p->counters.n; i++) {
        struct counter *other = &p->counters.v[i];
        if (off && (!stmt_arg(st, K_name) || other->name == name))
            other->on = false;
        if (other->name == name)
            c = other;
    }
    if (off)
        return;
    if (!stmt_arg(st, K_name) || !stmt_arg(st, K_value)) {
        sim_fail(s, "'counter' needs NAME = VALUE");
        return;
    }
    if (!c && p->counters.n < 256) {
        c = vec_add(&p->counters, s->arena);
        *c = (struct counter){.name = name, .first = p->counter_n};
        c->block = stmt_arg(st, K_block) ? arg_name(s, t, st, K_block)
                                         : names_adds(&s->program->names, "SQ");
        for (int g = 0; g < (int)p->gpus.n; g++, p->counter_n++)
            if (s->wants & WANT_INFO && s->sink->counter_info)
                s->sink->counter_info(s->sink, &(struct rec_counter_info){
                                                   p->rec.index, p->counter_n, g, name, c->block});
    }
    if (!c) {
        sim_fail(s, "more than 256 counters");
        return;
    }
    c->value = stmt_arg(st, K_value);
    c->instances = arg_int(s, t, st, K_instances, 1);
    c->on = true;
    if (c->instances < 1 || c->instances > 4096)
        sim_fail(s, "a counter has 1 to 4096 instances");
}

static void do_telemetry(struct sim *s, struct thread *t, const struct stmt *st)
{
    struct process *p = t->process;
    sim_need_gpu(s, p);
    static const int64_t idle[] = {0, 132, 0, 38, 512}, peak[] = {0, 2100, 100, 78, 65536};
    int metric = stmt_arg(st, K_metric)->word;
    int64_t only = arg_int(s, t, st, K_gpu, -1), every = arg_time(s, t, st, K_every, 0);
    if (every < 1000)
        sim_fail(s, "'every' must be 1us or more");
    if (s->options->no_telemetry)
        return;
    for (int g = 0; g < (int)p->gpus.n && !s->failed; g++) {
        const struct gpu_spec *spec = &p->gpus.v[g].spec;
        struct series r = {.metric = (enum metric)metric, .gpu = g, .every = every};
        r.idle = metric == METRIC_POWER ? spec->idle_watts : idle[metric];
        r.peak = metric == METRIC_POWER ? spec->peak_watts : peak[metric];
        r.idle = arg_int(s, t, st, K_idle, r.idle);
        r.peak = arg_int(s, t, st, K_peak, r.peak);
        if ((only < 0 || only == g) && sim_count(s))
            vec_push(&p->series, s->arena, r);
    }
}

void setup_execute(struct sim *s, struct thread *t, const struct stmt *st)
{
    struct process *p = t->process;
    switch (st->op) {
    case OP_gpu:
        do_gpu(s, t, st);
        break;
    case OP_device:
        do_device(s, t, st);
        break;
    case OP_stream:
        do_stream(s, t, st);
        break;
    case OP_kernel:
        do_kernel(s, t, st);
        break;
    case OP_counter:
        do_counter(s, t, st);
        break;
    case OP_telemetry:
        do_telemetry(s, t, st);
        break;
    case OP_env:
        if (sim_count(s)) {
            struct rec_env e = {arg_name(s, t, st, K_name), arg_name(s, t, st, K_text)};
            vec_push(&p->env, s->arena, e);
        }
        break;
    default: /* set */
        for (int i = 0; i < SET_COUNT; i++)
            if (stmt_arg(st, setting_keys[i]))
                p->settings[i] = *stmt_arg(st, setting_keys[i]);
        break;
    }
}
