#include "analyze/host_time.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/call_sums.h"
#include "analyze/gap_cause.h"
#include "analyze/host_others.h"
#include "base/sort.h"

/* Time between calls of a thread, and how many GPUs starve meanwhile. */
struct stretch {
    struct span at;
    int64_t gpus;
};

struct stretches {
    struct stretch *v;
    size_t n, cap;
};

struct search {
    const struct analysis *a;
    struct host_time *out;
    struct arena *arena, *temporary;
    enum cause cause;
    struct idmap part_of;              /* source and name -> parts */
    struct stretches *between;         /* by thread of the view: not named yet */
    struct row_groups samples, ranges; /* by thread: CPU samples, markers */
    struct host_others others;
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

static void give(struct search *s, enum host_source source, uint32_t name, int64_t ns, int64_t gpus)
{
    struct host_part *p = part(s, source, name);
    p->ns = add_ns(p->ns, mul_ns(ns, gpus));
    p->pieces += (uint64_t)gpus;
    s->out->named_ns = add_ns(s->out->named_ns, mul_ns(ns, gpus));
}

static void take(struct search *s, uint32_t thread, uint32_t call, struct span at, int64_t gpus)
{
    int64_t ns = at.end - at.start;
    if (call == NO_INDEX) {
        vec_push(&s->between[thread], s->temporary, ((struct stretch){at, gpus}));
        return;
    }
    uint32_t name = s->a->trace->regions.name[call];
    give(s, HOST_CALL, name, ns, gpus);
    struct host_part *p = part(s, HOST_CALL, name);
    p->class = view_call_class(&s->a->view, call);
    if (ns > p->call_ns) {
        p->call_ns = ns;
        p->call = call;
    }
}

/* ---- gaps as long as many calls ---- */

/* What begins or ends to cover a thread's calls at a place. */
struct covering {
    int64_t gpus, drained, hidden_ns;
};

static void cover(struct covering *at, const struct gap_cover *c, int64_t sign)
{
    at->gpus += sign;
    at->drained += c->drained ? sign : 0;
    at->hidden_ns = c->drained ? add_ns(at->hidden_ns, mul_ns(sign, c->hidden_ns)) : at->hidden_ns;
}

/*
 * A call and the stretch before it, for all gaps that cover it. What could have been hidden is taken
 * for equal to its mean where gaps differ in it: that names too little, never too much.
 */
static void take_covered(struct search *s, uint32_t thread, size_t i, const struct covering *at)
{
    const struct view *v = &s->a->view;
    const struct regions *r = &v->trace->regions;
    uint32_t call = v->threads[thread].outer[i];
    int64_t before = call_over(v, thread, i - 1);
    int64_t from = r->start_ns[call] > before ? r->start_ns[call] : before;
    int64_t plain = at->gpus - at->drained;
    if (s->cause == CAUSE_HOST && plain && gap_host_ns(from - before, false, 0) > 0)
        take(s, thread, NO_INDEX, (struct span){before, from}, plain);
    if (s->cause == CAUSE_HOST && at->drained) {
        int64_t mean = at->hidden_ns / at->drained + (at->hidden_ns % at->drained > 0);
        int64_t host = gap_host_ns(from - before, true, mean);
        if (host > 0)
            take(s, thread, NO_INDEX, (struct span){from - host, from}, at->drained);
    }
    if (at->gpus && gap_cause_of_call(v, call, false) == s->cause && r->end_ns[call] > from)
        take(s, thread, call, (struct span){from, r->end_ns[call]}, at->gpus);
}

/* The covers of all GPUs by thread, each at the place where it begins and the one where it ends. */
static void take_covers(struct search *s)
{
    const struct ledger *l = &s->a->ledger;
    const struct view *v = &s->a->view;
    struct covering **at = NULL;
    for (size_t g = 0; g < l->n_gpus; g++)
        for (size_t i = 0; i < l->host[g].n_covers; i++) {
            const struct gap_cover *c = &l->host[g].list->covers.v[l->host[g].first_cover + i];
            if (!at)
                at = arena_array(s->temporary, struct covering *, v->n_threads);
            if (!at[c->thread])
                at[c->thread] = arena_array(s->temporary, struct covering,
                                            v->threads[c->thread].n_outer / CALL_BLOCK + 1);
            assert(c->first % CALL_BLOCK == 0 && c->end % CALL_BLOCK == 0);
            cover(&at[c->thread][c->first / CALL_BLOCK], c, 1);
            cover(&at[c->thread][c->end / CALL_BLOCK], c, -1);
        }
    for (uint32_t t = 0; at && t < v->n_threads; t++) {
        struct covering now = {0};
        for (size_t i = 0; at[t] && i < v->threads[t].n_outer; i++) {
            const struct covering *change = &at[t][i / CALL_BLOCK];
            if (i % CALL_BLOCK == 0)
                now = (struct covering){now.gpus + change->gpus, now.drained + change->drained,
                                        add_ns(now.hidden_ns, change->hidden_ns)};
            if (now.gpus)
                take_covered(s, t, i, &now);
        }
    }
}

/* ---- of one thread ---- */

static int by_start(const void *x, const void *y)
{
    const struct stretch *a = x, *b = y;
    if (a->at.start != b->at.start)
        return a->at.start < b->at.start ? -1 : 1;
    return a->at.end < b->at.end ? -1 : a->at.end > b->at.end;
}

static int by_time(const void *x, const void *y)
{
    const int64_t *a = x, *b = y;
    return a[0] < b[0] ? -1 : a[0] > b[0];
}

/* Stretches of several GPUs overlap: cut where one begins or ends, with the GPUs of each piece. */
static void cut(struct stretches *all, struct arena *temporary)
{
    int64_t(*edges)[2] = (int64_t(*)[2])arena_array(temporary, int64_t, 4 * all->n);
    for (size_t i = 0; i < all->n; i++) {
        edges[2 * i][0] = all->v[i].at.start;
        edges[2 * i][1] = all->v[i].gpus;
        edges[2 * i + 1][0] = all->v[i].at.end;
        edges[2 * i + 1][1] = -all->v[i].gpus;
    }
    qsort(edges, 2 * all->n, sizeof(*edges), by_time);
    struct stretches out = {0};
    int64_t gpus = 0;
    for (size_t i = 0; i + 1 < 2 * all->n; i++) {
        gpus += edges[i][1];
        if (gpus && edges[i][0] < edges[i + 1][0])
            vec_push(&out, temporary, ((struct stretch){{edges[i][0], edges[i + 1][0]}, gpus}));
    }
    *all = out;
}

static void put_in_order(struct stretches *all, struct arena *temporary)
{
    qsort(all->v, all->n, sizeof(*all->v), by_start); /* a thread may serve several GPUs */
    for (size_t i = 1; i < all->n; i++)
        if (all->v[i].at.start < all->v[i - 1].at.end) {
            cut(all, temporary);
            return;
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
    const struct stretches *todo;
    struct stretches left;
    size_t at;
    int64_t done; /* of todo[at] */
};

/* The innermost range of [from, to) is `name`: what of it is asked for gets that name. */
static void sweep_to(struct sweep *w, int64_t from, int64_t to, const uint32_t *name)
{
    while (w->at < w->todo->n && from < to) {
        struct span t = w->todo->v[w->at].at;
        int64_t gpus = w->todo->v[w->at].gpus;
        int64_t start = t.start > w->done ? t.start : w->done;
        if (start >= to)
            return;
        int64_t a = start > from ? start : from, b = t.end < to ? t.end : to;
        if (start < a && start < t.end) /* before any range */
            vec_push(&w->left, w->s->temporary,
                     ((struct stretch){{start, a < t.end ? a : t.end}, gpus}));
        if (a < b && name)
            give(w->s, w->source, *name, b - a, gpus);
        else if (a < b)
            vec_push(&w->left, w->s->temporary, ((struct stretch){{a, b}, gpus}));
        if (t.end > to) {
            w->done = to;
            return;
        }
        w->at++;
        w->done = t.end;
    }
}

static void name_by_ranges(struct search *s, struct stretches *todo, const struct ranges *r,
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

/* The samples in a stretch stand for all of it, each for the same part. */
static void name_by_samples(struct search *s, struct stretches *todo, size_t thread)
{
    const struct samples *p = &s->a->trace->samples;
    struct stretches left = {0};
    size_t at = s->samples.at[thread], n = s->samples.at[thread + 1];
    uint32_t *rows = s->samples.list;
    sort_rows(rows + at, n - at, p->time_ns, s->temporary);
    for (size_t i = 0; i < todo->n; i++) {
        struct span t = todo->v[i].at;
        while (at < n && p->time_ns[rows[at]] < t.start)
            at++;
        size_t first = at;
        while (at < n && p->time_ns[rows[at]] < t.end)
            at++;
        int64_t count = (int64_t)(at - first), length = t.end - t.start;
        for (int64_t k = 0; k < count; k++)
            give(s, HOST_SAMPLE, p->name[rows[first + (size_t)k]],
                 length / count + (k < length % count), todo->v[i].gpus);
        if (!count)
            vec_push(&left, s->temporary, todo->v[i]);
    }
    *todo = left;
}

/* ---- other threads ---- */

static void name_by_others(struct search *s, const struct stretches *todo, size_t thread)
{
    const struct trace *t = s->a->trace;
    if (todo->n && !s->others.v)
        host_others_find(&s->others, &s->a->view, s->temporary);
    for (size_t i = 0; thread < t->threads.n && i < todo->n; i++) {
        struct span at = todo->v[i].at;
        uint32_t call = host_others_call(&s->others, (uint32_t)thread, at);
        if (call != NO_INDEX)
            give(s, HOST_OTHER_THREAD, t->regions.name[call], at.end - at.start, todo->v[i].gpus);
    }
}

/* ---- all of it ---- */

static struct ranges functions_of(const struct search *s, size_t thread)
{
    const struct regions *g = &s->a->trace->regions;
    const struct view_thread *th = &s->a->view.threads[thread];
    struct ranges r = {g->start_ns, g->end_ns, g->name, NULL, 0};
    r.rows = arena_array(s->temporary, uint32_t, th->n_inner + 1);
    for (size_t i = 0; i < th->n_inner; i++)
        if (view_call_class(&s->a->view, th->inner[i]) == API_HOST)
            r.rows[r.n++] = th->inner[i];
    return r;
}

static struct ranges markers_of(const struct search *s, size_t thread)
{
    const struct markers *m = &s->a->trace->markers;
    size_t first = s->ranges.at[thread], n = s->ranges.at[thread + 1] - first;
    struct ranges r = {m->start_ns, m->end_ns, m->name, s->ranges.list + first, 0};
    for (size_t i = 0; i < n; i++)
        if (m->kind[r.rows[i]] == MARKER_THREAD_RANGE)
            r.rows[r.n++] = r.rows[i];
    sort_rows(r.rows, r.n, m->start_ns, s->temporary);
    return r;
}

static void name_thread(struct search *s, size_t thread)
{
    struct stretches *todo = &s->between[thread];
    if (!todo->n)
        return;
    put_in_order(todo, s->temporary);
    struct ranges r = functions_of(s, thread);
    if (r.n)
        name_by_ranges(s, todo, &r, HOST_FUNCTION);
    if (s->samples.at && todo->n)
        name_by_samples(s, todo, thread);
    if (s->ranges.at && todo->n) {
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
    s.between = arena_array(s.temporary, struct stretches, a->view.n_threads);
    assert(a->ledger.host); /* the ledger of a whole analysis */
    out->all_ns = a->ledger.ns[cause];
    for (size_t g = 0; g < a->ledger.n_gpus; g++) {
        const struct gap_range *of = &a->ledger.host[g];
        for (size_t i = 0; i < of->n; i++) {
            const struct gap_part *p = &of->list->parts.v[of->first + i];
            if (p->cause == cause)
                take(&s, p->thread, p->call, (struct span){p->start_ns, p->end_ns}, 1);
        }
    }
    take_covers(&s);
    const struct trace *t = a->trace;
    if (t->samples.n)
        s.samples =
            row_groups_make(t->samples.thread, t->samples.n, a->view.n_threads, s.temporary);
    if (t->markers.n)
        s.ranges = row_groups_make(t->markers.thread, t->markers.n, a->view.n_threads, s.temporary);
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
