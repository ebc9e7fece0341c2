#include "analyze/host_time.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"

struct search {
    const struct analysis *a;
    struct host_time *out;
    struct arena *arena, *temporary;
    enum cause cause;
    struct idmap part_of;      /* source and name -> parts */
    VEC(struct spans) between; /* by thread of the view: not named yet */
    uint32_t **samples;        /* by thread, in order of time; NULL: none at all */
    size_t *n_samples;
};

static struct host_part *part(struct search *s, enum host_source source, uint32_t name)
{
    uint64_t key = (uint64_t)name * 8 + source;
    uint32_t at = idmap_get(&s->part_of, key);
    if (at == NO_INDEX) {
        at = (uint32_t)s->out->parts.n;
        idmap_put(&s->part_of, key, at);
        struct host_part p = {.name = trace_str(s->a->trace, name), .source = source};
        p.call = NO_INDEX;
        vec_push(&s->out->parts, s->arena, p);
    }
    return &s->out->parts.v[at];
}

static void give(struct search *s, enum host_source source, uint32_t name, int64_t ns)
{
    struct host_part *p = part(s, source, name);
    p->ns = add_ns(p->ns, ns);
    p->pieces++;
    s->out->named_ns = add_ns(s->out->named_ns, ns);
}

static void take_part(struct search *s, const struct gap_part *g)
{
    int64_t ns = g->end_ns - g->start_ns;
    s->out->all_ns = add_ns(s->out->all_ns, ns);
    if (g->call == NO_INDEX) {
        vec_push(&s->between.v[g->thread], s->temporary, ((struct span){g->start_ns, g->end_ns}));
        return;
    }
    uint32_t name = s->a->trace->regions.name[g->call];
    give(s, HOST_CALL, name, ns);
    struct host_part *p = part(s, HOST_CALL, name);
    p->class = view_call_class(&s->a->view, g->call);
    if (ns > p->call_ns) {
        p->call_ns = ns;
        p->call = g->call;
    }
}

/* ---- functions and markers: nested ranges of a thread ---- */

struct ranges {
    const int64_t *start_ns, *end_ns;
    const uint32_t *name;
    uint32_t *rows; /* in order of start, outer ones first */
    size_t n;
};

struct sweep {
    struct search *s;
    enum host_source source;
    const struct spans *todo;
    struct spans left;
    size_t at;
    int64_t done; /* of todo[at] */
};

/* The innermost range of [from, to) is `name`: what of it is asked for gets that name. */
static void sweep_to(struct sweep *w, int64_t from, int64_t to, const uint32_t *name)
{
    while (w->at < w->todo->n && from < to) {
        struct span t = w->todo->v[w->at];
        int64_t start = t.start > w->done ? t.start : w->done;
        if (start >= to)
            return;
        int64_t a = start > from ? start : from, b = t.end < to ? t.end : to;
        if (start < a && start < t.end) /* before any range */
            vec_push(&w->left, w->s->temporary, ((struct span){start, a < t.end ? a : t.end}));
        if (a < b && name)
            give(w->s, w->source, *name, b - a);
        else if (a < b)
            vec_push(&w->left, w->s->temporary, ((struct span){a, b}));
        if (t.end > to) {
            w->done = to;
            return;
        }
        w->at++;
        w->done = t.end;
    }
}

static void name_by_ranges(struct search *s, struct spans *todo, const struct ranges *r,
                           enum host_source source)
{
    enum { DEPTH = 256 };
    struct sweep w = {.s = s, .source = source, .todo = todo, .done = INT64_MIN};
    uint32_t stack[DEPTH];
    size_t depth = 0;
    int64_t at = INT64_MIN;
    for (size_t i = 0; i <= r->n; i++) {
        int64_t next = i < r->n ? r->start_ns[r->rows[i]] : INT64_MAX;
        while (depth && r->end_ns[stack[depth - 1]] <= next) {
            int64_t end = r->end_ns[stack[depth - 1]];
            sweep_to(&w, at, end, &r->name[stack[depth - 1]]);
            at = end > at ? end : at;
            depth--;
        }
        sweep_to(&w, at, next, depth ? &r->name[stack[depth - 1]] : NULL);
        at = next > at ? next : at;
        if (i < r->n && depth < DEPTH)
            stack[depth++] = r->rows[i];
    }
    *todo = w.left;
}

