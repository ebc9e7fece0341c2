#include "depend/account.h"

#include "base/sat.h"
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

/* A GPU on the way from its first work to its last. */
struct lane {
    int64_t at;                      /* everything before is accounted for */
    int64_t end[CAUSE_COPY_SET + 1]; /* by cause: when what began so far ends */
};

/* Gives the time up to `to` to what runs then; of several, to the lowest. */
static void go_to(struct lane *l, int64_t to, struct account *out, int64_t *busy)
{
    for (enum cause c = 0; c <= CAUSE_COPY_SET && l->at < to;) {
        int64_t end = l->end[c] < to ? l->end[c] : to;
        if (end <= l->at) {
            c++;
            continue;
        }
        out->ns[c] = add_ns(out->ns[c], end - l->at);
        *busy = add_ns(*busy, end - l->at);
        l->at = end;
        c = 0;
    }
    l->at = l->at > to ? l->at : to;
}

void replay_account(struct account *out, const struct replay *r)
{
    const struct depend *d = r->d;
    struct arena *a = arena_scratch();
    *out = (struct account){{0}, 0};
    size_t n_lanes = d->trace->gpus.n + 1;
    struct lane *lanes = arena_array(a, struct lane, n_lanes);
    int64_t *busy = arena_array(a, int64_t, n_lanes);
    uint32_t *order = arena_array(a, uint32_t, d->n_ops);
    int64_t *start = arena_array(a, int64_t, d->n_ops + 1);
    for (uint32_t op = 0; op < d->n_ops; op++) {
        order[op] = op;
        start[op] = replay_op(r, op).start;
    }
    sort_rows(order, d->n_ops, start, a);
    for (size_t g = 0; g < n_lanes; g++) {
        lanes[g].at = INT64_MIN;
        for (enum cause c = 0; c <= CAUSE_COPY_SET; c++)
            lanes[g].end[c] = INT64_MIN;
    }
    for (size_t i = 0; i < d->n_ops; i++) {
        uint32_t op = order[i];
        size_t g = depend_gpu(d->trace, op_stream(d, op));
        int64_t *end = &lanes[g].end[cause_of(d, op)];
        struct span s = replay_op(r, op);
        go_to(&lanes[g], s.start, out, &busy[g]);
        *end = s.end > *end ? s.end : *end;
    }
    for (size_t g = 0; g < n_lanes; g++) {
        go_to(&lanes[g], QUANTITY_MOST, out, &busy[g]);
        if (busy[g])
            out->idle_ns = add_ns(out->idle_ns, r->end_ns - r->start_ns - busy[g]);
    }
    arena_release(a);
}
