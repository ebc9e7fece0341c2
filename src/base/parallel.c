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

struct parallel_work {
    parallel_fn *fn;
    void *ctx;
    size_t n;
    struct task *task;
    atomic_size_t next;
    atomic_bool exhausted;
};

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
    task_join(w->job->task);
    if (!mem_guard(take_items, w, NULL))
        atomic_store(&w->job->exhausted, true);
    return NULL;
}

void parallel_for(int threads, size_t n, parallel_fn *fn, void *ctx)
{
    if (threads > PARALLEL_MAX)
        threads = PARALLEL_MAX;
    if ((size_t)threads > n)
        threads = (int)n;
    if (threads <= 1) {
        for (size_t i = 0; i < n; i++) {
            task_check();
            spill_pace();
            fn(ctx, i, 0);
        }
        return;
    }
    struct parallel_work job = {.fn = fn, .ctx = ctx, .n = n, .task = task_current()};
    struct worker workers[PARALLEL_MAX];
    pthread_t ids[PARALLEL_MAX];
    int started = 1;
    for (int i = 0; i < threads; i++)
        workers[i] = (struct worker){&job, i};
    while (started < threads && !pthread_create(&ids[started], NULL, run_worker, &workers[started]))
        started++;
    run_worker(&workers[0]);
    for (int i = 1; i < started; i++)
        pthread_join(ids[i], NULL);
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
