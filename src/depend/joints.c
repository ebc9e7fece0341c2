/* Replay: the host's calls. */
#include <string.h>

#include "base/array.h"
#include "depend/replay_in.h"

/* Threads of the view are those of the trace, and one for calls without. */
static size_t thread_of(const struct depend *d, uint32_t call)
{
    uint32_t thread = d->trace->regions.thread[d->call_row[call]];
    return thread < d->view->n_threads - 1 ? thread : d->view->n_threads - 1;
}

/* When who takes part in a meeting begins. */
static int64_t comes_at(const struct replay *r, const struct depend_meeting *m, uint32_t member)
{
    return m->kernels ? replay_op(r, member).start : replay_call_start(r, member);
}

uint32_t last_of_meeting(const struct replay *r, const struct depend_meeting *m)
{
    uint32_t *last = &r->met_last[m - r->d->meetings.v];
    const uint32_t *v = &r->d->members.v[m->first];
    if (*last != NO_INDEX)
        return *last;
    *last = v[0];
    for (uint32_t i = 1; i < m->n && !m->message; i++)
        if (comes_at(r, m, v[i]) > comes_at(r, m, *last))
            *last = v[i];
    return *last;
}

/* When a call can go on that meets others. */
static int64_t leave_meeting(struct pass *s, const struct depend_meeting *m, struct joint j,
                             int64_t at)
{
    struct replay *r = s->r;
    if (s->p.c->rank_typical) /* nobody is late, and nobody knows how much */
        return add_ns(at, call_waits_until(s->d, j.call) - call_span(s->d, j.call).start);
    int64_t all = comes_at(r, m, last_of_meeting(r, m));
    if (all <= at || recipe_mark(&s->p, j.call) & (MARK_REMOVED | MARK_FREE))
        return at;
    r->joints.how.v[j.number] |= WAITED_MEETING << JOINT_WAITED;
    return all;
}

void finish_joint(struct pass *s, struct joint j)
{
    struct replay *r = s->r;
    uint8_t *how = &r->joints.how.v[j.number];
    uint32_t op = recipe_awaited(&s->p, j.call);
    struct span recorded = call_span(s->d, j.call);
    int64_t at = joint_start(r, j.number, recorded.start);
    if (op != NO_INDEX) {
        /* Clocks may say that the op ended after the call: it still ends that much before it. */
        int64_t late = op_span(s->d, op).end - recorded.end;
        int64_t end = sub_ns(asked_end(s, op), late > 0 ? late : 0);
        if (end > at) {
            at = end;
            *how |= WAITED_OP << JOINT_WAITED;
        }
    }
    const struct depend_meeting *m = meeting_of_call(s->d, j.call);
    if (m && op == NO_INDEX)
        at = leave_meeting(s, m, j, at);
    int64_t base = add_ns(at, recipe_own(&s->p, j.call));
    if (!(*how & JOINT_STILL))
        base = sub_ns(base, at_pace(r, recorded.end));
    shifts_set(&r->joints.base, j.number, base);
}

