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
    size_t lo = 0, hi = d->waits.n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (d->waits.v[mid].op < op)
            lo = mid + 1;
        else
            hi = mid;
    }
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

/* ---- the pass ---- */

/* Threads of the view are those of the trace, and one for calls without. */
static size_t thread_of(const struct depend *d, uint32_t call)
{
    uint32_t thread = d->trace->regions.thread[d->call_row[call]];
    return thread < d->view->n_threads - 1 ? thread : d->view->n_threads - 1;
}

/* Who of a meeting came last; all of them have begun when the first one leaves. */
static uint32_t last_of_meeting(const struct replay *r, const struct depend_meeting *m,
                                const int64_t *start)
{
    uint32_t *last = &r->met_last[m - r->d->meetings.v];
    const uint32_t *v = &r->d->members.v[m->first];
    if (*last != NO_INDEX)
        return *last;
    *last = v[0];
    for (uint32_t i = 1; i < m->n && !m->message; i++)
        if (start[v[i]] > start[*last])
            *last = v[i];
    return *last;
}

/* When a call can go on that meets others. */
static int64_t leave_meeting(struct pass *s, const struct depend_meeting *m, uint32_t call,
                             int64_t at)
{
    struct replay *r = s->r;
    if (s->changed && r->change->rank_typical) /* nobody is late, and nobody knows how much */
        return add_ns(at, call_waits_until(s->d, call) - call_span(s->d, call).start);
    int64_t all = r->call_start[last_of_meeting(r, m, r->call_start)];
    if (all <= at || (s->changed && recipe_mark(&s->p, call) & (MARK_REMOVED | MARK_FREE)))
        return at;
    r->waited[call] = WAITED_MEETING;
    return all;
}

/* A call's end: what it does itself, after what it waits for. */
static int64_t finish_call(struct pass *s, uint32_t call)
{
    struct replay *r = s->r;
    int64_t at = r->call_start[call];
    uint32_t op = s->changed ? recipe_awaited(&s->p, call) : s->d->awaited[call];
    struct span c = call_span(s->d, call);
    if (op != NO_INDEX) {
        /* Clocks may say that the op ended after the call: it still ends that much before it. */
        int64_t late = op_span(s->d, op).end - c.end;
        int64_t end = sub_ns(r->op_end[op], late > 0 ? late : 0);
        if (end > at) {
            at = end;
            r->waited[call] = WAITED_OP;
        }
    }
    const struct depend_meeting *m = meeting_of_call(s->d, call);
    if (m && op == NO_INDEX)
        at = leave_meeting(s, m, call, at);
    int64_t own = s->changed ? recipe_own(&s->p, call) : c.end - call_waits_until(s->d, call);
    return r->call_end[call] = add_ns(at, own);
}

/* The same, found once; asked for several times. Most calls wait for nothing. */
static inline int64_t end_of_call(struct pass *s, uint32_t call, const bool changed)
{
    int64_t end = s->r->call_end[call];
    if (end != INT64_MIN)
        return end;
    if (s->d->awaited[call] != NO_INDEX || (changed && (s->paced || recipe_mark(&s->p, call))) ||
        meeting_of_call(s->d, call))
        return finish_call(s, call);
    struct span c = call_span(s->d, call);
    return s->r->call_end[call] = add_ns(s->r->call_start[call], c.end - c.start);
}

static void bind(struct replay *r, uint32_t node, enum binding how, uint32_t to)
{
    if (r->times_only)
        return;
    r->bound[node] = (uint8_t)how;
    r->bound_to[node] = to;
}

/*
 * Before a graph, the preparation of its first operator goes with those inside; the call that
 * launches the graph has to be made all the same.
 */
static int64_t gap_before_graph(const struct pass *s, int64_t gap)
{
    int64_t usual = s->p.c->cautious ? 0 : s->d->between_ns;
    int64_t least = gap < OPERATOR_GAP_NS ? gap : OPERATOR_GAP_NS;
    int64_t left = usual > 0 ? gap - usual : gap;
    left = left > least ? left : least;
    return s->p.host == 1 ? left : ns_from((double)left * s->p.host);
}

