/*
 * A workload as rows that fields describe: what reports show and JSON writes of it.
 *
 *     workload_rows rows = workload_metric_rows(r, 2, arena);       // of a panel
 *     doc_rows(d, RESULT(workload_metric_fields, rows), ...)
 *
 * Columns that several tables have are macros: the type of the row, and where they are in it.
 */
#ifndef GS_WORKLOAD_ROWS_H
#define GS_WORKLOAD_ROWS_H

#include "field/field.h"
#include "workload/compare.h"

#define WORKLOAD_NUMBER(T, member, key, label, unit, doc, ...)                                     \
    FIELD_AS(T, member, FIELD_NUM, key, label, unit, doc, .null = NULL_MAYBE, ##__VA_ARGS__)
#define WORKLOAD_FIGURE(T, member, key, label, doc)                                                \
    WORKLOAD_NUMBER(T, member, key, label, NO_UNIT, doc, AS_FIGURE)
#define WORKLOAD_TEXT(T, member, key, label, doc, ...)                                             \
    FIELD_AS(T, member, FIELD_TEXT, key, label, NO_UNIT, doc, .null = NULL_NEVER, ##__VA_ARGS__)

/* Where there is none, nothing stands for it. */
#define WORKLOAD_UNIT UNCUT, .style = STYLE_EXACT

/* ---- metrics ---- */

struct workload_row {
    const char *metric, *key, *unit;
    double value, weighted, least, most, peak, pct;
    uint32_t dispatches, passes;
    VEC(const char *) missing;
};
typedef VEC(struct workload_row) workload_rows;
extern const struct fields workload_metric_fields;

workload_rows workload_metric_rows(const struct workload_report *r, int panel, struct arena *a);

/* ---- kernels ---- */

struct workload_kernel_row {
    uint64_t rank, dispatches;
    const char *name, *bound_by; /* bound_by: "memory (L2)" */
    const struct workload_view *v;
    double total_ns, time_pct, mean_ns, median_ns, least_ns, most_ns;
    double gflops, flops, total_flops, flop_pct;
    const char *not_counted;
};
typedef VEC(struct workload_kernel_row) workload_kernel_rows;

workload_kernel_rows workload_kernels(const struct workload_report *r, struct arena *a);

#define WORKLOAD_KERNEL_COLUMNS(T)                                                                 \
    FIELD_AS(T, rank, FIELD_U64, "rank", "#", NO_UNIT, "1 is the longest", .null = NULL_NEVER),    \
        WORKLOAD_TEXT(T, name, "name", "kernel", "of the kernel"),                                 \
        FIELD_AS(T, dispatches, FIELD_U64, "dispatches", "dispatches", NO_UNIT, "",                \
                 .null = NULL_NEVER),                                                              \
        WORKLOAD_NUMBER(T, total_ns, "total_ns", "total", IN_NS, "sum of its dispatches"),         \
        WORKLOAD_NUMBER(T, time_pct, "time_pct", "of kernels", IN_PERCENT,                         \
                        "of all dispatches selected"),                                             \
        WORKLOAD_NUMBER(T, mean_ns, "mean_ns", "mean", IN_NS, ""),                                 \
        WORKLOAD_NUMBER(T, median_ns, "median_ns", "median", IN_NS, ""),                           \
        WORKLOAD_NUMBER(T, least_ns, "min_ns", "min", IN_NS, ""),                                  \
        WORKLOAD_NUMBER(T, most_ns, "max_ns", "max", IN_NS, "")
#define WORKLOAD_POINT_COLUMNS(T)                                                                  \
    FIELD_AS(T, rank, FIELD_U64, "rank", "#", NO_UNIT, "of the kernel", .null = NULL_NEVER),       \
        WORKLOAD_TEXT(T, name, "name", "kernel", "of the kernel"),                                 \
        WORKLOAD_NUMBER(T, gflops, "gflops", "performance", IN_GFLOPS,                             \
                        "operations that are known / duration"),                                   \
        WORKLOAD_FIGURE(T, flops, "flops", "operations", "of the number types that are known"),    \
        WORKLOAD_FIGURE(T, total_flops, "flops_complete", "all operations",                        \
                        "of all number types"),                                                    \
        WORKLOAD_TEXT(T, not_counted, "not_counted", "not counted",                                \
                      "number types, between commas"),                                             \
        WORKLOAD_NUMBER(T, flop_pct, "pct_of_compute", "of peak", IN_PERCENT,                      \
                        "time they need at peak, of the duration")

/* For people: with what they are bound by. */
extern const struct fields workload_kernel_fields, workload_point_fields;

/* ---- two of them ---- */

struct workload_change_row {
    const char *metric, *key, *unit;
    double a, b, pct;
};
typedef VEC(struct workload_change_row) workload_changes;

/* Between two numbers of that name; neither key nor unit. */
struct workload_change_row workload_change_of(const char *metric, double a, double b);
/* Every metric of a panel. */
workload_changes workload_panel_changes(const struct workload_comparison *c,
                                        const struct workload_pair *p, int panel, struct arena *a);

#define WORKLOAD_CHANGE_COLUMNS(T)                                                                 \
    WORKLOAD_FIGURE(T, a, "a", "A", ""), WORKLOAD_FIGURE(T, b, "b", "B", ""),                      \
        WORKLOAD_NUMBER(T, pct, "change_pct", "of A", IN_PERCENT, "from a to b, in percent of a",  \
                        AS_CHANGE)
extern const struct fields workload_change_fields;

#endif
