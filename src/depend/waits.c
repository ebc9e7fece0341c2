/*
 * What host calls and streams wait for: the calls are walked in order of time, keeping the last op
 * submitted to each stream.
 *
 * A wait is taken from the profiler's own record where there is one (trace.h: syncs). Otherwise the
 * name of the call says what it waits for, and of several streams it may mean, the one whose work
 * ended last before the call did is taken.
 */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "depend/depend_in.h"

/* Streams of a process looked at when a call waits: the last used ones. */
enum { RECENT = 64, LOOK_BACK = 64, QUEUE_DEPTH = 256, LOOK_FAR = 4096 };

/* A launching call this long while the queue is deep waits for room in it. */
#define FULL_QUEUE_NS 20000

struct recent {
    uint32_t streams[RECENT];
    size_t n;
};

enum wait_for { FOR_NOTHING, FOR_OWN, FOR_STREAM, FOR_EVENT, FOR_ALL, FOR_QUEUE };

/* An event that was recorded: on which stream, and behind which op of it. */
struct recorded {
    uint32_t stream, op;
};

struct pending {
    uint32_t op, next; /* next: of the same stream, + 1 */
};

struct walk {
    struct building *b;
    struct depend *d;
    uint32_t *awaited;   /* by call: the op it waits for, or NO_INDEX */
    uint32_t *submitted; /* by stream: the last op given to it, or NO_INDEX */
    struct recent *of;   /* by process */
    uint32_t *room;      /* by stream: the op that made room in its queue last */
    uint32_t *open;      /* by process: the call that waited for all last, + 1 */
    /* What the profiler's record says of calls; all zero: no wait was recorded. */
    struct sparse waiting;     /* calls that wait, or tell a stream to: the row of syncs */
    struct sparse recording;   /* calls that recorded an event ... */
    struct recorded *recorded; /* ... which is this, by place there */
    uint32_t *pending;         /* by stream: first of its waits, + 1 */
    VEC(struct pending) pendings;
    size_t n_pending;      /* of them; with none left they begin anew */
    VEC(uint8_t) for_name; /* by string: enum wait_for + 1 of a call's name */
};

/* ---- what a call waits for, by its name ---- */

static enum wait_for judge_name(const struct walk *w, uint32_t call)
{
    const char *name = trace_str(w->d->trace, w->d->trace->regions.name[w->d->call_row[call]]);
    switch (call_class(w->d, call)) {
    case API_SYNC:
        return str_has_fold(name, "Event") || str_has_fold(name, "signal") ? FOR_EVENT
               : str_has_fold(name, "Stream")                              ? FOR_STREAM
                                                                           : FOR_ALL;
    case API_COPY:
    case API_COPY_ASYNC:
        return FOR_OWN;
    case API_ALLOC:
        return str_has_fold(name, "free") && !str_has_fold(name, "async") ? FOR_ALL : FOR_NOTHING;
    case API_LAUNCH:
        return FOR_QUEUE;
    default:
        return FOR_NOTHING;
    }
}

static enum wait_for waits_for(struct walk *w, uint32_t call)
{
    const struct regions *r = &w->d->trace->regions;
    uint32_t row = w->d->call_row[call];
    if (r->kind[row] != REGION_HIP) /* driver and other calls may share a name with another kind */
        return judge_name(w, call);
    uint8_t *known = &w->for_name.v[r->name[row]];
    if (!*known)
        *known = (uint8_t)(judge_name(w, call) + 1);
    return (enum wait_for)(*known - 1);
}

/* ---- which op that is ---- */

/* The op has ended when the call has, as far as clocks tell, and takes its place before that. */
static bool may_await(const struct depend *d, uint32_t call, uint32_t op)
{
    struct span c = call_span(d, call), o = op_span(d, op);
    int64_t at = op_call(d, op) == NO_INDEX ? o.start : call_span(d, op_call(d, op)).start;
    return o.start < c.end && at < c.end && o.end <= add_ns(c.end, CLOCK_SLACK_NS);
}

/* The last op of a stream up to `op` that a call can have waited for. */
static uint32_t back_to(const struct depend *d, uint32_t call, uint32_t op, int steps)
{
    while (op != NO_INDEX && !may_await(d, call, op) && steps-- > 0)
        op = d->ops[op].prev;
    return op != NO_INDEX && may_await(d, call, op) ? op : NO_INDEX;
}

static uint32_t later_of(const struct depend *d, uint32_t x, uint32_t y)
{
    if (x == NO_INDEX || y == NO_INDEX)
        return x == NO_INDEX ? y : x;
    return op_span(d, y).end > op_span(d, x).end ? y : x;
}

