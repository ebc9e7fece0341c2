#include "synth/sim.h"

#include <stdarg.h>
#include <stdio.h>

void sim_fail(struct sim *s, const char *fmt, ...)
{
    if (s->failed)
        return;
    s->failed = true;
    char text[256];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    fail(s->err, GS_E_FORMAT, "line %d: %s", s->line, text);
}

bool sim_count(struct sim *s)
{
    if (++s->events > s->max_events)
        sim_fail(s, "more than %llu records; raise --max-events or make the description smaller",
                 (unsigned long long)s->max_events);
    return !s->failed;
}

/* --- blocks ------------------------------------------------------------------------------ */

static void enter(struct sim *s, struct thread *t, const struct stmt *st, int64_t rounds)
{
    if (t->depth >= MAX_FRAMES) {
        sim_fail(s, "blocks too deep");
        return;
    }
    const struct value *counter = st->op == OP_loop ? stmt_arg(st, K_as) : NULL;
    if (counter)
        t->locals[counter->word] = 0;
    t->frames[t->depth++] = (struct frame){st->body, 0, st, 0, rounds};
}

/* The block of the innermost frame is through: once more, or out of it. */
static void leave(struct sim *s, struct thread *t)
{
    struct frame *f = &t->frames[t->depth - 1];
    if (++f->round < f->rounds) {
        const struct value *counter = stmt_arg(f->owner, K_as);
        if (counter)
            t->locals[counter->word] = f->round;
        f->at = 0;
        return;
    }
    const struct stmt *owner = f->owner;
    t->depth--;
    if (owner && owner->op == OP_marker)
        marker_pop(s, t);
    if (owner && owner->op == OP_graph)
        graph_end(s, t);
}

static void execute_block(struct sim *s, struct thread *t, const struct stmt *st)
{
    int64_t n;
    switch (st->op) {
    case OP_loop:
        n = arg_int(s, t, st, K_count, 0);
        if (n > 0 && !s->failed)
            enter(s, t, st, n);
        break;
    case OP_if:
        if (arg_int(s, t, st, K_number, 0) && !s->failed)
            enter(s, t, st, 1);
        break;
    case OP_thread:
        sim_thread_new(s, t->process, t, st->body, arg_name(s, t, st, K_name));
        break;
    case OP_marker:
        marker_push(s, t, arg_name(s, t, st, K_name));
        enter(s, t, st, 1);
        break;
    default:
        graph_begin(s, t, st);
        enter(s, t, st, 1);
        break;
    }
}

static void execute(struct sim *s, struct thread *t, const struct stmt *st)
{
    s->line = st->line;
    if (st->body) {
        execute_block(s, t, st);
        return;
    }
    switch (st->op) {
    case OP_let:
        t->locals[stmt_arg(st, K_variable)->word] = arg_int(s, t, st, K_number, 0);
        break;
    case OP_join:
        t->state = THREAD_JOINS;
        break;
    case OP_env:
    case OP_set:
    case OP_gpu:
    case OP_device:
    case OP_stream:
    case OP_kernel:
    case OP_counter:
    case OP_telemetry:
        setup_execute(s, t, st);
        break;
    case OP_copy:
    case OP_memset:
    case OP_malloc:
    case OP_free:
    case OP_alloc:
        memory_execute(s, t, st);
        break;
    case OP_launch:
    case OP_sync:
    case OP_record:
    case OP_wait:
    case OP_raw:
        gpu_execute(s, t, st);
        break;
    case OP_barrier:
    case OP_collective:
        meet_arrive(s, t, st);
        break;
    default:
        host_execute(s, t, st);
        break;
    }
}

/* --- threads and processes --------------------------------------------------------------- */

/* Which thread goes on: the one with the earliest clock; NULL when none can. */
static struct thread *next_thread(struct process *p)
{
    struct thread *best = NULL;
    for (size_t i = 0; i < p->threads.n; i++) {
        struct thread *t = p->threads.v[i];
        if (t->state == THREAD_RUNS && (!best || t->clock < best->clock))
            best = t;
    }
    return best;
}

/* Nobody runs and nobody is in a meeting: those who joined go on, at the time of the last. */
static struct thread *wake_joined(struct process *p)
{
    int64_t last = INT64_MIN;
    struct thread *first = NULL;
    for (size_t i = 0; i < p->threads.n; i++) {
        struct thread *t = p->threads.v[i];
        if (t->state == THREAD_MEETS)
            return NULL;
        if (t->clock > last)
            last = t->clock;
        if (t->state == THREAD_JOINS && !first)
            first = t;
    }
    if (first) {
        first->state = THREAD_RUNS;
        first->clock = last;
    }
    return first;
}

