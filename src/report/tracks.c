#include "report/tracks.h"

#include <stdlib.h>
#include <string.h>

#include "base/sat.h"
#include "base/sort.h"

struct maker {
    struct tracks *t;
    const struct analysis *a;
    struct arena *arena;
    const uint32_t *streams; /* in the order in which they are shown: by process, then by GPU */
    const uint32_t *slot;    /* by stream: its GPU in the view */
    const uint32_t *of_gpu;  /* by GPU of the trace, and one for those not listed: the same */
};

static void columns_of(const struct trace *t, enum track_kind kind, const int64_t **start,
                       const int64_t **end)
{
    switch (kind) {
    case TRACK_KERNELS:
        *start = t->kernels.start_ns;
        *end = t->kernels.end_ns;
        break;
    case TRACK_COPIES:
        *start = t->copies.start_ns;
        *end = t->copies.end_ns;
        break;
    case TRACK_MARKERS:
        *start = t->markers.start_ns;
        *end = t->markers.end_ns;
        break;
    case TRACK_CALLS:
        *start = t->regions.start_ns;
        *end = t->regions.end_ns;
        break;
    default:
        *start = *end = t->telemetry.time_ns;
        break;
    }
}

struct span track_span(const struct tracks *t, const struct track *k, size_t i)
{
    const int64_t *start, *end;
    if (k->kind == TRACK_PATH)
        return (struct span){t->a->path_spans.v[k->rows[i]].start_ns,
                             t->a->path_spans.v[k->rows[i]].end_ns};
    columns_of(t->a->trace, k->kind, &start, &end);
    struct span s = {start[k->rows[i]], end[k->rows[i]]};
    if (s.end < s.start)
        s.end = s.start;
    return s;
}

static void add_track(struct maker *m, struct track k)
{
    if (!k.n)
        return;
    k.total = k.n;
    vec_push(&m->t->v, m->arena, k);
}

/* ---- GPU work ---- */

/* Rows put side by side by stream, which is of one GPU; they stay in order of start. */
struct by_stream {
    uint32_t *rows;
    size_t *first; /* by stream, and the end */
};

static void gpu_rows(const struct view_gpu *v, enum track_kind kind, const uint32_t **rows,
                     size_t *n)
{
    *rows = kind == TRACK_KERNELS ? v->kernels : v->copies;
    *n = kind == TRACK_KERNELS ? v->n_kernels : v->n_copies;
}

static struct by_stream split(struct maker *m, enum track_kind kind)
{
    const struct view *v = &m->a->view;
    const struct trace *t = m->a->trace;
    const uint32_t *stream = kind == TRACK_KERNELS ? t->kernels.stream : t->copies.stream, *rows;
    size_t n_streams = t->streams.n, n;
    struct by_stream s = {
        arena_array(m->arena, uint32_t, kind == TRACK_KERNELS ? v->n_kernels : v->n_copies),
        arena_array(m->arena, size_t, n_streams + 2)};
    for (size_t g = 0; g < v->n_gpus; g++) {
        gpu_rows(&v->gpus[g], kind, &rows, &n);
        for (size_t i = 0; i < n; i++)
            s.first[stream[rows[i]] + 2]++;
    }
    for (size_t i = 2; i < n_streams + 2; i++)
        s.first[i] += s.first[i - 1];
    for (size_t g = 0; g < v->n_gpus; g++) {
        gpu_rows(&v->gpus[g], kind, &rows, &n);
        for (size_t i = 0; i < n; i++) /* first[k + 1] becomes where stream k ends */
            s.rows[s.first[stream[rows[i]] + 1]++] = rows[i];
    }
    return s;
}

static void find_slots(struct maker *m)
{
    const struct trace *t = m->a->trace;
    const struct view *v = &m->a->view;
    uint32_t *of_gpu = arena_array(m->arena, uint32_t, t->gpus.n + 1);
    uint32_t *slot = arena_array(m->arena, uint32_t, t->streams.n);
    memset(of_gpu, 0xff, (t->gpus.n + 1) * sizeof(*of_gpu));
    for (size_t g = 0; g < v->n_gpus; g++)
        of_gpu[v->gpus[g].gpu == NO_INDEX ? t->gpus.n : v->gpus[g].gpu] = (uint32_t)g;
    for (size_t i = 0; i < t->streams.n; i++)
        slot[i] = of_gpu[t->streams.v[i].gpu < t->gpus.n ? t->streams.v[i].gpu : t->gpus.n];
    m->of_gpu = of_gpu;
    m->slot = slot;
}