/* ---- samples ---- */

static void index_samples(struct search *s)
{
    const struct samples *p = &s->a->trace->samples;
    size_t threads = s->a->view.n_threads;
    if (!p->n)
        return;
    s->samples = arena_array(s->temporary, uint32_t *, threads);
    s->n_samples = arena_array(s->temporary, size_t, threads);
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < p->n; i++) {
            if (p->thread[i] >= threads)
                continue;
            if (pass)
                s->samples[p->thread[i]][s->n_samples[p->thread[i]]] = i;
            s->n_samples[p->thread[i]]++;
        }
        for (size_t i = 0; !pass && i < threads; i++) {
            s->samples[i] = arena_array(s->temporary, uint32_t, s->n_samples[i] + 1);
            s->n_samples[i] = 0;
        }
    }
    for (size_t i = 0; i < threads; i++)
        sort_rows(s->samples[i], s->n_samples[i], p->time_ns, s->temporary);
}

/* The samples in a stretch stand for all of it, each for the same part. */
static void name_by_samples(struct search *s, struct spans *todo, size_t thread)
{
    const struct samples *p = &s->a->trace->samples;
    struct spans left = {0};
    size_t at = 0, n = s->n_samples[thread];
    const uint32_t *rows = s->samples[thread];
    for (size_t i = 0; i < todo->n; i++) {
        struct span t = todo->v[i];
        while (at < n && p->time_ns[rows[at]] < t.start)
            at++;
        size_t first = at;
        while (at < n && p->time_ns[rows[at]] < t.end)
            at++;
        int64_t count = (int64_t)(at - first), length = t.end - t.start;
        for (int64_t k = 0; k < count; k++)
            give(s, HOST_SAMPLE, p->name[rows[first + (size_t)k]],
                 length / count + (k < length % count));
        if (!count)
            vec_push(&left, s->temporary, t);
    }
    *todo = left;
}

/* ---- other threads ---- */

/* The call of a thread that covers most of a stretch by allocating or loading. */
static uint32_t blocking_call(const struct search *s, size_t thread, struct span t)
{
    const struct view_thread *th = &s->a->view.threads[thread];
    const struct regions *r = &s->a->trace->regions;
    size_t lo = 0;
    BISECT(lo, th->n_outer, mid, r->end_ns[th->outer[mid]] <= t.start);
    for (; lo < th->n_outer && r->start_ns[th->outer[lo]] < t.end; lo++) {
        uint32_t call = th->outer[lo];
        enum api_class class = view_call_class(&s->a->view, call);
        int64_t from = r->start_ns[call] > t.start ? r->start_ns[call] : t.start;
        int64_t to = r->end_ns[call] < t.end ? r->end_ns[call] : t.end;
        if ((class == API_ALLOC || class == API_MODULE) && to - from > (t.end - t.start) / 2)
            return call;
    }
    return NO_INDEX;
}

static void name_by_others(struct search *s, struct spans *todo, size_t thread)
{
    const struct trace *t = s->a->trace;
    for (size_t i = 0; thread < t->threads.n && i < todo->n; i++) {
        uint32_t call = NO_INDEX;
        for (size_t o = 0; o < t->threads.n && call == NO_INDEX; o++)
            if (o != thread && t->threads.v[o].process == t->threads.v[thread].process)
                call = blocking_call(s, o, todo->v[i]);
        if (call != NO_INDEX)
            give(s, HOST_OTHER_THREAD, t->regions.name[call], todo->v[i].end - todo->v[i].start);
    }
}

/* ---- all of it ---- */

