/* Which rows a filter leaves, and the trace without the others. */
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "run/filter_in.h"

/* ---- rows ---- */

static bool in_time(const struct filtering *x, int64_t start, int64_t end)
{
    if (!x->has_window)
        return true;
    bool start_in = start >= x->start_ns && start <= x->end_ns;
    bool end_in = end >= x->start_ns && end <= x->end_ns;
    if (x->inside)
        return start_in && end_in;
    if (x->ends)
        return start_in || end_in;
    return start_in || end_in || (start < x->start_ns && end > x->end_ns);
}

static bool of_process(const struct filtering *x, uint32_t process)
{
    return !x->by_process || (process < x->t->processes.n && x->process[process]);
}

static uint32_t process_of(const struct trace *t, uint32_t thread)
{
    return thread < t->threads.n ? t->threads.v[thread].process : NO_INDEX;
}

/* A moment on a thread lies in a range of that thread, or of its process. */
static bool in_marker(const struct filtering *x, uint32_t thread, uint32_t process, int64_t time)
{
    const struct covered *c = &x->covered;
    const struct trace *t = x->t;
    if (!x->by_marker || filter_covers(&c->by_process[t->processes.n], time))
        return true;
    if (process < t->processes.n && filter_covers(&c->by_process[process], time))
        return true;
    if (thread < t->threads.n)
        return filter_covers(&c->by_thread[thread], time);
    return filter_covers(&c->all, time); /* nobody says which thread */
}

static bool of_thread(const struct filtering *x, uint32_t thread)
{
    return (!x->thread || (thread < x->t->threads.n && x->thread[thread]));
}

static bool of_kind(const struct filtering *x, int kind)
{
    return !x->by_category || x->kinds[kind];
}

/* What kernels and copies have in common. */
static bool keep_work(const struct filtering *x, uint32_t stream, uint32_t thread, uint32_t call,
                      int64_t start, int64_t end)
{
    const struct trace *t = x->t;
    uint32_t process = stream < t->streams.n ? t->streams.v[stream].process : process_of(t, thread);
    uint32_t gpu = stream < t->streams.n ? t->streams.v[stream].gpu : NO_INDEX;
    bool called = call < t->regions.n;
    uint32_t by = called ? t->regions.thread[call] : thread;
    return in_time(x, start, end) && of_process(x, process) && of_thread(x, by) &&
           (!x->by_gpu || gpu == (uint32_t)x->gpu) &&
           (!x->stream || (stream < t->streams.n && x->stream[stream])) &&
           in_marker(x, by, process, called ? t->regions.start_ns[call] : start);
}

static void choose_work(struct filtering *x)
{
    const struct kernels *k = &x->t->kernels;
    const struct copies *c = &x->t->copies;
    for (size_t i = 0; i < k->n; i++)
        x->keep.kernels[i] =
            of_kind(x, ROW_KERNEL) && (!x->by_kernel || x->symbol[k->symbol[i]]) &&
            keep_work(x, k->stream[i], k->thread[i], k->call[i], k->start_ns[i], k->end_ns[i]);
    for (size_t i = 0; i < c->n; i++)
        x->keep.copies[i] =
            of_kind(x, ROW_COPY) && !x->by_kernel &&
            keep_work(x, c->stream[i], c->thread[i], c->call[i], c->start_ns[i], c->end_ns[i]);
}

static bool keep_host(const struct filtering *x, uint32_t thread, int64_t start, int64_t end)
{
    uint32_t process = process_of(x->t, thread);
    return in_time(x, start, end) && of_process(x, process) && of_thread(x, thread) &&
           in_marker(x, thread, process, start);
}

static void choose_host(struct filtering *x)
{
    const struct trace *t = x->t;
    const struct regions *r = &t->regions;
    const struct markers *m = &t->markers;
    const struct samples *s = &t->samples;
    const struct allocations *a = &t->allocations;
    for (size_t i = 0; i < r->n; i++)
        x->keep.regions[i] = of_kind(x, ROW_CALL + r->kind[i]) &&
                             keep_host(x, r->thread[i], r->start_ns[i], r->end_ns[i]);
    for (size_t i = 0; i < m->n; i++) /* those meant are set already */
        x->keep.markers[i] = of_kind(x, ROW_MARKER) && in_time(x, m->start_ns[i], m->end_ns[i]) &&
                             ((x->by_marker && x->keep.markers[i] && of_thread(x, m->thread[i]) &&
                               of_process(x, process_of(t, m->thread[i]))) ||
                              keep_host(x, m->thread[i], m->start_ns[i], m->end_ns[i]));
    for (size_t i = 0; i < s->n; i++)
        x->keep.samples[i] =
            of_kind(x, ROW_SAMPLE) && keep_host(x, s->thread[i], s->time_ns[i], s->time_ns[i]);
    for (size_t i = 0; i < a->n; i++) {
        uint32_t gpu = a->agent[i] < t->agents.n ? t->agents.v[a->agent[i]].gpu : NO_INDEX;
        x->keep.allocations[i] =
            of_kind(x, a->level[i] == LEVEL_SCRATCH ? ROW_SCRATCH : ROW_ALLOCATION) &&
            (!x->by_gpu || gpu == NO_INDEX || gpu == (uint32_t)x->gpu) &&
            keep_host(x, a->thread[i], a->start_ns[i], a->end_ns[i]);
    }
}

