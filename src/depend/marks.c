/* Which calls a change removes or makes part of a graph, and what host work stays beside them. */
#include <string.h>

#include "analyze/ledger.h"
#include "base/sat.h"
#include "base/sort.h"
#include "base/str.h"
#include "depend/replay_in.h"

/* A launching call so much longer than usual, and at least so long, loads or compiles code. */
#define FIRST_USE_RATIO 20
#define FIRST_USE_NS 100000

static bool waits_for_result(const struct depend *d, uint32_t call)
{
    uint32_t op = awaited_op(d, call);
    return op != NO_INDEX && op_is_copy(d, op) && d->trace->copies.kind[op_row(d, op)] == COPY_D2H;
}

static bool is_first_use(const struct recipe *p, uint32_t call, enum api_class class)
{
    struct span s = call_span(p->d, call);
    int64_t ns = s.end - s.start;
    return class == API_LAUNCH && !sparse_has(&p->d->awaited, call) && ns >= FIRST_USE_NS &&
           ns >= FIRST_USE_RATIO * p->usual_launch_ns;
}

/* Copying calls, and waits for what they copied. */
static bool removes_copy(const struct recipe *p, uint32_t call, enum api_class class)
{
    const struct depend *d = p->d;
    uint32_t op = class == API_SYNC ? awaited_op(d, call) : p->op_of ? p->op_of[call] : NO_INDEX;
    if (class == API_SYNC && call == d->last_call)
        return false;
    if (class != API_SYNC && class != API_COPY && class != API_COPY_ASYNC)
        return false;
    if (p->c->remove[REMOVE_COPY] && class != API_SYNC)
        return true;
    return (p->c->remove[REMOVE_COPY] || p->gone) && op != NO_INDEX && op_is_copy(d, op) &&
           recipe_gone(p, op);
}

/* A wait just before memory is freed is for that: freeing would wait as well. */
static bool before_freeing(const struct recipe *p, uint32_t call)
{
    const struct depend *d = p->d;
    uint32_t next = call + 1;
    return call != d->last_call && next < d->n_calls && !call_begins(d, next) &&
           call_class(d, next) == API_ALLOC && sparse_has(&d->awaited, next) &&
           call_span(d, next).start - call_span(d, call).end < SHORT_GAP_NS;
}

/* The wait is removed, not kept because its result is needed. */
static bool removes_wait(const struct recipe *p, uint32_t call)
{
    const struct change *c = p->c;
    return c->remove[REMOVE_SYNC] && call != p->d->last_call &&
           call_class(p->d, call) == API_SYNC &&
           !((c->keep_results || c->cautious) && waits_for_result(p->d, call));
}

/* The wait that follows closely, with nothing else but questions and events before it. */
static uint32_t wait_behind(const struct depend *d, uint32_t call, bool only_questions)
{
    enum { LOOK = 3 };
    for (uint32_t next = call + 1; next <= call + LOOK && next < d->n_calls; next++) {
        enum api_class then = call_class(d, next);
        if (call_begins(d, next))
            return NO_INDEX;
        if (then == API_SYNC && sparse_has(&d->awaited, next))
            return next;
        if (then != API_OTHER && (only_questions || then != API_EVENT))
            return NO_INDEX;
    }
    return NO_INDEX;
}

/* The host does nothing for long between two calls of a thread. */
static bool close_to(const struct depend *d, uint32_t call, uint32_t last)
{
    for (uint32_t c = call + 1; c <= last; c++)
        if (call_span(d, c).start - call_span(d, c - 1).end >= SHORT_GAP_NS)
            return false;
    return true;
}

/*
 * Calls just before a wait that serve nothing else: recording the event it waits for, questions to
 * the runtime, and copying the result it waits for.
 */
static bool serves_wait(const struct recipe *p, uint32_t call, enum api_class class)
{
    const struct depend *d = p->d;
    if (class != API_EVENT && class != API_OTHER && class != API_COPY_ASYNC)
        return false;
    uint32_t wait = wait_behind(d, call, class == API_COPY_ASYNC);
    if (wait == NO_INDEX || sparse_has(&d->awaited, call) || !removes_wait(p, wait) ||
        !close_to(d, call, wait))
        return false;
    struct span s = call_span(d, call);
    uint32_t op = awaited_op(d, wait);
    return s.end - s.start < SHORT_GAP_NS &&
           (class != API_COPY_ASYNC || (waits_for_result(d, wait) && op_call(d, op) == call &&
                                        d->trace->copies.bytes[op_row(d, op)] < TINY_COPY_BYTES));
}

