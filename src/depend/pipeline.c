/*
 * Copies over the link on engines of their own, one a GPU and direction, beside the kernels of
 * their stream: each stream becomes a pipeline with two buffers.
 */
#include "depend/replay_in.h"

/* One a GPU and direction. */
static struct engine *engine_of(const struct pass *s, struct place at)
{
    return &s->engines[at.line->gpu * (COPY_KINDS + 1) + at.kind];
}

static void after_engine(const struct pass *s, struct ready *x, const struct engine *e)
{
    if (e->op != NO_INDEX)
        later(x, add_ns(e->end, s->d->queue_ns), BIND_ENGINE, (uint32_t)s->d->n_calls + e->op);
}

static bool over_link(enum copy_kind kind)
{
    return kind == COPY_H2D || kind == COPY_D2H || kind == COPY_P2P;
}

static bool is_awaited(const struct pass *s, uint32_t op)
{
    return s->awaited_copy[op / 8] >> op % 8 & 1;
}

static void copy_after(struct pass *s, struct ready *x, uint32_t op, struct place at)
{
    struct pipeline *l = at.line;
    uint32_t base = (uint32_t)s->d->n_calls;
    after_engine(s, x, engine_of(s, at));
    if (at.kind == COPY_D2H) {
        if (is_awaited(s, op))
            after_engine(s, x, &s->compute_of_all[l->gpu]);
        if (l->last_compute != NO_INDEX)
            later(x, add_ns(l->compute, s->d->queue_ns), BIND_STREAM, base + l->last_compute);
        return;
    }
    if (!l->in_group) {
        /* A buffer is free when what was made of it has left; at best that has one of its own. */
        bool leaves = l->out_group && !s->p.c->hopeful;
        l->released[1] = l->released[0];
        l->released[0] = leaves && l->out > l->compute ? l->out : l->compute;
        l->in_group = true;
    }
    if (l->released[1] > 0 && l->last_compute != NO_INDEX && l->released[1] > x->at)
        later(x, l->released[1], BIND_ENGINE, base + l->last_compute);
}

/* Copies over the link run on an engine a direction, beside the kernels of their stream. */
void after_pipeline(struct pass *s, struct ready *x, uint32_t op, struct place at)
{
    const struct depend *d = s->d;
    const struct pipeline *l = at.line;
    uint32_t base = (uint32_t)d->n_calls;
    if (over_link(at.kind)) {
        copy_after(s, x, op, at);
        return;
    }
    after_engine(s, x, &s->in_for_all[l->gpu]);
    if (l->last_compute != NO_INDEX)
        later(x, add_ns(l->compute, d->queue_ns), BIND_STREAM, base + l->last_compute);
    if (l->last_in != NO_INDEX)
        later(x, add_ns(l->in, d->queue_ns), BIND_ENGINE, base + l->last_in);
    if (l->out_before && l->last_out != NO_INDEX && l->out_before > x->at)
        later(x, l->out_before, BIND_ENGINE, base + l->last_out);
}

static void pass_copy(struct pass *s, uint32_t op, struct place at, int64_t end)
{
    struct pipeline *l = at.line;
    *engine_of(s, at) = (struct engine){end, op};
    if (at.kind != COPY_D2H) {
        if (is_awaited(s, op))
            s->in_for_all[l->gpu] = (struct engine){end, op};
        l->in = end;
        l->last_in = op;
        return;
    }
    if (!l->out_group)
        l->out_before = l->out;
    l->out = end;
    l->last_out = op;
    l->out_group = true;
}

void pass_pipeline(struct pass *s, uint32_t op, struct place at, int64_t end)
{
    struct pipeline *l = at.line;
    if (over_link(at.kind)) {
        pass_copy(s, op, at, end);
        return;
    }
    struct engine *all = &s->compute_of_all[l->gpu];
    if (all->op == NO_INDEX || end > all->end)
        *all = (struct engine){end, op};
    l->in_group = l->out_group = false;
    l->compute = end;
    l->last_compute = op;
}

void pipeline_init(struct pass *s, struct arena *temporary)
{
    const struct depend *d = s->d;
    s->lines = arena_array(temporary, struct pipeline, d->trace->streams.n + 1);
    for (size_t i = 0; i <= d->trace->streams.n; i++)
        s->lines[i] = (struct pipeline){.gpu = (uint32_t)depend_gpu(d->trace, (uint32_t)i),
                                        .last_compute = NO_INDEX,
                                        .last_in = NO_INDEX,
                                        .last_out = NO_INDEX};
    size_t n_engines = (d->trace->gpus.n + 1) * (COPY_KINDS + 1);
    s->engines = arena_array(temporary, struct engine, n_engines);
    s->in_for_all = arena_array(temporary, struct engine, d->trace->gpus.n + 1);
    s->compute_of_all = arena_array(temporary, struct engine, d->trace->gpus.n + 1);
    s->awaited_copy = arena_array(temporary, uint8_t, d->n_ops / 8 + 1);
    for (size_t i = 0; i < n_engines; i++)
        s->engines[i].op = NO_INDEX;
    for (size_t i = 0; i <= d->trace->gpus.n; i++)
        s->in_for_all[i].op = s->compute_of_all[i].op = NO_INDEX;
    for (size_t i = 0; i < d->awaited.n; i++) {
        uint32_t op = d->awaited.v[i];
        if (op_is_copy(d, op))
            s->awaited_copy[op / 8] |= (uint8_t)(1u << op % 8);
    }
}
