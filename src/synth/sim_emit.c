/* Records on their way to the sink. */
#include "synth/sim.h"

static unsigned want_of(enum category c)
{
    static const unsigned bits[] = {
        [CAT_HIP] = WANT_HIP,      [CAT_HSA] = WANT_HSA,     [CAT_MARKER] = WANT_MARKER,
        [CAT_RCCL] = WANT_RCCL,    [CAT_MPI] = WANT_HOST,    [CAT_HOST] = WANT_HOST,
        [CAT_COMPILER] = WANT_HIP, [CAT_DRIVER] = WANT_HOST,
    };
    return bits[c];
}

/* True when the sink wants records of this kind; remembers that there are some. */
static bool wanted(struct sim *s, unsigned kind)
{
    s->seen |= kind;
    return (s->wants & kind) != 0;
}

static void reach(struct sim *s, int process, int64_t end)
{
    struct process *p = s->processes.v[process];
    if (end > p->last_ns)
        p->last_ns = end;
}

int64_t sim_told(const struct sim *s, const struct process *p, int64_t ns)
{
    if (!p->ahead_ns && !p->drift_ppm)
        return ns;
    __int128 told =
        (__int128)ns + p->ahead_ns + (__int128)(ns - s->base_ns) * p->drift_ppm / 1000000;
    return told > INT64_MAX ? INT64_MAX : told < INT64_MIN ? INT64_MIN : (int64_t)told;
}

/* A record as the clock of its process tells it. */
#define TOLD(s, record)                                                                            \
    do {                                                                                           \
        const struct process *p_ = (s)->processes.v[(record)->process];                            \
        (record)->start_ns = sim_told(s, p_, (record)->start_ns);                                  \
        (record)->end_ns = sim_told(s, p_, (record)->end_ns);                                      \
    } while (0)

void emit_region(struct sim *s, struct rec_region *r)
{
    if (!sim_count(s))
        return;
    reach(s, r->process, r->end_ns);
    if (wanted(s, want_of(r->category)) && s->sink->region) {
        struct rec_region told = *r;
        TOLD(s, &told);
        s->sink->region(s->sink, &told);
    }
}

/* Small HSA calls, evenly spread inside the call that makes them. */
static void emit_hsa(struct sim *s, const struct rec_region *outer, int64_t n)
{
    struct process *p = s->processes.v[outer->process];
    int64_t slot = (outer->end_ns - outer->start_ns) / (n + 1);
    if (slot < 4)
        return;
    for (int64_t i = 0; i < n && !s->failed; i++) {
        struct rec_region r = {.process = outer->process, .thread = outer->thread};
        r.category = CAT_HSA;
        r.name = s->hsa_names[i % HSA_NAMES];
        r.start_ns = outer->start_ns + slot / 2 + slot * i;
        r.end_ns = r.start_ns + slot / 2;
        r.corr = ++p->corr;
        r.parent = outer->corr;
        r.peer = -1;
        emit_region(s, &r);
    }
}

uint64_t emit_call(struct sim *s, struct thread *t, enum api_id api, int64_t start, int64_t end,
                   const struct call *call)
{
    struct rec_arg args[MAX_ARGS];
    struct rec_region r = {.process = t->process->rec.index, .thread = t->index};
    r.category = CAT_HIP;
    r.name = call->name ? call->name : s->api_names[api];
    r.start_ns = start;
    r.end_ns = end;
    r.corr = ++t->process->corr;
    r.args = args;
    r.peer = -1;
    r.sync = call->sync;
    if (s->wants & WANT_HIP)
        r.arg_n = call_args(api, call, args);
    emit_region(s, &r);
    int64_t hsa = sim_setting(s, t, SET_HSA);
    if (hsa)
        emit_hsa(s, &r, hsa);
    return r.corr;
}

/* A sensor remembers how long its GPU was busy in each tick. */
static void feel(struct sim *s, struct series *r, int64_t start, int64_t end)
{
    int64_t a = start - s->base_ns, b = end - s->base_ns;
    if (a < 0 || b <= a)
        return;
    for (int64_t tick = a / r->every; tick <= (b - 1) / r->every; tick++) {
        while ((int64_t)r->busy.n <= tick) {
            if (!sim_count(s))
                return;
            vec_push(&r->busy, s->arena, 0);
        }
        int64_t lo = tick * r->every, hi = lo + r->every;
        r->busy.v[tick] += (b < hi ? b : hi) - (a > lo ? a : lo);
    }
}

