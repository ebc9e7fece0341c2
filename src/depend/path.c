#include "depend/path.h"

#include <assert.h>

#include "base/sort.h"
#include "depend/replay_in.h"

static const struct path_info infos[PATH_KINDS] = {
#define PATH(id, key, label, doc) {key, label, doc},
#include "depend/path.def"
#undef PATH
};

const struct path_info *path_info(enum path_kind k)
{
    return &infos[k];
}

/* ---- the walk ---- */

struct walk {
    const struct replay *r;
    path_fn *fn;
    void *ctx;
    int64_t at; /* everything later is told */
};

/* The time back to `from` is of this kind. */
static void step_to(struct walk *w, int64_t from, enum path_kind kind, uint32_t op, uint32_t call)
{
    from = from < w->r->start_ns ? w->r->start_ns : from;
    if (from >= w->at)
        return;
    struct path_step s = {kind, from, w->at - from, op, call};
    w->fn(w->ctx, &s);
    w->at = from;
}

static enum path_kind op_kind(const struct depend *d, uint32_t op)
{
    uint32_t row = op_row(d, op);
    if (!op_is_copy(d, op))
        return d->view->kernel_class[d->trace->kernels.symbol[row]] == KERNEL_COLLECTIVE
                   ? PATH_COLLECTIVE
                   : PATH_KERNEL;
    switch (d->trace->copies.kind[row]) {
    case COPY_H2D:
        return PATH_COPY_H2D;
    case COPY_D2H:
        return PATH_COPY_D2H;
    default:
        return PATH_COPY_OTHER;
    }
}

static enum path_kind call_kind(const struct depend *d, uint32_t call)
{
    static const enum path_kind kinds[API_CLASSES] = {
        [API_OTHER] = PATH_CALL_OTHER,     [API_LAUNCH] = PATH_CALL_LAUNCH,
        [API_SYNC] = PATH_CALL_SYNC,       [API_COPY] = PATH_CALL_COPY,
        [API_COPY_ASYNC] = PATH_CALL_COPY, [API_ALLOC] = PATH_CALL_ALLOC,
        [API_MODULE] = PATH_CALL_MODULE,   [API_EVENT] = PATH_CALL_OTHER,
        [API_COMM] = PATH_CALL_COMM,       [API_IO] = PATH_CALL_IO,
        [API_CREATE] = PATH_CALL_OTHER,    [API_HOST] = PATH_CALL_OTHER,
    };
    return kinds[call_class(d, call)];
}

/* From a call's start back to what it waited for; false at the beginning. */
static bool leave_call_start(struct walk *w, uint32_t *node)
{
    const struct replay *r = w->r;
    uint32_t call = *node, from;
    switch (replay_call_bound(r, call, &from)) {
    case BIND_PROGRAM:
        step_to(w, replay_call_end(r, from), PATH_HOST, NO_INDEX, call);
        *node = from;
        return true;
    case BIND_HANDOVER:
        step_to(w, replay_call_end(r, from), PATH_HANDOVER, NO_INDEX, call);
        *node = from;
        return true;
    case BIND_WORKER:
        step_to(w, r->start_ns, PATH_HOST, NO_INDEX, call);
        return false;
    default:
        return false;
    }
}

/* From a call's end; the node becomes what comes before. `inside`: from a moment within it. */
static bool leave_call(struct walk *w, uint32_t *node, bool inside)
{
    const struct replay *r = w->r;
    uint32_t call = *node;
    if (!inside &&
        replay_waited(r, call) == WAITED_MEETING) { /* on with who came last, from its start */
        *node = r->met_last[sparse_get(&r->d->call_meeting, call)];
        step_to(w, replay_call_start(r, *node), call_kind(r->d, call), NO_INDEX, call);
        return leave_call_start(w, node);
    }
    if (!inside && replay_waited(r, call)) {
        uint32_t op = awaited_op(r->d, call);
        step_to(w, replay_op(r, op).end, call_kind(r->d, call), NO_INDEX, call);
        *node = (uint32_t)r->d->n_calls + op;
        return true;
    }
    step_to(w, replay_call_start(r, call), call_kind(r->d, call), NO_INDEX, call);
    return leave_call_start(w, node);
}

/* The part of the way to an op that its edge explains; the rest is delay. */
static void step_way(struct walk *w, uint32_t op, int64_t from, int64_t usual, enum path_kind kind)
{
    step_to(w, add_ns(from, usual), PATH_DELAY, op, NO_INDEX);
    step_to(w, from, kind, op, NO_INDEX);
}

