/* Numbers over time: telemetry, hardware counters of dispatches, bytes in flight and allocated. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/sort.h"
#include "convert/perfetto_in.h"

static void point(struct pf *w, uint64_t track, int64_t ns, double value)
{
    struct pf_event e;
    pf_room(w, EVENT_ROOM);
    pf_begin(w, &e, ns, COUNTER, track);
    e.p = pb_double(e.p, EVENT_DOUBLE_COUNTER, value);
    pf_end(w, &e);
}

static void point_int(struct pf *w, uint64_t track, int64_t ns, int64_t value)
{
    struct pf_event e;
    pf_room(w, EVENT_ROOM);
    pf_begin(w, &e, ns, COUNTER, track);
    e.p = pb_uint(e.p, EVENT_COUNTER, (uint64_t)value);
    pf_end(w, &e);
}

static uint64_t parent_of(const struct pf *w, uint32_t process)
{
    return process < w->t->processes.n ? w->process_track[process] : 0;
}

static void write_telemetry(struct pf *w)
{
    const struct trace *t = w->t;
    uint64_t *track = arena_array(w->arena, uint64_t, t->series.n + 1);
    for (size_t i = 0; i < t->telemetry.n; i++) {
        uint32_t k = t->telemetry.series[i];
        const struct series *s = &t->series.v[k];
        if (!conversion_takes(w->c, s->process))
            continue;
        if (!track[k]) {
            const char *name = trace_str(t, s->name);
            if (s->gpu != NO_INDEX)
                name = arena_printf(w->arena, "GPU [%d] %s", (int)t->gpus.v[s->gpu].index, name);
            track[k] =
                pf_counter_track(w, parent_of(w, s->process), name, trace_str(t, s->units), false);
        }
        point(w, track[k], t->telemetry.time_ns[i], t->telemetry.value[i]);
    }
}

/* One value a dispatch, its instances added up; zero where it ends. */
static void write_counter(struct pf *w, uint32_t kernel, uint64_t *track)
{
    const struct trace *t = w->t;
    const struct counters *c = &t->counters;
    size_t from = w->counters->of[kernel], to = w->counters->of[kernel + 1];
    for (size_t i = from; i < to;) {
        uint32_t which = c->counter[w->counters->rows[i]];
        double sum = 0;
        for (; i < to && c->counter[w->counters->rows[i]] == which; i++)
            if (!isnan(c->value[w->counters->rows[i]]))
                sum += c->value[w->counters->rows[i]];
        const struct counter_info *info = &t->counter_infos.v[which];
        if (!track[which]) {
            const char *name = trace_str(t, info->name);
            char *title =
                arena_printf(w->arena, "Agent [%d] PMC %s",
                             info->gpu == NO_INDEX ? -1 : (int)t->gpus.v[info->gpu].index, name);
            track[which] =
                pf_counter_track(w, parent_of(w, process_of_kernel(t, kernel)), title, "", false);
        }
        point(w, track[which], t->kernels.start_ns[kernel], sum);
        point(w, track[which], later_of(t->kernels.start_ns[kernel], t->kernels.end_ns[kernel]), 0);
    }
}

/* ---- bytes ---- */

struct change {
    int64_t ns, bytes;
    uint32_t owner;
};

static int by_time(const void *a, const void *b)
{
    const struct change *x = a, *y = b;
    if (x->owner != y->owner)
        return x->owner < y->owner ? -1 : 1;
    if (x->ns != y->ns)
        return x->ns < y->ns ? -1 : 1;
    return (x->bytes > y->bytes) - (x->bytes < y->bytes); /* what goes goes first */
}

/* A running total for each agent. */
static void write_totals(struct pf *w, struct change *v, size_t n, const char *what)
{
    const struct trace *t = w->t;
    uint64_t track = 0;
    int64_t total = 0;
    qsort(v, n, sizeof(*v), by_time);
    for (size_t i = 0; i < n; i++) {
        if (!i || v[i].owner != v[i - 1].owner) {
            uint32_t owner = v[i].owner;
            bool known = owner < t->agents.n;
            total = 0;
            track = pf_counter_track(
                w, parent_of(w, known ? t->agents.v[owner].process : 0),
                arena_printf(w->arena, "%s Agent [%lld] (%s)", what,
                             known ? (long long)agent_number(w->c, owner) : -1LL,
                             known && t->agents.v[owner].type == AGENT_GPU ? "GPU" : "CPU"),
                "", true);
        }
        total = add_ns(total, v[i].bytes);
        if (i + 1 == n || v[i + 1].owner != v[i].owner || v[i + 1].ns != v[i].ns)
            point_int(w, track, v[i].ns, total);
    }
}

static void write_copy_bytes(struct pf *w)
{
    const struct copies *c = &w->t->copies;
    struct arena *a = arena_scratch();
    VEC(struct change) v = {0};
    for (size_t i = 0; i < c->n; i++) {
        uint32_t to = copies_dst_at(w->t, i);
        if (c->bytes[i] == BYTES_UNKNOWN || to >= w->t->agents.n ||
            !conversion_takes(w->c, process_of_copy(w->t, i)))
            continue;
        int64_t bytes = (int64_t)bound_bytes(c->bytes[i]);
        vec_push(&v, a, ((struct change){c->start_ns[i], bytes, to}));
        vec_push(&v, a, ((struct change){later_of(c->start_ns[i], c->end_ns[i]), -bytes, to}));
    }
    if (v.n)
        write_totals(w, v.v, v.n, "COPY BYTES to");
    arena_release(a);
}

/* What a free gives back is what was allocated at its address. */
static void write_allocated(struct pf *w)
{
    const struct allocations *m = &w->t->allocations;
    struct arena *a = arena_scratch();
    VEC(struct change) v = {0};
    uint32_t *order = arena_array(a, uint32_t, m->n + 1);
    struct idmap held; /* address -> row */
    idmap_init(&held, a);
    for (size_t i = 0; i < m->n; i++)
        order[i] = (uint32_t)i;
    if (m->n)
        sort_rows(order, m->n, m->start_ns, a);
    for (size_t k = 0; k < m->n; k++) {
        uint32_t i = order[k], process = process_of_thread(w->t, m->thread[i]);
        uint64_t key = hash_u64(m->address[i]) + process;
        if (m->level[i] == LEVEL_SCRATCH || !conversion_takes(w->c, process))
            continue;
        if (m->op[i] == ALLOC_ALLOC) {
            idmap_put(&held, key, i);
            vec_push(
                &v, a,
                ((struct change){m->end_ns[i], (int64_t)bound_bytes(m->bytes[i]), m->agent[i]}));
            continue;
        }
        uint32_t was = idmap_get(&held, key);
        if (m->op[i] != ALLOC_FREE || was == NO_INDEX || was >= m->n)
            continue;
        vec_push(
            &v, a,
            ((struct change){m->end_ns[i], -(int64_t)bound_bytes(m->bytes[was]), m->agent[was]}));
        idmap_put(&held, key, NO_INDEX - 1); /* a second free of it gives nothing back */
    }
    if (v.n)
        write_totals(w, v.v, v.n, "ALLOCATED BYTES on");
    arena_release(a);
}

void pf_counters(struct pf *w)
{
    const struct trace *t = w->t;
    write_telemetry(w);
    if (w->counters) {
        uint64_t *track = arena_array(w->arena, uint64_t, t->counter_infos.n + 1);
        for (size_t k = 0; k < t->kernels.n; k++)
            if (conversion_takes(w->c, process_of_kernel(t, k)))
                write_counter(w, (uint32_t)k, track);
    }
    write_copy_bytes(w);
    write_allocated(w);
}
