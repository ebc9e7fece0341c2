#include "analyze/analysis.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "analyze/pass_window.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/str.h"
#include "base/task.h"

const struct analysis_kind *const analysis_kinds[] = {
#define ANALYSIS(name) &analysis_##name,
#include "analyze/analyses.def"
#undef ANALYSIS
    NULL,
};

int32_t analysis_gpu_index(const struct analysis *a, size_t slot)
{
    uint32_t gpu = a->view.gpus[slot].gpu;
    return gpu == NO_INDEX ? -1 : a->trace->gpus.v[gpu].index;
}

enum { LOOK_UP_NS = 20000000 };

/* All analyses: in two parts, which may have a thread each. */
struct stage {
    struct analysis *a;
    const struct analysis_kind *const *kinds;
    size_t n;
    struct arena *beside; /* of the second part; the first has that of the analysis */
    const struct analysis_kind *others[ARRAY_LEN(analysis_kinds)]; /* not early, longest first */
    size_t n_others;
    atomic_size_t next; /* of those: the first that nobody has taken */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool early, failed; /* the early ones are done, or there was no memory for them */
};

static void run_early(void *ctx)
{
    const struct stage *s = ctx;
    view_find_first_uses(&s->a->view, s->a->arena);
    ledger_make(&s->a->ledger, &s->a->view, true, s->a->arena);
    for (size_t k = 0; k < s->n; k++)
        if (s->kinds[k]->run && s->kinds[k]->early)
            s->kinds[k]->run(s->a, s->a->arena);
}

static void list_others(struct stage *s)
{
    for (int brief = 0; brief < 2; brief++)
        for (size_t k = 0; k < s->n; k++)
            if (s->kinds[k]->run && !s->kinds[k]->early && s->kinds[k]->takes_long == !brief)
                s->others[s->n_others++] = s->kinds[k];
}

/* Those that nobody has begun with. */
static void run_others(struct stage *s, struct arena *arena)
{
    for (size_t k; (k = atomic_fetch_add(&s->next, 1)) < s->n_others;)
        s->others[k]->run(s->a, arena);
}

/* Whoever waits for them must hear of a failure, too. */
static void make_early(struct stage *s)
{
    bool ok = mem_guard(run_early, s, NULL);
    pthread_mutex_lock(&s->lock);
    s->early = ok;
    s->failed = !ok;
    pthread_cond_signal(&s->changed);
    pthread_mutex_unlock(&s->lock);
    if (!ok)
        mem_exhausted();
}

static void run_main(struct stage *s)
{
    struct analysis *a = s->a;
    if (!s->early)
        make_early(s);
    if (s->kinds == analysis_kinds) {
        quality_check(&a->quality, a->trace, &a->view, a->view.workers, a->arena);
        capabilities_find(&a->capabilities, a->trace, a->arena);
    }
    run_others(s, a->arena);
}

/*
 * They have begun, or come first in this thread: items are taken in order. One that was taken and
 * then cancelled never begins.
 */
static void wait_for_early(struct stage *s)
{
    bool ready = false, failed = false;
    while (!ready && !failed) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += LOOK_UP_NS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_mutex_lock(&s->lock);
        if (!s->early && !s->failed)
            pthread_cond_timedwait(&s->changed, &s->lock, &until);
        ready = s->early;
        failed = s->failed;
        pthread_mutex_unlock(&s->lock);
        task_check();
    }
    if (failed)
        mem_exhausted();
}

static void run_beside(struct stage *s)
{
    for (size_t k = 0; k < s->n; k++)
        if (s->kinds[k]->beside)
            s->kinds[k]->beside(s->a, s->beside);
    wait_for_early(s);
    for (size_t k = 0; k < s->n; k++)
        if (s->kinds[k]->beside_end)
            s->kinds[k]->beside_end(s->a, s->beside);
    run_others(s, s->beside);
}

static void run_part(void *ctx, size_t part, int worker)
{
    (void)worker;
    if (part)
        run_beside(ctx);
    else
        run_main(ctx);
}

void analysis_run(struct analysis *a, const struct trace *t, const struct analysis_opts *o,
                  struct arena *arena)
{
    *a = (struct analysis){.trace = t, .arena = arena, .opts = *o};
    a->hardware = arena_array(arena, const struct hardware *, t->gpus.n + 1);
    for (size_t g = 0; g < t->gpus.n; g++)
        a->hardware[g] = hardware_find(trace_str(t, t->gpus.v[g].arch),
                                       trace_str(t, t->gpus.v[g].name), (int)t->gpus.v[g].cu_count);
    a->times_of = pass_window(&a->opts.view, t, arena);
    view_begin(&a->view, t, &a->opts.view, arena);
    struct stage s = {.a = a,
                      .kinds = o->kinds ? o->kinds : analysis_kinds,
                      .beside = arena_child(arena),
                      .lock = PTHREAD_MUTEX_INITIALIZER,
                      .changed = PTHREAD_COND_INITIALIZER};
    bool beside = false;
    for (; s.kinds[s.n]; s.n++)
        beside |= o->replay && s.kinds[s.n]->beside;
    list_others(&s);
    if (!beside) { /* then all threads are for loops in these */
        run_early(&s);
        s.early = true;
    }
    parallel_for(a->view.workers, 2, run_part, &s);
}

void analysis_kind_results(const struct analysis_kind *k, const struct analysis *a,
                           struct results *out, struct arena *arena)
{
    typedef VEC(const void) rows; /* of any type */
    const char *keeper = k->keeper ? k->keeper(a) : a;
    for (const struct analysis_table *t = k->tables; t->fields; t++) {
        const char *member = keeper + t->at;
        struct result r = {t->fields, member, 1, t->is_object};
        if (!t->is_object) {
            memcpy(&r.rows, member + offsetof(rows, v), sizeof(r.rows));
            memcpy(&r.n, member + offsetof(rows, n), sizeof(r.n));
        }
        vec_push(out, arena, r);
    }
}

void analysis_results(const struct analysis *a, struct results *out, struct arena *arena)
{
    for (const struct analysis_kind *const *k = analysis_kinds; *k; k++)
        analysis_kind_results(*k, a, out, arena);
}
