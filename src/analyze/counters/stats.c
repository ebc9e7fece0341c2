#include "analyze/counters/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/analysis.h"
#include "analyze/counters/join.h"
#include "base/str.h"
#include "metric/formula.h"

#define F(member, type, label, unit, doc) FIELD(struct counter_row, member, type, label, unit, doc)
static const struct field fields[] = {
    F(counter, FIELD_TEXT, "counter", NO_UNIT, "name of the counter, as the profiler gives it"),
    F(units, FIELD_TEXT, "units", NO_UNIT, "its units; empty where the trace does not say"),
    F(description, FIELD_TEXT, "description", NO_UNIT, "what the profiler says about it"),
    F(sample_count, FIELD_U64, "dispatches", NO_UNIT, "dispatches in the window with a value"),
    F(instances, FIELD_U32, "instances", NO_UNIT,
      "most values of one dispatch: one per instance of the hardware block"),
    F(reduction, FIELD_TEXT, "over instances", NO_UNIT,
      "what makes one value of a dispatch: sum; max for clocks (GRBM), which all instances count "
      "alike; avr for shares and means that the profiler derived"),
    F(avg_value, FIELD_NUM, "mean", NO_UNIT,
      "total_value / sample_count; the value of a dispatch is reduced over instances first"),
    F(min_value, FIELD_NUM, "min", NO_UNIT, "smallest value of a dispatch"),
    F(max_value, FIELD_NUM, "max", NO_UNIT, "largest value of a dispatch"),
    F(total_value, FIELD_NUM, "total", NO_UNIT, "sum of the values of all dispatches"),
};
#undef F

const struct fields counter_fields =
    FIELDS("counters", "Hardware counters by name, reduced per dispatch first.", struct counter_row,
           fields);

/* One kernel's value of the counter at hand. */
struct cell {
    double value;
    uint32_t instances; /* 0: none yet */
};

struct reduction_job {
    const struct analysis *a;
    struct arena *arena;
    bool *in_view;      /* by kernel */
    uint32_t *group;    /* by counter_info: the first one of equal name */
    uint32_t *rows;     /* counter rows, group after group, in file order */
    size_t *first;      /* by group, and the end */
    struct cell *cells; /* by kernel, empty between counters */
    uint32_t *touched;
};

/* GPUs have counters of their own with the same names. */
static void group_counters(struct reduction_job *r)
{
    const struct trace *t = r->a->trace;
    struct idmap by_name;
    idmap_init(&by_name, r->arena);
    r->group = arena_array(r->arena, uint32_t, t->counter_infos.n);
    for (size_t i = 0; i < t->counter_infos.n; i++) {
        uint32_t name = t->counter_infos.v[i].name;
        uint32_t first = idmap_get(&by_name, name);
        r->group[i] = first == NO_INDEX ? (uint32_t)i : first;
        if (first == NO_INDEX)
            idmap_put(&by_name, name, (uint32_t)i);
    }
}

static bool counts(const struct reduction_job *r, size_t row)
{
    const struct counters *c = &r->a->trace->counters;
    return c->counter[row] < r->a->trace->counter_infos.n &&
           c->kernel[row] < r->a->trace->kernels.n && r->in_view[c->kernel[row]];
}

static void place_rows(struct reduction_job *r)
{
    const struct counters *c = &r->a->trace->counters;
    size_t n = r->a->trace->counter_infos.n;
    r->first = arena_array(r->arena, size_t, n + 2); /* shifted by one while counting */
    for (size_t i = 0; i < c->n; i++)
        if (counts(r, i))
            r->first[r->group[c->counter[i]] + 2]++;
    for (size_t i = 1; i < n + 2; i++)
        r->first[i] += r->first[i - 1];
    r->rows = arena_array(r->arena, uint32_t, r->first[n + 1]);
    for (size_t i = 0; i < c->n; i++)
        if (counts(r, i))
            r->rows[r->first[r->group[c->counter[i]] + 1]++] = (uint32_t)i;
}

static void add_instance(struct cell *cell, double value, enum reduction how)
{
    if (how == REDUCE_MAX)
        cell->value = !cell->instances || value > cell->value ? value : cell->value;
    else
        cell->value += value;
    cell->instances++;
}

static struct counter_row reduce(struct reduction_job *r, size_t group)
{
    const struct trace *t = r->a->trace;
    const struct counter_info *info = &t->counter_infos.v[group];
    enum reduction how = counter_reduction(trace_str(t, info->name));
    struct counter_row row = {.counter = trace_str(t, info->name),
                              .units = trace_str(t, info->units),
                              .description = trace_str(t, info->description),
                              .reduction = reduction_name(how)};
    for (size_t i = r->first[group]; i < r->first[group + 1]; i++) {
        uint32_t kernel = t->counters.kernel[r->rows[i]];
        struct cell *cell = &r->cells[kernel];
        if (!cell->instances)
            r->touched[row.sample_count++] = kernel;
        add_instance(cell, t->counters.value[r->rows[i]], how);
        if (cell->instances > row.instances)
            row.instances = cell->instances;
    }
    for (size_t i = 0; i < row.sample_count; i++) {
        struct cell *cell = &r->cells[r->touched[i]];
        double value = how == REDUCE_AVG ? cell->value / cell->instances : cell->value;
        row.min_value = !i || value < row.min_value ? value : row.min_value;
        row.max_value = !i || value > row.max_value ? value : row.max_value;
        row.total_value += value;
        *cell = (struct cell){0};
    }
    row.avg_value = row.total_value / (double)row.sample_count;
    return row;
}

static int by_name(const void *x, const void *y)
{
    return strcmp(((const struct counter_row *)x)->counter,
                  ((const struct counter_row *)y)->counter);
}

static const struct counter_row *find(const struct counter_stats *s, const char *name)
{
    for (size_t i = 0; i < s->rows.n; i++)
        if (str_eq(s->rows.v[i].counter, name))
            return &s->rows.v[i];
    return NULL;
}

static void derive(struct counter_stats *s)
{
    const struct counter_row *active = find(s, "GRBM_GUI_ACTIVE"), *count = find(s, "GRBM_COUNT");
    const struct counter_row *waves = find(s, "SQ_WAVES");
    s->gpu_utilization_pct =
        active && count && active->sample_count == count->sample_count && count->total_value > 0
            ? 100 * active->total_value / count->total_value
            : NAN;
    s->avg_waves = waves ? waves->avg_value : NAN;
    s->min_waves = waves ? waves->min_value : NAN;
    s->max_waves = waves ? waves->max_value : NAN;
}

void counter_stats_make(struct counter_stats *s, const struct analysis *a, struct arena *arena)
{
    struct reduction_job r = {.a = a};
    *s = (struct counter_stats){0};
    r.arena = arena_scratch();
    if (a->trace->counters.n) {
        r.in_view = counter_kernels_in(a, r.arena);
        group_counters(&r);
        place_rows(&r);
        r.cells = arena_array(r.arena, struct cell, a->trace->kernels.n);
        r.touched = arena_array(r.arena, uint32_t, a->trace->kernels.n);
    }
    for (size_t i = 0; a->trace->counters.n && i < a->trace->counter_infos.n; i++)
        if (r.first[i + 1] > r.first[i])
            vec_push(&s->rows, arena, reduce(&r, i));
    if (s->rows.n)
        qsort(s->rows.v, s->rows.n, sizeof(*s->rows.v), by_name);
    derive(s);
    arena_release(r.arena);
}