static uint32_t process_of(const struct walk *w, uint32_t call)
{
    const struct trace *t = w->d->trace;
    uint32_t thread = t->regions.thread[w->d->call_row[call]];
    return thread < t->threads.n ? t->threads.v[thread].process : (uint32_t)t->processes.n;
}

static uint32_t latest(const struct walk *w, uint32_t call, int steps)
{
    const struct recent *r = &w->of[process_of(w, call)];
    uint32_t found = NO_INDEX;
    for (size_t i = 0; i < r->n; i++)
        found = later_of(w->d, found, back_to(w->d, call, w->submitted[r->streams[i]], steps));
    return found;
}

/*
 * Its own op, when the call blocks for it: a copy to or from the host that ends with the call, or
 * that runs during most of it (of pageable memory the last piece is still on its way).
 */
static uint32_t own_op(const struct walk *w, uint32_t call)
{
    const struct building *b = w->b;
    const struct depend *d = w->d;
    if (b->first_op[call] == b->first_op[call + 1])
        return NO_INDEX;
    uint32_t op = b->ops_of_call[b->first_op[call + 1] - 1];
    struct span c = call_span(d, call), o = op_span(d, op);
    if (!op_is_copy(d, op) || o.start >= c.end)
        return NO_INDEX;
    enum copy_kind kind = (enum copy_kind)d->trace->copies.kind[op_row(d, op)];
    bool host = kind == COPY_H2D || kind == COPY_D2H;
    if (!host && call_class(d, call) != API_COPY)
        return NO_INDEX;
    if (o.end > c.end)
        return 2 * (c.end - o.start) >= c.end - c.start && c.end - o.start >= o.end - c.end
                   ? op
                   : NO_INDEX;
    return call_class(d, call) == API_COPY || (host && c.end - c.start >= FULL_QUEUE_NS) ? op
                                                                                         : NO_INDEX;
}

/* The last op of a stream before `own` that ended with the call or before. */
static uint32_t ended_by(struct walk *w, uint32_t own, int64_t end)
{
    const struct depend *d = w->d;
    uint32_t stream = op_stream(d, own), op = d->ops[own].prev;
    uint32_t *room = &w->room[stream < d->trace->streams.n ? stream : d->trace->streams.n];
    if (*room == NO_INDEX || *room >= own) {
        for (int i = 0; op != NO_INDEX && op_span(d, op).end > end && i < LOOK_FAR; i++)
            op = d->ops[op].prev;
        return *room = op;
    }
    /* Calls come in order of time: go on from the last one's. */
    for (op = *room; op < own; op++) {
        if (op_stream(d, op) != stream)
            continue;
        if (op_span(d, op).end > end)
            break;
        *room = op;
    }
    return op_span(d, *room).end <= end ? *room : NO_INDEX;
}

/* A long launch into a deep queue waits for the op that made room. */
static uint32_t room_in_queue(struct walk *w, uint32_t call)
{
    const struct building *b = w->b;
    struct span c = call_span(w->d, call);
    if (c.end - c.start < FULL_QUEUE_NS || b->first_op[call] == b->first_op[call + 1])
        return NO_INDEX;
    uint32_t own = b->ops_of_call[b->first_op[call]];
    uint32_t op = ended_by(w, own, c.end);
    bool deep = op != NO_INDEX && own - op >= QUEUE_DEPTH && op_span(w->d, op).end > c.start;
    return deep && may_await(w->d, call, op) ? op : NO_INDEX;
}

/* The op behind which an event was recorded. */
static uint32_t recorded_op(const struct walk *w, uint32_t row)
{
    const struct trace *t = w->d->trace;
    uint32_t record = syncs_record_at(t, row);
    if (syncs_source_at(t, row) == NO_INDEX || record >= t->regions.n)
        return NO_INDEX;
    uint32_t call = w->b->node_of_row[record];
    bool known = call != NO_INDEX && sparse_has(&w->recording, call);
    return known ? w->recorded[sparse_place(&w->recording, call)].op : NO_INDEX;
}

/* By that; false when it says nothing. */
static bool by_record(struct walk *w, uint32_t call, uint32_t *op)
{
    const struct trace *t = w->d->trace;
    uint32_t row = sparse_get(&w->waiting, call);
    if (row == NO_INDEX)
        return false;
    if (t->syncs.kind[row] == SYNC_EVENT)
        *op = recorded_op(w, row);
    else if (t->syncs.kind[row] == SYNC_STREAM && syncs_stream_at(t, row) != NO_INDEX)
        *op = w->submitted[syncs_stream_at(t, row)];
    else
        return false;
    if (*op != NO_INDEX)
        *op = back_to(w->d, call, *op, 0);
    return *op != NO_INDEX;
}