/*
 * How long the removed copying calls up to this call took. Host work beside them that is no longer
 * than they were makes room for their data or gives it back.
 */
static int64_t removed_copy(struct pass *s, uint32_t call, unsigned here)
{
    const struct depend *d = s->d;
    int64_t *copied = &s->copied[thread_of(d, call)], so_far = *copied;
    if (!(here & MARK_REMOVED)) {
        *copied = 0;
    } else if (call_class(d, call) == API_COPY || call_class(d, call) == API_COPY_ASYNC) {
        struct span c = call_span(d, call);
        *copied = so_far = add_ns(so_far, c.end - c.start);
    }
    return so_far;
}

/* Host work before a call whose neighbours may be gone. */
static int64_t gap_before(struct pass *s, uint32_t call, int64_t gap)
{
    const struct recipe *p = &s->p;
    unsigned here = recipe_mark(p, call), before = recipe_mark(p, call - 1);
    int64_t scaled = p->host == 1 ? gap : ns_from((double)gap * p->host);
    if (!(here | before))
        return scaled;
    if (here & MARK_MERGED)
        return 0;
    if (here & (MARK_GRAPH_HEAD | MARK_GRAPH_AGAIN))
        return gap_before_graph(s, gap);
    if (here & before & MARK_GRAPH) /* inside a graph the host does nothing */
        return 0;
    bool copies = p->gone || p->c->remove[REMOVE_COPY];
    int64_t copied = copies ? removed_copy(s, call, here) : 0;
    if (!((here | before) & MARK_REMOVED) || p->c->cautious)
        return scaled;
    if (gap >= SHORT_GAP_NS && gap > copied)
        return scaled;
    int64_t kept = p->kept_gap ? p->kept_gap[call] : 0;
    int64_t usual = !p->kept_gap    ? s->d->between_ns
                    : p->c->hopeful ? OPERATOR_GAP_LEAST_NS
                                    : OPERATOR_GAP_NS;
    if (!p->kept_gap && usual < 0)
        return scaled;
    int64_t *carry = &s->carry[thread_of(s->d, call)];
    int64_t rest = gap > kept ? gap - kept : 0;
    if (here & MARK_REMOVED) {
        *carry = add_ns(*carry, rest);
        return ns_from((double)kept * p->host);
    }
    rest = add_ns(rest, *carry);
    *carry = 0;
    rest = rest < usual ? rest : usual;
    double warm = here & MARK_WARM ? recipe_warm(p) : 1;
    return ns_from((double)(kept + rest) * p->host * warm);
}

/* Without a change, behind a call of the same thread. */
static inline void follow_call(struct pass *s, uint32_t call)
{
    struct replay *r = s->r;
    int64_t gap = call_span(s->d, call).start - call_span(s->d, call - 1).end;
    bind(r, call, BIND_PROGRAM, call - 1);
    r->call_start[call] = add_ns(end_of_call(s, call - 1, false), gap);
    r->call_end[call] = INT64_MIN;
    r->waited[call] = 0;
}

