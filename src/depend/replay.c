#include "depend/replay.h"

#include <string.h>

#include "base/sat.h"
#include "depend/replay_in.h"

int64_t op_ready(const struct depend *d, uint32_t op, size_t at, size_t n)
{
    int64_t start = op_span(d, op).start, ready = INT64_MIN;
    if (d->prev[op] != NO_INDEX) {
        int64_t end = op_span(d, d->prev[op]).end;
        ready = end + lag_behind(d, start, end);
    }
    if (d->call[op] != NO_INDEX) {
        struct span c = call_span(d, d->call[op]);
        int64_t sent = start <= c.end ? c.start + lag_inside(d, op, start, c.start)
                                      : c.end + lag_launch(d, start, c.end);
        ready = sent > ready ? sent : ready;
    }
    for (; at < n && d->waits.v[at].op == op; at++) {
        int64_t end = op_span(d, d->waits.v[at].on).end;
        int64_t free = end + lag_behind(d, start, end);
        ready = free > ready ? free : ready;
    }
    return ready == INT64_MIN ? start : ready;
}

size_t depend_first_wait(const struct depend *d, uint32_t op)
{
    size_t lo = 0;
    BISECT(lo, d->waits.n, mid, d->waits.v[mid].op < op);
    return lo;
}

/* The edge of an op that was satisfied last; its waits begin at `at`. */
static inline struct ready bound_by(const struct depend *d, uint32_t op, size_t at)
{
    int64_t start = op_span(d, op).start;
    uint32_t call = d->call[op], prev = d->prev[op];
    struct ready x = {start, BIND_START, NO_INDEX};
    if (call != NO_INDEX) {
        struct span c = call_span(d, call);
        if (start > c.end)
            later(&x, c.end + lag_launch(d, start, c.end), BIND_LAUNCH, call);
        else
            later(&x, c.start + lag_inside(d, op, start, c.start), BIND_IN_CALL, call);
    }
    if (prev != NO_INDEX) {
        int64_t end = op_span(d, prev).end;
        later(&x, end + lag_behind(d, start, end), BIND_STREAM, (uint32_t)d->n_calls + prev);
    }
    for (; at < d->waits.n && d->waits.v[at].op == op; at++) {
        const struct depend_wait *w = &d->waits.v[at];
        int64_t end = op_span(d, w->on).end;
        later(&x, end + lag_behind(d, start, end),
              w->kind == WAIT_EVENT ? BIND_EVENT : BIND_INFERRED, (uint32_t)d->n_calls + w->on);
    }
    return x;
}

enum binding op_bound_by(const struct depend *d, uint32_t op, uint32_t *to)
{
    struct ready x = bound_by(d, op, depend_first_wait(d, op));
    *to = x.to;
    return x.how;
}

/* ---- ops ----
 * Times and lags are bounded, so that one sum of two cannot overflow; the start is bounded again. */

static inline void bind(struct replay *r, uint32_t op, struct ready x)
{
    if (r->times_only)
        return;
    r->bound[op] = (uint8_t)x.how;
    r->bound_to[op] = x.to;
}

static void after_op(const struct pass *s, struct ready *x, uint32_t op, int64_t lag,
                     enum binding how)
{
    later(x, s->r->op_end[op] + lag, how, (uint32_t)s->d->n_calls + op);
}

static inline void after_launch(struct pass *s, struct ready *x, uint32_t op, int64_t start)
{
    const struct depend *d = s->d;
    uint32_t call = d->call[op];
    struct span c = call_span(d, call);
    if (start > c.end) {
        later(x, end_of_call(s, call, c.end) + lag_launch(d, start, c.end), BIND_LAUNCH, call);
        return;
    }
    int64_t inside = lag_inside(d, op, start, c.start);
    if (inside > 0 && (s->p.host != 1 || recipe_mark(&s->p, call))) {
        int64_t own = recipe_own(&s->p, call), was = c.end - call_waits_until(d, call);
        if (own < was)
            inside = ns_from((double)inside * ((double)own / (double)was));
    }
    later(x, start_of_call(s, call, c.start) + inside, BIND_IN_CALL, call);
}

