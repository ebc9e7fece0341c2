#define _GNU_SOURCE /* sched_getaffinity */
#include "base/parallel.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "base/cgroup.h"
#include "base/mem.h"
#include "base/spill.h"
#include "base/task.h"

/* What an outermost loop and all loops inside it share. */
struct crew {
    atomic_int idle; /* threads that it may run and does not */
};

struct parallel_work {
    parallel_fn *fn;
    void *ctx;
    size_t n;
    struct task *task;
    struct crew *crew;
    bool outermost;
    atomic_size_t next;
    atomic_bool exhausted;
};

static _Thread_local struct crew *my_crew;

struct worker {
    struct parallel_work *job;
    int id;
};

static void take_items(void *arg)
{
    struct worker *w = arg;
    assert(w->id >= 0 && w->id < PARALLEL_MAX); /* callers have room for one result a worker */
    for (;;) {
        size_t i = atomic_fetch_add(&w->job->next, 1);
        if (i >= w->job->n || atomic_load(&w->job->exhausted))
            return;
        task_check();
        spill_pace();
        w->job->fn(w->job->ctx, i, w->id);
    }
}

static void *run_worker(void *arg)
{
    struct worker *w = arg;
    struct crew *crew = w->job->crew;
    my_crew = crew;
    task_join(w->job->task);
    if (!mem_guard(take_items, w, NULL))
        atomic_store(&w->job->exhausted, true);
    /* Loops inside other items may have it. One that goes on in an item of an outer loop is no
     * more idle than that item: only the outermost waits for all of them. */
    if (w->id || w->job->outermost)
        atomic_fetch_add(&crew->idle, 1);
    return NULL;
}

/* So many of `most` threads more, or as many as are idle. */
static int hire(struct crew *crew, int most)
{
    int idle = atomic_load(&crew->idle), n;
    do {
        assert(idle >= 0);
        n = idle < most ? idle : most;
    } while (!atomic_compare_exchange_weak(&crew->idle, &idle, idle - n));
    return n;
}

static void run_alone(size_t n, parallel_fn *fn, void *ctx)
{
    for (size_t i = 0; i < n; i++) {
        task_check();
        spill_pace();
        fn(ctx, i, 0);
    }
}

/* The first of them is the calling one. */
static void run_threads(int threads, struct parallel_work *job)
{
    struct worker workers[PARALLEL_MAX];
    pthread_t ids[PARALLEL_MAX];
    int started = 1;
    for (int i = 0; i < threads; i++)
        workers[i] = (struct worker){job, i};
    while (started < threads && !pthread_create(&ids[started], NULL, run_worker, &workers[started]))
        started++;
    atomic_fetch_add(&job->crew->idle, threads - started);
    run_worker(&workers[0]);
    for (int i = 1; i < started; i++)
        pthread_join(ids[i], NULL);
    if (job->outermost)
        atomic_fetch_sub(&job->crew->idle, 1); /* the calling one goes on */
}

void parallel_for(int threads, size_t n, parallel_fn *fn, void *ctx)
{
    struct crew own = {threads < PARALLEL_MAX ? threads - 1 : PARALLEL_MAX - 1};
    struct crew *outer = my_crew, *crew = outer ? outer : &own;
    int more = threads > 1 && n > 1 ? threads - 1 : 0;
    if (more)
        more = hire(crew, (size_t)more < n ? more : (int)(n - 1));
    if (!more) {
        run_alone(n, fn, ctx);
        return;
    }
    struct parallel_work job = {
        .fn = fn, .ctx = ctx, .n = n, .task = task_current(), .crew = crew, .outermost = !outer};
    run_threads(1 + more, &job);
    my_crew = outer;
    assert(outer ||
           atomic_load(&own.idle) == (threads < PARALLEL_MAX ? threads : PARALLEL_MAX) - 1);
    if (atomic_load(&job.exhausted))
        mem_exhausted();
}

int parallel_cores(void)
{
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
    int allowed = cgroup_cpus(""); /* more threads would only wait for each other */
    n = allowed < n ? allowed : n;
    return n < 1 ? 1 : n > PARALLEL_USUAL ? PARALLEL_USUAL : n;
}
