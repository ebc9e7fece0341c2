/*
 * Threads that take turns: while one makes calls, the other makes none, and the other way round. A
 * backward pass in a thread of its own is that, or a queue and its worker. Where the trace says who
 * hands over to whom (Kineto's arrows from forward to backward) that is taken; otherwise it is told
 * by plausibility: calls of two threads that have nothing to do with each other mix, those that take
 * turns come in runs.
 */
#include <string.h>

#include "depend/depend_in.h"

/* Calls in a run, on average, for threads that take turns; and how long the other one pauses. */
enum { RUN_LEAST = 8, TURNS_LEAST = 2 };
#define PAUSE_NS 20000

struct runs {
    uint32_t last; /* last call of the process, or NO_INDEX */
    uint64_t calls, switches;
};

static uint32_t process_of(const struct depend *d, uint32_t call)
{
    const struct trace *t = d->trace;
    uint32_t thread = t->regions.thread[d->call_row[call]];
    return thread < t->threads.n ? t->threads.v[thread].process : (uint32_t)t->processes.n;
}

static bool same_thread(const struct depend *d, uint32_t x, uint32_t y)
{
    const uint32_t *thread = d->trace->regions.thread;
    return thread[d->call_row[x]] == thread[d->call_row[y]];
}

/* The trace says that one of the two threads hands over to the other. */
static bool is_recorded(const struct depend *d, uint32_t x, uint32_t y)
{
    const struct trace *t = d->trace;
    uint32_t a = t->regions.thread[d->call_row[x]], b = t->regions.thread[d->call_row[y]];
    return a < t->threads.n && b < t->threads.n &&
           (t->threads.v[a].gets_from == b + 1 || t->threads.v[b].gets_from == a + 1);
}

static bool takes_over(const struct depend *d, uint32_t call, uint32_t from)
{
    struct span c = call_span(d, call), f = call_span(d, from);
    if (f.end > c.start)
        return false;
    return call_begins(d, call) || c.start - call_span(d, call - 1).end >= PAUSE_NS;
}

/* Calls that only wait inside the operating system say nothing about turns. */
static bool counts(const struct depend *d, uint32_t call)
{
    enum api_class c = call_class(d, call);
    return c != API_IO && c != API_COMM;
}

static void walk(struct building *b, struct runs *of, bool collect)
{
    struct depend *d = b->d;
    struct turns order = turns_first(d, b->temporary);
    for (size_t i = 0; i < d->n_calls; i++) {
        uint32_t call = turns_next(&order);
        if (!counts(d, call))
            continue;
        struct runs *t = &of[process_of(d, call)];
        bool change = t->last != NO_INDEX && !same_thread(d, t->last, call);
        bool turns = t->switches >= TURNS_LEAST && t->calls >= t->switches * RUN_LEAST;
        if (collect && change && (turns || is_recorded(d, call, t->last)) &&
            takes_over(d, call, t->last))
            vec_push(&d->handovers, b->arena, ((struct depend_handover){call, t->last}));
        if (!collect) {
            t->calls++;
            t->switches += change;
        }
        t->last = call;
    }
}

/* By call: the walk went by time. */
static void sort_by_call(struct building *b)
{
    struct depend *d = b->d;
    uint32_t *at = arena_array(b->temporary, uint32_t, d->n_calls + 1);
    for (size_t i = 0; i < d->handovers.n; i++)
        at[d->handovers.v[i].call] = d->handovers.v[i].from + 1;
    size_t n = 0;
    for (uint32_t c = 0; c < d->n_calls; c++)
        if (at[c])
            d->handovers.v[n++] = (struct depend_handover){c, at[c] - 1};
}

void depend_handovers(struct building *b)
{
    const struct view *v = b->d->view;
    size_t n = b->d->trace->processes.n + 1, active = 0;
    for (size_t t = 0; t < v->n_threads; t++)
        active += v->threads[t].n_outer > 0;
    if (active < 2)
        return;
    struct runs *of = arena_array(b->temporary, struct runs, n);
    for (int pass = 0; pass < 2; pass++) {
        for (size_t p = 0; p < n; p++)
            of[p].last = NO_INDEX;
        walk(b, of, pass);
    }
    if (b->d->handovers.n)
        sort_by_call(b);
}

uint32_t depend_handed_by(const struct depend *d, uint32_t call)
{
    size_t lo = 0;
    if (!(d->about[call] & CALL_HANDED))
        return NO_INDEX;
    BISECT(lo, d->handovers.n, mid, d->handovers.v[mid].call < call);
    return d->handovers.v[lo].from;
}