/* Streams and events that are made in the loop, as slowly as memory. */
static bool is_slow_creation(const struct recipe *p, uint32_t call, enum api_class class)
{
    struct span s = call_span(p->d, call);
    return class == API_CREATE && s.end - s.start >= LEDGER_SHORT_HOST_NS;
}

static unsigned removal_mark(const struct recipe *p, uint32_t call, enum api_class class)
{
    const struct change *c = p->c;
    if (class == API_SYNC ? removes_wait(p, call)
                          : c->remove[REMOVE_SYNC] && serves_wait(p, call, class))
        return MARK_REMOVED;
    if (c->remove[REMOVE_ALLOCATION] &&
        (class == API_ALLOC || is_slow_creation(p, call, class) ||
         (!c->cautious && class == API_SYNC && before_freeing(p, call))))
        return MARK_REMOVED;
    if (c->remove[REMOVE_LAUNCH] && class == API_LAUNCH)
        return MARK_REMOVED;
    if (removes_copy(p, call, class))
        return MARK_REMOVED;
    if (c->remove[REMOVE_FIRST_USE] && class == API_MODULE)
        return MARK_REMOVED;
    if (c->remove[REMOVE_FIRST_USE] && is_first_use(p, call, class))
        return MARK_FIRST_USE;
    if (c->overlap && call != p->d->last_call &&
        (class == API_SYNC || sparse_has(&p->d->awaited, call)))
        return MARK_FREE;
    if (c->remove[REMOVE_SYNC] && class == API_COPY && call != p->d->last_call &&
        !((c->keep_results || c->cautious) && waits_for_result(p->d, call)))
        return MARK_FREE;
    return 0;
}

/* ---- graphs ---- */

/* Calls that can be recorded: they enqueue work or order it, and wait for nothing. */
static inline bool can_record(const struct recipe *p, uint32_t call, enum api_class class)
{
    const struct depend *d = p->d;
    const struct change *c = p->c;
    bool orders =
        class == API_LAUNCH || class == API_COPY_ASYNC || class == API_EVENT || class == API_CREATE;
    if ((!orders && class != API_OTHER && class != API_MODULE) ||
        (sparse_has(&d->awaited, call) && class != API_LAUNCH) || d->about[call] & CALL_MANY ||
        call_is_graph(d, call))
        return false;
    struct span s = call_span(d, call);
    if ((c->graph_from_ns || c->graph_to_ns) &&
        (s.start < c->graph_from_ns || s.start >= c->graph_to_ns))
        return false;
    return orders || s.end - s.start < SHORT_GAP_NS; /* questions, asked once when recording */
}

/* It gives the GPU something to do. */
static bool enqueues(enum api_class class)
{
    return class == API_LAUNCH || class == API_COPY_ASYNC;
}

/* Runs of calls that can be recorded, without long host work between them. */
static void mark_graphs(struct recipe *p, size_t thread)
{
    const struct depend *d = p->d;
    uint32_t end = d->first_call[thread + 1];
    for (uint32_t c = d->first_call[thread], next; c < end; c = next) {
        enum api_class class = call_class(d, c);
        uint32_t nodes = enqueues(class);
        next = c + 1;
        if (p->marks[c] || !can_record(p, c, class))
            continue;
        while (next < end && !p->marks[next] && can_record(p, next, class = call_class(d, next)) &&
               call_span(d, next).start - call_span(d, next - 1).end < p->graph_gap_ns) {
            nodes += enqueues(class);
            next++;
        }
        if (nodes < GRAPH_NODES_LEAST)
            continue;
        memset(p->marks + c, MARK_GRAPH, next - c);
        p->marks[c] |= MARK_GRAPH_HEAD;
    }
}

/* The upload is paid once a graph; later launches of it only cost the call. */
static void only_first_uploads(struct recipe *p)
{
    bool first = true;
    for (uint32_t c = 0; c < p->d->n_calls; c++) {
        if (!(p->marks[c] & MARK_GRAPH_HEAD))
            continue;
        if (!first)
            p->marks[c] = MARK_GRAPH | MARK_GRAPH_AGAIN;
        first = false;
    }
}

/* ---- tiny copies ---- */

