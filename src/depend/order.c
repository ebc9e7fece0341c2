/* The nodes of the graph, and an order of them in which every edge leads back. */
#include <assert.h>
#include <string.h>

#include "base/sort.h"
#include "base/str.h"
#include "depend/depend_in.h"

/* A call with so many ops launched them as one. */
enum { MANY = 4 };

/* Times from the start of the view, clipped to it, without pauses of the recording. */
static struct span time_of(const struct view *v, int64_t start, int64_t end)
{
    struct span s = view_clip(v, start, end);
    if (v->paused.n)
        return (struct span){view_elapsed(v, s.start), view_elapsed(v, s.end)};
    return (struct span){s.start - v->start_ns, s.end - v->start_ns};
}

/* What is known of calls of each kind and name, by view_call_place(). */
static uint8_t *about_names(const struct building *b)
{
    const struct view *v = b->d->view;
    size_t n = v->n_names * REGION_KINDS;
    uint8_t *about = arena_array(b->temporary, uint8_t, n);
    for (size_t i = 0; i < n; i++) {
        bool graph = v->call_class[i] == API_LAUNCH &&
                     str_has(view_name_text(v, i % v->n_names), "GraphLaunch");
        about[i] = graph ? CALL_GRAPH : v->call_class[i];
    }
    return about;
}

/* Calls, and which of them each row of the regions lies in. */
static void collect_calls(struct building *b)
{
    struct depend *d = b->d;
    const struct view *v = d->view;
    const uint8_t *about = about_names(b);
    d->cut = v->paused.n > 0;
    const struct regions *r = &d->trace->regions;
    for (size_t i = 0; i < v->n_threads; i++)
        d->n_calls += v->threads[i].n_outer;
    assert(!v->is_slice);
    d->call_row = v->outer;
    d->first_call = arena_array(b->arena, uint32_t, v->n_threads + 1);
    d->about = arena_array(b->arena, uint8_t, d->n_calls + 1);
    b->node_of_row = arena_array(b->temporary, uint32_t, r->n + 1);
    memset(b->node_of_row, 0xff, (r->n + 1) * sizeof(*b->node_of_row));
    uint32_t node = 0;
    for (size_t i = 0; i < v->n_threads; i++) {
        const struct view_thread *th = &v->threads[i];
        size_t next = 0;
        d->first_call[i] = node;
        struct view_calls calls = view_calls(v, i);
        for (uint32_t call; view_next_call(&calls, &call);) {
            if (next < th->n_outer && th->outer[next] == call) {
                d->about[node + next] =
                    (uint8_t)(about[view_call_place(v, call)] | (next ? 0 : CALL_BEGINS));
                d->cut |= r->start_ns[call] < v->start_ns || r->end_ns[call] > v->end_ns ||
                          r->end_ns[call] < r->start_ns[call];
                b->node_of_row[call] = node + (uint32_t)next++;
            } else if (next && r->start_ns[call] < r->end_ns[th->outer[next - 1]]) {
                b->node_of_row[call] = node + (uint32_t)next - 1;
            }
        }
        node += (uint32_t)th->n_outer;
    }
    d->first_call[v->n_threads] = node;
}

/* ---- the order ---- */

/* Nodes that are in order: a thread's calls, a GPU's kernels or copies. */
struct list {
    const uint32_t *rows; /* of kernels or copies; NULL: calls */
    uint32_t copy;        /* DEPEND_COPY when they are copies */
    uint32_t at, end;     /* calls, or places in rows */
    uint32_t rank;        /* among the lists: nodes of the same moment stand in this order */
    size_t thread;        /* of calls */
    /* The first of them. An op takes its place at its start, and not before the call that
     * launched it. */
    int64_t key;
    struct span time;
    uint32_t call;
};

struct lists {
    struct list *v;
    size_t n;
    uint32_t *last;    /* by stream: the op numbered last */
    size_t calls, ops; /* put in order so far */
};

static void look_at_first(const struct building *b, struct list *l)
{
    const struct trace *t = b->d->trace;
    if (!l->rows) {
        l->key = call_span(b->d, l->at).start;
        return;
    }
    uint32_t row = l->rows[l->at];
    l->time = l->copy ? time_of(b->d->view, t->copies.start_ns[row], t->copies.end_ns[row])
                      : time_of(b->d->view, t->kernels.start_ns[row], t->kernels.end_ns[row]);
    l->call = depend_node_of(b, l->copy ? t->copies.call[row] : t->kernels.call[row]);
    int64_t called = l->call == NO_INDEX ? l->time.start : call_span(b->d, l->call).start;
    l->key = called > l->time.start ? called : l->time.start;
}

