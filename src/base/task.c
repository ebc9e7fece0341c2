#include "base/task.h"

#include <stddef.h>
#include <time.h>

#include "base/mem.h"

enum { EVERY_NS = 50 * 1000 * 1000 };

static _Thread_local struct task *current;

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

struct task *task_enter(struct task *t)
{
    struct task *outer = current;
    if (t) {
        t->owner = pthread_self();
        t->next_call_ns = 0;
    }
    current = t;
    return outer;
}

void task_leave(struct task *outer)
{
    current = outer;
}

void task_join(struct task *t)
{
    current = t;
}

struct task *task_current(void)
{
    return current;
}

void task_cancel(struct task *t)
{
    atomic_store(&t->cancelled, true);
}

bool task_cancelled(void)
{
    return current && atomic_load_explicit(&current->cancelled, memory_order_relaxed);
}

void task_check(void)
{
    if (task_cancelled())
        mem_exhausted();
}

void task_tell(const char *what, uint64_t done, uint64_t total)
{
    struct task *t = current;
    if (!t || !t->progress || !pthread_equal(t->owner, pthread_self()))
        return;
    int64_t now = now_ns();
    if (now < t->next_call_ns)
        return;
    t->next_call_ns = now + EVERY_NS; /* held below 2^63 for some centuries */
    if (t->progress(t->ctx, what, done, total))
        task_cancel(t);
}