static void run_thread(struct sim *s, struct thread *t)
{
    bool alone = t->process->threads.n == 1;
    do {
        struct frame *f = &t->frames[t->depth - 1];
        if (++s->steps / 4 > s->max_events)
            sim_fail(s, "the description runs without an end");
        if (f->at < f->block->list.n)
            execute(s, t, &f->block->list.v[f->at++]);
        else
            leave(s, t);
        if (!t->depth && t->state == THREAD_RUNS) {
            while (t->marker_n)
                marker_pop(s, t);
            t->state = THREAD_DONE;
        }
        if (s->sink->failed)
            s->failed = true;
    } while (!s->failed && t->state == THREAD_RUNS && alone && t->process->threads.n == 1);
}

/* Runs a process until it is done or only a meeting can move it. */
static void run_process(struct sim *s, struct process *p)
{
    while (!s->failed && !p->done) {
        struct thread *t = next_thread(p);
        if (!t)
            t = wake_joined(p);
        if (!t)
            break;
        run_thread(s, t);
    }
    bool all = true;
    for (size_t i = 0; i < p->threads.n; i++)
        all = all && p->threads.v[i]->state == THREAD_DONE;
    p->done = all;
}

static void make_processes(struct sim *s)
{
    struct program *g = s->program;
    struct stmt alone = {.op = OP_process};
    const struct stmt *list = g->processes.n ? g->processes.v : &alone;
    size_t kinds = g->processes.n ? g->processes.n : 1;
    struct thread none = {.random = s->options->seed};
    int64_t counts[MAX_PROCESSES], total = 0;
    if (kinds > MAX_PROCESSES)
        kinds = MAX_PROCESSES;
    for (size_t i = 0; i < kinds && !s->failed; i++) {
        s->line = list[i].line;
        counts[i] = arg_int(s, &none, &list[i], K_count, 1);
        if (counts[i] < 0 || counts[i] > MAX_PROCESSES || total + counts[i] > MAX_PROCESSES)
            sim_fail(s, "more than %d processes", MAX_PROCESSES);
        total += counts[i];
    }
    for (size_t i = 0; i < kinds && !s->failed; i++)
        for (int64_t k = 0; k < counts[i] && !s->failed; k++) {
            s->line = list[i].line;
            struct process *p =
                sim_process_new(s, &list[i], (int)s->processes.n, (int)k, (int)total);
            vec_push(&s->processes, s->arena, p);
        }
}

/* Parameters, and the base time, which must be known before any process exists. */
static void compute_params(struct sim *s)
{
    struct program *g = s->program;
    struct thread none = {.random = s->options->seed ^ 0x5eed};
    for (size_t i = 0; i < g->params.n; i++) {
        s->line = g->params.v[i].line;
        sim_evaluate(s, &none, g->params.v[i].e, &s->params[i]);
    }
    for (size_t i = 0; i < g->top.list.n; i++) {
        const struct stmt *st = &g->top.list.v[i];
        s->line = st->line;
        if (st->op == OP_set && stmt_arg(st, K_base))
            s->base_ns = arg_time(s, &none, st, K_base, 0);
    }
}

static void run_pass(struct sim *s)
{
    compute_params(s);
    make_processes(s);
    do {
        for (size_t i = 0; i < s->processes.n && !s->failed; i++)
            run_process(s, s->processes.v[i]);
    } while (!s->failed && meet_resolve(s));
    for (size_t i = 0; i < s->processes.n && !s->failed; i++)
        sim_process_finish(s, s->processes.v[i]);
}

/* *seen: which kinds of records there are, known after the first pass. */
static bool one_pass(struct program *p, const struct synth_options *o, struct sink *sink, int pass,
                     unsigned *seen, struct gs_error *err)
{
    struct sim s = {.program = p, .options = o, .sink = sink, .err = err};
    s.max_events = o->max_events ? o->max_events : SYNTH_MAX_EVENTS;
    s.base_ns = INT64_C(1000000000000000);
    for (int i = 0; i < API_COUNT; i++)
        s.api_names[i] = names_adds(&p->names, api_function[i]);
    for (int i = 0; i < HSA_NAMES; i++)
        s.hsa_names[i] = names_adds(&p->names, hsa_function[i]);
    s.wants = sink->begin ? sink->begin(sink, pass, &p->names) : WANT_ALL;
    s.arena = arena_scratch();
    str_init(&s.scratch, s.arena);
    if (!sink->failed && s.wants & *seen)
        run_pass(&s);
    arena_release(s.arena);
    if (!s.failed && !sink->failed && sink->finish)
        sink->finish(sink, pass);
    if (sink->failed && err)
        *err = sink->error;
    if (pass == 0)
        *seen = s.seen | WANT_INFO;
    return !s.failed && !sink->failed;
}

bool synth_run(struct program *p, const struct synth_options *o, struct sink *sink,
               struct gs_error *err)
{
    unsigned seen = WANT_ALL;
    for (int pass = 0; pass < sink->passes; pass++)
        if (!one_pass(p, o, sink, pass, &seen, err))
            return false;
    return true;
}
