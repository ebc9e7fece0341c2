/* What the columns of the tables are called and mean. */
#include "base/str.h"
#include "tally/tally.h"

#define FILE_FIELD(T) FIELD(T, file, FIELD_TEXT, "file", NO_UNIT, "where the row stands")
#define ID(T, m, label, doc) FIELD(T, m, FIELD_I64, label, NO_UNIT, doc, .null = NULL_MAYBE)
#define NUM(T, m, key, label, unit, doc) FIELD_AS(T, m, FIELD_NUM, key, label, unit, doc)

#define T struct tally_line
static const struct field line_list[] = {
    FIELD(T, label, FIELD_TEXT, "name", NO_UNIT, "function, call, marker or kernel"),
    FIELD(T, line, FIELD_I64, "line", NO_UNIT, "number of the row, from 1"),
    FIELD(T, parent, FIELD_I64, "parent", NO_UNIT, "the row it was called from; null: none",
          .null = NULL_MAYBE),
    FIELD(T, metric, FIELD_TEXT, "metric", NO_UNIT, "what was measured: wall_clock, peak_rss ..."),
    ID(T, rank, "rank", "of MPI; null: one process, or added up"),
    ID(T, thread, "thread", "as rocprof-sys numbers them; null: added up over threads"),
    FIELD(T, depth, FIELD_I64, "depth", NO_UNIT, "in the tree of calls, 0: the root"),
    ID(T, count, "count", "how often it was entered"),
    FIELD(T, unit, FIELD_TEXT, "unit", NO_UNIT, "of sum, mean, min, max and stddev"),
    NUM(T, sum, "sum", "sum", NO_UNIT, "over all times it was entered, what it called included"),
    NUM(T, mean, "mean", "mean", NO_UNIT, "sum / count, as the file has it"),
    NUM(T, least, "min", "min", NO_UNIT, "smallest value"),
    NUM(T, most, "max", "max", NO_UNIT, "largest value"),
    NUM(T, variance, "var", "variance", NO_UNIT, "of the values"),
    NUM(T, deviation, "stddev", "deviation", NO_UNIT, "of the values"),
    NUM(T, self_pct, "self_pct", "self", IN_PERCENT,
        "share of the sum that is not in what it called"),
    FILE_FIELD(T),
};
static const struct fields line_fields =
    FIELDS("profile", "Profiles of rocprof-sys: sums over calls, by measure, thread and place.", T,
           line_list);
#undef T

#define T struct tally_statistic
static const struct field statistic_list[] = {
    FILE_FIELD(T),
    FIELD(T, kind, FIELD_TEXT, "kind", NO_UNIT,
          "kernel, hip, hsa, copy ...: by the name of the file"),
    FIELD(T, name, FIELD_TEXT, "name", NO_UNIT, "kernel, call, direction or domain"),
    ID(T, calls, "calls", "how many"),
    FIELD_AS(T, total_ns, FIELD_I64, "total_duration_ns", "total", IN_NS, "sum of durations",
             .null = NULL_MAYBE),
    NUM(T, mean_ns, "average_ns", "average", IN_NS, "as the file has it"),
    NUM(T, pct, "percentage", "share", IN_PERCENT, "of the sums of this file"),
    NUM(T, least_ns, "min_ns", "min", IN_NS, "shortest"),
    NUM(T, most_ns, "max_ns", "max", IN_NS, "longest"),
    NUM(T, deviation_ns, "stddev_ns", "deviation", IN_NS, "of the durations"),
};
static const struct fields statistic_fields =
    FIELDS("statistics", "Statistics of rocprof and rocprofv3: sums by name.", T, statistic_list);
#undef T

#define T struct tally_workload
static const struct field workload_list[] = {
    FILE_FIELD(T),
    FIELD(T, id, FIELD_I64, "id", NO_UNIT, "in the database"),
    FIELD(T, name, FIELD_TEXT, "workload", NO_UNIT, "its name, and that of the GPU's folder"),
    FIELD(T, gpu, FIELD_TEXT, "GPU", NO_UNIT, "model; null: not stored"),
    FIELD(T, version, FIELD_TEXT, "version", NO_UNIT, "of rocprof-compute"),
    FIELD(T, schema, FIELD_TEXT, "schema", NO_UNIT, "of the database"),
    FIELD(T, system, FIELD_TEXT, "system", NO_UNIT, "what was stored about the machine, as JSON"),
};
static const struct fields workload_fields =
    FIELDS("workloads", "Workloads in a database of rocprof-compute.", T, workload_list);
#undef T

#define WORKLOAD_FIELD(T) FIELD(T, workload, FIELD_TEXT, "workload", NO_UNIT, "its name")
#define KERNEL_FIELD(T)                                                                            \
    FIELD(T, kernel, FIELD_TEXT, "kernel", NO_UNIT, "its name; null: of the whole workload")

#define T struct tally_kernel
static const struct field kernel_list[] = {
    FILE_FIELD(T),
    WORKLOAD_FIELD(T),
    FIELD(T, name, FIELD_TEXT, "kernel", NO_UNIT, "its name"),
    FIELD(T, dispatches, FIELD_U64, "dispatches", NO_UNIT, "how many were stored"),
    NUM(T, total_ns, "total_ns", "total", IN_NS, "sum of durations"),
    NUM(T, mean_ns, "mean_ns", "mean", IN_NS, "total / dispatches"),
    NUM(T, least_ns, "min_ns", "min", IN_NS, "shortest"),
    NUM(T, most_ns, "max_ns", "max", IN_NS, "longest"),
};
static const struct fields kernel_fields =
    FIELDS("workload_kernels", "Kernels of workloads, longest first.", T, kernel_list);
#undef T