static inline __attribute__((always_inline)) void start_call(struct pass *s, uint32_t call,
                                                             const bool changed)
{
    struct replay *r = s->r;
    const struct depend *d = s->d;
    if (!changed && !s->handover && !call_begins(d, call)) {
        follow_call(s, call);
        return;
    }
    int64_t start = call_span(d, call).start, at = start;
    bind(r, call, BIND_START, NO_INDEX);
    if (!call_begins(d, call)) {
        int64_t gap = start - call_span(d, call - 1).end, end = end_of_call(s, call - 1, changed);
        bool handed = s->handover && s->handover[call];
        bool ahead = s->worker && gap >= AHEAD_GAP_NS && !handed;
        int64_t wait = handed ? 0 : changed ? gap_before(s, call, gap) : gap;
        int64_t stays = !ahead ? wait : s->p.c->cautious ? wait / 5 : TAKE_OVER_NS;
        at = add_ns(end, stays < wait ? stays : wait);
        bind(r, call, BIND_PROGRAM, call - 1);
        if (ahead) {
            int64_t *worker = &s->worker[thread_of(d, call)];
            *worker = add_ns(*worker == INT64_MIN ? r->call_start[d->first_call[thread_of(d, call)]]
                                                  : *worker,
                             s->p.c->workers > 1 ? wait / s->p.c->workers : wait);
            if (*worker > at) {
                at = *worker;
                bind(r, call, BIND_WORKER, NO_INDEX);
            }
        }
    }
    if (s->handover && s->handover[call]) {
        uint32_t from = s->handover[call] - 1;
        int64_t gap = start - call_span(d, from).end;
        if (changed && (recipe_mark(&s->p, call) & recipe_mark(&s->p, from) & MARK_GRAPH) &&
            gap < (s->p.c->cautious ? s->p.graph_gap_ns : HANDOVER_GAP_NS))
            gap = 0;
        else if (changed)
            gap = ns_from((double)gap * s->p.host);
        int64_t end = add_ns(end_of_call(s, from, changed), gap);
        if (end >= at || call_begins(d, call)) {
            at = end;
            bind(r, call, BIND_HANDOVER, from);
        }
    }
    r->call_start[call] = at;
    r->call_end[call] = INT64_MIN;
    r->waited[call] = 0;
}

/* ---- ops ----
 * Times and lags are bounded, so that one sum of two cannot overflow; the start is bounded again. */

static void after_op(const struct pass *s, struct ready *x, uint32_t op, int64_t lag,
                     enum binding how)
{
    later(x, s->r->op_end[op] + lag, how, (uint32_t)s->d->n_calls + op);
}

static inline void after_launch(struct pass *s, struct ready *x, uint32_t op, int64_t start,
                                const bool changed)
{
    const struct depend *d = s->d;
    uint32_t call = d->call[op];
    struct span c = call_span(d, call);
    if (start > c.end) {
        later(x, end_of_call(s, call, changed) + lag_launch(d, start, c.end), BIND_LAUNCH, call);
        return;
    }
    int64_t inside = lag_inside(d, op, start, c.start);
    if (changed && inside > 0 && (s->paced || recipe_mark(&s->p, call))) {
        int64_t own = recipe_own(&s->p, call), was = c.end - call_waits_until(d, call);
        if (own < was)
            inside = ns_from((double)inside * ((double)own / (double)was));
    }
    later(x, s->r->call_start[call] + inside, BIND_IN_CALL, call);
}

static inline void after_stream(struct pass *s, struct ready *x, uint32_t op, int64_t start,
                                const bool changed)
{
    const struct depend *d = s->d;
    uint32_t prev = d->prev[op], call = d->call[op];
    if (prev == NO_INDEX)
        return;
    int64_t lag = lag_behind(d, start, op_span(d, prev).end);
    if (changed && call != NO_INDEX && (recipe_mark(&s->p, call) & MARK_GRAPH) &&
        !(recipe_mark(&s->p, call) & MARK_GRAPH_HEAD)) {
        int64_t least = add_ns(s->r->op_start[prev], s->p.period_ns) - s->r->op_end[prev];
        lag = lag < s->p.follow_ns ? lag : s->p.follow_ns;
        lag = lag > least ? lag : least;
    }
    if (changed && call != NO_INDEX && recipe_mark(&s->p, call) & MARK_MERGED)
        lag = 0;
    after_op(s, x, prev, lag, BIND_STREAM);
}

