/* Which pass a dispatch belongs to, which dispatches are the same work, and the sums of kernels. */
#include <stdlib.h>
#include <string.h>

#include "analyze/counters/join_in.h"
#include "base/sort.h"

/* ---- passes ---- */

static uint32_t process_of(const struct trace *t, uint32_t row)
{
    uint32_t stream = t->kernels.stream[row];
    return stream < t->streams.n ? t->streams.v[stream].process : NO_INDEX;
}

static uint32_t gpu_of(const struct trace *t, uint32_t row)
{
    uint32_t stream = t->kernels.stream[row];
    uint32_t gpu = stream < t->streams.n ? t->streams.v[stream].gpu : NO_INDEX;
    return gpu < t->gpus.n ? gpu : NO_INDEX;
}

static uint32_t pass_with(struct counter_join *j, const bool *has)
{
    for (uint32_t p = 0; p < j->n_passes; p++)
        if (!memcmp(j->passes[p].has, has, j->n_counters * sizeof(*has)))
            return p;
    return NO_INDEX;
}

/* Ranks are their own lanes; other processes are numbered within the pass. */
void join_find_passes(struct joiner *s)
{
    struct counter_join *j = s->j;
    size_t n = s->t->processes.n;
    bool **has = arena_array(s->scratch, bool *, n);
    s->pass_of = arena_array(s->scratch, uint32_t, n);
    s->lane_of = arena_array(s->scratch, uint32_t, n);
    for (size_t d = 0; d < j->n_dispatches; d++) {
        uint32_t p = process_of(s->t, j->dispatches[d].row);
        if (p >= n)
            continue;
        if (!has[p])
            has[p] = arena_array(s->arena, bool, j->n_counters);
        join_count_rows(j, j->dispatches[d].row);
        for (size_t i = 0; i < j->n_touched; i++)
            has[p][j->touched[i]] = true;
    }
    for (size_t p = 0; p < n; p++) {
        s->pass_of[p] = NO_INDEX;
        if (!has[p])
            continue;
        uint32_t pass = pass_with(j, has[p]);
        if (pass == NO_INDEX && j->n_passes == JOIN_PASSES) {
            j->left_out_passes++;
            continue;
        }
        if (pass == NO_INDEX) {
            pass = (uint32_t)j->n_passes++;
            j->passes[pass] = (struct join_pass){.process = (uint32_t)p, .has = has[p]};
        }
        s->pass_of[p] = pass;
        s->lane_of[p] = s->t->processes.v[p].rank >= 0
                            ? UINT32_C(1) << 31 | (uint32_t)s->t->processes.v[p].rank
                            : j->passes[pass].n_processes;
        j->passes[pass].n_processes++;
    }
}

/* ---- dispatches in order, and their partners ---- */

/* Occurrences are counted in the order of dispatch, which is that of the ids. */
void join_list_dispatches(struct joiner *s)
{
    struct counter_join *j = s->j;
    size_t n = 0;
    uint32_t *rows = arena_array(s->scratch, uint32_t, s->t->kernels.n);
    int64_t *id = arena_array(s->scratch, int64_t, s->t->kernels.n);
    for (size_t k = 0; k < s->t->kernels.n; k++) {
        id[k] = kernels_id_at(s->t, k);
        if (j->first[k + 1] > j->first[k])
            rows[n++] = (uint32_t)k;
    }
    sort_rows(rows, n, id, s->scratch);
    j->dispatches = arena_array(s->arena, struct join_dispatch, n);
    j->n_dispatches = n;
    for (size_t i = 0; i < n; i++)
        j->dispatches[i] = (struct join_dispatch){rows[i], NO_INDEX, NO_INDEX, NO_INDEX};
}

static uint64_t mix(uint64_t seed, uint64_t x)
{
    return hash_u64(seed ^ hash_u64(x + 0x9e3779b97f4a7c15u));
}

/* Kernel, grid, group and GPU: what a dispatch shares with its repetitions. */
static uint64_t work_key(const struct joiner *s, uint32_t row)
{
    uint32_t launch = kernels_launch_at(s->t, row), gpu = gpu_of(s->t, row);
    uint64_t key = mix(1, s->names.of_symbol[s->t->kernels.symbol[row]]);
    if (launch < s->t->launches.n) {
        key = mix(key, hash_bytes(s->t->launches.v[launch].grid, sizeof(uint32_t[3])));
        key = mix(key, hash_bytes(s->t->launches.v[launch].group, sizeof(uint32_t[3])));
    }
    return mix(key, gpu == NO_INDEX ? UINT64_MAX : (uint64_t)s->t->gpus.v[gpu].index);
}