/* All streams, by process and GPU the one with most work first. */
static uint32_t *order_streams(struct maker *m)
{
    const struct trace *t = m->a->trace;
    int64_t *key = arena_array(m->arena, int64_t, t->streams.n);
    uint32_t *order = arena_array(m->arena, uint32_t, t->streams.n);
    for (size_t i = 0; i < t->streams.n; i++)
        order[i] = (uint32_t)i;
    for (size_t g = 0; g < m->a->view.n_gpus; g++) {
        const struct view_gpu *v = &m->a->view.gpus[g];
        for (size_t i = 0; i < v->n_kernels; i++) {
            int64_t *k = &key[t->kernels.stream[v->kernels[i]]];
            *k = sub_ns(*k, kernel_ns(m->a, v->kernels[i]));
        }
    }
    sort_rows(order, t->streams.n, key, m->arena);
    for (size_t i = 0; i < t->streams.n; i++)
        key[i] = (int64_t)(t->streams.v[i].process & INT32_MAX) << 32 | m->slot[i];
    sort_rows(order, t->streams.n, key, m->arena);
    return order;
}

/* The streams of a process; *at is its first in the order, and then behind its last. */
static void add_gpu_work(struct maker *m, uint32_t process, size_t *at, const struct by_stream *k,
                         const struct by_stream *c)
{
    const struct trace *t = m->a->trace;
    for (; *at < t->streams.n && t->streams.v[m->streams[*at]].process == process; ++*at) {
        uint32_t i = m->streams[*at];
        struct track track = {.process = process, .slot = m->slot[i], .of = i};
        track.kind = TRACK_KERNELS;
        track.rows = k->rows + k->first[i];
        track.n = k->first[i + 1] - k->first[i];
        add_track(m, track);
        track.kind = TRACK_COPIES;
        track.rows = c->rows + c->first[i];
        track.n = c->first[i + 1] - c->first[i];
        add_track(m, track);
    }
}

/* ---- the host ---- */

/* Markers that touch the window, one process's threads after the other's. */
struct marker_key {
    int64_t start, end;
    uint32_t thread, row;
};

static int by_thread_and_time(const void *left, const void *right)
{
    const struct marker_key *x = left, *y = right;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->end != y->end)
        return x->end > y->end ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

static bool process_wanted(const struct analysis *a, uint32_t thread)
{
    return view_has_thread(a->trace, thread, &a->opts.view);
}

/* The markers of thread k are rows[first[k] .. first[k + 1]); the last are those without one. */
static void order_markers(struct maker *m, uint32_t **rows, size_t **first)
{
    const struct trace *t = m->a->trace;
    const struct markers *k = &t->markers;
    VEC(struct marker_key) keys = {0};
    for (size_t i = 0; i < k->n; i++) {
        int64_t end = k->end_ns[i] < k->start_ns[i] ? k->start_ns[i] : k->end_ns[i];
        if (k->start_ns[i] > m->a->view.end_ns || end < m->a->view.start_ns ||
            !process_wanted(m->a, k->thread[i]))
            continue;
        uint32_t thread = k->thread[i] < t->threads.n ? k->thread[i] : (uint32_t)t->threads.n;
        vec_push(&keys, m->arena, ((struct marker_key){k->start_ns[i], end, thread, (uint32_t)i}));
    }
    if (keys.n)
        qsort(keys.v, keys.n, sizeof(*keys.v), by_thread_and_time);
    *rows = arena_array(m->arena, uint32_t, keys.n);
    *first = arena_array(m->arena, size_t, t->threads.n + 2);
    for (size_t i = 0; i < keys.n; i++) {
        (*rows)[i] = keys.v[i].row;
        (*first)[keys.v[i].thread + 1]++;
    }
    for (size_t i = 1; i < t->threads.n + 2; i++)
        (*first)[i] += (*first)[i - 1];
}

