#include "analyze/counter_join.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/name_groups.h"
#include "base/sort.h"

enum { COUNTS = 4 }; /* different numbers of instances that are told apart */

struct joiner {
    struct counter_join *j;
    const struct trace *t;
    struct arena *arena;  /* of what stays */
    struct arena scratch; /* of what does not */
    bool *in_view;        /* by kernels row */
    struct name_groups names;
    uint32_t *pass_of, *lane_of; /* by process */
};

/* ---- rows by dispatch ---- */

static void select_kernels(struct joiner *s)
{
    const struct view *v = &s->j->a->view;
    s->in_view = arena_array(&s->scratch, bool, s->t->kernels.n + 1);
    for (size_t g = 0; g < v->n_gpus; g++)
        for (size_t i = 0; i < v->gpus[g].n_kernels; i++)
            s->in_view[v->gpus[g].kernels[i]] = true;
}

/* GPUs have counters of their own with the same names. */
static void list_counters(struct joiner *s)
{
    struct counter_join *j = s->j;
    size_t n = s->t->counter_infos.n;
    struct idmap by_name;
    idmap_init(&by_name, &s->scratch);
    j->counter_of = arena_array(s->arena, uint32_t, n);
    j->counters = arena_array(s->arena, struct join_counter, n);
    for (size_t i = 0; i < n; i++) {
        uint32_t name = s->t->counter_infos.v[i].name;
        uint32_t at = idmap_get(&by_name, name);
        if (at == NO_INDEX) {
            at = (uint32_t)j->n_counters++;
            idmap_put(&by_name, name, at);
            j->counters[at].name = trace_str(s->t, name);
        }
        j->counter_of[i] = at;
    }
}

static bool counts(const struct joiner *s, size_t row)
{
    const struct counters *c = &s->t->counters;
    return c->counter[row] < s->t->counter_infos.n && c->kernel[row] < s->t->kernels.n &&
           s->in_view[c->kernel[row]];
}

static void place_rows(struct joiner *s)
{
    const struct counters *c = &s->t->counters;
    size_t n = s->t->kernels.n;
    size_t *first = arena_array(s->arena, size_t, n + 2); /* shifted by one while counting */
    for (size_t i = 0; i < c->n; i++)
        if (counts(s, i))
            first[c->kernel[i] + 2]++;
    for (size_t i = 1; i < n + 2; i++)
        first[i] += first[i - 1];
    s->j->rows = arena_array(s->arena, uint32_t, first[n + 1] + 1);
    for (size_t i = 0; i < c->n; i++)
        if (counts(s, i))
            s->j->rows[first[c->kernel[i] + 1]++] = (uint32_t)i;
    s->j->first = first;
}

static void count_rows(struct counter_join *j, uint32_t row)
{
    const struct counters *c = &j->a->trace->counters;
    memset(j->rows_of, 0, j->n_counters * sizeof(*j->rows_of));
    for (size_t i = j->first[row]; i < j->first[row + 1]; i++)
        j->rows_of[j->counter_of[c->counter[j->rows[i]]]]++;
}

/* ---- how many instances a counter usually has ---- */

struct instance_counts {
    uint32_t instances[COUNTS];
    uint64_t times[COUNTS];
};

static void find_instances(struct joiner *s)
{
    struct counter_join *j = s->j;
    struct instance_counts *all = arena_array(&s->scratch, struct instance_counts, j->n_counters);
    for (size_t d = 0; d < j->n_dispatches; d++) {
        count_rows(j, j->dispatches[d].row);
        for (size_t c = 0; c < j->n_counters; c++)
            for (int k = 0; k < COUNTS && j->rows_of[c]; k++)
                if (!all[c].times[k] || all[c].instances[k] == j->rows_of[c]) {
                    all[c].instances[k] = j->rows_of[c];
                    all[c].times[k]++;
                    break;
                }
    }
    for (size_t c = 0; c < j->n_counters; c++) {
        int best = 0;
        for (int k = 1; k < COUNTS; k++)
            if (all[c].times[k] > all[c].times[best])
                best = k;
        j->counters[c].instances = all[c].instances[best];
    }
}

/* ---- one dispatch ---- */

static void add_value(struct counter_join *j, uint32_t counter, double value)
{
    struct join_cell *cell = &j->scratch[counter];
    bool is_first = cell->weight < 1;
    cell->sum[REDUCE_SUM] += value;
    cell->sum[REDUCE_MAX] = is_first ? value : fmax(cell->sum[REDUCE_MAX], value);
    cell->sum[REDUCE_MIN] = is_first ? value : fmin(cell->sum[REDUCE_MIN], value);
    cell->weight += 1;
}

