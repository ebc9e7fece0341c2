/*
 * Progress: a bar on standard error for work that takes more than a second.
 *
 *     struct progress p;
 *     progress_start(&p, "reading", total_bytes);   nothing is shown yet
 *     progress_add(&p, n);                          from any thread; p may be NULL
 *     progress_stop(&p);                            the line is wiped
 *
 * Only on a terminal and unless the user asked for quiet; otherwise all of it does nothing. With a
 * task (task.h) whoever called the library hears of it instead.
 */
#ifndef GS_BASE_PROGRESS_H
#define GS_BASE_PROGRESS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/task.h"

struct progress {
    atomic_uint_fast64_t done, total;
    const char *what;
    bool running, shown;
    bool told; /* to a task */
    bool stop; /* under the lock */
    pthread_mutex_t lock;
    pthread_cond_t wake;
    pthread_t thread;
};

void progress_start(struct progress *p, const char *what, uint64_t total);
void progress_stop(struct progress *p);

static inline void progress_add(struct progress *p, uint64_t n)
{
    if (!p)
        return;
    atomic_fetch_add_explicit(&p->done, n, memory_order_relaxed);
    if (p->told)
        task_tell(p->what, atomic_load(&p->done), atomic_load(&p->total));
}

/* For work whose size shows only later, or that skips parts: both may be NULL. */
static inline void progress_set(struct progress *p, uint64_t done)
{
    if (!p)
        return;
    atomic_store_explicit(&p->done, done, memory_order_relaxed);
    if (p->told)
        task_tell(p->what, done, atomic_load(&p->total));
}
static inline void progress_expect(struct progress *p, uint64_t total)
{
    if (p)
        atomic_store_explicit(&p->total, total, memory_order_relaxed);
}

#endif