static uint32_t find_awaited(struct walk *w, uint32_t call)
{
    uint32_t op = NO_INDEX;
    if (by_record(w, call, &op))
        return op;
    switch (waits_for(w, call)) {
    case FOR_OWN:
        return own_op(w, call);
    case FOR_EVENT:
        return latest(w, call, LOOK_BACK);
    case FOR_STREAM:
    case FOR_ALL:
        return latest(w, call, 0);
    case FOR_QUEUE:
        return room_in_queue(w, call);
    default:
        return NO_INDEX;
    }
}

/* ---- streams ---- */

static void use_stream(struct walk *w, uint32_t stream)
{
    struct recent *r = &w->of[w->d->trace->streams.v[stream].process];
    size_t i = 0;
    if (r->n && r->streams[0] == stream)
        return;
    while (i < r->n && r->streams[i] != stream)
        i++;
    if (i == r->n && r->n < RECENT)
        r->n++;
    else if (i == r->n)
        i--;
    memmove(r->streams + 1, r->streams, i * sizeof(*r->streams));
    r->streams[0] = stream;
}

/* A stream that was told to wait does so before its next op. */
static void wait_on_stream(struct walk *w, uint32_t call)
{
    const struct trace *t = w->d->trace;
    uint32_t row = sparse_get(&w->waiting, call);
    if (row == NO_INDEX || t->syncs.kind[row] != SYNC_STREAM_WAIT)
        return;
    uint32_t stream = syncs_stream_at(t, row), op = recorded_op(w, row);
    if (stream == NO_INDEX || op == NO_INDEX || syncs_source_at(t, row) == stream)
        return;
    vec_push(&w->pendings, w->b->temporary, ((struct pending){op, w->pending[stream]}));
    w->pending[stream] = (uint32_t)w->pendings.n;
    w->n_pending++;
}

static void submit(struct walk *w, uint32_t op)
{
    uint32_t stream = op_stream(w->d, op);
    if (stream >= w->d->trace->streams.n)
        return;
    for (uint32_t at = w->pending[stream]; at; at = w->pendings.v[at - 1].next) {
        uint32_t on = w->pendings.v[at - 1].op;
        w->n_pending--;
        if (on < op && op_span(w->d, on).end <= add_ns(op_span(w->d, op).start, CLOCK_SLACK_NS))
            vec_push_alone(&w->d->waits, w->b->arena, ((struct depend_wait){op, on, WAIT_EVENT}));
    }
    w->pending[stream] = 0;
    if (!w->n_pending)
        w->pendings.n = 0;
    if (w->submitted[stream] == NO_INDEX || op > w->submitted[stream])
        w->submitted[stream] = op;
    use_stream(w, stream);
}

/* ---- the walk ---- */

/* The call that recorded the event of a row, or NO_INDEX. */
static uint32_t recording_call(const struct walk *w, size_t row)
{
    const struct trace *t = w->d->trace;
    return syncs_source_at(t, row) < t->streams.n ? depend_node_of(w->b, syncs_record_at(t, row))
                                                  : NO_INDEX;
}

/* Few calls wait, or many do: either way a bit for each call, and what there is to say of some. Of
 * several rows of a call the last one counts. */
static void take_syncs(struct walk *w)
{
    const struct trace *t = w->d->trace;
    struct arena *a = w->b->temporary;
    size_t n = w->d->n_calls;
    sparse_marks(&w->waiting, n, a);
    sparse_marks(&w->recording, n, a);
    for (size_t i = 0; i < t->syncs.n; i++) {
        uint32_t call = depend_node_of(w->b, syncs_call_at(t, i)), record = recording_call(w, i);
        if (call != NO_INDEX)
            sparse_mark(&w->waiting, call);
        if (record != NO_INDEX)
            sparse_mark(&w->recording, record);
    }
    sparse_marked(&w->waiting, n);
    sparse_marked(&w->recording, n);
    w->waiting.v = arena_array(a, uint32_t, w->waiting.n + 1);
    w->recorded = arena_array(a, struct recorded, w->recording.n + 1);
    for (size_t i = 0; i < t->syncs.n; i++) {
        uint32_t call = depend_node_of(w->b, syncs_call_at(t, i)), record = recording_call(w, i);
        if (call != NO_INDEX)
            w->waiting.v[sparse_place(&w->waiting, call)] = (uint32_t)i;
        if (record != NO_INDEX)
            w->recorded[sparse_place(&w->recording, record)] =
                (struct recorded){syncs_source_at(t, i), NO_INDEX};
    }
}

