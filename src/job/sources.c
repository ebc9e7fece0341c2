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

static uint32_t of_sample(const struct owners *o, size_t i)
{
    uint32_t kernel = o->t->pc_samples.kernel[i];
    return kernel < o->t->kernels.n ? owner_of_kernel(o, kernel) : NO_INDEX;
}

/* Rows of no process count for their file, where that is one source. */
static void reach(struct sources *s, uint32_t process, uint32_t load, int64_t start, int64_t end)
{
    uint32_t source = process != NO_INDEX ? s->of_process[process]
                      : load != NO_INDEX  ? s->of_load[load]
                                          : NO_INDEX;
    if (source == NO_INDEX)
        return;
    struct span *v = &s->span[source];
    v->start = start < v->start ? start : v->start;
    v->end = end > v->end ? end : v->end;
}

/* As trace_span() does for all of it. */
static void measure(struct sources *s, const struct owners *o)
{
    const struct trace *t = o->t;
#define EACH(table, owner, from, to)                                                               \
    for (size_t i = 0; i < t->table.n; i++) {                                                      \
        uint32_t p = owner;                                                                        \
        reach(s, p, p == NO_INDEX ? owners_load(o, table, i) : 0, t->table.from[i],                \
              t->table.to[i]);                                                                     \
    }
    EACH(kernels, owner_of_kernel(o, i), start_ns, end_ns);
    EACH(copies, owner_of_copy(o, i), start_ns, end_ns);
    EACH(allocations, owner_of_thread(o, t->allocations.thread[i]), start_ns, end_ns);
    EACH(regions, owner_of_region(o, i), start_ns, end_ns);
    EACH(markers, owner_of_marker(o, i), start_ns, end_ns);
    EACH(samples, owner_of_thread(o, t->samples.thread[i]), time_ns, time_ns);
    EACH(telemetry, owner_of_telemetry(o, i), time_ns, time_ns);
    EACH(pc_samples, of_sample(o, i), time_ns, time_ns);
#undef EACH
}

/* The only source of each file, or NO_INDEX. */
static void find_loads(struct sources *s, const struct trace *t, struct arena *arena)
{
    s->of_load = arena_array(arena, uint32_t, t->loads.n);
    for (size_t i = 0; i < t->loads.n; i++) {
        size_t p = t->loads.v[i].processes;
        size_t end = i + 1 < t->loads.n ? t->loads.v[i + 1].processes : t->processes.n;
        s->of_load[i] = p < end ? s->of_process[p] : NO_INDEX;
        for (; p < end; p++)
            if (s->of_process[p] != s->of_load[i])
                s->of_load[i] = NO_INDEX;
    }
}

void sources_find(struct sources *s, const struct owners *o, struct arena *arena)
{
    *s = (struct sources){0};
    s->of_process = arena_array(arena, uint32_t, o->t->processes.n + 1);
    s->place = arena_array(arena, uint32_t, o->t->processes.n + 1);
    number(s, o->t, arena);
    find_loads(s, o->t, arena);
    measure(s, o);
}
