/* The longest measured dispatches, one by one. */
#include <math.h>
#include <stdlib.h>

#include "analyze/counters/counters_in.h"

enum { MOST = 50 };

struct candidate {
    uint32_t slot, kernel, row; /* row: in the first pass that has it */
    int64_t ns;
};

static int longest_first(const void *x, const void *y)
{
    const struct candidate *a = x, *b = y;
    return a->ns != b->ns ? (a->ns > b->ns ? -1 : 1) : a->row < b->row ? -1 : a->row > b->row;
}

/* Pieces of work that all passes of their kernel have, longest first. */
static struct candidate *candidates(struct counter_run *r, size_t *n)
{
    const struct counter_join *j = &r->join;
    struct candidate *all = arena_array(r->scratch, struct candidate, j->n_slots + 1);
    bool *seen = arena_array(r->scratch, bool, j->n_slots + 1);
    *n = 0;
    for (size_t i = 0; i < j->n_dispatches; i++) {
        const struct join_dispatch *d = &j->dispatches[i];
        if (d->kernel == NO_INDEX || seen[d->slot] ||
            j->slot_passes[d->slot] != j->kernels[d->kernel].passes)
            continue;
        seen[d->slot] = true;
        all[(*n)++] = (struct candidate){d->slot, d->kernel, d->row, measured_ns(r->a, d->row)};
    }
    qsort(all, *n, sizeof(*all), longest_first);
    *n = *n < MOST ? *n : MOST;
    return all;
}

static void add_row(struct counter_run *r, const struct candidate *c, const struct join_sum *sums)
{
    const struct trace *t = r->a->trace;
    const struct join_kernel *k = &r->join.kernels[c->kernel];
    uint32_t gpu = t->streams.v[t->kernels.stream[c->row]].gpu;
    struct counter_facts f = counter_facts_of(r, sums, k->passes, true, k->gpu);
    struct counter_roof roof;
    counter_roof_make(&roof, r, &f, k->gpu);
    struct counter_dispatch row = {
        .kernel = trace_str(t, t->symbols.v[k->symbol].short_name),
        .dispatch = kernels_id_at(t, c->row),
        .gpu = gpu < t->gpus.n ? t->gpus.v[gpu].index : -1,
        .passes = counter_pass_list(k->passes, r->arena),
        .duration_ns = counter_duration(&f, k->passes),
        .bound = roof.point.bound,
        .occupancy_pct = counter_number(&f, METRIC_occupancy_pct),
        .memory_pct = roof.point.bandwidth_pct[ROOF_HBM],
        .compute_pct = roof.point.compute_pct,
        .l2_hit_pct = counter_number(&f, METRIC_l2_hit_pct),
        .lds_conflict_pct = counter_number(&f, METRIC_lds_conflict_pct),
        .fabric_gbps = roof.point.gbps[ROOF_HBM],
        .cross_pass = roof.cross_pass,
    };
    vec_push(&r->out->dispatches, r->arena, row);
}

void counter_dispatches_find(struct counter_run *r)
{
    struct counter_join *j = &r->join;
    size_t n;
    struct candidate *list = candidates(r, &n);
    struct idmap place;
    idmap_init(&place, r->scratch);
    for (size_t i = 0; i < n; i++)
        idmap_put(&place, list[i].slot, (uint32_t)i);
    struct join_sum *sums = arena_array(r->scratch, struct join_sum, n * j->n_passes + 1);
    for (size_t i = 0; i < j->n_dispatches; i++) {
        const struct join_dispatch *d = &j->dispatches[i];
        uint32_t at = d->slot == NO_INDEX ? NO_INDEX : idmap_get(&place, d->slot);
        if (at == NO_INDEX)
            continue;
        struct join_sum *sum = &sums[at * j->n_passes + d->pass];
        if (!sum->cells)
            sum->cells = arena_array(r->scratch, struct join_cell, j->n_counters);
        counter_join_add(j, d->row, sum);
    }
    for (size_t i = 0; i < n; i++)
        add_row(r, &list[i], &sums[i * j->n_passes]);
}
