#include "depend/replay.h"

#include <string.h>

#include "base/sat.h"
#include "depend/replay_in.h"

/* Part of a loop: calling them would cost more than what they do. */
#define ALWAYS_INLINE __attribute__((always_inline)) static inline

int64_t op_ready(const struct depend *d, uint32_t op, size_t at, size_t n)
{
    int64_t start = op_span(d, op).start, ready = INT64_MIN;
    if (d->ops[op].prev != NO_INDEX) {
        int64_t end = op_span(d, d->ops[op].prev).end;
        ready = end + lag_behind(d, start, end);
    }
    if (op_call(d, op) != NO_INDEX) {
        struct span c = call_span(d, op_call(d, op));
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
    uint32_t call = op_call(d, op), prev = d->ops[op].prev;
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

/* ---- ops ----
 * Times and lags are bounded, so that one sum of two cannot overflow; the start is bounded again. */

/* The node at the other end of such an edge, by the graph. */
static inline uint32_t usual_end(const struct depend *d, uint32_t op, enum binding how)
{
    switch (how) {
    case BIND_LAUNCH:
    case BIND_IN_CALL:
        return op_call(d, op);
    case BIND_STREAM:
        return d->ops[op].prev == NO_INDEX ? NO_INDEX : (uint32_t)d->n_calls + d->ops[op].prev;
    default:
        return NO_INDEX;
    }
}

/* Ops come in order. */
static inline void bind(struct replay *r, uint32_t op, struct ready x)
{
    if (r->times_only)
        return;
    bool elsewhere = x.to != usual_end(r->d, op, x.how);
    r->bound[op] = (uint8_t)(x.how | (elsewhere ? BOUND_ELSEWHERE : 0));
    if (op % BOUND_GROUP == 0)
        r->bound_before[op / BOUND_GROUP] = (uint32_t)r->bound_to.n;
    if (elsewhere)
        vec_push_alone(&r->bound_to, r->arena, x.to);
}

static void bind_from_here(struct replay *r)
{
    if (!r->times_only && !r->bound) {
        r->bound_before = arena_array(r->arena, uint32_t, r->d->n_ops / BOUND_GROUP + 1);
        r->bound = arena_array(r->arena, uint8_t, r->d->n_ops + 1);
    }
    r->bound_to.n = 0;
}

uint32_t replay_bound_to(const struct replay *r, uint32_t op)
{
    if (!(r->bound[op] & BOUND_ELSEWHERE))
        return usual_end(r->d, op, replay_bound(r, op));
    uint32_t at = r->bound_before[op / BOUND_GROUP];
    for (uint32_t i = op - op % BOUND_GROUP; i < op; i++)
        at += r->bound[i] / BOUND_ELSEWHERE;
    return r->bound_to.v[at];
}

/* It began before its call was over. */
static struct ready inside_call(struct pass *s, uint32_t op, uint32_t call, struct span c)
{
    const struct depend *d = s->d;
    int64_t inside = lag_inside(d, op, op_span(d, op).start, c.start);
    if (inside > 0 && (s->p.host != 1 || recipe_mark(&s->p, call))) {
        int64_t own = recipe_own(&s->p, call), was = c.end - call_waits_until(d, call);
        if (own < was)
            inside = ns_from((double)inside * ((double)own / (double)was));
    }
    return (struct ready){start_of_call(s, call, c.start) + inside, BIND_IN_CALL, call};
}

/* Behind its call: the first thing that an op is asked about. */
ALWAYS_INLINE struct ready after_launch(struct pass *s, uint32_t call, struct next_op n)
{
    struct span c = n.called;
    if (n.at.start <= c.end)
        return inside_call(s, n.op, call, c);
    return (struct ready){end_of_call(s, call, c.end) + lag_launch(s->d, n.at.start, c.end),
                          BIND_LAUNCH, call};
}

/* When the last op of a stream ends; the last of its meeting may have put that off. */
ALWAYS_INLINE int64_t tail_end(const struct pass *s, const struct stream_tail *t)
{
    return s->came ? op_end(&s->r->times, t->op) : t->end;
}

/* What a mark on its call leaves of the way from the op before it. */
static int64_t lag_marked(const struct pass *s, const struct stream_tail *prev, unsigned mark,
                          int64_t lag)
{
    if (mark & MARK_GRAPH && !(mark & MARK_GRAPH_HEAD)) {
        int64_t least = add_ns(prev->start, s->p.period_ns) - tail_end(s, prev);
        lag = lag < s->p.follow_ns ? lag : s->p.follow_ns;
        lag = lag > least ? lag : least;
    }
    return mark & MARK_MERGED ? 0 : lag;
}

ALWAYS_INLINE void after_stream(const struct pass *s, struct ready *x,
                                const struct stream_tail *prev, uint32_t call, int64_t start)
{
    const struct depend *d = s->d;
    if (prev->op == NO_INDEX)
        return;
    int64_t lag = lag_behind(d, start, prev->recorded_end);
    unsigned mark = s->p.marks && call != NO_INDEX ? s->p.marks[call] : 0;
    if (mark)
        lag = lag_marked(s, prev, mark, lag);
    later(x, tail_end(s, prev) + lag, BIND_STREAM, (uint32_t)d->n_calls + prev->op);
}

/* Behind ops of other streams. */
static void after_waits(struct pass *s, struct ready *x, uint32_t op, int64_t start)
{
    const struct depend *d = s->d;
    for (; s->wait < d->waits.n && d->waits.v[s->wait].op == op; s->wait++) {
        const struct depend_wait *w = &d->waits.v[s->wait];
        int64_t lag = lag_behind(d, start, op_span(d, w->on).end);
        if (!s->lines || w->kind == WAIT_EVENT)
            later(x, asked_end(s, w->on) + lag, w->kind == WAIT_EVENT ? BIND_EVENT : BIND_INFERRED,
                  (uint32_t)d->n_calls + w->on);
    }
    s->wait_op = s->wait < d->waits.n ? d->waits.v[s->wait].op : NO_INDEX;
}

/* What a collective takes without waiting, of the time that a change leaves it. */
static int64_t alone(const struct pass *s, uint32_t op)
{
    struct span o = op_span(s->d, op);
    int64_t own = op_alone(s->d, op), is = op_length(&s->r->times, op);
    return is == o.end - o.start ? own
                                 : ns_from((double)is * ((double)own / (double)(o.end - o.start)));
}

/*
 * The last one of a collective that begins sets the end of all: what depends on an end stands
 * behind it in the order.
 */
static void join_meeting(struct pass *s, uint32_t op)
{
    struct replay *r = s->r;
    const struct depend *d = s->d;
    const struct depend_meeting *m = meeting_of_op(d, op);
    if (s->p.c->rank_typical || s->p.c->remove[REMOVE_COMMUNICATION])
        return;
    if (++s->came[m - d->meetings.v] < m->n)
        return;
    int64_t all = op_start(&r->times, last_of_meeting(r, m));
    for (uint32_t i = 0; i < m->n; i++) {
        uint32_t x = d->members.v[m->first + i];
        int64_t start = op_start(&r->times, x), from = start > all ? start : all;
        op_set_length(&r->times, x, add_ns(from, alone(s, x)) - start);
    }
}

/* The first start and the last end of all so far; of equal ones the first. */
ALWAYS_INLINE void take_bounds(struct replay *r, uint32_t op, struct span s)
{
    r->start_ns = s.start < r->start_ns ? s.start : r->start_ns;
    if (s.end > r->end_ns || r->last_op == NO_INDEX) {
        r->end_ns = s.end;
        r->last_op = op;
    }
}

static void no_bounds(struct replay *r)
{
    r->start_ns = INT64_MAX;
    r->end_ns = 0;
    r->last_op = NO_INDEX;
}

ALWAYS_INLINE void keep_op(struct pass *s, uint32_t op, int64_t start, int64_t end)
{
    if (!s->ends) {
        op_set_start(&s->r->times, op, start);
        op_set_length(&s->r->times, op, end - start);
    } else if (sparse_has(&s->d->asked, op)) {
        s->ends[s->n_ends++] = end;
    }
    s->placed = op + 1;
}

/* `lines` is known where it is called, so that each way has a loop of its own. */
ALWAYS_INLINE void place_op(struct pass *s, struct next_op n, const bool lines)
{
    struct replay *r = s->r;
    const struct depend *d = s->d;
    struct span o = n.at;
    uint32_t op = n.op, call = op_call(d, op);
    struct ready x = {o.start, BIND_START, NO_INDEX};
    struct place at = {0};
    struct stream_tail *tail = NULL;
    if (call != NO_INDEX)
        x = after_launch(s, call, n);
    if (lines) {
        at = place_of_op(s, op);
        after_pipeline(s, &x, op, at);
    } else {
        tail = &s->tails[op_lane(d, op)];
        after_stream(s, &x, tail, call, o.start);
    }
    if (op == s->wait_op)
        after_waits(s, &x, op, o.start);
    /* An op that nothing is known of keeps its time; a delay without a cause goes with the op. */
    bool gone = s->p.some_gone && recipe_gone(&s->p, op);
    int64_t start = x.to == NO_INDEX ? o.start : add_ns(x.at, gone ? 0 : depend_residual(d, op));
    int64_t end = add_ns(start, s->p.same_ops ? o.end - o.start : recipe_op(&s->p, op));
    bind(r, op, x);
    keep_op(s, op, start, end);
    take_bounds(r, op, (struct span){start, end});
    if (s->came && sparse_has(&d->op_meeting, op))
        join_meeting(s, op);
    if (lines)
        pass_pipeline(s, op, at, s->came ? op_end(&r->times, op) : end);
    else
        *tail = (struct stream_tail){op, o.end, start, end};
}

/* What is asked of it more than once; its turn is depend_turn(). */
ALWAYS_INLINE struct next_op look_at_op(const struct depend *d, uint32_t op)
{
    struct next_op n = {.op = op, .turn = INT64_MAX};
    if (op >= d->n_ops)
        return n;
    n.at = op_span(d, op);
    n.turn = n.at.start;
    if (op_call(d, op) == NO_INDEX)
        return n;
    n.called = call_span(d, op_call(d, op));
    n.turn = n.called.start > n.turn ? n.called.start : n.turn;
    return n;
}

/* All ops whose turn it is before that. */
static void place_ops(struct pass *s, int64_t until)
{
    struct next_op n = s->next;
    if (s->lines)
        for (; n.turn < until; n = look_at_op(s->d, n.op + 1))
            place_op(s, n, true);
    else
        for (; n.turn < until; n = look_at_op(s->d, n.op + 1))
            place_op(s, n, false);
    s->next = n;
}

/* Where that is not known from placing them: the last of a meeting sets the ends of the others. */
static void measure_ops(struct replay *r)
{
    no_bounds(r);
    for (uint32_t op = 0; op < r->d->n_ops; op++)
        take_bounds(r, op, replay_op(r, op));
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
    if (c->overlap) {
        pipeline_init(s, temporary);
    } else {
        s->tails = arena_array(temporary, struct stream_tail, d->trace->streams.n + 1);
        for (size_t i = 0; i <= d->trace->streams.n; i++)
            s->tails[i].op = NO_INDEX;
    }
    s->wait_op = d->waits.n ? d->waits.v[0].op : NO_INDEX;
    s->r->host = s->p.host;
    replay_joints(s->r, s->p.marks, c->prefetch ? AHEAD_GAP_NS : INT64_MAX);
    replay_room(s->r);
}

/*
 * From the first call that led to work to the end of the last work, or of the wait for it, where
 * there is one.
 */
static void measure(struct replay *r)
{
    const struct depend *d = r->d;
    for (size_t t = 0; t < d->view->n_threads; t++) {
        if (d->leads[t] == NO_INDEX)
            continue;
        int64_t first = replay_call_start(r, d->leads[t]);
        r->start_ns = first < r->start_ns ? first : r->start_ns;
    }
    if (r->last_op == NO_INDEX)
        r->start_ns = r->end_ns = 0;
    else if (d->last_call != NO_INDEX && replay_call_end(r, d->last_call) > r->end_ns)
        r->end_ns = replay_call_end(r, d->last_call);
}

void replay_init(struct replay *r, const struct depend *d, struct arena *arena)
{
    *r = (struct replay){.d = d, .host = 1, .arena = arena_child(arena)};
    sparse_marks(&r->joints.are, d->n_calls, arena);
    r->joints.head = arena_array(arena, uint8_t, d->n_calls + 1);
    r->joints.head_from = arena_array(arena, uint32_t, d->n_calls / HEAD_GROUP + 1);
    r->marks = arena_array(arena, uint8_t, d->n_calls + 1);
    if (d->meetings.n)
        r->met_last = arena_array(arena, uint32_t, d->meetings.n);
}

/*
 * The last of a meeting sets the ends of ops before it, so that all have to be kept. What the other
 * kind of run has left is given back.
 */
static void make_room(struct pass *s)
{
    struct replay *r = s->r;
    size_t n_asked = s->d->asked.n + 1;
    bool all = !r->times_only || s->d->meetings.n;
    if (all && arena_give_back(r->arena, r->ends, n_asked * sizeof(*r->ends)))
        r->ends = NULL;
    if (all) {
        if (!op_times_made(&r->times))
            op_times_make(&r->times, s->d->n_ops, r->arena);
        return;
    }
    op_times_drop(&r->times, s->d->n_ops);
    if (!r->ends)
        r->ends = arena_array(r->arena, int64_t, n_asked);
    s->ends = r->ends;
}

void replay_run(struct replay *r, const struct change *c)
{
    static const struct change none;
    const struct depend *d = r->d;
    struct arena *temporary = arena_scratch();
    struct pass s = {.r = r, .d = d};
    make_room(&s);
    bind_from_here(r);
    no_bounds(r);
    prepare(&s, c ? c : &none, temporary);
    struct joint_turns order = joints_first(r, temporary);
    s.next = look_at_op(d, 0);
    for (struct joint j; joints_next(&order, &j);) {
        int64_t start = call_span(d, j.call).start;
        place_ops(&s, start);
        start_joint(&s, j, start);
    }
    place_ops(&s, INT64_MAX);
    finish_joints(&s);
    if (s.came)
        measure_ops(r);
    measure(r);
    arena_release(temporary);
}

/* ---- as recorded ---- */

/* False when an op did not begin where its edges and its delay put it. */
static bool take_ops(struct replay *r)
{
    const struct depend *d = r->d;
    size_t wait = 0;
    bind_from_here(r);
    for (uint32_t op = 0; op < d->n_ops; op++) {
        struct span s = op_span(d, op);
        while (wait < d->waits.n && d->waits.v[wait].op < op)
            wait++;
        struct ready x = bound_by(d, op, wait);
        if (x.to != NO_INDEX && x.at + depend_residual(d, op) != s.start)
            return false;
        bind(r, op, x);
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
    if (op_times_made(&r->times)) { /* of another run */
        replay_run(r, NULL);
        return;
    }
    r->host = 1;
    take_joints(r);
    if (take_ops(r)) {
        take_meetings(r);
        measure_ops(r);
        measure(r);
    } else {
        replay_run(r, NULL);
    }
}
