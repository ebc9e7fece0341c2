/*
 * Ops that stood ready and began just as another op of their GPU, or else of their process, ended: an event that was not
 * recorded, the order of the default stream, a copy engine or a device that was full. The edge is
 * marked as inferred.
 */
#include <assert.h>

#include "base/sort.h"
#include "depend/depend_in.h"
#include "depend/replay.h"

/* Shorter delays need no explanation; and so close to the other's end it must begin. */
#define DELAY_NS 10000
#define CLOSE_NS 4000

enum { BESIDE = 16 };

/* The ops of a GPU that began last. */
struct beside {
    uint32_t ops[BESIDE];
    size_t n;
};

static uint32_t ended_just_before(const struct depend *d, const struct beside *g, uint32_t op)
{
    int64_t start = op_span(d, op).start, best = start - d->queue_ns - CLOSE_NS;
    uint32_t found = NO_INDEX;
    size_t n = g->n < BESIDE ? g->n : BESIDE;
    for (size_t i = 0; i < n; i++) {
        int64_t end = op_span(d, g->ops[i]).end;
        if (end > best && end <= start && op_stream(d, g->ops[i]) != op_stream(d, op)) {
            best = end;
            found = g->ops[i];
        }
    }
    return found;
}

/* By op; none is below 0, since an op was ready at its start at the latest. */
static void keep(struct building *b, uint32_t op, int64_t residual)
{
    struct depend *d = b->d;
    assert(residual >= 0);
    d->ops[op].residual = residual < RESIDUAL_LONG ? (uint32_t)residual : RESIDUAL_LONG;
    if (residual >= RESIDUAL_LONG)
        vec_push(&d->longest, b->arena, ((struct long_residual){op, residual}));
}

static struct long_residual *find_long(const struct depend *d, uint32_t op)
{
    size_t lo = 0;
    BISECT(lo, d->longest.n, mid, d->longest.v[mid].op < op);
    return &d->longest.v[lo];
}

int64_t depend_long_residual(const struct depend *d, uint32_t op)
{
    return find_long(d, op)->ns;
}

static void keep_less(struct depend *d, uint32_t op, int64_t residual)
{
    if (d->ops[op].residual == RESIDUAL_LONG)
        find_long(d, op)->ns = residual;
    else
        d->ops[op].residual = (uint32_t)residual;
}

void depend_infer(struct building *b)
{
    struct depend *d = b->d;
    const struct trace *t = d->trace;
    struct beside *of = arena_array(b->temporary, struct beside, t->gpus.n + 1);
    struct beside *of_process = arena_array(b->temporary, struct beside, t->processes.n + 1);
    size_t known = d->waits.n, at = 0;
    for (uint32_t op = 0; op < d->n_ops; op++) {
        uint32_t stream = op_stream(d, op);
        uint32_t gpu = stream < t->streams.n ? t->streams.v[stream].gpu : NO_INDEX;
        struct beside *g = &of[gpu < t->gpus.n ? gpu : t->gpus.n];
        struct beside *p =
            &of_process[stream < t->streams.n ? t->streams.v[stream].process : t->processes.n];
        while (at < known && d->waits.v[at].op < op)
            at++;
        int64_t residual = op_span(d, op).start - op_ready(d, op, at, known);
        keep(b, op, residual);
        if (p->n > 1 && residual > DELAY_NS) {
            uint32_t on = ended_just_before(d, g, op);
            if (on == NO_INDEX) /* its process may have another GPU to wait for */
                on = ended_just_before(d, p, op);
            if (on != NO_INDEX)
                vec_push_alone(&d->waits, b->arena, ((struct depend_wait){op, on, WAIT_INFERRED}));
        }
        g->ops[g->n++ % BESIDE] = op;
        p->ops[p->n++ % BESIDE] = op;
    }
    if (d->waits.n > known)
        depend_sort_waits(d);
    /* Where an edge was added, what is left to explain is less. */
    at = 0;
    for (size_t i = 0; d->waits.n > known && i < d->waits.n; i++) {
        uint32_t op = d->waits.v[i].op;
        while (at < d->waits.n && d->waits.v[at].op < op)
            at++;
        keep_less(d, op, op_span(d, op).start - op_ready(d, op, at, d->waits.n));
    }
}
