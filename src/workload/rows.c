#include "workload/rows.h"

#define T struct workload_row
static const struct field metric_list[] = {
    WORKLOAD_TEXT(T, metric, "metric", "metric", "its name", UNCUT),
    WORKLOAD_TEXT(T, key, "key", "key", "unique"),
    WORKLOAD_FIGURE(T, value, "value", "mean", "mean over dispatches"),
    WORKLOAD_FIGURE(T, weighted, "weighted", "weighted", "the formula on the mean of each counter"),
    WORKLOAD_FIGURE(T, least, "min", "min", "over dispatches"),
    WORKLOAD_FIGURE(T, most, "max", "max", "over dispatches"),
    WORKLOAD_TEXT(T, unit, "unit", "unit", "", WORKLOAD_UNIT),
    WORKLOAD_FIGURE(T, peak, "peak", "peak", "what the GPU can do"),
    WORKLOAD_NUMBER(T, pct, "pct_of_peak", "of peak", IN_PERCENT, "100 x value / peak"),
    FIELD_AS(T, dispatches, FIELD_U32, "dispatches", "dispatches", NO_UNIT, "where it can be said",
             .null = NULL_NEVER),
    FIELD_AS(T, passes, FIELD_U32, "passes", "passes", NO_UNIT,
             "in which its counters were measured", .null = NULL_NEVER),
    ALWAYS(T, missing, FIELD_LIST, "missing", "counters and facts, where there is no value",
           .of = &field_texts),
};
#undef T
const struct fields workload_metric_fields =
    FIELDS("metrics", "", struct workload_row, metric_list);

workload_rows workload_metric_rows(const struct workload_report *r, int panel, struct arena *a)
{
    size_t n;
    const struct workload_metric *m = workload_metrics(&n);
    workload_rows rows = {0};
    for (size_t i = 0; i < n; i++) {
        const struct workload_value *v = &r->all.values[i];
        if (m[i].panel != panel)
            continue;
        struct workload_row row = {.metric = m[i].name,
                                   .key = m[i].key,
                                   .unit = workload_unit(r, &m[i]),
                                   .value = v->mean,
                                   .weighted = v->weighted,
                                   .least = v->least,
                                   .most = v->most,
                                   .peak = v->peak,
                                   .pct = v->pct,
                                   .dispatches = v->dispatches,
                                   .passes = v->passes};
        for (uint32_t k = 0; k < v->n_missing; k++)
            vec_push(&row.missing, a, v->missing[k]);
        vec_push(&rows, a, row);
    }
    return rows;
}

#define T struct workload_kernel_row
#define BOUND_BY WORKLOAD_TEXT(T, bound_by, "bound_by", "bound by", "and which memory", UNCUT)
static const struct field kernel_list[] = {WORKLOAD_KERNEL_COLUMNS(T), BOUND_BY};
static const struct field point_list[] = {WORKLOAD_POINT_COLUMNS(T), BOUND_BY};
const struct fields workload_kernel_fields = FIELDS("kernels", "", T, kernel_list);
const struct fields workload_point_fields = FIELDS("roofline_kernels", "", T, point_list);
#undef T

workload_kernel_rows workload_kernels(const struct workload_report *r, struct arena *a)
{
    workload_kernel_rows rows = {0};
    for (size_t i = 0; i < r->kernels.n; i++) {
        const struct workload_view *v = &r->kernels.v[i];
        const char *bound = bound_label(v->roof.bound);
        if (v->roof.bound == BOUND_MEMORY)
            bound = arena_printf(a, "%s (%s)", bound, roof_level_label(v->roof.level));
        vec_push(&rows, a,
                 ((struct workload_kernel_row){.rank = i + 1,
                                               .dispatches = v->n,
                                               .name = v->name,
                                               .bound_by = bound,
                                               .v = v,
                                               .total_ns = v->total_ns,
                                               .time_pct = v->time_pct,
                                               .mean_ns = v->mean_ns,
                                               .median_ns = v->median_ns,
                                               .least_ns = v->least_ns,
                                               .most_ns = v->most_ns,
                                               .gflops = v->roof.gflops,
                                               .flops = v->roof.known_flops,
                                               .total_flops = v->roof.total_flops,
                                               .flop_pct = v->roof.flop_pct,
                                               .not_counted = v->roof.not_known}));
    }
    return rows;
}

#define T struct workload_change_row
static const struct field change_list[] = {
    WORKLOAD_TEXT(T, metric, "metric", "metric", "its name", UNCUT),
    WORKLOAD_TEXT(T, key, "key", "key", "unique"),
    WORKLOAD_TEXT(T, unit, "unit", "unit", "", WORKLOAD_UNIT),
    WORKLOAD_CHANGE_COLUMNS(T),
};
#undef T
const struct fields workload_change_fields =
    FIELDS("changes", "", struct workload_change_row, change_list);

struct workload_change_row workload_change_of(const char *metric, double a, double b)
{
    return (struct workload_change_row){metric, "", "", a, b, workload_change(a, b)};
}

workload_changes workload_panel_changes(const struct workload_comparison *c,
                                        const struct workload_pair *p, int panel, struct arena *a)
{
    size_t n;
    const struct workload_metric *m = workload_metrics(&n);
    workload_changes rows = {0};
    for (size_t i = 0; i < n; i++) {
        if (m[i].panel != panel)
            continue;
        struct workload_change_row row =
            workload_change_of(m[i].name, p->a->values[i].mean, p->b->values[i].mean);
        row.key = m[i].key;
        row.unit = workload_unit(c->a, &m[i]);
        vec_push(&rows, a, row);
    }
    return rows;
}