static bool leave_op(struct walk *w, uint32_t *node, bool *inside)
{
    const struct replay *r = w->r;
    const struct depend *d = r->d;
    uint32_t op = *node - (uint32_t)d->n_calls;
    *inside = false;
    uint32_t m = sparse_get(&d->op_meeting, op);
    if (m != NO_INDEX) { /* on with the one that began last */
        uint32_t last = r->met_last[m];
        if (last != NO_INDEX && replay_op(r, last).start > replay_op(r, op).start) {
            step_to(w, replay_op(r, last).start, op_kind(d, op), op, NO_INDEX);
            op = last;
            *node = (uint32_t)d->n_calls + op;
        }
    }
    uint32_t to = replay_bound_to(r, op);
    int64_t start = replay_op(r, op).start;
    step_to(w, start, op_kind(d, op), op, NO_INDEX);
    if (to == NO_INDEX)
        return false;
    switch (replay_bound(r, op)) {
    case BIND_LAUNCH:
        step_way(w, op, replay_call_end(r, to), d->launch_ns, PATH_LATENCY);
        break;
    case BIND_IN_CALL:
        if (start > replay_call_end(r, to)) /* it waited longer than the call took */
            step_to(w, replay_call_end(r, to), PATH_DELAY, op, NO_INDEX);
        *inside = true;
        break;
    case BIND_EVENT:
    case BIND_INFERRED:
        step_way(w, op, replay_op(r, to - (uint32_t)d->n_calls).end, d->queue_ns, PATH_EVENT);
        break;
    default:
        step_way(w, op, replay_op(r, to - (uint32_t)d->n_calls).end, d->queue_ns, PATH_QUEUE);
    }
    *node = to;
    return true;
}

void path_walk(const struct replay *r, path_fn *fn, void *ctx)
{
    const struct depend *d = r->d;
    struct walk w = {r, fn, ctx, r->end_ns};
    if (r->last_op == NO_INDEX)
        return;
    uint32_t node = (uint32_t)d->n_calls + r->last_op;
    if (d->last_call != NO_INDEX && replay_call_end(r, d->last_call) >= r->end_ns)
        node = d->last_call;
    bool more = true, inside = false; /* a moment within the call at hand, not its end */
    while (more && w.at > r->start_ns) {
        if (node >= d->n_calls) {
            more = leave_op(&w, &node, &inside);
        } else {
            more = leave_call(&w, &node, inside);
            inside = false;
        }
    }
    step_to(&w, r->start_ns, PATH_START, NO_INDEX, NO_INDEX);
    assert(w.at <= r->start_ns); /* so the steps add up to the time of the run */
}

static void add_step(void *ctx, const struct path_step *s)
{
    int64_t *ns = ctx;
    ns[s->kind] = add_ns(ns[s->kind], s->ns);
}

void path_compose(const struct replay *r, int64_t ns[PATH_KINDS])
{
    for (enum path_kind k = 0; k < PATH_KINDS; k++)
        ns[k] = 0;
    path_walk(r, add_step, ns);
}

enum path_kind path_largest(const int64_t ns[PATH_KINDS])
{
    enum path_kind most = 0;
    for (enum path_kind k = 1; k < PATH_KINDS; k++)
        if (ns[k] > ns[most])
            most = k;
    return most;
}

/* ---- slack ---- */

/*
 * Latest times: none is before the recorded one, since the recorded run ends in time. They and all
 * lengths are bounded, so that plain differences do.
 */
struct late {
    const struct depend *d;
    const struct replay *r; /* as recorded: which joint a call is or follows */
    int64_t *start;         /* by joint ... */
    int64_t *after;         /* ... and how much later it and those that follow it may end */
    /* The latest end of each op: of those in d->asked by place there; of others only of the next one
     * of each stream, for nothing but the op behind it holds it. */
    int64_t *asked, *next;
    struct op_lengths *slack;
    uint32_t *comes; /* by call: the meeting it comes to first, + 1; NULL: there are none */
    int64_t *met;    /* by meeting: when the last one comes at the latest */
};

static void not_after(int64_t *slot, int64_t ns)
{
    if (ns < *slot)
        *slot = ns;
}

static int64_t *latest_end(const struct late *l, uint32_t op)
{
    const struct depend *d = l->d;
    return sparse_has(&d->asked, op) ? &l->asked[sparse_place(&d->asked, op)]
                                     : &l->next[op_lane(d, op)];
}

static void take_slack(struct late *l, uint32_t op, int64_t latest)
{
    int64_t slack = sub_ns(latest, op_span(l->d, op).end);
    op_lengths_set(l->slack, op, slack > 0 ? slack : 0);
}

