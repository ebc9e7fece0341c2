/*
 * Copies over the link on engines of their own, one a GPU and direction, beside the kernels of
 * their stream: each stream becomes a pipeline with two buffers.
 */
#include "depend/replay_in.h"

static enum copy_kind kind_of(const struct depend *d, uint32_t op)
{
    return op_is_copy(d, op) ? (enum copy_kind)d->trace->copies.kind[op_row(d, op)] : COPY_KINDS;
}

static size_t gpu_of(const struct depend *d, uint32_t op)
{
    const struct trace *t = d->trace;
    uint32_t stream = op_stream(d, op);
    uint32_t gpu = stream < t->streams.n ? t->streams.v[stream].gpu : NO_INDEX;
    return gpu < t->gpus.n ? gpu : t->gpus.n;
}

/* One a GPU and direction. */
static struct engine *engine_of(const struct pass *s, uint32_t op)
{
    return &s->engines[gpu_of(s->d, op) * (COPY_KINDS + 1) + kind_of(s->d, op)];
}

static void after_engine(const struct pass *s, struct ready *x, const struct engine *e)
{
    if (e->op != NO_INDEX)
        later(x, add_ns(e->end, s->d->queue_ns), BIND_ENGINE, (uint32_t)s->d->n_calls + e->op);
}

/* Copies over the link run on an engine a direction, beside the kernels of their stream. */
void after_pipeline(struct pass *s, struct ready *x, uint32_t op)
{
    const struct depend *d = s->d;
    uint32_t stream = op_stream(d, op), base = (uint32_t)d->n_calls;
    struct pipeline *l = &s->lines[stream < d->trace->streams.n ? stream : d->trace->streams.n];
    enum copy_kind kind = kind_of(d, op);
    int64_t lag = d->queue_ns;
    if (kind == COPY_H2D || kind == COPY_D2H || kind == COPY_P2P) {
        after_engine(s, x, engine_of(s, op));
        if (kind == COPY_D2H && s->awaited_copy[op])
            after_engine(s, x, &s->compute_of_all[gpu_of(d, op)]);
        if (kind != COPY_D2H && !l->in_group) {
            /* A buffer is free when what was made of it has left; at best that has one of its own.
             */
            bool leaves = l->out_group && !s->p.c->hopeful;
            l->released[1] = l->released[0];
            l->released[0] = leaves && l->out > l->compute ? l->out : l->compute;
            l->in_group = true;
        }
        if (kind == COPY_D2H && l->last_compute != NO_INDEX)
            later(x, add_ns(l->compute, lag), BIND_STREAM, base + l->last_compute);
        else if (kind != COPY_D2H && l->released[1] > 0 && l->last_compute != NO_INDEX &&
                 l->released[1] > x->at)
            later(x, l->released[1], BIND_ENGINE, base + l->last_compute);
        return;
    }
    after_engine(s, x, &s->in_for_all[gpu_of(d, op)]);
    if (l->last_compute != NO_INDEX)
        later(x, add_ns(l->compute, lag), BIND_STREAM, base + l->last_compute);
    if (l->last_in != NO_INDEX)
        later(x, add_ns(l->in, lag), BIND_ENGINE, base + l->last_in);
    if (l->out_before && l->last_out != NO_INDEX && l->out_before > x->at)
        later(x, l->out_before, BIND_ENGINE, base + l->last_out);
}

void pass_pipeline(struct pass *s, uint32_t op, int64_t end)
{
    const struct depend *d = s->d;
    uint32_t stream = op_stream(d, op);
    struct pipeline *l = &s->lines[stream < d->trace->streams.n ? stream : d->trace->streams.n];
    enum copy_kind kind = kind_of(d, op);
    if (kind == COPY_H2D || kind == COPY_D2H || kind == COPY_P2P) {
        *engine_of(s, op) = (struct engine){end, op};
        if (kind != COPY_D2H && s->awaited_copy[op])
            s->in_for_all[gpu_of(d, op)] = (struct engine){end, op};
        if (kind != COPY_D2H) {
            l->in = end;
            l->last_in = op;
        } else {
            if (!l->out_group)
                l->out_before = l->out;
            l->out = end;
            l->last_out = op;
            l->out_group = true;
        }
        return;
    }
    l->in_group = l->out_group = false;
    if (s->compute_of_all[gpu_of(d, op)].op == NO_INDEX ||
        end > s->compute_of_all[gpu_of(d, op)].end)
        s->compute_of_all[gpu_of(d, op)] = (struct engine){end, op};
    l->compute = end;
    l->last_compute = op;
}

void pipeline_init(struct pass *s, struct arena *temporary)
{
    const struct depend *d = s->d;
    s->lines = arena_array(temporary, struct pipeline, d->trace->streams.n + 1);
    for (size_t i = 0; i <= d->trace->streams.n; i++)
        s->lines[i].last_compute = s->lines[i].last_in = s->lines[i].last_out = NO_INDEX;
    size_t n_engines = (d->trace->gpus.n + 1) * (COPY_KINDS + 1);
    s->engines = arena_array(temporary, struct engine, n_engines);
    s->in_for_all = arena_array(temporary, struct engine, d->trace->gpus.n + 1);
    s->compute_of_all = arena_array(temporary, struct engine, d->trace->gpus.n + 1);
    s->awaited_copy = arena_array(temporary, uint8_t, d->n_ops + 1);
    for (size_t i = 0; i < n_engines; i++)
        s->engines[i].op = NO_INDEX;
    for (size_t i = 0; i <= d->trace->gpus.n; i++)
        s->in_for_all[i].op = s->compute_of_all[i].op = NO_INDEX;
    for (size_t call = 0; call < d->n_calls; call++)
        if (d->awaited[call] != NO_INDEX)
            s->awaited_copy[d->awaited[call]] = op_is_copy(d, d->awaited[call]);
}
