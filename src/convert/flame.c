#include "convert/flame.h"

struct flame_rows flame_rows_make(const struct conversion *c)
{
    const struct trace *t = c->trace;
    return (struct flame_rows){
        t,
        row_groups_make(t->regions.thread, conversion_regions(t), t->threads.n, c->arena),
        row_groups_make(t->markers.thread, t->markers.n, t->threads.n, c->arena),
    };
}

size_t flame_thread(const struct flame_rows *f, size_t thread, struct lane_item **items,
                    struct arena *a)
{
    const struct trace *t = f->t;
    size_t most = f->calls.at[thread + 1] - f->calls.at[thread] + f->markers.at[thread + 1] -
                  f->markers.at[thread];
    struct lane_item *v = *items = arena_array(a, struct lane_item, most + 1);
    size_t n = 0;
    for (size_t i = f->calls.at[thread]; i < f->calls.at[thread + 1]; i++) {
        uint32_t row = f->calls.list[i];
        v[n++] =
            (struct lane_item){t->regions.start_ns[row],
                               later_of(t->regions.start_ns[row], t->regions.end_ns[row]), row};
    }
    for (size_t i = f->markers.at[thread]; i < f->markers.at[thread + 1]; i++) {
        uint32_t row = f->markers.list[i];
        if (t->markers.kind[row] == MARKER_INSTANT)
            continue;
        v[n++] = (struct lane_item){t->markers.start_ns[row],
                                    later_of(t->markers.start_ns[row], t->markers.end_ns[row]),
                                    (uint32_t)t->regions.n + row};
    }
    return n;
}

uint32_t flame_name(const struct trace *t, uint32_t row)
{
    return row < t->regions.n ? t->regions.name[row] : t->markers.name[row - t->regions.n];
}

const char *flame_thread_title(const struct trace *t, size_t thread, struct arena *a)
{
    if (thread >= t->threads.n)
        return "no thread";
    const struct thread *th = &t->threads.v[thread];
    const struct process *p = &t->processes.v[th->process];
    const char *rank = p->rank >= 0 ? arena_printf(a, "rank %d ", (int)p->rank) : "";
    return arena_printf(a, "%spid %lld thread %lld%s%s", rank, (long long)p->pid,
                        (long long)th->tid, *trace_str(t, th->name) ? " " : "",
                        trace_str(t, th->name));
}
