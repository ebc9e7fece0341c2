#include "analyze/captures.h"

#include <assert.h>
#include <stdlib.h>

#include "analyze/intervals.h"
#include "base/human.h"
#include "base/sat.h"

/* Captures that overlap, and how far their times are moved. */
struct group {
    struct span span;
    int64_t back_ns;
};

struct groups {
    VEC(struct group) v;
};

static void reach(struct span *spans, const struct trace *t, uint32_t process, int64_t start,
                  int64_t end)
{
    uint32_t file = process < t->processes.n ? t->processes.v[process].file : NO_INDEX;
    if (file >= t->files.n)
        return;
    spans[file].start = start < spans[file].start ? start : spans[file].start;
    spans[file].end = end > spans[file].end ? end : spans[file].end;
}

static uint32_t of_thread(const struct trace *t, uint32_t thread)
{
    return thread < t->threads.n ? t->threads.v[thread].process : NO_INDEX;
}

static uint32_t of_stream(const struct trace *t, uint32_t stream)
{
    return stream < t->streams.n ? t->streams.v[stream].process : NO_INDEX;
}

static struct span *spans_of_files(const struct trace *t, struct arena *arena)
{
    struct span *spans = arena_array(arena, struct span, t->files.n);
    for (size_t i = 0; i < t->files.n; i++)
        spans[i] = (struct span){INT64_MAX, INT64_MIN};
#define EACH(table, owner, column)                                                                 \
    for (size_t i = 0; i < t->table.n; i++)                                                        \
    reach(spans, t, owner(t, t->table.column[i]), t->table.start_ns[i], t->table.end_ns[i])
    EACH(kernels, of_stream, stream);
    EACH(copies, of_stream, stream);
    EACH(regions, of_thread, thread);
    EACH(markers, of_thread, thread);
    EACH(allocations, of_thread, thread);
#undef EACH
    return spans;
}

static int by_start(const void *x, const void *y)
{
    const struct span *a = x, *b = y;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return (a->end > b->end) - (a->end < b->end);
}

/* In order of time; the pause before each is what it is moved by, with those before. */
static void group(struct groups *g, struct span *spans, size_t n, struct arena *arena)
{
    qsort(spans, n, sizeof(*spans), by_start);
    for (size_t i = 0; i < n && spans[i].start <= spans[i].end; i++) {
        struct group *last = g->v.n ? &g->v.v[g->v.n - 1] : NULL;
        if (last && spans[i].start <= last->span.end) {
            last->span.end = spans[i].end > last->span.end ? spans[i].end : last->span.end;
            continue;
        }
        int64_t pause = last ? sub_ns(spans[i].start, last->span.end) : 0;
        assert(pause >= 0);
        int64_t back = last ? add_ns(last->back_ns, pause) : 0;
        vec_push(&g->v, arena, ((struct group){spans[i], back}));
    }
}

/* Of the group that a moment lies in, or the last one before it. */
static int64_t back_at(const struct groups *g, int64_t ns)
{
    size_t lo = 0;
    BISECT(lo, g->v.n, mid, g->v.v[mid].span.start <= ns);
    return lo ? g->v.v[lo - 1].back_ns : 0;
}

static void move(const struct groups *g, int64_t *start, int64_t *end, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int64_t back = back_at(g, start[i]);
        start[i] = sub_ns(start[i], back);
        if (end)
            end[i] = sub_ns(end[i], back);
    }
}

static void move_all(const struct groups *g, struct trace *t)
{
    move(g, t->kernels.start_ns, t->kernels.end_ns, t->kernels.n);
    move(g, t->copies.start_ns, t->copies.end_ns, t->copies.n);
    move(g, t->allocations.start_ns, t->allocations.end_ns, t->allocations.n);
    move(g, t->regions.start_ns, t->regions.end_ns, t->regions.n);
    move(g, t->markers.start_ns, t->markers.end_ns, t->markers.n);
    move(g, t->syncs.start_ns, NULL, t->syncs.n);
    move(g, t->samples.time_ns, NULL, t->samples.n);
    move(g, t->telemetry.time_ns, NULL, t->telemetry.n);
    move(g, t->pc_samples.time_ns, NULL, t->pc_samples.n);
    for (size_t p = 0; p < t->processes.n; p++)
        if (t->processes.v[p].start_ns)
            move(g, &t->processes.v[p].start_ns, &t->processes.v[p].end_ns, 1);
}

int64_t captures_find(struct trace *t, bool join)
{
    if (t->files.n < 2)
        return 0;
    struct arena *temporary = arena_scratch();
    struct groups g = {0};
    char text[HUMAN_MAX];
    group(&g, spans_of_files(t, temporary), t->files.n, temporary);
    int64_t between = g.v.n ? g.v.v[g.v.n - 1].back_ns : 0;
    if (between > 0)
        trace_note(t, NOTE_APART, g.v.n,
                   arena_printf(&t->arena,
                                "captures were made one after the other, with %s between them in "
                                "all: that time is not accounted%s",
                                human_time(text, between),
                                join ? ", and later captures are moved forward by it" : ""));
    if (between > 0 && join)
        move_all(&g, t);
    arena_release(temporary);
    return between;
}
