#include "analyze/counters/join_in.h"

#include <math.h>
#include <string.h>

enum { COUNTS = 4 }; /* different numbers of instances that are told apart */

/* ---- rows by dispatch ---- */

bool *counter_kernels_in(const struct analysis *a, struct arena *arena)
{
    const struct view *v = &a->view;
    bool *in = arena_array(arena, bool, a->trace->kernels.n + 1);
    for (size_t g = 0; g < v->n_gpus; g++)
        for (size_t i = 0; i < v->gpus[g].n_kernels; i++)
            in[v->gpus[g].kernels[i]] = true;
    if (a->times_of)
        memset(in, true, a->trace->kernels.n);
    return in;
}

static bool belongs(const struct joiner *s, size_t row)
{
    const struct counters *c = &s->t->counters;
    return c->counter[row] < s->t->counter_infos.n && c->kernel[row] < s->t->kernels.n &&
           s->in_view[c->kernel[row]];
}

/*
 * The counters that have values: files list all that a GPU could count. GPUs have counters of
 * their own with the same names.
 */
static void list_counters(struct joiner *s)
{
    struct counter_join *j = s->j;
    const struct counters *c = &s->t->counters;
    size_t n = s->t->counter_infos.n;
    bool *used = arena_array(s->scratch, bool, n);
    struct idmap by_name;
    idmap_init(&by_name, s->scratch);
    for (size_t i = 0; i < c->n; i++)
        if (belongs(s, i))
            used[c->counter[i]] = true;
    j->counter_of = arena_array(s->arena, uint32_t, n);
    j->counters = arena_array(s->arena, struct join_counter, n < JOIN_COUNTERS ? n : JOIN_COUNTERS);
    for (size_t i = 0; i < n; i++) {
        uint32_t name = s->t->counter_infos.v[i].name;
        uint32_t at = used[i] ? idmap_get(&by_name, name) : NO_INDEX;
        if (used[i] && at == NO_INDEX && j->n_counters < JOIN_COUNTERS) {
            at = (uint32_t)j->n_counters++;
            idmap_put(&by_name, name, at);
            j->counters[at].name = trace_str(s->t, name);
        }
        j->counter_of[i] = at;
    }
}

static bool counts(const struct joiner *s, size_t row)
{
    return belongs(s, row) && s->j->counter_of[s->t->counters.counter[row]] != NO_INDEX;
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

void join_count_rows(struct counter_join *j, uint32_t row)
{
    const struct counters *c = &j->a->trace->counters;
    for (size_t i = 0; i < j->n_touched; i++)
        j->rows_of[j->touched[i]] = 0;
    j->n_touched = 0;
    for (size_t i = j->first[row]; i < j->first[row + 1]; i++) {
        uint32_t counter = j->counter_of[c->counter[j->rows[i]]];
        if (!j->rows_of[counter]++)
            j->touched[j->n_touched++] = counter;
    }
}

/* ---- how many instances a counter usually has ---- */

struct instance_counts {
    uint32_t instances[COUNTS];
    uint64_t times[COUNTS];
};

static void add_count(struct instance_counts *c, uint32_t instances)
{
    for (int k = 0; k < COUNTS; k++)
        if (!c->times[k] || c->instances[k] == instances) {
            c->instances[k] = instances;
            c->times[k]++;
            return;
        }
}

static void find_instances(struct joiner *s)
{
    struct counter_join *j = s->j;
    struct instance_counts *all = arena_array(s->scratch, struct instance_counts, j->n_counters);
    for (size_t d = 0; d < j->n_dispatches; d++) {
        join_count_rows(j, j->dispatches[d].row);
        for (size_t i = 0; i < j->n_touched; i++)
            add_count(&all[j->touched[i]], j->rows_of[j->touched[i]]);
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

void join_judge_rows(struct counter_join *j, uint32_t row)
{
    const struct counters *c = &j->a->trace->counters;
    join_count_rows(j, row);
    for (size_t i = 0; i < j->n_touched; i++)
        j->bad[j->touched[i]] = j->rows_of[j->touched[i]] != j->counters[j->touched[i]].instances;
    for (size_t i = j->first[row]; i < j->first[row + 1]; i++) {
        double value = c->value[j->rows[i]];
        if (!(value >= 0 && isfinite(value)))
            j->bad[j->counter_of[c->counter[j->rows[i]]]] = true;
    }
}

void counter_join_add(struct counter_join *j, uint32_t row, struct join_sum *sum)
{
    const struct counters *c = &j->a->trace->counters;
    double dt = (double)measured_ns(j->a, row);
    join_judge_rows(j, row);
    for (size_t i = 0; i < j->n_touched; i++)
        j->scratch[j->touched[i]] = (struct join_cell){0};
    for (size_t i = j->first[row]; i < j->first[row + 1]; i++) {
        uint32_t counter = j->counter_of[c->counter[j->rows[i]]];
        if (!j->bad[counter])
            add_value(j, counter, c->value[j->rows[i]]);
    }
    for (size_t i = 0; i < j->n_touched; i++) {
        struct join_cell *from = &j->scratch[j->touched[i]], *to = &sum->cells[j->touched[i]];
        if (j->bad[j->touched[i]])
            continue;
        from->sum[REDUCE_AVG] = from->sum[REDUCE_SUM] / from->weight;
        /* Shares of long dispatches count for more, as they do in the time of the kernel. */
        double weight = counter_is_share(j->counters[j->touched[i]].name) ? dt : 1;
        for (int r = 0; r < REDUCTIONS_ALL; r++)
            to->sum[r] += from->sum[r] * weight;
        to->weight += weight;
    }
    sum->dispatches++;
    sum->dt_ns += (double)dt;
}

/* What is left out, once: dispatches may be added to several sums. */
static void count_losses(struct counter_join *j)
{
    const struct counters *c = &j->a->trace->counters;
    for (size_t i = 0; i < j->n_dispatches; i++) {
        uint32_t row = j->dispatches[i].row;
        bool odd = false;
        join_count_rows(j, row);
        for (size_t k = 0; k < j->n_touched; k++)
            odd |= j->rows_of[j->touched[k]] != j->counters[j->touched[k]].instances;
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
    s.scratch = arena_scratch();
    s.in_view = counter_kernels_in(a, s.scratch);
    list_counters(&s);
    place_rows(&s);
    s.names = a->view.names;
    j->rows_of = arena_array(arena, uint32_t, j->n_counters);
    j->touched = arena_array(arena, uint32_t, j->n_counters);
    j->scratch = arena_array(arena, struct join_cell, j->n_counters);
    j->bad = arena_array(arena, bool, j->n_counters);
    join_list_dispatches(&s);
    find_instances(&s);
    join_find_passes(&s);
    join_find_partners(&s);
    join_find_kernels(&s);
    join_find_damaged(&s);
    join_add_up(&s);
    count_losses(j);
    arena_release(s.scratch);
}
