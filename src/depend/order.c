/* The nodes of the graph, and an order of them in which every edge leads back. */
#include <string.h>

#include "base/sort.h"
#include "depend/depend_in.h"

/* Calls, and which of them each row of the regions lies in. */
static void collect_calls(struct building *b)
{
    struct depend *d = b->d;
    const struct view *v = d->view;
    const struct regions *r = &d->trace->regions;
    for (size_t i = 0; i < v->n_threads; i++)
        d->n_calls += v->threads[i].n_outer;
    d->call_row = arena_array(b->arena, uint32_t, d->n_calls + 1);
    d->first_call = arena_array(b->arena, uint32_t, v->n_threads + 1);
    d->begins = arena_array(b->arena, uint8_t, d->n_calls + 1);
    b->node_of_row = arena_array(b->temporary, uint32_t, r->n + 1);
    memset(b->node_of_row, 0xff, (r->n + 1) * sizeof(*b->node_of_row));
    uint32_t node = 0;
    for (size_t i = 0; i < v->n_threads; i++) {
        const struct view_thread *th = &v->threads[i];
        size_t next = 0;
        d->first_call[i] = node;
        d->begins[node] = th->n_outer > 0; /* the last of these is room, and cleared below */
        for (size_t k = 0; k < th->n_calls; k++) {
            uint32_t call = th->calls[k];
            if (next < th->n_outer && th->outer[next] == call) {
                d->call_row[node + next] = call;
                b->node_of_row[call] = node + (uint32_t)next++;
            } else if (next && r->start_ns[call] < r->end_ns[th->outer[next - 1]]) {
                b->node_of_row[call] = node + (uint32_t)next - 1;
            }
        }
        node += (uint32_t)th->n_outer;
    }
    d->first_call[v->n_threads] = node;
    d->begins[node] = 0;
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
        }
        for (size_t i = 0; i < v->gpus[g].n_copies; i++, n++) {
            row[n] = v->gpus[g].copies[i] | DEPEND_COPY;
            call[n] = node_of(b, t->copies.call[v->gpus[g].copies[i]]);
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

/* Orders all nodes by time; calls stand before ops of the same moment. */
static void order_nodes(struct building *b)
{
    struct depend *d = b->d;
    size_t n = d->n_calls + d->n_ops;
    int64_t *key = arena_array(b->temporary, int64_t, n + 1);
    d->order = arena_array(b->arena, uint32_t, n + 1);
    for (size_t i = 0; i < n; i++) {
        d->order[i] = (uint32_t)i;
        key[i] = i < d->n_calls ? call_span(d, (uint32_t)i).start
                                : place_of(d, (uint32_t)(i - d->n_calls));
    }
    sort_rows(d->order, n, key, b->temporary);
}

/* Numbers the ops in that order, and links those of a stream. */
static void number_ops(struct building *b)
{
    struct depend *d = b->d;
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
        row[op] = d->row[from];
        call[op] = d->call[from];
        d->unlinked += call[op] == NO_INDEX;
        d->prev[op] = *slot;
        *slot = (uint32_t)op;
        d->order[i] = (uint32_t)(d->n_calls + op++);
    }
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
}

void depend_order(struct building *b)
{
    struct depend *d = b->d;
    collect_calls(b);
    d->n_ops = d->view->n_kernels + d->view->n_copies;
    d->row = arena_array(b->temporary, uint32_t, d->n_ops + 1);
    d->call = arena_array(b->temporary, uint32_t, d->n_ops + 1);
    collect_ops(b, d->row, d->call);
    order_nodes(b);
    number_ops(b);
    group_ops(b);
}