void counter_join_add(struct counter_join *j, uint32_t row, struct join_sum *sum)
{
    const struct counters *c = &j->a->trace->counters;
    double dt = (double)kernel_ns(j->a, row);
    count_rows(j, row);
    memset(j->scratch, 0, j->n_counters * sizeof(*j->scratch));
    memset(j->bad, 0, j->n_counters * sizeof(*j->bad));
    for (size_t i = j->first[row]; i < j->first[row + 1]; i++) {
        uint32_t counter = j->counter_of[c->counter[j->rows[i]]];
        double value = c->value[j->rows[i]];
        if (value >= 0 && isfinite(value))
            add_value(j, counter, value);
        else
            j->bad[counter] = true;
    }
    for (size_t k = 0; k < j->n_counters; k++) {
        struct join_cell *from = &j->scratch[k], *to = &sum->cells[k];
        if (j->bad[k] || !j->rows_of[k] || j->rows_of[k] != j->counters[k].instances)
            continue;
        from->sum[REDUCE_AVG] = from->sum[REDUCE_SUM] / from->weight;
        /* Shares of long dispatches count for more, as they do in the time of the kernel. */
        double weight = counter_is_share(j->counters[k].name) ? dt : 1;
        for (int r = 0; r < REDUCTIONS_ALL; r++)
            to->sum[r] += from->sum[r] * weight;
        to->weight += weight;
    }
    sum->dispatches++;
    sum->dt_ns += dt;
}

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
static void find_passes(struct joiner *s)
{
    struct counter_join *j = s->j;
    size_t n = s->t->processes.n;
    bool **has = arena_array(&s->scratch, bool *, n);
    s->pass_of = arena_array(&s->scratch, uint32_t, n);
    s->lane_of = arena_array(&s->scratch, uint32_t, n);
    for (size_t d = 0; d < j->n_dispatches; d++) {
        uint32_t p = process_of(s->t, j->dispatches[d].row);
        if (p >= n)
            continue;
        if (!has[p])
            has[p] = arena_array(s->arena, bool, j->n_counters);
        count_rows(j, j->dispatches[d].row);
        for (size_t c = 0; c < j->n_counters; c++)
            has[p][c] |= j->rows_of[c] > 0;
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
static void list_dispatches(struct joiner *s)
{
    struct counter_join *j = s->j;
    size_t n = 0;
    uint32_t *rows = arena_array(&s->scratch, uint32_t, s->t->kernels.n);
    for (size_t k = 0; k < s->t->kernels.n; k++)
        if (j->first[k + 1] > j->first[k])
            rows[n++] = (uint32_t)k;
    sort_rows(rows, n, s->t->kernels.id, &s->scratch);
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
    uint32_t launch = s->t->kernels.launch[row], gpu = gpu_of(s->t, row);
    uint64_t key = mix(1, s->names.of_symbol[s->t->kernels.symbol[row]]);
    if (launch < s->t->launches.n) {
        key = mix(key, hash_bytes(s->t->launches.v[launch].grid, sizeof(uint32_t[3])));
        key = mix(key, hash_bytes(s->t->launches.v[launch].group, sizeof(uint32_t[3])));
    }
    return mix(key, gpu == NO_INDEX ? UINT64_MAX : (uint64_t)s->t->gpus.v[gpu].index);
}

static void find_partners(struct joiner *s)
{
    struct counter_join *j = s->j;
    struct idmap occurrences, slots;
    idmap_init(&occurrences, &s->scratch);
    idmap_init(&slots, &s->scratch);
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
        j->passes[d->pass].total_ns = add_ns(j->passes[d->pass].total_ns, kernel_ns(j->a, d->row));
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

static void find_kernels(struct joiner *s)
{
    struct counter_join *j = s->j;
    VEC(struct join_kernel) all = {0};
    struct idmap map;
    idmap_init(&map, &s->scratch);
    for (size_t i = 0; i < j->n_dispatches; i++) {
        const struct join_dispatch *d = &j->dispatches[i];
        if (d->pass == NO_INDEX)
            continue;
        uint32_t at = idmap_get(&map, kernel_key(s, d->row));
        if (at == NO_INDEX) {
            at = (uint32_t)all.n;
            idmap_put(&map, kernel_key(s, d->row), at);
            vec_push(&all, &s->scratch,
                     ((struct join_kernel){.symbol = s->t->kernels.symbol[d->row],
                                           .gpu = gpu_of(s->t, d->row),
                                           .slowest = d->row}));
        }
        struct join_kernel *k = &all.v[at];
        k->total_ns = add_ns(k->total_ns, kernel_ns(j->a, d->row));
        k->passes |= UINT32_C(1) << d->pass;
        if (kernel_ns(j->a, d->row) > kernel_ns(j->a, k->slowest))
            k->slowest = d->row;
    }
    if (all.n)
        qsort(all.v, all.n, sizeof(*all.v), most_time_first);
    j->all_kernels = all.n;
    j->n_kernels = all.n < JOIN_KERNELS ? all.n : JOIN_KERNELS;
    j->kernels = arena_array(s->arena, struct join_kernel, j->n_kernels + 1);
    struct idmap kept;
    idmap_init(&kept, &s->scratch);
    for (size_t k = 0; k < j->n_kernels; k++) {
        j->kernels[k] = all.v[k];
        idmap_put(&kept, kernel_key(s, all.v[k].slowest), (uint32_t)k);
    }
    for (size_t i = 0; i < j->n_dispatches; i++)
        if (j->dispatches[i].pass != NO_INDEX)
            j->dispatches[i].kernel = idmap_get(&kept, kernel_key(s, j->dispatches[i].row));
}

static bool is_matched(const struct counter_join *j, const struct join_dispatch *d)
{
    return j->slot_passes[d->slot] == j->kernels[d->kernel].passes;
}

static void add_up(struct joiner *s)
{
    struct counter_join *j = s->j;
    for (size_t k = 0; k < j->n_kernels; k++) {
        j->kernels[k].sums = arena_array(s->arena, struct join_sum, j->n_passes);
        for (size_t p = 0; p < j->n_passes; p++)
            if (j->kernels[k].passes >> p & 1)
                j->kernels[k].sums[p].cells =
                    arena_array(s->arena, struct join_cell, j->n_counters);
    }
    for (size_t i = 0; i < j->n_dispatches; i++)
        if (j->dispatches[i].kernel != NO_INDEX && is_matched(j, &j->dispatches[i]))
            j->kernels[j->dispatches[i].kernel].joined = true;
    for (size_t i = 0; i < j->n_dispatches; i++) {
        const struct join_dispatch *d = &j->dispatches[i];
        if (d->kernel == NO_INDEX)
            continue;
        struct join_kernel *k = &j->kernels[d->kernel];
        if (k->joined && !is_matched(j, d)) {
            k->unmatched++;
            continue;
        }
        counter_join_add(j, d->row, &k->sums[d->pass]);
        k->dispatches++;
    }
}

/* What is left out, once: dispatches may be added to several sums. */
static void count_losses(struct counter_join *j)
{
    const struct counters *c = &j->a->trace->counters;
    for (size_t i = 0; i < j->n_dispatches; i++) {
        uint32_t row = j->dispatches[i].row;
        bool odd = false;
        count_rows(j, row);
        for (size_t k = 0; k < j->n_counters; k++)
            odd |= j->rows_of[k] && j->rows_of[k] != j->counters[k].instances;
        j->odd_dispatches += odd;
        for (size_t r = j->first[row]; r < j->first[row + 1]; r++)
            j->bad_values += !(c->value[j->rows[r]] >= 0 && isfinite(c->value[j->rows[r]]));
    }
}

void counter_join_make(struct counter_join *j, const struct analysis *a, struct arena *arena)
{
    struct joiner s = {.j = j, .t = a->trace, .arena = arena};
    *j = (struct counter_join){.a = a};
    if (!a->trace->counters.n || !a->trace->counter_infos.n)
        return;
    arena_init(&s.scratch);
    select_kernels(&s);
    list_counters(&s);
    place_rows(&s);
    name_groups_make(&s.names, s.t, &s.scratch);
    j->rows_of = arena_array(arena, uint32_t, j->n_counters);
    j->scratch = arena_array(arena, struct join_cell, j->n_counters);
    j->bad = arena_array(arena, bool, j->n_counters);
    list_dispatches(&s);
    find_instances(&s);
    find_passes(&s);
    find_partners(&s);
    find_kernels(&s);
    add_up(&s);
    count_losses(j);
    arena_release(&s.scratch);
}