/* The kind of the one tiny copy that a call makes, or COPY_KINDS. */
static enum copy_kind tiny_copy(const struct recipe *p, const uint32_t *op_of, uint32_t call)
{
    const struct copies *t = &p->d->trace->copies;
    uint32_t op = op_of[call], row = op == NO_INDEX ? NO_INDEX : op_row(p->d, op);
    if (op == NO_INDEX || !op_is_copy(p->d, op) || t->bytes[row] >= TINY_COPY_BYTES)
        return COPY_KINDS;
    return (enum copy_kind)t->kind[row];
}

/* Calls between two tiny copies that go when both become one: waits for the first, questions. */
static bool goes_with_copies(const struct depend *d, uint32_t call)
{
    enum api_class class = call_class(d, call);
    uint32_t op = awaited_op(d, call);
    return (class == API_SYNC && (op == NO_INDEX || op_is_copy(d, op))) || class == API_OTHER ||
           class == API_EVENT;
}

/*
 * Tiny copies of one direction that a thread makes one after another, on one stream, become the
 * first of them. With more than short host work between them they do not belong together.
 */
static void mark_merged(struct recipe *p, size_t thread, const uint32_t *op_of)
{
    const struct depend *d = p->d;
    uint32_t end = d->first_call[thread + 1], head = NO_INDEX, last = NO_INDEX;
    for (uint32_t c = d->first_call[thread]; c < end; c++) {
        enum copy_kind kind = tiny_copy(p, op_of, c);
        bool close = head != NO_INDEX && c > head &&
                     call_span(d, c).start - call_span(d, c - 1).end < SHORT_GAP_NS;
        if (kind == COPY_KINDS) {
            if (!close || !goes_with_copies(d, c))
                head = NO_INDEX;
            continue;
        }
        bool same = close && kind == tiny_copy(p, op_of, head) &&
                    op_stream(d, op_of[head]) == op_stream(d, op_of[c]);
        if (same)
            memset(p->marks + last + 1, MARK_MERGED, c - last);
        else
            head = c;
        last = c;
    }
}

/* The last op of each call. */
static void find_ops(struct recipe *p, struct arena *temporary)
{
    const struct depend *d = p->d;
    p->op_of = arena_array(temporary, uint32_t, d->n_calls + 1);
    memset(p->op_of, 0xff, (d->n_calls + 1) * sizeof(*p->op_of));
    for (uint32_t op = 0; op < d->n_ops; op++)
        if (op_call(d, op) != NO_INDEX)
            p->op_of[op_call(d, op)] = op;
}

/* Launches of kernels that are part of the one before them. */
static void mark_fused(struct recipe *p)
{
    const struct depend *d = p->d;
    for (uint32_t op = 0; op < d->n_ops; op++) {
        uint32_t call = op_call(d, op);
        if (call != NO_INDEX && !op_is_copy(d, op) && recipe_gone(p, op) &&
            !(d->about[call] & CALL_MANY) && !(p->marks[call] & MARK_GRAPH) &&
            call_class(d, call) == API_LAUNCH)
            p->marks[call] |= MARK_MERGED;
    }
}

/* Calls that come after one that took the host out of its caches, and is gone. */
static void mark_warm(struct recipe *p)
{
    enum { NEAR = 4 };
    const struct depend *d = p->d;
    uint32_t until = 0;
    for (uint32_t c = 0; c < d->n_calls; c++) {
        enum api_class class = call_class(d, c);
        bool leaves = class == API_ALLOC || class == API_COPY || class == API_COPY_ASYNC;
        if (call_begins(d, c))
            until = c;
        if (leaves && p->marks[c] & MARK_REMOVED &&
            call_span(d, c).end - call_span(d, c).start >= COLD_NS)
            until = c + NEAR;
        else if (c < until)
            p->marks[c] |= MARK_WARM;
    }
}

/* ---- host work that stays ---- */

struct ranges {
    uint32_t *rows; /* markers of a thread, by start */
    size_t n;
};

enum { BLOCK = 64 };

/* How many calls are removed before each block of them. */
static uint32_t *count_removed(const struct recipe *p, struct arena *temporary)
{
    size_t n = p->d->n_calls;
    uint32_t *before = arena_array(temporary, uint32_t, n / BLOCK + 2);
    for (size_t c = 0; c < n; c++)
        before[c / BLOCK + 1] += p->marks[c] & MARK_REMOVED;
    for (size_t i = 1; i <= n / BLOCK + 1; i++)
        before[i] += before[i - 1];
    return before;
}