#define T struct tally_metric
static const struct field metric_list[] = {
    FILE_FIELD(T),
    WORKLOAD_FIELD(T),
    KERNEL_FIELD(T),
    FIELD(T, id, FIELD_TEXT, "id", NO_UNIT, "number of the metric: 2.1.4"),
    FIELD(T, panel, FIELD_TEXT, "panel", NO_UNIT, "table it is in"),
    FIELD(T, table, FIELD_TEXT, "table", NO_UNIT, "and the part of that"),
    FIELD(T, metric, FIELD_TEXT, "metric", NO_UNIT, "its name"),
    FIELD(T, value_name, FIELD_TEXT, "value of", NO_UNIT, "avg, min, max, peak ..."),
    NUM(T, value, "value", "value", NO_UNIT, "as rocprof-compute computed it"),
    FIELD(T, unit, FIELD_TEXT, "unit", NO_UNIT, "of the value"),
};
static const struct fields metric_fields =
    FIELDS("workload_metrics", "Metrics that rocprof-compute computed.", T, metric_list);
#undef T

#define T struct tally_dispatch
static const struct field dispatch_list[] = {
    FILE_FIELD(T),
    WORKLOAD_FIELD(T),
    FIELD(T, kernel, FIELD_TEXT, "kernel", NO_UNIT, "its name"),
    ID(T, id, "dispatch", "as the profiler numbers it"),
    ID(T, gpu, "GPU", "on which it ran"),
    FIELD(T, start_ns, FIELD_I64, "start", IN_NS, "of one of the runs"),
    FIELD(T, end_ns, FIELD_I64, "end", IN_NS, "of the same run"),
    FIELD(T, duration_ns, FIELD_I64, "duration", IN_NS, "end - start"),
};
static const struct fields dispatch_fields =
    FIELDS("workload_dispatches",
           "Dispatches of workloads. The program ran several times: these are no timeline.", T,
           dispatch_list);
#undef T

#define T struct tally_roof
static const struct field roof_list[] = {
    FILE_FIELD(T),
    WORKLOAD_FIELD(T),
    KERNEL_FIELD(T),
    NUM(T, flops, "total_flops", "operations", NO_UNIT,
        "floating-point operations a second or in all, "
        "as stored"),
    NUM(T, l1_bytes, "l1_cache_data", "L1", NO_UNIT, "of the vector L1 cache"),
    NUM(T, l2_bytes, "l2_cache_data", "L2", NO_UNIT, "of the L2 cache"),
    NUM(T, hbm_bytes, "hbm_cache_data", "HBM", NO_UNIT, "of the memory"),
    NUM(T, lds_bytes, "lds_cache_data", "LDS", NO_UNIT, "of the LDS"),
};
static const struct fields roof_fields = FIELDS(
    "workload_rooflines", "Points of rooflines, as rocprof-compute stored them.", T, roof_list);
#undef T

#define T struct tally_file
static const struct field file_list[] = {
    ALWAYS(T, path, FIELD_TEXT, "path", "the file"),
    ALWAYS(T, kind, FIELD_TEXT, "kind", "what it is"),
    ALWAYS(T, rows, FIELD_U64, "rows", "in all its tables"),
};
static const struct fields file_fields = FIELDS("files", "Files that were read.", T, file_list);
#undef T

#define T struct tally
static const struct field tally_list[] = {
    ALWAYS(T, files, FIELD_LIST, "files", "what was read", .of = &file_fields),
    IF_ANY(T, lines, FIELD_LIST, "profile", "lines of profiles of rocprof-sys", .of = &line_fields),
    IF_ANY(T, statistics, FIELD_LIST, "statistics", "sums by name of rocprof and rocprofv3",
           .of = &statistic_fields),
    IF_ANY(T, workloads, FIELD_LIST, "workloads", "of a database of rocprof-compute",
           .of = &workload_fields),
    IF_ANY(T, kernels, FIELD_LIST, "workload_kernels", "longest first", .of = &kernel_fields),
    IF_ANY(T, metrics, FIELD_LIST, "workload_metrics", "as they were computed",
           .of = &metric_fields),
    IF_ANY(T, dispatches, FIELD_LIST, "workload_dispatches", "each that was stored",
           .of = &dispatch_fields),
    IF_ANY(T, roofs, FIELD_LIST, "workload_rooflines", "points of rooflines", .of = &roof_fields),
};
const struct fields tally_fields =
    FIELDS("tables", "Tables of profilers that hold sums and no times.", T, tally_list);
#undef T

static void add(struct tally *t, const struct fields *f, const void *rows, size_t n, bool empty)
{
    if (n || empty)
        vec_push(&t->tables, t->arena, ((struct result){f, rows, n, false}));
}

const struct results *tally_tables(struct tally *t, bool empty)
{
    t->tables.n = 0;
    add(t, &line_fields, t->lines.v, t->lines.n, empty);
    add(t, &statistic_fields, t->statistics.v, t->statistics.n, empty);
    add(t, &workload_fields, t->workloads.v, t->workloads.n, empty);
    add(t, &kernel_fields, t->kernels.v, t->kernels.n, empty);
    add(t, &metric_fields, t->metrics.v, t->metrics.n, empty);
    add(t, &dispatch_fields, t->dispatches.v, t->dispatches.n, empty);
    add(t, &roof_fields, t->roofs.v, t->roofs.n, empty);
    return &t->tables;
}

void tally_json_schema(struct str *out)
{
    fields_schema_document(out, "urn:gpusight:tables:1.0", "gpusight tables",
                           "What 'gpusight analyze --format json' writes of files with sums and no "
                           "times: profiles of rocprof-sys, statistics of rocprof and rocprofv3, "
                           "databases of rocprof-compute.",
                           &tally_fields);
}