static inline void after_stream(struct pass *s, struct ready *x, uint32_t op, int64_t start)
{
    const struct depend *d = s->d;
    uint32_t prev = d->prev[op], call = d->call[op];
    if (prev == NO_INDEX)
        return;
    int64_t lag = lag_behind(d, start, op_span(d, prev).end);
    unsigned mark = call != NO_INDEX ? recipe_mark(&s->p, call) : 0;
    if (mark & MARK_GRAPH && !(mark & MARK_GRAPH_HEAD)) {
        int64_t least = add_ns(s->r->op_start[prev], s->p.period_ns) - s->r->op_end[prev];
        lag = lag < s->p.follow_ns ? lag : s->p.follow_ns;
        lag = lag > least ? lag : least;
    }
    if (mark & MARK_MERGED)
        lag = 0;
    after_op(s, x, prev, lag, BIND_STREAM);
}

/* From the first call that led to work to the end of the last work. */
static inline void measure_start(struct replay *r, int64_t first)
{
    r->start_ns = first < r->start_ns ? first : r->start_ns;
}

static inline void measure_op(struct replay *r, uint32_t op)
{
    measure_start(r, r->op_start[op]);
    if (r->last_op == NO_INDEX || r->op_end[op] > r->end_ns) {
        r->end_ns = r->op_end[op];
        r->last_op = op;
    }
}

/* What a collective takes without waiting, of the time that a change leaves it. */
static int64_t alone(const struct pass *s, uint32_t op)
{
    struct span o = op_span(s->d, op);
    int64_t own = op_alone(s->d, op), is = s->r->op_end[op] - s->r->op_start[op];
    return is == o.end - o.start ? own
                                 : ns_from((double)is * ((double)own / (double)(o.end - o.start)));
}

/*
 * The last one of a collective that begins sets the end of all: what depends on an end stands
 * behind it in the order. False: it is not known yet.
 */
static bool join_meeting(struct pass *s, uint32_t op)
{
    struct replay *r = s->r;
    const struct depend *d = s->d;
    const struct depend_meeting *m = meeting_of_op(d, op);
    if (s->p.c->rank_typical || s->p.c->remove[REMOVE_COMMUNICATION])
        return true;
    if (++s->came[m - d->meetings.v] < m->n)
        return false;
    int64_t all = r->op_start[last_of_meeting(r, m)];
    for (uint32_t i = 0; i < m->n; i++) {
        uint32_t x = d->members.v[m->first + i];
        int64_t from = r->op_start[x] > all ? r->op_start[x] : all;
        r->op_end[x] = add_ns(from, alone(s, x));
        if (x != op)
            measure_op(r, x);
    }
    return true;
}

static inline void place_op(struct pass *s, uint32_t op)
{
    struct replay *r = s->r;
    const struct depend *d = s->d;
    struct span o = op_span(d, op);
    struct ready x = {o.start, BIND_START, NO_INDEX};
    if (d->call[op] != NO_INDEX)
        after_launch(s, &x, op, o.start);
    struct place at = {0};
    if (s->lines) {
        at = place_of_op(s, op);
        after_pipeline(s, &x, op, at);
    } else {
        after_stream(s, &x, op, o.start);
    }
    for (; s->wait < d->waits.n && d->waits.v[s->wait].op == op; s->wait++) {
        const struct depend_wait *w = &d->waits.v[s->wait];
        int64_t lag = lag_behind(d, o.start, op_span(d, w->on).end);
        if (!s->lines || w->kind == WAIT_EVENT)
            after_op(s, &x, w->on, lag, w->kind == WAIT_EVENT ? BIND_EVENT : BIND_INFERRED);
    }
    /* An op that nothing is known of keeps its time; a delay without a cause goes with the op. */
    bool gone = !s->p.same_ops && recipe_gone(&s->p, op);
    int64_t start = x.to == NO_INDEX ? o.start : add_ns(x.at, gone ? 0 : d->residual[op]);
    bind(r, op, x);
    r->op_start[op] = start;
    r->op_end[op] = add_ns(start, s->p.same_ops ? o.end - o.start : recipe_op(&s->p, op));
    bool known = !d->op_meeting || !d->op_meeting[op] || join_meeting(s, op);
    if (s->lines)
        pass_pipeline(s, op, at, r->op_end[op]);
    if (known)
        measure_op(r, op);
}

/* ---- all of it ---- */

