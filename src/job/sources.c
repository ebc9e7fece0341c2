#include "job/sources.h"

#include "base/hash.h"

static void number(struct sources *s, const struct trace *t, struct arena *arena)
{
    struct arena *temporary = arena_scratch();
    struct idmap seen;
    idmap_init(&seen, temporary);
    for (uint32_t p = 0; p < t->processes.n; p++) {
        const struct process *v = &t->processes.v[p];
        uint64_t key = (uint64_t)v->file << 32 | v->host;
        uint32_t i = idmap_get(&seen, key);
        if (i == NO_INDEX)
            idmap_put(&seen, key, i = (uint32_t)s->n++);
        s->of_process[p] = i;
        s->place[p] = p && v[-1].file == v->file ? s->place[p - 1] + 1 : 0;
    }
    arena_release(temporary);
    s->span = arena_array(arena, struct span, s->n);
    for (size_t i = 0; i < s->n; i++)
        s->span[i] = (struct span){INT64_MAX, INT64_MIN};
}

static void reach(struct sources *s, const struct trace *t, uint32_t process, int64_t start,
                  int64_t end)
{
    if (process >= t->processes.n) {
        s->complete = false;
        return;
    }
    struct span *v = &s->span[s->of_process[process]];
    v->start = start < v->start ? start : v->start;
    v->end = end > v->end ? end : v->end;
}

static uint32_t of_thread(const struct trace *t, uint32_t thread)
{
    return thread < t->threads.n ? t->threads.v[thread].process : NO_INDEX;
}

static uint32_t of_stream(const struct trace *t, uint32_t stream)
{
    return stream < t->streams.n ? t->streams.v[stream].process : NO_INDEX;
}

static uint32_t of_kernel(const struct trace *t, uint32_t kernel)
{
    return kernel < t->kernels.n ? of_stream(t, t->kernels.stream[kernel]) : NO_INDEX;
}

static uint32_t of_series(const struct trace *t, uint32_t series)
{
    return series < t->series.n ? t->series.v[series].process : NO_INDEX;
}

/* As trace_span() does for all of it. */
static void measure(struct sources *s, const struct trace *t)
{
#define EACH(table, owner, column, from, to)                                                       \
    for (size_t i = 0; i < t->table.n; i++)                                                        \
    reach(s, t, owner(t, t->table.column[i]), t->table.from[i], t->table.to[i])
    EACH(kernels, of_stream, stream, start_ns, end_ns);
    EACH(copies, of_stream, stream, start_ns, end_ns);
    EACH(allocations, of_thread, thread, start_ns, end_ns);
    EACH(regions, of_thread, thread, start_ns, end_ns);
    EACH(markers, of_thread, thread, start_ns, end_ns);
    EACH(samples, of_thread, thread, time_ns, time_ns);
    EACH(telemetry, of_series, series, time_ns, time_ns);
    EACH(pc_samples, of_kernel, kernel, time_ns, time_ns);
#undef EACH
}

void sources_find(struct sources *s, const struct trace *t, struct arena *arena)
{
    *s = (struct sources){.complete = true};
    s->of_process = arena_array(arena, uint32_t, t->processes.n + 1);
    s->place = arena_array(arena, uint32_t, t->processes.n + 1);
    number(s, t, arena);
    measure(s, t);
}