/* From the first call that led to work to the end of the last work. */
static void measure_op(struct replay *r, uint32_t op)
{
    int64_t first = r->op_start[op];
    uint32_t call = r->d->call[op];
    if (call != NO_INDEX && r->call_start[call] < first)
        first = r->call_start[call];
    r->start_ns = first < r->start_ns ? first : r->start_ns;
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
    const struct change *c = s->changed ? r->change : NULL;
    if (c && (c->rank_typical || c->remove[REMOVE_COMMUNICATION]))
        return true;
    if (++s->came[m - d->meetings.v] < m->n)
        return false;
    int64_t all = r->op_start[last_of_meeting(r, m, r->op_start)];
    for (uint32_t i = 0; i < m->n; i++) {
        uint32_t x = d->members.v[m->first + i];
        int64_t from = r->op_start[x] > all ? r->op_start[x] : all;
        r->op_end[x] = add_ns(from, alone(s, x));
        if (x != op)
            measure_op(r, x);
    }
    return true;
}

static inline __attribute__((always_inline)) void place_op(struct pass *s, uint32_t op,
                                                           const bool changed)
{
    struct replay *r = s->r;
    const struct depend *d = s->d;
    struct span o = op_span(d, op);
    struct ready x = {o.start, BIND_START, NO_INDEX};
    if (d->call[op] != NO_INDEX)
        after_launch(s, &x, op, o.start, changed);
    if (s->lines)
        after_pipeline(s, &x, op);
    else
        after_stream(s, &x, op, o.start, changed);
    for (; s->wait < d->waits.n && d->waits.v[s->wait].op == op; s->wait++) {
        const struct depend_wait *w = &d->waits.v[s->wait];
        int64_t lag = lag_behind(d, o.start, op_span(d, w->on).end);
        if (!s->lines || w->kind == WAIT_EVENT)
            after_op(s, &x, w->on, lag, w->kind == WAIT_EVENT ? BIND_EVENT : BIND_INFERRED);
    }
    bool gone = changed && recipe_gone(&s->p, op);
    /* An op that nothing is known of keeps its time; a delay without a cause goes with the op. */
    int64_t start = x.to == NO_INDEX ? o.start : add_ns(x.at, gone ? 0 : d->residual[op]);
    bind(r, (uint32_t)d->n_calls + op, x.how, x.to);
    r->op_start[op] = start;
    r->op_end[op] = add_ns(start, changed ? recipe_op(&s->p, op) : o.end - o.start);
    bool known = !d->op_meeting || !d->op_meeting[op] || join_meeting(s, op);
    if (s->lines)
        pass_pipeline(s, op, r->op_end[op]);
    if (known)
        measure_op(r, op);
}

/* ---- all of it ---- */

static void prepare(struct pass *s, struct arena *temporary)
{
    const struct depend *d = s->d;
    const struct change *c = s->r->change;
    if (d->meetings.n) {
        s->came = arena_array(temporary, uint32_t, d->meetings.n);
        memset(s->r->met_last, 0xff, d->meetings.n * sizeof(*s->r->met_last));
    }
    if (d->handovers.n) {
        s->handover = arena_array(temporary, uint32_t, d->n_calls + 1);
        for (size_t i = 0; i < d->handovers.n; i++)
            s->handover[d->handovers.v[i].call] = d->handovers.v[i].from + 1;
    }
    if (!c)
        return;
    s->changed = true;
    s->paced = c->host > 0 && c->host != 1;
    recipe_make(&s->p, d, c, s->r->marks, temporary);
    size_t n = d->view->n_threads + 1;
    s->carry = arena_array(temporary, int64_t, n);
    s->copied = arena_array(temporary, int64_t, n);
    if (c->prefetch) {
        s->worker = arena_array(temporary, int64_t, n);
        for (size_t t = 0; t < n; t++)
            s->worker[t] = INT64_MIN;
    }
    if (!c->overlap)
        return;
    pipeline_init(s, temporary);
}

/* The end is that of the wait for the last work, where there is one. */
static void measure_end(struct replay *r)
{
    const struct depend *d = r->d;
    if (r->last_op == NO_INDEX)
        r->start_ns = r->end_ns = 0;
    else if (d->last_call != NO_INDEX && r->call_end[d->last_call] > r->end_ns)
        r->end_ns = r->call_end[d->last_call];
}