void finish_joints(struct pass *s)
{
    const struct joints *all = &s->r->joints;
    for (uint32_t i = 0; i < all->are.n; i++)
        if (!shifts_known(&all->base, i))
            finish_joint(s, (struct joint){i, (uint32_t)sparse_row(&all->are, i, s->d->n_calls)});
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
    return at_pace(s->r, left);
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
    int64_t scaled = at_pace(s->r, gap);
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
    int64_t kept = recipe_kept(p, call);
    int64_t usual = !p->knows_kept  ? s->d->between_ns
                    : p->c->hopeful ? OPERATOR_GAP_LEAST_NS
                                    : OPERATOR_GAP_NS;
    if (!p->knows_kept && usual < 0)
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

/* Behind a call of the same thread; host work that is done ahead may not be ready. */
static int64_t after_program(struct pass *s, uint32_t call, int64_t start, bool handed,
                             enum binding *how)
{
    const struct depend *d = s->d;
    int64_t before = call_span(d, call - 1).end, gap = start - before;
    bool ahead = s->worker && gap >= AHEAD_GAP_NS && !handed;
    int64_t wait = handed ? 0 : gap_before(s, call, gap);
    int64_t stays = !ahead ? wait : s->p.c->cautious ? wait / 5 : TAKE_OVER_NS;
    int64_t at = add_ns(end_of_call(s, call - 1, before), stays < wait ? stays : wait);
    *how = BIND_PROGRAM;
    if (!ahead)
        return at;
    size_t thread = thread_of(d, call);
    int64_t *worker = &s->worker[thread];
    if (*worker == INT64_MIN)
        *worker = replay_call_start(s->r, d->first_call[thread]);
    *worker = add_ns(*worker, s->p.c->workers > 1 ? wait / s->p.c->workers : wait);
    if (*worker <= at)
        return at;
    *how = BIND_WORKER;
    return *worker;
}

/* Behind a call of another thread. */
static int64_t after_handover(struct pass *s, uint32_t call, uint32_t from)
{
    int64_t before = call_span(s->d, from).end, gap = call_span(s->d, call).start - before;
    if (recipe_mark(&s->p, call) & recipe_mark(&s->p, from) & MARK_GRAPH &&
        gap < (s->p.c->cautious ? s->p.graph_gap_ns : HANDOVER_GAP_NS))
        gap = 0;
    return add_ns(end_of_call(s, from, before), at_pace(s->r, gap));
}

void start_joint(struct pass *s, struct joint j, int64_t recorded)
{
    bool begins = call_begins(s->d, j.call);
    uint32_t from = depend_handed_by(s->d, j.call);
    enum binding how = BIND_START;
    int64_t start = begins ? recorded : after_program(s, j.call, recorded, from != NO_INDEX, &how);
    if (from != NO_INDEX) {
        int64_t end = after_handover(s, j.call, from);
        if (end >= start || begins) {
            start = end;
            how = BIND_HANDOVER;
        }
    }
    shifts_set(&s->r->joints.start, j.number, sub_ns(start, at_pace(s->r, recorded)));
    s->r->joints.how.v[j.number] |= (uint8_t)how;
}

enum binding replay_call_bound(const struct replay *r, uint32_t call, uint32_t *to)
{
    unsigned known = is_joint(r, call) ? r->joints.how.v[replay_head(r, call)] : BIND_PROGRAM;
    enum binding how = (enum binding)(known & JOINT_BOUND);
    *to = how == BIND_PROGRAM    ? call - 1
          : how == BIND_HANDOVER ? depend_handed_by(r->d, call)
                                 : NO_INDEX;
    return how;
}

/* Inside a graph a call takes no time, and the host does nothing before it. */
static bool is_still(const struct depend *d, uint32_t call, unsigned mark, unsigned before)
{
    struct span s;
    if (mark != MARK_GRAPH || !(before & MARK_GRAPH))
        return false;
    s = call_span(d, call);
    return s.end - s.start < SHORT_GAP_NS; /* see recipe_own() */
}

/* How many calls from this one on are neither marked nor apart, looked at eight at a time. */
static uint32_t plain_calls(const struct depend *d, const uint8_t *marks, uint32_t c)
{
    const uint64_t each = UINT64_C(0x0101010101010101);
    uint64_t about, marked = 0;
    uint32_t n = 0;
    for (; c + n + sizeof(about) <= d->n_calls; n += sizeof(about)) {
        memcpy(&about, d->about + c + n, sizeof(about));
        if (marks)
            memcpy(&marked, marks + c + n, sizeof(marked));
        if (marked | (about & (each * CALL_APART)))
            break;
    }
    while (c + n < d->n_calls && !(d->about[c + n] & CALL_APART) && !(marks && marks[c + n]))
        n++;
    return n;
}

/* The last joint so far is that of the calls from there up to `to`. */
static inline void set_heads(struct joints *j, uint32_t from, uint32_t to)
{
    uint32_t joint = (uint32_t)j->how.n - 1;
    for (uint32_t end; from < to; from = end) {
        if (from % HEAD_GROUP == 0)
            j->head_from[from / HEAD_GROUP] = joint;
        end = from - from % HEAD_GROUP + HEAD_GROUP;
        end = end < to ? end : to;
        memset(j->head + from, (uint8_t)(joint - j->head_from[from / HEAD_GROUP]), end - from);
    }
}

void replay_room(struct replay *r)
{
    struct shifts *each[] = {&r->joints.start, &r->joints.base};
    for (size_t i = 0; i < ARRAY_LEN(each); i++) {
        if (!each[i]->off || r->joints.are.n > each[i]->n)
            shifts_make(each[i], r->joints.are.n + 1, r->arena);
        else
            shifts_forget(each[i]);
    }
}

void replay_joints(struct replay *r, const uint8_t *marks, int64_t ahead_ns)
{
    const struct depend *d = r->d;
    struct joints *j = &r->joints;
    unsigned before = 0;
    bool was_still = false;
    sparse_unmark(&j->are, d->n_calls);
    j->how.n = 0;
    j->any_still = false;
    for (uint32_t c = 0; c < d->n_calls; c++) {
        unsigned mark = marks ? marks[c] : 0;
        bool apart = d->about[c] & CALL_APART, still = !apart && is_still(d, c, mark, before);
        bool ahead = ahead_ns < INT64_MAX && !apart &&
                     call_span(d, c).start - call_span(d, c - 1).end >= ahead_ns;
        still &= !ahead;
        if (apart || ahead || (mark | before && !(still && was_still))) {
            sparse_mark(&j->are, c);
            vec_push_alone(&j->how, r->arena, still ? JOINT_STILL : 0);
            j->any_still |= still;
        }
        before = mark;
        was_still = still; /* asked for behind marked calls only */
        uint32_t plain = mark || ahead_ns < INT64_MAX ? 0 : plain_calls(d, marks, c + 1);
        set_heads(j, c, c + 1 + plain);
        c += plain;
    }
    sparse_marked(&j->are, d->n_calls);
}

/* ---- in order ---- */

/* The first call of a thread is always a joint, so that the joints of a thread are in one piece. */
struct joint_turns joints_first(const struct replay *r, struct arena *temporary)
{
    const struct depend *d = r->d;
    struct joint_turns t = {.r = r};
    t.due = arena_array(temporary, struct joint_due, d->view->n_threads + 1);
    for (size_t i = 0; i < d->view->n_threads; i++) {
        uint32_t call = d->first_call[i];
        if (call < d->first_call[i + 1])
            t.due[i] = (struct joint_due){{replay_head(r, call), call}, 1, d->first_call[i + 1]};
    }
    return t;
}

struct joint_turns joints_last(const struct replay *r, struct arena *temporary)
{
    const struct depend *d = r->d;
    struct joint_turns t = {.r = r, .i = d->n_calls};
    t.due = arena_array(temporary, struct joint_due, d->view->n_threads + 1);
    for (size_t i = 0; i < d->view->n_threads; i++) {
        uint32_t end = d->first_call[i + 1];
        if (d->first_call[i] == end)
            continue;
        uint32_t call = (uint32_t)sparse_last(&r->joints.are, end - 1);
        t.due[i] = (struct joint_due){{replay_head(r, call), call}, end - call, end};
    }
    return t;
}

bool joints_next(struct joint_turns *t, struct joint *j)
{
    const struct depend *d = t->r->d;
    struct joint_due *due = t->due, *next = due;
    const uint8_t *only = d->turn_bytes == 1 ? d->turn[0] : NULL; /* of few threads: the usual */
    size_t i = t->i, n = d->n_calls;
    for (; i < n; i++) {
        next = &due[only ? only[i] : turn_of(d, i)];
        if (!--next->turns)
            break;
    }
    t->i = i + 1;
    if (i >= n)
        return false;
    *j = next->at;
    next->at.number++;
    next->at.call = (uint32_t)sparse_next(&t->r->joints.are, j->call + 1, next->end);
    next->turns = next->at.call < next->end ? next->at.call - j->call : 0;
    return true;
}

bool joints_back(struct joint_turns *t, struct joint *j)
{
    const struct depend *d = t->r->d;
    while (t->i) {
        struct joint_due *next = &t->due[turn_of(d, --t->i)];
        if (--next->turns)
            continue;
        *j = next->at;
        if (!call_begins(d, j->call)) {
            next->at.number--;
            next->at.call = (uint32_t)sparse_last(&t->r->joints.are, j->call - 1);
            next->turns = j->call - next->at.call;
        }
        return true;
    }
    return false;
}

/* ---- as recorded ---- */

void take_joints(struct replay *r)
{
    const struct depend *d = r->d;
    struct joints *all = &r->joints;
    replay_joints(r, NULL, INT64_MAX);
    shifts_drop(&all->start);
    shifts_drop(&all->base);
    for (uint32_t i = 0, c = 0; i < all->are.n; i++, c++) {
        c = (uint32_t)sparse_next(&all->are, c, d->n_calls);
        struct span s = call_span(d, c);
        uint32_t op = awaited_op(d, c);
        int64_t end = op == NO_INDEX ? s.start : op_span(d, op).end;
        const struct depend_meeting *m = op == NO_INDEX ? meeting_of_call(d, c) : NULL;
        enum waited waited = (end < s.end ? end : s.end) > s.start ? WAITED_OP : WAITED_NOT;
        if (m && m->latest_ns > s.start)
            waited = WAITED_MEETING;
        enum binding how = d->about[c] & CALL_HANDED ? BIND_HANDOVER
                           : call_begins(d, c)       ? BIND_START
                                                     : BIND_PROGRAM;
        all->how.v[i] = (uint8_t)(how | waited << JOINT_WAITED);
    }
}