static void prepare(struct pass *s, const struct change *c, struct arena *temporary)
{
    const struct depend *d = s->d;
    size_t n = d->view->n_threads + 1;
    if (d->meetings.n) {
        s->came = arena_array(temporary, uint32_t, d->meetings.n);
        memset(s->r->met_last, 0xff, d->meetings.n * sizeof(*s->r->met_last));
    }
    recipe_make(&s->p, d, c, s->r->marks, temporary);
    s->carry = arena_array(temporary, int64_t, n);
    s->copied = arena_array(temporary, int64_t, n);
    if (c->prefetch) {
        s->worker = arena_array(temporary, int64_t, n);
        for (size_t t = 0; t < n; t++)
            s->worker[t] = INT64_MIN;
    }
    if (c->overlap)
        pipeline_init(s, temporary);
    s->r->host = s->p.host;
    replay_joints(s->r, s->p.marks, c->prefetch ? AHEAD_GAP_NS : INT64_MAX);
}

/* The end is that of the wait for the last work, where there is one. */
static void measure_calls(struct replay *r)
{
    const struct depend *d = r->d;
    for (size_t t = 0; t < d->view->n_threads; t++)
        if (d->leads[t] != NO_INDEX)
            measure_start(r, replay_call_start(r, d->leads[t]));
    if (r->last_op == NO_INDEX)
        r->start_ns = r->end_ns = 0;
    else if (d->last_call != NO_INDEX && replay_call_end(r, d->last_call) > r->end_ns)
        r->end_ns = replay_call_end(r, d->last_call);
}

void replay_init(struct replay *r, const struct depend *d, struct arena *arena)
{
    *r = (struct replay){.d = d, .host = 1};
    r->op_start = arena_array(arena, int64_t, d->n_ops + 1);
    r->op_end = arena_array(arena, int64_t, d->n_ops + 1);
    r->bound_to = arena_array(arena, uint32_t, d->n_ops + 1);
    r->bound = arena_array(arena, uint8_t, d->n_ops + 1);
    r->joints = arena_array(arena, struct joint, d->n_calls + 1);
    r->head = arena_array(arena, uint32_t, d->n_calls + 1);
    r->marks = arena_array(arena, uint8_t, d->n_calls + 1);
    if (d->meetings.n)
        r->met_last = arena_array(arena, uint32_t, d->meetings.n);
}

static void reset(struct replay *r)
{
    r->start_ns = INT64_MAX;
    r->end_ns = 0;
    r->last_op = NO_INDEX;
}

void replay_run(struct replay *r, const struct change *c)
{
    static const struct change none;
    const struct depend *d = r->d;
    struct arena *temporary = arena_scratch();
    struct pass s = {.r = r, .d = d};
    reset(r);
    prepare(&s, c ? c : &none, temporary);
    uint32_t op = 0;
    for (size_t i = 0; i < d->n_calls; i++) {
        uint32_t call = d->order[i];
        if (!is_joint(r, call))
            continue;
        for (; op < d->ops_before[call]; op++)
            place_op(&s, op);
        start_joint(&s, &r->joints[r->head[call]]);
    }
    for (; op < d->n_ops; op++)
        place_op(&s, op);
    for (uint32_t i = 0; i < r->n_joints; i++)
        joint_of(&s, r->joints[i].call);
    measure_calls(r);
    arena_release(temporary);
}

/* ---- as recorded ---- */

/* False when an op did not begin where its edges and its delay put it. */
static bool take_ops(struct replay *r)
{
    const struct depend *d = r->d;
    size_t wait = 0;
    for (uint32_t op = 0; op < d->n_ops; op++) {
        struct span s = op_span(d, op);
        while (wait < d->waits.n && d->waits.v[wait].op < op)
            wait++;
        struct ready x = bound_by(d, op, wait);
        if (x.to != NO_INDEX && x.at + d->residual[op] != s.start)
            return false;
        bind(r, op, x);
        r->op_start[op] = s.start;
        r->op_end[op] = s.end;
        measure_op(r, op);
    }
    return true;
}

static void take_meetings(struct replay *r)
{
    const struct depend *d = r->d;
    if (d->meetings.n)
        memset(r->met_last, 0xff, d->meetings.n * sizeof(*r->met_last));
    for (size_t i = 0; i < d->meetings.n; i++)
        last_of_meeting(r, &d->meetings.v[i]);
}

void replay_recorded(struct replay *r)
{
    reset(r);
    r->host = 1;
    take_joints(r);
    if (take_ops(r)) {
        take_meetings(r);
        measure_calls(r);
    } else {
        replay_run(r, NULL);
    }
}