void replay_init(struct replay *r, const struct depend *d, struct arena *arena)
{
    size_t n = d->n_calls + d->n_ops;
    *r = (struct replay){.d = d};
    r->op_start = arena_array(arena, int64_t, d->n_ops + 1);
    r->op_end = arena_array(arena, int64_t, d->n_ops + 1);
    r->call_start = arena_array(arena, int64_t, d->n_calls + 1);
    r->call_end = arena_array(arena, int64_t, d->n_calls + 1);
    r->bound_to = arena_array(arena, uint32_t, n + 1);
    r->bound = arena_array(arena, uint8_t, n + 1);
    r->waited = arena_array(arena, uint8_t, d->n_calls + 1);
    r->marks = arena_array(arena, uint8_t, d->n_calls + 1);
    if (d->meetings.n)
        r->met_last = arena_array(arena, uint32_t, d->meetings.n);
}

/* All nodes in order; `changed` is known where it is called, so that each case has its own code. */
static inline __attribute__((always_inline)) void run_nodes(struct pass *s, const bool changed)
{
    const struct depend *d = s->d;
    for (size_t i = 0; i < d->n_calls + d->n_ops; i++) {
        if (d->order[i] < d->n_calls)
            start_call(s, d->order[i], changed);
        else
            place_op(s, d->order[i] - (uint32_t)d->n_calls, changed);
    }
    /* Where only times are asked for, that is the end of the last call: see measure_end(). */
    if (s->r->times_only && d->last_call != NO_INDEX)
        end_of_call(s, d->last_call, changed);
    for (uint32_t call = 0; call < d->n_calls && !s->r->times_only; call++)
        end_of_call(s, call, changed);
}

void replay_run(struct replay *r, const struct change *c)
{
    const struct depend *d = r->d;
    struct arena *temporary = arena_scratch();
    r->change = c;
    r->start_ns = INT64_MAX;
    r->end_ns = 0;
    r->last_op = NO_INDEX;
    struct pass s = {.r = r, .d = d};
    prepare(&s, temporary);
    if (s.changed)
        run_nodes(&s, true);
    else
        run_nodes(&s, false);
    measure_end(r);
    arena_release(temporary);
}

/* ---- as recorded ---- */

static void take_calls(struct replay *r)
{
    const struct depend *d = r->d;
    for (uint32_t c = 0; c < d->n_calls; c++) {
        struct span s = call_span(d, c);
        uint32_t op = d->awaited[c];
        int64_t end = op == NO_INDEX ? s.start : op_span(d, op).end;
        bool first = call_begins(d, c);
        r->call_start[c] = s.start;
        r->call_end[c] = s.end;
        r->waited[c] = (end < s.end ? end : s.end) > s.start ? WAITED_OP : WAITED_NOT;
        const struct depend_meeting *m = op == NO_INDEX ? meeting_of_call(d, c) : NULL;
        if (m && m->latest_ns > s.start)
            r->waited[c] = WAITED_MEETING;
        bind(r, c, first ? BIND_START : BIND_PROGRAM, first ? NO_INDEX : c - 1);
    }
    for (size_t i = 0; i < d->handovers.n; i++)
        bind(r, d->handovers.v[i].call, BIND_HANDOVER, d->handovers.v[i].from);
}

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
        bind(r, (uint32_t)d->n_calls + op, x.how, x.to);
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
    for (size_t i = 0; i < d->meetings.n; i++) {
        const struct depend_meeting *m = &d->meetings.v[i];
        last_of_meeting(r, m, m->kernels ? r->op_start : r->call_start);
    }
}

void replay_recorded(struct replay *r)
{
    r->change = NULL;
    r->start_ns = INT64_MAX;
    r->end_ns = 0;
    r->last_op = NO_INDEX;
    take_calls(r);
    if (take_ops(r)) {
        take_meetings(r);
        measure_end(r);
    } else {
        replay_run(r, NULL);
    }
}
