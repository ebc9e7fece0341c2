#include "analyze/host_others.h"

/* So many calls at once are looked at, no more: who waits for one of a thousand waits for none. */
enum { MOST_AT_ONCE = 1000 };

static bool blocks(const struct view *v, uint32_t call)
{
    enum api_class class = view_call_class(v, call);
    return class == API_ALLOC || class == API_MODULE;
}

/* In order of start, and how late those before end: none that runs is before a place where all are over. */
static void order_process(struct host_others *o, size_t process, const int64_t *start,
                          struct arena *temporary)
{
    size_t first = o->by_process.at[process], end = o->by_process.at[process + 1];
    sort_rows(o->by_process.list + first, end - first, start, temporary);
    int64_t until = INT64_MIN;
    for (size_t i = first; i < end; i++) {
        int64_t over = o->v->trace->regions.end_ns[o->call[o->by_process.list[i]]];
        until = over > until ? over : until;
        o->until[i] = until;
    }
}

void host_others_find(struct host_others *o, const struct view *v, struct arena *a)
{
    const struct trace *t = v->trace;
    struct arena *temporary = arena_scratch();
    VEC(uint32_t) call = {0}, thread = {0}, process = {0};
    VEC(int64_t) start = {0};
    for (uint32_t i = 0; i < t->threads.n; i++)
        for (size_t k = 0; k < v->threads[i].n_outer; k++)
            if (blocks(v, v->threads[i].outer[k])) {
                vec_push(&call, a, v->threads[i].outer[k]);
                vec_push(&thread, a, i);
                vec_push(&process, temporary, t->threads.v[i].process);
                vec_push(&start, temporary, t->regions.start_ns[v->threads[i].outer[k]]);
            }
    *o = (struct host_others){.v = v, .call = call.v, .thread = thread.v};
    o->until = arena_array(a, int64_t, call.n);
    o->by_process = row_groups_make(process.v, process.n, t->processes.n, a);
    for (size_t i = 0; i <= t->processes.n; i++) /* the last: threads of no known process */
        order_process(o, i, start.v, temporary);
    arena_release(temporary);
}

/* What covers more than half of a stretch runs in its middle. */
uint32_t host_others_call(const struct host_others *o, uint32_t thread, struct span stretch)
{
    const struct regions *r = &o->v->trace->regions;
    size_t known = o->v->trace->processes.n, process = o->v->trace->threads.v[thread].process;
    uint32_t best = NO_INDEX;
    const uint32_t *list = o->by_process.list;
    int64_t half = (stretch.end - stretch.start) / 2, middle = stretch.start + half;
    process = process < known ? process : known;
    size_t first = o->by_process.at[process], at = first;
    BISECT(at, o->by_process.at[process + 1], i, r->start_ns[o->call[list[i]]] <= middle);
    size_t last = at - first > MOST_AT_ONCE ? at - MOST_AT_ONCE : first;
    while (at-- > last && o->until[at] > middle) {
        uint32_t call = o->call[list[at]];
        int64_t from = r->start_ns[call] > stretch.start ? r->start_ns[call] : stretch.start;
        int64_t to = r->end_ns[call] < stretch.end ? r->end_ns[call] : stretch.end;
        if (o->thread[list[at]] != thread && to - from > half &&
            (best == NO_INDEX || o->thread[list[at]] < o->thread[best]))
            best = list[at];
    }
    return best == NO_INDEX ? NO_INDEX : o->call[best];
}