static void prepare(struct walk *w)
{
    const struct trace *t = w->d->trace;
    struct arena *a = w->b->temporary;
    w->submitted = arena_array(a, uint32_t, t->streams.n + 1);
    memset(w->submitted, 0xff, (t->streams.n + 1) * sizeof(*w->submitted));
    w->pending = arena_array(a, uint32_t, t->streams.n + 1);
    w->of = arena_array(a, struct recent, t->processes.n + 1);
    w->open = arena_array(a, uint32_t, t->processes.n + 1);
    w->room = arena_array(a, uint32_t, t->streams.n + 1);
    memset(w->room, 0xff, (t->streams.n + 1) * sizeof(*w->room));
    vec_reserve(&w->for_name, a, t->strings.n + 1);
    memset(w->for_name.v, 0, t->strings.n + 1);
    if (t->syncs.n)
        take_syncs(w);
}

/* Work that nobody is known to have submitted was so before a wait that it ended in. */
static void await_unlinked(struct walk *w, uint32_t op)
{
    const struct trace *t = w->d->trace;
    uint32_t stream = op_stream(w->d, op);
    uint32_t call = stream < t->streams.n ? w->open[t->streams.v[stream].process] : 0;
    if (call-- && may_await(w->d, call, op))
        w->awaited[call] = later_of(w->d, w->awaited[call], op);
}

/* Most calls are short launches, which wait for nothing: their names need not be asked. */
static bool may_wait(struct walk *w, uint32_t call)
{
    if (w->d->trace->syncs.n)
        return true;
    if (call_class(w->d, call) == API_LAUNCH) {
        struct span c = call_span(w->d, call);
        return c.end - c.start >= FULL_QUEUE_NS;
    }
    return waits_for(w, call) != FOR_NOTHING;
}

static void visit(struct walk *w, uint32_t call)
{
    const struct building *b = w->b;
    if (call_class(w->d, call) == API_SYNC)
        w->open[process_of(w, call)] = call + 1;
    if (may_wait(w, call))
        w->awaited[call] = find_awaited(w, call);
    if (sparse_has(&w->recording, call)) {
        struct recorded *r = &w->recorded[sparse_place(&w->recording, call)];
        r->op = w->submitted[r->stream];
    }
    wait_on_stream(w, call);
    for (uint32_t i = b->first_op[call]; i < b->first_op[call + 1]; i++)
        submit(w, b->ops_of_call[i]);
}

static int by_op(const void *x, const void *y)
{
    const struct depend_wait *a = x, *b = y;
    if (a->op != b->op)
        return a->op < b->op ? -1 : 1;
    return a->on < b->on ? -1 : a->on > b->on;
}

void depend_sort_waits(struct depend *d)
{
    size_t sorted = 1;
    while (sorted < d->waits.n && by_op(&d->waits.v[sorted - 1], &d->waits.v[sorted]) <= 0)
        sorted++;
    if (sorted < d->waits.n)
        qsort(d->waits.v, d->waits.n, sizeof(*d->waits.v), by_op);
}

/* Ops without a call whose turn it is before `until`. */
static void submit_unlinked(struct walk *w, uint32_t *op, int64_t until)
{
    if (!w->d->unlinked)
        return;
    for (; *op < w->d->n_ops && depend_turn(w->d, *op) < until; ++*op) {
        if (op_call(w->d, *op) != NO_INDEX)
            continue;
        await_unlinked(w, *op);
        submit(w, *op);
    }
}

void depend_host_waits(struct building *b)
{
    struct depend *d = b->d;
    struct walk w = {.b = b, .d = d};
    struct turns order = turns_first(d, b->temporary);
    w.awaited = arena_array(b->temporary, uint32_t, d->n_calls + 1);
    memset(w.awaited, 0xff, (d->n_calls + 1) * sizeof(*w.awaited));
    prepare(&w);
    uint32_t op = 0;
    for (size_t i = 0; i < d->n_calls; i++) {
        uint32_t call = turns_next(&order);
        submit_unlinked(&w, &op, call_span(d, call).start);
        visit(&w, call);
    }
    submit_unlinked(&w, &op, INT64_MAX);
    sparse_make(&d->awaited, w.awaited, d->n_calls, b->arena);
    if (d->waits.n)
        depend_sort_waits(d);
}