/* Of [lo, hi). */
static bool any_removed(const struct recipe *p, const uint32_t *before, uint32_t lo, uint32_t hi)
{
    while (lo < hi && (lo % BLOCK || hi - lo < BLOCK))
        if (p->marks[lo++] & MARK_REMOVED)
            return true;
    if (before[hi / BLOCK] > before[lo / BLOCK])
        return true;
    while (hi > lo && hi % BLOCK)
        if (p->marks[--hi] & MARK_REMOVED)
            return true;
    return false;
}

/*
 * Adds what lies in [from, to) before each of the calls from `lo` up to `hi`, where it is not yet
 * counted. It matters only beside calls that are removed.
 */
static void keep(struct recipe *p, uint32_t lo, uint32_t hi, struct span range, int64_t *until,
                 struct arena *temporary)
{
    const struct depend *d = p->d;
    int64_t from = range.start > *until ? range.start : *until;
    for (uint32_t c = lo; c <= hi && from < range.end; c++) {
        if (!((p->marks[c] | p->marks[c - 1]) & MARK_REMOVED))
            continue;
        int64_t before = call_span(d, c - 1).end, start = call_span(d, c).start;
        int64_t a = from > before ? from : before, b = range.end < start ? range.end : start;
        if (b <= a)
            continue;
        if (!p->kept.n || p->kept.v[p->kept.n - 1].call != c)
            vec_push(&p->kept, temporary, (struct kept_gap){.call = c});
        struct kept_gap *k = &p->kept.v[p->kept.n - 1];
        k->ns = add_ns(k->ns, b - a);
    }
    *until = range.end > *until ? range.end : *until;
}

/* The first call of [lo, hi) that starts at `time` or later; it is mostly near `lo`. */
static uint32_t call_at(const struct depend *d, uint32_t lo, uint32_t hi, int64_t time)
{
    for (uint32_t step = 1; step < hi - lo; step *= 2) {
        if (call_span(d, lo + step).start >= time) {
            hi = lo + step;
            break;
        }
        lo += step;
    }
    BISECT(lo, hi, mid, call_span(d, mid).start < time);
    return lo;
}

/* All its calls go, and they were not to make room: it did nothing but wait or copy. */
static bool is_empty(const struct recipe *p, uint32_t lo, uint32_t hi)
{
    for (uint32_t c = lo; c < hi; c++) {
        enum api_class class = call_class(p->d, c);
        if (class != API_OTHER && (class == API_ALLOC || !(p->marks[c] & MARK_REMOVED)))
            return false;
    }
    return true;
}

/*
 * What a range does besides its calls; a removed call leaves it, when that is little: an operator
 * that asks an allocator stays an operator. More is no operator but a part of the program.
 */
static bool is_operator(const struct depend *d, uint32_t lo, uint32_t hi, int64_t ns)
{
    for (uint32_t c = lo; c < hi; c++)
        ns = sub_ns(ns, call_span(d, c).end - call_span(d, c).start);
    return ns < SHORT_GAP_NS;
}

/* Ranges without a removed call in them are work that stays, and so are operators. */
static void keep_ranges(struct recipe *p, size_t thread, const struct ranges *r,
                        const uint32_t *removed, struct arena *temporary)
{
    enum { CALLS_MOST = 8 };
    const struct depend *d = p->d;
    const struct markers *m = &d->trace->markers;
    uint32_t first = d->first_call[thread], end = d->first_call[thread + 1];
    uint32_t lo = first; /* ranges are sorted by their start */
    int64_t until = INT64_MIN;
    for (size_t i = 0; i < r->n && first < end; i++) {
        struct span s = view_clip(d->view, m->start_ns[r->rows[i]], m->end_ns[r->rows[i]]);
        int64_t from = view_elapsed(d->view, s.start), to = view_elapsed(d->view, s.end);
        lo = call_at(d, lo, end, from);
        if (to <= until)
            continue;
        uint32_t hi = call_at(d, lo, end, to);
        if (any_removed(p, removed, lo, hi)) {
            bool few = hi - lo <= CALLS_MOST, empty = few && is_empty(p, lo, hi);
            until = empty ? to : until; /* with all that is in it */
            if (!few || empty || !is_operator(d, lo, hi, to - from))
                continue;
        }
        keep(p, lo > first ? lo : first + 1, hi < end ? hi : end - 1, (struct span){from, to},
             &until, temporary);
    }
}

int64_t recipe_kept(const struct recipe *p, uint32_t call)
{
    size_t lo = 0;
    BISECT(lo, p->kept.n, mid, p->kept.v[mid].call < call);
    return lo < p->kept.n && p->kept.v[lo].call == call ? p->kept.v[lo].ns : 0;
}

