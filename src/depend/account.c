#include "depend/account.h"

#include "base/sort.h"

/* What counts as the same; lower ones win. */
static enum cause cause_of(const struct depend *d, uint32_t op)
{
    static const enum cause copies[COPY_KINDS] = {
        [COPY_UNKNOWN] = CAUSE_COPY_D2D, [COPY_H2D] = CAUSE_COPY_H2D, [COPY_D2H] = CAUSE_COPY_D2H,
        [COPY_D2D] = CAUSE_COPY_D2D,     [COPY_P2P] = CAUSE_COPY_P2P, [COPY_H2H] = CAUSE_COPY_D2D,
        [COPY_SET] = CAUSE_COPY_SET,
    };
    uint32_t row = op_row(d, op);
    if (op_is_copy(d, op))
        return copies[d->trace->copies.kind[row]];
    switch (d->view->kernel_class[d->trace->kernels.symbol[row]]) {
    case KERNEL_COLLECTIVE:
        return CAUSE_COMM;
    case KERNEL_BLIT:
        return CAUSE_COPY_D2D;
    default:
        return CAUSE_COMPUTE;
    }
}

struct lane {
    struct spans of[CAUSE_COPY_SET + 1];
};

static size_t lane_of(const struct depend *d, uint32_t op)
{
    const struct trace *t = d->trace;
    uint32_t stream = op_stream(d, op);
    uint32_t gpu = stream < t->streams.n ? t->streams.v[stream].gpu : NO_INDEX;
    return gpu < t->gpus.n ? gpu : t->gpus.n;
}

void replay_account(struct account *out, const struct replay *r)
{
    const struct depend *d = r->d;
    struct arena *a = arena_scratch();
    *out = (struct account){{0}, 0};
    size_t n_lanes = d->trace->gpus.n + 1;
    struct lane *lanes = arena_array(a, struct lane, n_lanes);
    uint32_t *order = arena_array(a, uint32_t, d->n_ops + 1);
    for (uint32_t op = 0; op < d->n_ops; op++)
        order[op] = op;
    sort_rows(order, d->n_ops, r->op_start, a);
    for (size_t i = 0; i < d->n_ops; i++) {
        uint32_t op = order[i];
        spans_append(&lanes[lane_of(d, op)].of[cause_of(d, op)], a, r->op_start[op], r->op_end[op]);
    }
    int64_t length = r->end_ns - r->start_ns;
    for (size_t g = 0; g < n_lanes; g++) {
        struct spans busy = {0};
        for (enum cause c = 0; c <= CAUSE_COPY_SET; c++) {
            struct spans exposed = {0}, both = {0};
            spans_subtract(&exposed, &lanes[g].of[c], &busy, a);
            out->ns[c] = add_ns(out->ns[c], spans_total(&exposed));
            spans_union(&both, &busy, &lanes[g].of[c], a);
            busy = both;
        }
        if (busy.n)
            out->idle_ns = add_ns(out->idle_ns, length - spans_total(&busy));
    }
    arena_release(a);
}