/* A call's end is not later than this, or its start; calls that follow a joint hold its end. */
static void hold_end_at(const struct late *l, uint32_t call, int64_t ns)
{
    not_after(&l->after[replay_head(l->r, call)], ns - call_span(l->d, call).end);
}

static void hold_start_at(const struct late *l, uint32_t call, int64_t ns)
{
    uint32_t j = replay_head(l->r, call);
    if (is_joint(l->r, call))
        not_after(&l->start[j], ns);
    else
        not_after(&l->after[j], ns - call_span(l->d, call).start);
}

/* All of a collective begin in time for the one that may least be late; found when the first is
 * asked for: then the ends of all are known. */
static int64_t latest_start(struct late *l, const struct depend_meeting *m)
{
    int64_t *met = &l->met[m - l->d->meetings.v];
    for (uint32_t i = 0; *met == QUANTITY_MOST && i < m->n; i++) {
        uint32_t x = l->d->members.v[m->first + i];
        not_after(met, *latest_end(l, x) - op_alone(l->d, x));
    }
    return *met;
}

/* What must not be later so that an op does not begin later than it may. */
static void hold_op(struct late *l, uint32_t op, size_t first)
{
    const struct depend *d = l->d;
    struct span o = op_span(d, op);
    const struct depend_meeting *m = meeting_of_op(d, op);
    int64_t *end = latest_end(l, op), latest = *end;
    int64_t begin = m ? latest_start(l, m) : latest - (o.end - o.start);
    int64_t start = begin - depend_residual(d, op);
    uint32_t prev = d->ops[op].prev;
    if (!sparse_has(&d->asked, op)) {
        take_slack(l, op, latest);
        *end = d->end_ns; /* from here on of the op before it */
    }
    if (prev != NO_INDEX)
        not_after(latest_end(l, prev), start - lag_behind(d, o.start, op_span(d, prev).end));
    for (size_t i = first; i < d->waits.n && d->waits.v[i].op == op; i++)
        not_after(latest_end(l, d->waits.v[i].on),
                  start - lag_behind(d, o.start, op_span(d, d->waits.v[i].on).end));
    if (op_call(d, op) == NO_INDEX)
        return;
    struct span c = call_span(d, op_call(d, op));
    if (o.start > c.end)
        hold_end_at(l, op_call(d, op), start - lag_launch(d, o.start, c.end));
    else
        hold_start_at(l, op_call(d, op), start - lag_inside(d, op, o.start, c.start));
}

/* A call's own time begins so late at most; and what it waits for ends then. */
static int64_t hold_end(struct late *l, uint32_t call)
{
    const struct depend *d = l->d;
    struct span c = call_span(d, call);
    uint32_t op = awaited_op(d, call);
    int64_t begin = l->after[replay_head(l->r, call)] + call_waits_until(d, call);
    if (op != NO_INDEX) {
        int64_t late = op_span(d, op).end - c.end;
        not_after(latest_end(l, op), begin + (late > 0 ? late : 0));
    } else if (sparse_has(&d->call_meeting, call)) {
        not_after(&l->met[sparse_get(&d->call_meeting, call)], begin);
    }
    return begin;
}

static bool waits(const struct depend *d, uint32_t call)
{
    return sparse_has(&d->awaited, call) || sparse_has(&d->call_meeting, call);
}

/* Who comes to a meeting does so in time for all others; who sends, for the one that receives. */
static int64_t hold_meeting(const struct late *l, uint32_t call)
{
    uint32_t m = l->comes ? l->comes[call] : 0;
    return m ? l->met[m - 1] : QUANTITY_MOST;
}

static void hold_joint(struct late *l, struct joint j)
{
    const struct depend *d = l->d;
    uint32_t call = j.call, from = depend_handed_by(d, call);
    int64_t *start = &l->start[j.number];
    struct span c = call_span(d, call);
    not_after(start, waits(d, call) ? hold_end(l, call) : l->after[j.number] + c.start);
    not_after(start, hold_meeting(l, call));
    if (!call_begins(d, call)) {
        int64_t gap = c.start - call_span(d, call - 1).end;
        hold_end_at(l, call - 1, *start - (from != NO_INDEX ? 0 : gap));
    }
    if (from != NO_INDEX)
        hold_end_at(l, from, *start - (c.start - call_span(d, from).end));
}

/*
 * Calls that wait, by their end: going back in time, a call's end comes before what it waited for,
 * its start after.
 */