/* Threads by process; the last, for calls without a thread, is of none. */
static uint32_t *order_threads(struct maker *m)
{
    const struct trace *t = m->a->trace;
    int64_t *key = arena_array(m->arena, int64_t, t->threads.n + 1);
    uint32_t *order = arena_array(m->arena, uint32_t, t->threads.n + 1);
    for (size_t i = 0; i <= t->threads.n; i++) {
        order[i] = (uint32_t)i;
        key[i] = i < t->threads.n ? t->threads.v[i].process : NO_INDEX;
    }
    sort_rows(order, t->threads.n + 1, key, m->arena);
    return order;
}

static void add_thread(struct maker *m, uint32_t process, uint32_t i, uint32_t *markers,
                       const size_t *first)
{
    struct track k = {
        .process = process, .slot = NO_INDEX, .of = i < m->a->trace->threads.n ? i : NO_INDEX};
    k.kind = TRACK_MARKERS;
    k.rows = markers + first[i];
    k.n = first[i + 1] - first[i];
    add_track(m, k);
    k.kind = TRACK_CALLS;
    k.rows = view_calls_list(&m->a->view, i, m->arena);
    k.n = view_thread_calls(&m->a->view.threads[i]);
    add_track(m, k);
}

/* The GPU of a series in the view; false for series of a GPU that is not looked at. */
static bool series_slot(const struct maker *m, const struct series *s, uint32_t *slot)
{
    *slot = s->gpu < m->a->trace->gpus.n ? m->of_gpu[s->gpu] : NO_INDEX;
    return *slot != NO_INDEX || s->gpu == NO_INDEX;
}

static void add_series(struct maker *m)
{
    const struct trace *t = m->a->trace;
    const struct telemetry *points = &t->telemetry;
    size_t *first = arena_array(m->arena, size_t, t->series.n + 2);
    uint32_t *rows = arena_array(m->arena, uint32_t, points->n);
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < points->n; i++) {
            if (points->series[i] >= t->series.n || points->time_ns[i] < m->a->view.start_ns ||
                points->time_ns[i] > m->a->view.end_ns)
                continue;
            if (pass)
                rows[first[points->series[i] + 1]++] = i;
            else
                first[points->series[i] + 2]++;
        }
        for (size_t i = 2; !pass && i < t->series.n + 2; i++)
            first[i] += first[i - 1];
    }
    for (uint32_t s = 0; s < t->series.n; s++) {
        struct track k = {.kind = TRACK_SERIES, .process = NO_INDEX, .of = s};
        k.rows = rows + first[s];
        k.n = first[s + 1] - first[s];
        sort_rows(k.rows, k.n, points->time_ns, m->arena);
        if (series_slot(m, &t->series.v[s], &k.slot))
            add_track(m, k);
    }
}

static void add_path(struct maker *m)
{
    struct track k = {
        .kind = TRACK_PATH, .process = NO_INDEX, .slot = NO_INDEX, .n = m->a->path_spans.n};
    k.rows = arena_array(m->arena, uint32_t, k.n + 1);
    for (size_t i = 0; i < k.n; i++)
        k.rows[i] = (uint32_t)i;
    add_track(m, k);
}

void tracks_make(struct tracks *t, const struct analysis *a, uint64_t limit, struct arena *arena)
{
    *t = (struct tracks){.a = a};
    struct maker m = {.t = t, .a = a, .arena = arena};
    find_slots(&m);
    m.streams = order_streams(&m);
    struct by_stream kernels = split(&m, TRACK_KERNELS), copies = split(&m, TRACK_COPIES);
    uint32_t *markers, *threads = order_threads(&m);
    size_t *first, stream = 0, thread = 0, n_threads = a->trace->threads.n + 1;
    order_markers(&m, &markers, &first);
    for (uint32_t p = 0; p < a->trace->processes.n; p++) {
        add_gpu_work(&m, p, &stream, &kernels, &copies);
        for (; thread < n_threads && threads[thread] < a->trace->threads.n &&
               a->trace->threads.v[threads[thread]].process == p;
             thread++)
            add_thread(&m, p, threads[thread], markers, first);
    }
    for (; thread < n_threads; thread++)
        add_thread(&m, NO_INDEX, threads[thread], markers, first);
    add_path(&m); /* below what it is made of, which people look at first */
    add_series(&m);
    tracks_cut(t, limit, arena);
}
