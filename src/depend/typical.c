/*
 * What is usual in a trace: how long an op takes to follow the one before it in a queue, how long
 * a launch takes to reach an idle GPU, how long the host takes between two calls. Medians; where
 * the trace does not show it, values that are common for the vendor.
 */
#include "analyze/quantile.h"
#include "depend/depend_in.h"

enum { SAMPLES = 1 << 14, LEAST_SAMPLES = 8 };

/* Longer ones are no matter of queues, launches or neighbours. */
#define QUEUE_MOST_NS 20000
#define LAUNCH_MOST_NS 100000
#define BETWEEN_MOST_NS 200000

/* Submitted so long before its predecessor ended, an op surely stood in the queue. */
#define QUEUED_NS 10000

struct sampled {
    int64_t *v;
    size_t n, room;
};

/* Room for as many as there can be: traces of many small processes have many small graphs. */
static struct sampled sampled_of(struct building *b, size_t most)
{
    size_t room = most < SAMPLES ? most : SAMPLES;
    return (struct sampled){.v = arena_array(b->temporary, int64_t, room + 1), .room = room};
}

static void add(struct sampled *s, int64_t ns, int64_t most)
{
    if (ns >= 0 && ns <= most && s->n < s->room)
        s->v[s->n++] = ns;
}

static int64_t median_or(struct sampled *s, int64_t otherwise)
{
    return s->n < LEAST_SAMPLES ? otherwise : percentile(s->v, s->n, 50);
}

/* `late` are launches into a stream that ran dry well before the op began: for where none ran dry before. */
static void sample_ops(const struct depend *d, struct sampled *queue, struct sampled *launch,
                       struct sampled *late, struct sampled *submit)
{
    size_t step = d->n_ops / SAMPLES + 1;
    for (size_t op = 0; op < d->n_ops; op += step) {
        if (op_call(d, op) == NO_INDEX)
            continue;
        struct span o = op_span(d, (uint32_t)op), c = call_span(d, op_call(d, op));
        uint32_t prev = d->ops[op].prev;
        int64_t before = prev == NO_INDEX ? -1 : op_span(d, prev).end;
        if (prev != NO_INDEX && add_ns(c.end, QUEUED_NS) <= before)
            add(queue, o.start - before, QUEUE_MOST_NS);
        if (before <= c.start && o.start > c.end)
            add(launch, o.start - c.end, LAUNCH_MOST_NS);
        else if (o.start > c.end && 2 * (before - c.end) <= o.start - c.end)
            add(late, o.start - c.end, LAUNCH_MOST_NS);
        if (before <= c.start)
            add(submit, (o.start < c.end ? o.start : c.end) - c.start, LAUNCH_MOST_NS);
    }
}

/* Between two launching calls of a thread. */
static void sample_calls(const struct building *b, struct sampled *between)
{
    const struct depend *d = b->d;
    size_t step = d->n_calls / SAMPLES + 1;
    for (size_t c = 1; c < d->n_calls; c += step)
        if (!call_begins(d, (uint32_t)c) && b->first_op[c] < b->first_op[c + 1] &&
            b->first_op[c - 1] < b->first_op[c])
            add(between, call_span(d, (uint32_t)c).start - call_span(d, (uint32_t)c - 1).end,
                BETWEEN_MOST_NS);
}

/* The usual length of a launching call. */
static int64_t usual_launch(const struct depend *d, struct arena *temporary)
{
    enum { CALLS = 1 << 14 };
    int64_t *v = arena_array(temporary, int64_t, CALLS);
    size_t n = 0, step = d->n_calls / CALLS + 1;
    for (size_t c = 0; c < d->n_calls && n < CALLS; c += step)
        if (call_class(d, (uint32_t)c) == API_LAUNCH)
            v[n++] = call_span(d, (uint32_t)c).end - call_span(d, (uint32_t)c).start;
    return n ? percentile(v, n, 50) : 5000;
}

void depend_typical(struct building *b)
{
    struct depend *d = b->d;
    struct sampled queue = sampled_of(b, d->n_ops), launch = sampled_of(b, d->n_ops);
    struct sampled submit = sampled_of(b, d->n_ops), between = sampled_of(b, d->n_calls);
    bool nvidia = trace_vendor(d->trace) == VENDOR_NVIDIA;
    struct sampled late = sampled_of(b, d->n_ops);
    sample_ops(d, &queue, &launch, &late, &submit);
    sample_calls(b, &between);
    d->queue_ns = median_or(&queue, nvidia ? 1000 : 3000);
    d->launch_ns = median_or(&launch, median_or(&late, nvidia ? 2000 : 4000));
    d->submit_ns = median_or(&submit, 5000);
    d->between_ns = median_or(&between, -1);
    d->call_ns = usual_launch(d, b->temporary);
}
