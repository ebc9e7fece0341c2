/*
 * Task: on whose behalf a thread works. Whoever calls the library may want to hear how far it is, to
 * hear its warnings, and to end it early.
 *
 *     struct task t = {.progress = tell, .ctx = me};
 *     struct task *outer = task_enter(&t);
 *     ok = mem_guard(work, ctx, err); // GS_E_CANCELLED when it was ended
 *     task_leave(outer);
 *
 *     task_cancel(&t); // from any thread, or from the functions below
 *
 * Work is ended where memory is taken and between the items of parallel_for(), by unwinding to the
 * guard as for a shortage of memory (mem.h): what is safe there is safe here. Threads of
 * parallel_for() work for the task of the thread that called it.
 *
 * Without a task nothing can be ended, and warnings and progress go to standard error.
 */
#ifndef GS_BASE_TASK_H
#define GS_BASE_TASK_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct task {
    atomic_bool cancelled;
    /* In the thread that entered the task, a few times a second; true ends the work. */
    bool (*progress)(void *ctx, const char *what, uint64_t done, uint64_t total);
    /* From any thread, one at a time; NULL: nobody hears them. */
    void (*warning)(void *ctx, const char *text);
    void *ctx;
    pthread_t owner;      /* set by task_enter() */
    int64_t next_call_ns; /* of progress; only the owner looks */
};

/* This thread works for the task from now on; returns the one before, for task_leave(). */
struct task *task_enter(struct task *t);
void task_leave(struct task *outer);

/* For threads that are started on behalf of another: no call of progress() from them. */
void task_join(struct task *t);

struct task *task_current(void); /* NULL: none */
void task_cancel(struct task *t);

/* Whether the work of this thread is to end; cheap. */
bool task_cancelled(void);

/* Unwinds if so: for loops that take no memory. */
void task_check(void);

/* Calls progress() when it is due and this is the owner's thread. */
void task_tell(const char *what, uint64_t done, uint64_t total);

#endif
