/* The nodes of the graph, and an order of them in which every edge leads back. */
#include <string.h>

#include "base/sort.h"
#include "depend/depend_in.h"

/* A call with so many ops launched them as one. */
enum { MANY = 4 };

/* Times from the start of the view, clipped to it. */
static struct span time_of(const struct view *v, int64_t start, int64_t end)
{
    struct span s = view_clip(v, start, end);
    return (struct span){s.start - v->start_ns, s.end - v->start_ns};
}

/* Calls, and which of them each row of the regions lies in. */
static void collect_calls(struct building *b)
{
    struct depend *d = b->d;
    const struct view *v = d->view;
    const struct regions *r = &d->trace->regions;
    for (size_t i = 0; i < v->n_threads; i++)
        d->n_calls += v->threads[i].n_outer;
    d->call_row = arena_array(b->arena, uint32_t, d->n_calls + 1);
    d->call_time = arena_array(b->arena, struct span, d->n_calls + 1);
    d->first_call = arena_array(b->arena, uint32_t, v->n_threads + 1);
    d->flags = arena_array(b->arena, uint8_t, d->n_calls + 1);
    b->node_of_row = arena_array(b->temporary, uint32_t, r->n + 1);
    memset(b->node_of_row, 0xff, (r->n + 1) * sizeof(*b->node_of_row));
    uint32_t node = 0;
    for (size_t i = 0; i < v->n_threads; i++) {
        const struct view_thread *th = &v->threads[i];
        size_t next = 0;
        d->first_call[i] = node;
        if (th->n_outer)
            d->flags[node] = CALL_BEGINS;
        for (size_t k = 0; k < th->n_calls; k++) {
            uint32_t call = th->calls[k];
            if (next < th->n_outer && th->outer[next] == call) {
                d->call_row[node + next] = call;
                d->call_time[node + next] = time_of(v, r->start_ns[call], r->end_ns[call]);
                b->node_of_row[call] = node + (uint32_t)next++;
            } else if (next && r->start_ns[call] < r->end_ns[th->outer[next - 1]]) {
                b->node_of_row[call] = node + (uint32_t)next - 1;
            }
        }
        node += (uint32_t)th->n_outer;
    }
    d->first_call[v->n_threads] = node;
}

static uint32_t node_of(const struct building *b, uint32_t call)
{
    return call < b->d->trace->regions.n ? b->node_of_row[call] : NO_INDEX;
}

/* Ops as they lie in the view, GPU by GPU. */
static void collect_ops(struct building *b, uint32_t *row, uint32_t *call)
{
    const struct view *v = b->d->view;
    const struct trace *t = b->d->trace;
    size_t n = 0;
    for (size_t g = 0; g < v->n_gpus; g++) {
        for (size_t i = 0; i < v->gpus[g].n_kernels; i++, n++) {
            row[n] = v->gpus[g].kernels[i];
            call[n] = node_of(b, t->kernels.call[row[n]]);
            b->d->op_time[n] = time_of(v, t->kernels.start_ns[row[n]], t->kernels.end_ns[row[n]]);
        }
        for (size_t i = 0; i < v->gpus[g].n_copies; i++, n++) {
            uint32_t copy = v->gpus[g].copies[i];
            row[n] = copy | DEPEND_COPY;
            call[n] = node_of(b, t->copies.call[copy]);
            b->d->op_time[n] = time_of(v, t->copies.start_ns[copy], t->copies.end_ns[copy]);
        }
    }
}

/* When an op takes its place: at its start, and not before the call that launched it. */
static int64_t place_of(const struct depend *d, uint32_t op)
{
    int64_t at = op_span(d, op).start;
    int64_t called = d->call[op] == NO_INDEX ? at : call_span(d, d->call[op]).start;
    return called > at ? called : at;
}

static int64_t key_of(const struct depend *d, uint32_t node)
{
    return node < d->n_calls ? call_span(d, node).start : place_of(d, node - (uint32_t)d->n_calls);
}

/* Nodes [at, end) that are in order: a thread's calls, a GPU's kernels or copies. */
struct list {
    uint32_t at, end;
    int64_t key; /* of the first */
};

static void add_list(const struct depend *d, struct list *lists, size_t *n, size_t at, size_t count)
{
    if (count)
        lists[(*n)++] =
            (struct list){(uint32_t)at, (uint32_t)(at + count), key_of(d, (uint32_t)at)};
}

static bool before(const struct list *x, const struct list *y)
{
    return x->key != y->key ? x->key < y->key : x->at < y->at;
}

static void sift_down(struct list *heap, size_t n, size_t i)
{
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        child += child + 1 < n && before(&heap[child + 1], &heap[child]);
        if (!before(&heap[child], &heap[i]))
            return;
        struct list swap = heap[i];
        heap[i] = heap[child];
        heap[child] = swap;
    }
}

