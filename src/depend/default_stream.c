/*
 * The rules of the default stream: its work begins when all that the other streams of its process
 * and GPU were given before has ended, and theirs goes on when it has. Streams that were made not
 * to block have no part in that; nor have, whatever was recorded of them, those that are seen to
 * run beside it (default streams of threads, streams whose kind is not recorded).
 *
 * Where the rules hold, work begins in the order in which it was submitted, so the order of the ops
 * is all that is needed.
 */
#include <stdlib.h>
#include <string.h>

#include "depend/depend_in.h"

/* Clocks on one GPU agree to this. */
#define BESIDE_NS 1000

/* A GPU as one process uses it. */
struct group {
    uint32_t process, gpu;
    uint32_t null_op;     /* last op of the default stream, or NO_INDEX */
    int64_t null_end;     /* end of its ops so far */
    VEC(uint32_t) active; /* streams with work behind that */
    uint32_t others;      /* streams that may block */
};

struct rules {
    struct building *b;
    VEC(struct group) groups;
    uint32_t *group_of; /* by stream, or NO_INDEX */
    uint8_t *free;      /* by stream: it does not wait */
    uint32_t *last;     /* by stream: its last op */
    uint32_t *seen;     /* by stream: the op of the default stream it waited for last */
    int64_t *end;       /* by stream */
};

static bool is_null(const struct stream *s)
{
    return s->kind == STREAM_NULL;
}

/* Groups with a default stream and another one; false when there are none. */
static bool find_groups(struct rules *r)
{
    const struct trace *t = r->b->d->trace;
    struct arena *a = r->b->temporary;
    struct idmap of;
    idmap_init(&of, a);
    r->group_of = arena_array(a, uint32_t, t->streams.n + 1);
    memset(r->group_of, 0xff, (t->streams.n + 1) * sizeof(*r->group_of));
    for (uint32_t i = 0; i < t->streams.n; i++) {
        const struct stream *s = &t->streams.v[i];
        uint64_t key = (uint64_t)s->process << 32 | s->gpu;
        if (!is_null(s) || s->gpu == NO_INDEX || idmap_get(&of, key) != NO_INDEX)
            continue;
        idmap_put(&of, key, (uint32_t)r->groups.n);
        vec_push(&r->groups, a, ((struct group){.process = s->process, .gpu = s->gpu}));
    }
    bool any = false;
    for (uint32_t i = 0; r->groups.n && i < t->streams.n; i++) {
        const struct stream *s = &t->streams.v[i];
        uint32_t g = idmap_get(&of, (uint64_t)s->process << 32 | s->gpu);
        if (g == NO_INDEX || s->kind == STREAM_NON_BLOCKING)
            continue;
        r->group_of[i] = g;
        r->groups.v[g].others += !is_null(s);
        any |= !is_null(s);
    }
    return any;
}

static void restart(struct rules *r)
{
    size_t n = r->b->d->trace->streams.n + 1;
    for (size_t g = 0; g < r->groups.n; g++) {
        r->groups.v[g].null_op = NO_INDEX;
        r->groups.v[g].null_end = INT64_MIN;
        r->groups.v[g].active.n = 0;
    }
    memset(r->last, 0xff, n * sizeof(*r->last));
    memset(r->seen, 0xff, n * sizeof(*r->seen));
    for (size_t i = 0; i < n; i++)
        r->end[i] = INT64_MIN;
}

static void hold(struct rules *r, uint32_t op, uint32_t on)
{
    if (on != NO_INDEX)
        vec_push_alone(&r->b->d->waits, r->b->arena, ((struct depend_wait){op, on, WAIT_DEFAULT}));
}

/* An op of the default stream: behind all that is under way. */
static void visit_null(struct rules *r, struct group *g, uint32_t op, bool collect)
{
    struct span s = op_span(r->b->d, op);
    for (size_t i = 0; i < g->active.n; i++) {
        uint32_t stream = g->active.v[i];
        if (collect && !r->free[stream])
            hold(r, op, r->last[stream]);
        else if (!collect && r->end[stream] > add_ns(s.start, BESIDE_NS))
            r->free[stream] = true;
    }
    g->active.n = 0;
    g->null_op = op;
    g->null_end = s.end > g->null_end ? s.end : g->null_end;
}

static void visit_other(struct rules *r, struct group *g, uint32_t stream, uint32_t op,
                        bool collect)
{
    struct span s = op_span(r->b->d, op);
    if (!collect && g->null_end != INT64_MIN && s.start < g->null_end - BESIDE_NS)
        r->free[stream] = true;
    if (collect && !r->free[stream] && r->seen[stream] != g->null_op)
        hold(r, op, g->null_op);
    /* Once for every op of the default stream. */
    if (r->last[stream] == NO_INDEX || r->seen[stream] != g->null_op)
        vec_push(&g->active, r->b->temporary, stream);
    r->seen[stream] = g->null_op;
    r->last[stream] = op;
    r->end[stream] = s.end > r->end[stream] ? s.end : r->end[stream];
}

static void walk(struct rules *r, bool collect)
{
    const struct depend *d = r->b->d;
    const struct trace *t = d->trace;
    restart(r);
    for (uint32_t op = 0; op < d->n_ops; op++) {
        uint32_t stream = op_stream(d, op);
        uint32_t at = stream < t->streams.n ? r->group_of[stream] : NO_INDEX;
        if (at == NO_INDEX || !r->groups.v[at].others)
            continue;
        if (is_null(&t->streams.v[stream]))
            visit_null(r, &r->groups.v[at], op, collect);
        else
            visit_other(r, &r->groups.v[at], stream, op, collect);
    }
}

void depend_default_streams(struct building *b)
{
    size_t n = b->d->trace->streams.n + 1;
    struct rules r = {.b = b};
    size_t known = b->d->waits.n;
    if (!find_groups(&r))
        return;
    r.free = arena_array(b->temporary, uint8_t, n);
    r.last = arena_array(b->temporary, uint32_t, n);
    r.seen = arena_array(b->temporary, uint32_t, n);
    r.end = arena_array(b->temporary, int64_t, n);
    walk(&r, false);
    walk(&r, true);
    if (b->d->waits.n > known)
        depend_sort_waits(b->d);
}