/* Rows that belong to others go with them. */
static void choose_rest(struct filtering *x)
{
    const struct trace *t = x->t;
    bool all_work = !x->by_kernel && !x->stream && !x->thread && !x->by_marker;
    for (size_t i = 0; i < t->counters.n; i++) {
        uint32_t k = t->counters.kernel[i];
        x->keep.counters[i] =
            of_kind(x, ROW_COUNTER) &&
            (k < t->kernels.n ? x->keep.kernels[k] || !of_kind(x, ROW_KERNEL) : all_work);
    }
    for (size_t i = 0; i < t->pc_samples.n; i++) {
        uint32_t k = t->pc_samples.kernel[i];
        x->keep.pc_samples[i] =
            of_kind(x, ROW_PC_SAMPLE) &&
            in_time(x, t->pc_samples.time_ns[i], t->pc_samples.time_ns[i]) &&
            (k < t->kernels.n ? x->keep.kernels[k] || !of_kind(x, ROW_KERNEL) : all_work);
    }
    for (size_t i = 0; i < t->telemetry.n; i++) {
        const struct series *s = &t->series.v[t->telemetry.series[i]];
        int64_t time = t->telemetry.time_ns[i];
        x->keep.telemetry[i] = of_kind(x, ROW_TELEMETRY) && in_time(x, time, time) &&
                               of_process(x, s->process) &&
                               (!x->by_gpu || s->gpu == NO_INDEX || s->gpu == (uint32_t)x->gpu) &&
                               (!x->by_marker || filter_covers(&x->covered.all, time));
    }
    for (size_t i = 0; i < t->messages.n; i++)
        x->keep.messages[i] =
            t->messages.call[i] < t->regions.n && x->keep.regions[t->messages.call[i]];
    for (size_t i = 0; i < t->syncs.n; i++)
        x->keep.syncs[i] = t->syncs.call[i] < t->regions.n
                               ? x->keep.regions[t->syncs.call[i]]
                               : in_time(x, t->syncs.start_ns[i], t->syncs.start_ns[i]);
}

void filter_choose(struct filtering *x)
{
    choose_work(x);
    choose_host(x);
    choose_rest(x);
}

/* ---- the trace without the others ---- */

static void compact(void *table, const struct table_desc *desc, const uint8_t *keep)
{
    struct table *t = table;
    size_t kept = 0;
    for (size_t c = 0; c < desc->n_columns; c++) {
        const struct column_desc *col = &desc->columns[c];
        char *v = *(char **)((char *)table + col->offset);
        kept = 0;
        for (size_t i = 0; i < t->n; i++) {
            if (!keep[i])
                continue;
            if (kept != i)
                memcpy(v + kept * col->size, v + i * col->size, col->size);
            kept++;
        }
    }
    t->n = kept;
}

/* Old row -> new row. */
static uint32_t *map_of(const uint8_t *keep, size_t n, struct arena *a)
{
    uint32_t *map = arena_array(a, uint32_t, n + 1), next = 0;
    for (size_t i = 0; i < n; i++)
        map[i] = keep[i] ? next++ : NO_INDEX;
    return map;
}

static void rewrite(uint32_t *column, size_t n, const uint32_t *map, size_t mapped)
{
    for (size_t i = 0; i < n; i++)
        column[i] = column[i] < mapped ? map[column[i]] : NO_INDEX;
}

/* Devices on which nothing is left are not looked at. */
static void find_used(struct trace *t)
{
    for (size_t g = 0; g < t->gpus.n; g++)
        t->gpus.v[g].used = false;
    for (int table = 0; table < 2; table++) {
        const uint32_t *stream = table ? t->copies.stream : t->kernels.stream;
        size_t n = table ? t->copies.n : t->kernels.n;
        for (size_t i = 0; i < n; i++) {
            uint32_t gpu = stream[i] < t->streams.n ? t->streams.v[stream[i]].gpu : NO_INDEX;
            if (gpu < t->gpus.n)
                t->gpus.v[gpu].used = true;
        }
    }
}

static const uint32_t *compact_waits(const struct filtering *x, const uint32_t *waits)
{
    size_t kept = 0;
    uint32_t *out = arena_array(x->arena, uint32_t, x->t->kernels.n + 1);
    for (size_t i = 0; i < x->t->kernels.n; i++)
        if (x->keep.kernels[i])
            out[kept++] = waits[i];
    return out;
}

void filter_compact(struct filtering *x, const uint32_t **kernel_wait_ns)
{
    struct trace *t = x->t;
    size_t kernels = t->kernels.n, regions = t->regions.n;
    uint32_t *kernel = map_of(x->keep.kernels, kernels, x->temporary);
    uint32_t *region = map_of(x->keep.regions, regions, x->temporary);
    if (kernel_wait_ns && *kernel_wait_ns)
        *kernel_wait_ns = compact_waits(x, *kernel_wait_ns);
    uint64_t lifted = 0; /* they come last, and stay there */
    for (size_t i = regions - t->lifted_calls; i < regions; i++)
        lifted += x->keep.regions[i];
    t->lifted_calls = lifted;
#define COMPACT_(name) compact(&t->name, &name##_desc, x->keep.name);
    TRACE_TABLES(COMPACT_)
#undef COMPACT_
    rewrite(t->kernels.call, t->kernels.n, region, regions);
    rewrite(t->copies.call, t->copies.n, region, regions);
    rewrite(t->allocations.call, t->allocations.n, region, regions);
    rewrite(t->messages.call, t->messages.n, region, regions);
    rewrite(t->syncs.call, t->syncs.n, region, regions);
    rewrite(t->syncs.record, t->syncs.n, region, regions);
    rewrite(t->counters.kernel, t->counters.n, kernel, kernels);
    rewrite(t->pc_samples.kernel, t->pc_samples.n, kernel, kernels);
    find_used(t);
}