static void add_list(const struct building *b, struct lists *all, struct list l)
{
    if (l.at == l.end)
        return;
    l.rank = (uint32_t)all->n;
    look_at_first(b, &l);
    all->v[all->n++] = l;
}

static void collect_lists(const struct building *b, struct lists *all)
{
    const struct depend *d = b->d;
    const struct view *v = d->view;
    all->v = arena_array(b->temporary, struct list, v->n_threads + 2 * v->n_gpus + 1);
    all->n = 0;
    for (size_t t = 0; t < v->n_threads; t++)
        add_list(b, all,
                 (struct list){.at = d->first_call[t], .end = d->first_call[t + 1], .thread = t});
    for (size_t g = 0; g < v->n_gpus; g++) {
        const struct view_gpu *gpu = &v->gpus[g];
        add_list(b, all, (struct list){.rows = gpu->kernels, .end = (uint32_t)gpu->n_kernels});
        add_list(b, all,
                 (struct list){
                     .rows = gpu->copies, .copy = DEPEND_COPY, .end = (uint32_t)gpu->n_copies});
    }
}

/* The first node of a list is the next one of all; an op gets its number and its link. */
static void append(struct building *b, struct lists *all, const struct list *l)
{
    struct depend *d = b->d;
    if (!l->rows) {
        for (unsigned k = 0; k < d->turn_bytes; k++)
            d->turn[k][all->calls] = (uint8_t)(l->thread >> 8 * k);
        all->calls++;
        return;
    }
    size_t op = all->ops++;
    if (d->op_start) {
        d->op_start[op] = l->time.start;
        d->op_end[op] = l->time.end;
    }
    d->ops[op].row = l->rows[l->at] | l->copy;
    if (d->op_call)
        d->op_call[op] = l->call;
    d->unlinked += l->call == NO_INDEX;
    uint32_t *slot = &all->last[op_lane(d, (uint32_t)op)];
    d->ops[op].prev = *slot;
    *slot = (uint32_t)op;
}

static bool before(const struct list *x, const struct list *y)
{
    return x->key != y->key ? x->key < y->key : x->rank < y->rank;
}

static void sift_down(struct list **heap, size_t n, size_t i)
{
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        child += child + 1 < n && before(heap[child + 1], heap[child]);
        if (!before(heap[child], heap[i]))
            return;
        struct list *swap = heap[i];
        heap[i] = heap[child];
        heap[child] = swap;
    }
}

static void restart(struct building *b, struct lists *all)
{
    size_t n_streams = b->d->trace->streams.n + 1;
    memset(all->last, 0xff, n_streams * sizeof(*all->last));
    all->calls = all->ops = 0;
    b->d->unlinked = 0;
}

/* Merges the lists; false when one of them is not in order. */
static bool merge(struct building *b, struct lists *all)
{
    struct list **heap = arena_array(b->temporary, struct list *, all->n + 1);
    size_t n = all->n;
    restart(b, all);
    for (size_t i = 0; i < n; i++)
        heap[i] = &all->v[i];
    for (size_t i = n / 2; i-- > 0;)
        sift_down(heap, n, i);
    while (n) {
        struct list *l = heap[0];
        append(b, all, l);
        if (++l->at == l->end) {
            heap[0] = heap[--n];
        } else {
            int64_t key = l->key;
            look_at_first(b, l);
            if (l->key < key)
                return false;
        }
        sift_down(heap, n, 0);
    }
    return true;
}

/* Where clocks disagree, a launch may overtake another: all nodes are sorted. */
static void sort_nodes(struct building *b, struct lists *all)
{
    struct depend *d = b->d;
    size_t n = d->n_calls + d->n_ops, k = 0;
    struct arena *room = arena_scratch();
    int64_t *key = arena_array(room, int64_t, n + 1);
    uint32_t *order = arena_array(room, uint32_t, n + 1);
    uint32_t *list_of = arena_array(room, uint32_t, n + 1);
    uint32_t *at = arena_array(room, uint32_t, n + 1);
    collect_lists(b, all);
    restart(b, all);
    for (uint32_t i = 0; i < all->n; i++) {
        for (struct list l = all->v[i]; l.at < l.end; l.at++, k++) {
            look_at_first(b, &l);
            order[k] = (uint32_t)k;
            key[k] = l.key;
            list_of[k] = i;
            at[k] = l.at;
        }
    }
    sort_rows(order, n, key, room);
    for (size_t i = 0; i < n; i++) {
        struct list l = all->v[list_of[order[i]]];
        l.at = at[order[i]];
        look_at_first(b, &l);
        append(b, all, &l);
    }
    arena_release(room);
}