static void emit_counters(struct sim *s, struct thread *t, const struct rec_kernel *k)
{
    struct process *p = t->process;
    for (size_t i = 0; i < p->counters.n; i++) {
        const struct counter *c = &p->counters.v[i];
        struct rec_counter r = {.process = k->process, .index = c->first + k->gpu};
        r.dispatch = k->dispatch;
        for (r.instance = 0; c->on && r.instance < c->instances && sim_count(s); r.instance++) {
            r.value = (double)sim_value_int(s, t, c->value, 0);
            if (wanted(s, WANT_COUNTERS) && s->sink->counter)
                s->sink->counter(s->sink, &r);
        }
    }
}

void emit_kernel(struct sim *s, struct thread *t, struct rec_kernel *k)
{
    if (!sim_count(s))
        return;
    struct process *p = t->process;
    reach(s, k->process, k->end_ns);
    k->dispatch = ++p->dispatch;
    if (wanted(s, WANT_KERNELS) && s->sink->kernel) {
        struct rec_kernel told = *k;
        TOLD(s, &told);
        s->sink->kernel(s->sink, &told);
    }
    emit_counters(s, t, k);
    for (size_t i = 0; i < p->series.n; i++)
        if (p->series.v[i].gpu == k->gpu)
            feel(s, &p->series.v[i], k->start_ns, k->end_ns);
}

void emit_copy(struct sim *s, struct rec_copy *c)
{
    if (!sim_count(s))
        return;
    reach(s, c->process, c->end_ns);
    if (wanted(s, WANT_COPIES) && s->sink->copy) {
        struct rec_copy told = *c;
        TOLD(s, &told);
        s->sink->copy(s->sink, &told);
    }
}

void emit_alloc(struct sim *s, struct rec_alloc *a)
{
    if (!sim_count(s))
        return;
    reach(s, a->process, a->end_ns);
    if (wanted(s, WANT_ALLOCS) && s->sink->alloc) {
        struct rec_alloc told = *a;
        TOLD(s, &told);
        s->sink->alloc(s->sink, &told);
    }
}

static void emit_sample(struct sim *s, struct process *p, const struct series *r, int64_t tick)
{
    int64_t busy = tick < (int64_t)r->busy.n ? r->busy.v[tick] : 0;
    if (busy > r->every)
        busy = r->every; /* kernels side by side */
    struct rec_sample x = {.process = p->rec.index, .gpu = r->gpu, .metric = r->metric};
    x.time_ns = sim_told(s, p, s->base_ns + (tick + 1) * r->every);
    x.value = (double)r->idle + (double)((__int128)(r->peak - r->idle) * busy / r->every);
    if (sim_count(s) && wanted(s, WANT_SAMPLES) && s->sink->sample)
        s->sink->sample(s->sink, &x);
}

/* Series with the same ticks go side by side, as one reading of the sensors gives them. */
void emit_series(struct sim *s, struct process *p)
{
    for (size_t i = 0; i < p->series.n; i++) {
        int64_t every = p->series.v[i].every;
        bool seen = false, any = false; /* a tick that emits nothing would not count */
        for (size_t k = 0; k < p->series.n; k++) {
            seen = seen || (k < i && p->series.v[k].every == every);
            any = any || (p->series.v[k].every == every && p->series.v[k].gpu >= 0 &&
                          (size_t)p->series.v[k].gpu < p->gpus.n);
        }
        int64_t ticks = (p->last_ns - s->base_ns) / every;
        for (int64_t tick = 0; any && !seen && tick < ticks && !s->failed; tick++)
            for (int g = 0; g < (int)p->gpus.n; g++)
                for (size_t k = i; k < p->series.n && !s->failed; k++)
                    if (p->series.v[k].every == every && p->series.v[k].gpu == g)
                        emit_sample(s, p, &p->series.v[k], tick);
    }
}