static void find_kept(struct recipe *p, struct arena *temporary)
{
    const struct depend *d = p->d;
    const struct trace *t = d->trace;
    const struct markers *m = &t->markers;
    struct ranges *of = arena_array(temporary, struct ranges, t->threads.n + 1);
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < m->n; i++) {
            if (m->kind[i] != MARKER_THREAD_RANGE || m->thread[i] >= t->threads.n)
                continue;
            struct ranges *r = &of[m->thread[i]];
            if (pass)
                r->rows[r->n] = i;
            r->n++;
        }
        for (size_t i = 0; !pass && i < t->threads.n; i++) {
            of[i].rows = arena_array(temporary, uint32_t, of[i].n + 1);
            of[i].n = 0;
        }
    }
    const uint32_t *removed = count_removed(p, temporary);
    p->knows_kept = true;
    for (size_t i = 0; i < t->threads.n && i < d->view->n_threads; i++) {
        sort_rows(of[i].rows, of[i].n, m->start_ns, temporary);
        keep_ranges(p, i, &of[i], removed, temporary);
    }
}

/* What a change has to do with calls of a class: most are launches, which most leave alone. */
enum concern {
    CONCERNS_NOT,
    CONCERNS_WAITS, /* they need not wait any more, where they did */
    CONCERNS_ALL,   /* see removal_mark() */
};

static enum concern concern_of(const struct recipe *p, enum api_class class)
{
    const struct change *c = p->c;
    bool copies = c->remove[REMOVE_COPY] || p->gone, marked;
    switch (class) {
    case API_HOST:
        return CONCERNS_NOT;
    case API_LAUNCH:
        marked = c->remove[REMOVE_LAUNCH] || c->remove[REMOVE_FIRST_USE];
        break;
    case API_CREATE:
        return c->remove[REMOVE_ALLOCATION] ? CONCERNS_ALL : CONCERNS_NOT;
    case API_ALLOC:
        marked = c->remove[REMOVE_ALLOCATION];
        break;
    case API_MODULE:
        marked = c->remove[REMOVE_FIRST_USE];
        break;
    case API_SYNC:
        marked = true;
        break;
    case API_COPY:
    case API_COPY_ASYNC:
        marked = c->remove[REMOVE_SYNC] || copies;
        break;
    default:
        marked = c->remove[REMOVE_SYNC];
    }
    return marked ? CONCERNS_ALL : c->overlap ? CONCERNS_WAITS : CONCERNS_NOT;
}

/* Calls that go or wait no more; false when none goes. */
static bool mark_removed(struct recipe *p)
{
    const struct depend *d = p->d;
    enum concern of[API_CLASSES];
    unsigned all = 0;
    for (int k = 0; k < API_CLASSES; k++)
        of[k] = concern_of(p, (enum api_class)k);
    for (uint32_t call = 0, n = (uint32_t)d->n_calls; call < n; call++) {
        enum api_class class = call_class(d, call);
        unsigned mark = 0;
        if (of[class] == CONCERNS_ALL)
            mark = removal_mark(p, call, class);
        else if (of[class] == CONCERNS_WAITS && sparse_has(&d->awaited, call))
            mark = call != d->last_call ? MARK_FREE : 0;
        p->marks[call] = (uint8_t)mark;
        all |= mark;
    }
    return all & MARK_REMOVED;
}

void recipe_mark_calls(struct recipe *p, uint8_t *marks, struct arena *temporary)
{
    const struct depend *d = p->d;
    const struct change *c = p->c;
    bool removes = c->overlap || c->stay;
    for (int i = 0; i < REMOVALS; i++)
        removes |= c->remove[i];
    if (!removes && !c->graph && !c->merge_copies && !c->fuse)
        return;
    p->marks = marks;
    if (!removes)
        memset(marks, 0, d->n_calls);
    if (c->merge_copies || c->stay)
        find_ops(p, temporary);
    bool any = removes && mark_removed(p);
    for (size_t t = 0; c->merge_copies && t < d->view->n_threads; t++)
        mark_merged(p, t, p->op_of);
    for (size_t t = 0; c->graph && t < d->view->n_threads; t++)
        mark_graphs(p, t);
    if (c->graph)
        only_first_uploads(p);
    if (c->fuse)
        mark_fused(p);
    if (c->remove[REMOVE_ALLOCATION] || c->remove[REMOVE_COPY] || c->stay)
        mark_warm(p);
    if (any && d->trace->markers.n)
        find_kept(p, temporary);
}