static uint32_t *by_end(const struct depend *d, size_t *n, struct arena *temporary)
{
    *n = 0;
    for (uint32_t c = 0; c < d->n_calls; c++)
        *n += waits(d, c);
    uint32_t *calls = arena_array(temporary, uint32_t, *n + 1);
    bool sorted = true; /* as those of one thread are */
    *n = 0;
    for (uint32_t c = 0; c < d->n_calls; c++) {
        if (!waits(d, c))
            continue;
        sorted &= !*n || call_span(d, calls[*n - 1]).end <= call_span(d, c).end;
        calls[(*n)++] = c;
    }
    if (sorted)
        return calls;
    int64_t *end = arena_array(temporary, int64_t, *n + 1);
    uint32_t *order = arena_array(temporary, uint32_t, *n + 1);
    for (size_t i = 0; i < *n; i++) {
        end[i] = call_span(d, calls[i]).end;
        order[i] = (uint32_t)i;
    }
    sort_rows(order, *n, end, temporary);
    for (size_t i = 0; i < *n; i++)
        order[i] = calls[order[i]];
    return order;
}

/* How far the way back has come: what is below these is still to be held. */
struct back {
    size_t wait; /* of d->waits */
    uint32_t op;
    uint32_t *waiting; /* calls by their end */
    size_t ends;       /* of them */
};

/* Ends of calls up to a node are held before it is: what began before a call's end does not depend
 * on it. */
static void hold_ends(struct late *l, struct back *b, int64_t start)
{
    while (b->ends && call_span(l->d, b->waiting[b->ends - 1]).end > start)
        hold_end(l, b->waiting[--b->ends]);
}

/* All ops whose turn it is at this moment or later. */
static void hold_ops(struct late *l, struct back *b, int64_t from)
{
    const struct depend *d = l->d;
    while (b->op > 0 && depend_turn(d, b->op - 1) >= from) {
        b->op--;
        hold_ends(l, b, op_span(d, b->op).start);
        while (b->wait > 0 && d->waits.v[b->wait - 1].op >= b->op)
            b->wait--;
        hold_op(l, b->op, b->wait);
    }
}

static void prepare_meetings(struct late *l, struct arena *temporary)
{
    const struct depend *d = l->d;
    l->met = arena_array(temporary, int64_t, d->meetings.n);
    l->comes = arena_array(temporary, uint32_t, d->n_calls + 1);
    for (size_t i = 0; i < d->meetings.n; i++) {
        const struct depend_meeting *m = &d->meetings.v[i];
        l->met[i] = QUANTITY_MOST;
        for (uint32_t k = 0; !m->kernels && k < (m->message ? 1 : m->n); k++)
            l->comes[d->members.v[m->first + k]] = (uint32_t)i + 1;
    }
}

/* Nothing is held yet: all may be as late as the end. */
static void prepare_late(struct late *l, const struct replay *r, struct arena *arena,
                         struct arena *temporary)
{
    const struct depend *d = r->d;
    *l = (struct late){.d = d, .r = r};
    l->slack = arena_new(arena, struct op_lengths);
    op_lengths_make(l->slack, d->n_ops, arena);
    l->asked = arena_array(temporary, int64_t, d->asked.n + 1);
    l->next = arena_array(temporary, int64_t, d->trace->streams.n + 1);
    l->start = arena_array(temporary, int64_t, r->joints.are.n + 1);
    l->after = arena_array(temporary, int64_t, r->joints.are.n + 1);
    for (size_t i = 0; i < r->joints.are.n; i++)
        l->start[i] = l->after[i] = QUANTITY_MOST;
    for (size_t i = 0; i < d->asked.n; i++)
        l->asked[i] = d->end_ns;
    for (size_t i = 0; i <= d->trace->streams.n; i++)
        l->next[i] = d->end_ns;
    if (d->meetings.n)
        prepare_meetings(l, temporary);
}

struct op_lengths *path_slack(const struct replay *recorded, struct arena *arena)
{
    const struct depend *d = recorded->d;
    struct arena *temporary = arena_scratch();
    struct late l;
    prepare_late(&l, recorded, arena, temporary);
    if (d->last_call != NO_INDEX)
        hold_end_at(&l, d->last_call, d->end_ns);
    struct back at = {.wait = d->waits.n, .op = (uint32_t)d->n_ops};
    at.waiting = by_end(d, &at.ends, temporary);
    struct joint_turns order = joints_last(recorded, temporary);
    for (struct joint j; joints_back(&order, &j);) {
        int64_t start = call_span(d, j.call).start;
        hold_ops(&l, &at, start);
        hold_ends(&l, &at, start);
        hold_joint(&l, j);
    }
    hold_ops(&l, &at, INT64_MIN);
    for (uint32_t op = 0; op < d->n_ops; op++)
        if (sparse_has(&d->asked, op)) /* now that all that may hold it has been seen */
            take_slack(&l, op, *latest_end(&l, op));
    arena_release(temporary);
    return l.slack;
}