static bool reach_out(const struct view *v, const uint32_t *rows, size_t n, const int64_t *start_ns,
                      const int64_t *end_ns)
{
    bool out = false;
    for (size_t i = 0; i < n; i++) {
        int64_t start = start_ns[rows[i]], end = end_ns[rows[i]];
        out |= start < v->start_ns || end > v->end_ns || end < start;
    }
    return out;
}

/* Times of some ops are not just those of the trace, from the start of the view. */
static bool any_clipped(const struct view *v)
{
    const struct trace *t = v->trace;
    bool some = v->paused.n > 0;
    for (size_t g = 0; g < v->n_gpus && !some; g++) {
        const struct view_gpu *u = &v->gpus[g];
        some = reach_out(v, u->kernels, u->n_kernels, t->kernels.start_ns, t->kernels.end_ns) ||
               reach_out(v, u->copies, u->n_copies, t->copies.start_ns, t->copies.end_ns);
    }
    return some;
}

static bool any_of(const struct building *b, const uint32_t *rows, size_t n, const uint32_t *call)
{
    for (size_t i = 0; i < n; i++)
        if (depend_node_of(b, call[rows[i]]) != NO_INDEX)
            return true;
    return false;
}

/* Some op was submitted by a call that is known. */
static bool any_called(const struct building *b)
{
    const struct trace *t = b->d->trace;
    const struct view *v = b->d->view;
    bool some = false;
    for (size_t g = 0; g < v->n_gpus && !some; g++)
        some = any_of(b, v->gpus[g].kernels, v->gpus[g].n_kernels, t->kernels.call) ||
               any_of(b, v->gpus[g].copies, v->gpus[g].n_copies, t->copies.call);
    return some;
}

/* Orders all nodes by time, calls before ops of the same moment, and numbers the ops. */
static void order_nodes(struct building *b)
{
    struct depend *d = b->d;
    struct lists all = {.n = 0};
    d->n_ops = d->view->n_kernels + d->view->n_copies;
    for (size_t most = d->view->n_threads - 1; most; most >>= 8)
        d->turn[d->turn_bytes++] = arena_array(b->arena, uint8_t, d->n_calls + 1);
    if (any_clipped(d->view)) {
        d->op_start = arena_array(b->arena, int64_t, d->n_ops + 1);
        d->op_end = arena_array(b->arena, int64_t, d->n_ops + 1);
    }
    d->ops = arena_array(b->arena, struct op, d->n_ops + 1);
    if (any_called(b))
        d->op_call = arena_array(b->arena, uint32_t, d->n_ops + 1);
    all.last = arena_array(b->temporary, uint32_t, d->trace->streams.n + 1);
    collect_lists(b, &all);
    if (!merge(b, &all))
        sort_nodes(b, &all);
}

/* The ops of each call, in order. */
static void group_ops(struct building *b)
{
    struct depend *d = b->d;
    b->first_op = arena_array(b->temporary, uint32_t, d->n_calls + 2);
    if (!d->op_call)
        return;
    b->ops_of_call = arena_array(b->temporary, uint32_t, d->n_ops + 1);
    for (size_t op = 0; op < d->n_ops; op++)
        if (op_call(d, op) != NO_INDEX)
            b->first_op[op_call(d, op) + 2]++;
    for (size_t c = 2; c < d->n_calls + 2; c++)
        b->first_op[c] += b->first_op[c - 1];
    for (size_t op = 0; op < d->n_ops; op++)
        if (op_call(d, op) != NO_INDEX)
            b->ops_of_call[b->first_op[op_call(d, op) + 1]++] = (uint32_t)op;
    for (size_t c = 0; c < d->n_calls; c++)
        if (b->first_op[c + 1] - b->first_op[c] >= MANY)
            d->about[c] |= CALL_MANY;
}

struct turns turns_first(const struct depend *d, struct arena *temporary)
{
    struct turns t = {.d = d, .at = arena_array(temporary, uint32_t, d->view->n_threads + 1)};
    memcpy(t.at, d->first_call, d->view->n_threads * sizeof(*t.at));
    return t;
}

void depend_order(struct building *b)
{
    collect_calls(b);
    order_nodes(b);
    group_ops(b);
}
