#include "depend/depend.h"

#include "depend/depend_in.h"

/* By thread, the first call that led to GPU work. */
static void find_leads(struct building *b)
{
    struct depend *d = b->d;
    size_t n = d->view->n_threads;
    d->leads = arena_array(b->arena, uint32_t, n + 1);
    for (size_t t = 0; t < n; t++) {
        uint32_t c = d->first_call[t], end = d->first_call[t + 1];
        while (c < end && b->first_op[c] == b->first_op[c + 1])
            c++;
        d->leads[t] = c < end ? c : NO_INDEX;
    }
}

/* The first call that led to GPU work, the last work, and the call that waited for it. */
static void measure(struct building *b)
{
    struct depend *d = b->d;
    uint32_t last = NO_INDEX;
    d->last_call = NO_INDEX;
    d->start_ns = INT64_MAX;
    for (uint32_t op = 0; op < d->n_ops; op++) {
        struct span s = op_span(d, op);
        int64_t called = op_call(d, op) == NO_INDEX ? s.start : call_span(d, op_call(d, op)).start;
        int64_t first = called < s.start ? called : s.start;
        d->start_ns = first < d->start_ns ? first : d->start_ns;
        if (last == NO_INDEX || s.end > d->end_ns) {
            d->end_ns = s.end;
            last = op;
        }
    }
    if (last == NO_INDEX) {
        d->start_ns = d->end_ns = 0;
        return;
    }
    int64_t end = d->end_ns;
    for (uint32_t c = 0; c < d->n_calls; c++) {
        struct span s = call_span(d, c);
        if (awaited_op(d, c) != last || s.start > end || s.end < end)
            continue;
        if (d->last_call == NO_INDEX || s.end < d->end_ns) {
            d->last_call = c;
            d->end_ns = s.end;
        }
    }
}

/* Calls whose times do not follow from the call before them on their thread. */
static void mark_apart(struct depend *d)
{
    for (uint32_t c = 0; c < d->n_calls; c++)
        if (call_begins(d, c) || sparse_has(&d->awaited, c))
            d->about[c] |= CALL_APART;
    for (size_t i = 0; i < d->handovers.n; i++)
        d->about[d->handovers.v[i].call] |= CALL_APART | CALL_HANDED;
    for (size_t i = 0; i < d->meetings.n; i++)
        for (uint32_t k = 0; !d->meetings.v[i].kernels && k < d->meetings.v[i].n; k++)
            d->about[d->members.v[d->meetings.v[i].first + k]] |= CALL_APART;
}

/* Ops whose ends a replay is asked for when the next of their stream has begun. */
static void mark_asked(struct building *b)
{
    struct depend *d = b->d;
    sparse_marks(&d->asked, d->n_ops, b->arena);
    for (size_t i = 0; i < d->awaited.n; i++)
        sparse_mark(&d->asked, d->awaited.v[i]);
    for (size_t i = 0; i < d->waits.n; i++)
        sparse_mark(&d->asked, d->waits.v[i].on);
    for (size_t i = 0; i < d->meetings.n; i++)
        for (uint32_t k = 0; d->meetings.v[i].kernels && k < d->meetings.v[i].n; k++)
            sparse_mark(&d->asked, d->members.v[d->meetings.v[i].first + k]);
    sparse_marked(&d->asked, d->n_ops);
}

void depend_make(struct depend *d, const struct view *v, struct arena *arena)
{
    struct arena *temporary = arena_scratch();
    *d = (struct depend){.trace = v->trace,
                         .view = v,
                         .noise = LEAST_NOISE,
                         .row_start = v->trace->regions.start_ns,
                         .row_end = v->trace->regions.end_ns,
                         .start_of = {v->trace->kernels.start_ns, v->trace->copies.start_ns},
                         .end_of = {v->trace->kernels.end_ns, v->trace->copies.end_ns},
                         .from = v->start_ns};
    struct building b = {.d = d, .arena = arena, .temporary = temporary};
    depend_order(&b);
    depend_host_waits(&b);
    depend_default_streams(&b);
    depend_typical(&b);
    depend_infer(&b);
    depend_handovers(&b);
    depend_meet(&b);
    mark_apart(d);
    mark_asked(&b);
    find_leads(&b);
    measure(&b);
    vec_fit(&d->waits, arena);
    arena_release(temporary);
}
