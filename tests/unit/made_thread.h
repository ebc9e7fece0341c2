/* A thread of a made trace by its process and number, added where there is none. */
#ifndef TEST_MADE_THREAD_H
#define TEST_MADE_THREAD_H

#include "model/trace.h"

static inline uint32_t made_thread(struct trace *t, uint32_t process, int64_t tid)
{
    for (uint32_t i = 0; i < t->threads.n; i++)
        if (t->threads.v[i].process == process && t->threads.v[i].tid == tid)
            return i;
    struct thread *added = vec_add(&t->threads, &t->arena); /* its padding stays zero */
    added->process = process;
    added->tid = tid;
    return (uint32_t)t->threads.n - 1;
}

#endif