static struct ranges functions_of(const struct search *s, size_t thread)
{
    const struct regions *g = &s->a->trace->regions;
    const struct view_thread *th = &s->a->view.threads[thread];
    struct ranges r = {g->start_ns, g->end_ns, g->name, NULL, 0};
    r.rows = arena_array(s->temporary, uint32_t, th->n_calls + 1);
    for (size_t i = 0; i < th->n_calls; i++)
        if (view_call_class(&s->a->view, th->calls[i]) == API_HOST)
            r.rows[r.n++] = th->calls[i];
    return r;
}

static struct ranges markers_of(const struct search *s, size_t thread)
{
    const struct markers *m = &s->a->trace->markers;
    struct ranges r = {m->start_ns, m->end_ns, m->name, NULL, 0};
    for (int pass = 0; pass < 2; pass++) {
        r.n = 0;
        for (uint32_t i = 0; i < m->n; i++) {
            if (m->thread[i] != thread || m->kind[i] != MARKER_THREAD_RANGE)
                continue;
            if (pass)
                r.rows[r.n] = i;
            r.n++;
        }
        if (!pass)
            r.rows = arena_array(s->temporary, uint32_t, r.n + 1);
    }
    sort_rows(r.rows, r.n, m->start_ns, s->temporary);
    return r;
}

static int by_start(const void *x, const void *y)
{
    const struct span *a = x, *b = y;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return a->end < b->end ? -1 : a->end > b->end;
}

static void name_thread(struct search *s, size_t thread)
{
    struct spans *todo = &s->between.v[thread];
    if (!todo->n)
        return;
    qsort(todo->v, todo->n, sizeof(*todo->v), by_start); /* a thread may serve several GPUs */
    struct ranges r = functions_of(s, thread);
    if (r.n)
        name_by_ranges(s, todo, &r, HOST_FUNCTION);
    if (s->samples && todo->n)
        name_by_samples(s, todo, thread);
    if (s->a->trace->markers.n && todo->n) {
        r = markers_of(s, thread);
        name_by_ranges(s, todo, &r, HOST_MARKER);
    }
    name_by_others(s, todo, thread);
}

static int largest_first(const void *x, const void *y)
{
    const struct host_part *a = x, *b = y;
    if (a->ns != b->ns)
        return a->ns > b->ns ? -1 : 1;
    int order = strcmp(a->name, b->name);
    return order ? order : (int)a->source - (int)b->source;
}

void host_time_find(struct host_time *out, const struct analysis *a, enum cause cause,
                    struct arena *arena)
{
    *out = (struct host_time){0};
    struct search s = {.a = a, .out = out, .arena = arena, .cause = cause};
    s.temporary = arena_scratch();
    idmap_init(&s.part_of, s.temporary);
    for (size_t i = 0; i < a->view.n_threads; i++)
        vec_push(&s.between, s.temporary, (struct spans){0});
    assert(a->ledger.host); /* the ledger of a whole analysis */
    for (size_t g = 0; g < a->ledger.n_gpus; g++) {
        const struct gap_range *of = &a->ledger.host[g];
        for (size_t i = 0; i < of->n; i++)
            if (of->list->parts.v[of->first + i].cause == cause)
                take_part(&s, &of->list->parts.v[of->first + i]);
    }
    index_samples(&s);
    for (size_t i = 0; i < a->view.n_threads; i++)
        name_thread(&s, i);
    if (out->parts.n)
        qsort(out->parts.v, out->parts.n, sizeof(*out->parts.v), largest_first);
    arena_release(s.temporary);
}

const char *host_source_text(enum host_source s)
{
    static const char *const texts[] = {
        [HOST_CALL] = "in the call",
        [HOST_FUNCTION] = "in the function",
        [HOST_SAMPLE] = "by CPU samples in",
        [HOST_MARKER] = "in the range",
        [HOST_OTHER_THREAD] = "while another thread is in",
    };
    return texts[s];
}