/* Merges the lists into d->order; false when one of them is not in order. */
static bool merge(struct depend *d, struct list *heap, size_t n)
{
    size_t out = 0;
    for (size_t i = n / 2; i-- > 0;)
        sift_down(heap, n, i);
    while (n) {
        d->order[out++] = heap->at;
        if (++heap->at == heap->end) {
            *heap = heap[--n];
        } else {
            int64_t next = key_of(d, heap->at);
            if (next < heap->key)
                return false;
            heap->key = next;
        }
        sift_down(heap, n, 0);
    }
    return true;
}

/* Where clocks disagree, a launch may overtake another. */
static void sort_nodes(struct building *b)
{
    struct depend *d = b->d;
    size_t n = d->n_calls + d->n_ops;
    struct arena *room = arena_scratch();
    int64_t *key = arena_array(room, int64_t, n + 1);
    for (size_t i = 0; i < n; i++) {
        d->order[i] = (uint32_t)i;
        key[i] = key_of(d, (uint32_t)i);
    }
    sort_rows(d->order, n, key, room);
    arena_release(room);
}

/* Orders all nodes by time; calls stand before ops of the same moment. */
static void order_nodes(struct building *b)
{
    struct depend *d = b->d;
    const struct view *v = d->view;
    struct list *lists = arena_array(b->temporary, struct list, v->n_threads + 2 * v->n_gpus + 1);
    size_t n = 0, op = d->n_calls;
    d->order = arena_array(b->arena, uint32_t, d->n_calls + d->n_ops + 1);
    for (size_t t = 0; t < v->n_threads; t++)
        add_list(d, lists, &n, d->first_call[t], d->first_call[t + 1] - d->first_call[t]);
    for (size_t g = 0; g < v->n_gpus; g++) {
        add_list(d, lists, &n, op, v->gpus[g].n_kernels);
        op += v->gpus[g].n_kernels;
        add_list(d, lists, &n, op, v->gpus[g].n_copies);
        op += v->gpus[g].n_copies;
    }
    if (!merge(d, lists, n))
        sort_nodes(b);
}

/* Numbers the ops in that order, and links those of a stream. */
static void number_ops(struct building *b)
{
    struct depend *d = b->d;
    struct span *time = arena_array(b->arena, struct span, d->n_ops + 1);
    uint32_t *row = arena_array(b->arena, uint32_t, d->n_ops + 1);
    uint32_t *call = arena_array(b->arena, uint32_t, d->n_ops + 1);
    size_t n_streams = d->trace->streams.n + 1, op = 0;
    uint32_t *last = arena_array(b->temporary, uint32_t, n_streams);
    memset(last, 0xff, n_streams * sizeof(*last));
    d->prev = arena_array(b->arena, uint32_t, d->n_ops + 1);
    for (size_t i = 0; i < d->n_calls + d->n_ops; i++) {
        if (d->order[i] < d->n_calls)
            continue;
        uint32_t from = d->order[i] - (uint32_t)d->n_calls;
        uint32_t stream = op_stream(d, from);
        uint32_t *slot = &last[stream < n_streams - 1 ? stream : n_streams - 1];
        time[op] = d->op_time[from];
        row[op] = d->row[from];
        call[op] = d->call[from];
        d->unlinked += call[op] == NO_INDEX;
        d->prev[op] = *slot;
        *slot = (uint32_t)op;
        d->order[i] = (uint32_t)(d->n_calls + op++);
    }
    d->op_time = time;
    d->row = row;
    d->call = call;
}

/* The ops of each call, in order. */
static void group_ops(struct building *b)
{
    struct depend *d = b->d;
    b->first_op = arena_array(b->temporary, uint32_t, d->n_calls + 2);
    b->ops_of_call = arena_array(b->temporary, uint32_t, d->n_ops + 1);
    for (size_t op = 0; op < d->n_ops; op++)
        if (d->call[op] != NO_INDEX)
            b->first_op[d->call[op] + 2]++;
    for (size_t c = 2; c < d->n_calls + 2; c++)
        b->first_op[c] += b->first_op[c - 1];
    for (size_t op = 0; op < d->n_ops; op++)
        if (d->call[op] != NO_INDEX)
            b->ops_of_call[b->first_op[d->call[op] + 1]++] = (uint32_t)op;
    for (size_t c = 0; c < d->n_calls; c++)
        if (b->first_op[c + 1] - b->first_op[c] >= MANY)
            d->flags[c] |= CALL_MANY;
}

void depend_order(struct building *b)
{
    struct depend *d = b->d;
    collect_calls(b);
    d->n_ops = d->view->n_kernels + d->view->n_copies;
    d->op_time = arena_array(b->temporary, struct span, d->n_ops + 1);
    d->row = arena_array(b->temporary, uint32_t, d->n_ops + 1);
    d->call = arena_array(b->temporary, uint32_t, d->n_ops + 1);
    collect_ops(b, d->row, d->call);
    order_nodes(b);
    number_ops(b);
    group_ops(b);
}