void join_find_partners(struct joiner *s)
{
    struct counter_join *j = s->j;
    struct idmap occurrences, slots;
    idmap_init(&occurrences, s->scratch);
    idmap_init(&slots, s->scratch);
    j->slot_passes = arena_array(s->arena, uint32_t, j->n_dispatches);
    for (size_t i = 0; i < j->n_dispatches; i++) {
        struct join_dispatch *d = &j->dispatches[i];
        uint32_t process = process_of(s->t, d->row);
        d->pass = process < s->t->processes.n ? s->pass_of[process] : NO_INDEX;
        if (d->pass == NO_INDEX)
            continue;
        uint64_t work = work_key(s, d->row), own = mix(work, process);
        uint32_t nth = idmap_get(&occurrences, own);
        nth = nth == NO_INDEX ? 0 : nth + 1;
        idmap_put(&occurrences, own, nth);
        uint64_t key = mix(mix(work, s->lane_of[process]), nth);
        d->slot = idmap_get(&slots, key);
        if (d->slot == NO_INDEX) {
            d->slot = (uint32_t)j->n_slots++;
            idmap_put(&slots, key, d->slot);
        }
        j->slot_passes[d->slot] |= UINT32_C(1) << d->pass;
        j->passes[d->pass].dispatches++;
        j->passes[d->pass].total_ns =
            add_ns(j->passes[d->pass].total_ns, measured_ns(j->a, d->row));
    }
}

/* ---- kernels ---- */

static int most_time_first(const void *x, const void *y)
{
    const struct join_kernel *a = x, *b = y;
    return a->total_ns != b->total_ns ? (a->total_ns > b->total_ns ? -1 : 1)
           : a->slowest != b->slowest ? (a->slowest < b->slowest ? -1 : 1)
                                      : 0;
}

/* A kernel on GPUs of different architectures is two: they have different counters. */
static uint64_t kernel_key(const struct joiner *s, uint32_t row)
{
    uint32_t gpu = gpu_of(s->t, row);
    uint32_t arch = gpu == NO_INDEX ? 0 : s->t->gpus.v[gpu].arch;
    return (uint64_t)s->names.of_symbol[s->t->kernels.symbol[row]] << 32 | arch;
}

void join_find_kernels(struct joiner *s)
{
    struct counter_join *j = s->j;
    VEC(struct join_kernel) all = {0};
    struct idmap map;
    idmap_init(&map, s->scratch);
    for (size_t i = 0; i < j->n_dispatches; i++) {
        const struct join_dispatch *d = &j->dispatches[i];
        if (d->pass == NO_INDEX)
            continue;
        uint32_t at = idmap_get(&map, kernel_key(s, d->row));
        if (at == NO_INDEX) {
            at = (uint32_t)all.n;
            idmap_put(&map, kernel_key(s, d->row), at);
            vec_push(&all, s->scratch,
                     ((struct join_kernel){.symbol = s->t->kernels.symbol[d->row],
                                           .gpu = gpu_of(s->t, d->row),
                                           .slowest = d->row}));
        }
        struct join_kernel *k = &all.v[at];
        k->total_ns = add_ns(k->total_ns, measured_ns(j->a, d->row));
        k->passes |= UINT32_C(1) << d->pass;
        if (measured_ns(j->a, d->row) > measured_ns(j->a, k->slowest))
            k->slowest = d->row;
    }
    if (all.n)
        qsort(all.v, all.n, sizeof(*all.v), most_time_first);
    j->all_kernels = all.n;
    j->n_kernels = all.n < JOIN_KERNELS ? all.n : JOIN_KERNELS;
    j->kernels = arena_array(s->arena, struct join_kernel, j->n_kernels + 1);
    struct idmap kept;
    idmap_init(&kept, s->scratch);
    for (size_t k = 0; k < j->n_kernels; k++) {
        j->kernels[k] = all.v[k];
        idmap_put(&kept, kernel_key(s, all.v[k].slowest), (uint32_t)k);
    }
    for (size_t i = 0; i < j->n_dispatches; i++) {
        struct join_dispatch *d = &j->dispatches[i];
        if (d->pass == NO_INDEX)
            continue;
        d->kernel = idmap_get(&kept, kernel_key(s, d->row));
        if (d->kernel != NO_INDEX && j->slot_passes[d->slot] == j->kernels[d->kernel].passes)
            j->kernels[d->kernel].joined = true;
    }
}

void join_add_up(struct joiner *s)
{
    struct counter_join *j = s->j;
    for (size_t k = 0; k < j->n_kernels; k++) {
        j->kernels[k].sums = arena_array(s->arena, struct join_sum, j->n_passes);
        for (size_t p = 0; p < j->n_passes; p++)
            if (j->kernels[k].passes >> p & 1)
                j->kernels[k].sums[p].cells =
                    arena_array(s->arena, struct join_cell, j->n_counters);
    }
    for (size_t i = 0; i < j->n_dispatches; i++) {
        const struct join_dispatch *d = &j->dispatches[i];
        if (d->kernel == NO_INDEX)
            continue;
        struct join_kernel *k = &j->kernels[d->kernel];
        if (s->damaged[d->slot] || !join_is_used(j, d)) {
            k->unmatched++;
            continue;
        }
        counter_join_add(j, d->row, &k->sums[d->pass]);
        k->dispatches++;
    }
}
