/* The tables of the analysis of counters, field by field. */
#include "analyze/counters/counters_in.h"

#define F(member, type, label, unit, doc)                                                          \
    FIELD(struct counter_summary, member, type, label, unit, doc)
static const struct field summary_fields[] = {
    F(values, FIELD_U64, "values", NO_UNIT, "counter values of dispatches in the window"),
    F(dispatches, FIELD_U64, "dispatches", NO_UNIT, "dispatches in the window with a value"),
    F(counters, FIELD_U32, "counters", NO_UNIT, "different names"),
    F(passes, FIELD_U32, "passes", NO_UNIT,
      "runs with different counters: processes that recorded the same names are one pass"),
    F(kernels, FIELD_U32, "kernels", NO_UNIT, "kernels that were measured"),
    F(kernels_shown, FIELD_U32, "shown", NO_UNIT, "those with most measured time, at most 20"),
    F(bad_values, FIELD_U64, "bad values", NO_UNIT, "values below zero or not finite, left out"),
    F(odd_dispatches, FIELD_U64, "odd dispatches", NO_UNIT,
      "dispatches in which a counter has another number of instances than usual: values lost or "
      "doubled; that counter is left out there"),
    F(without_kernel, FIELD_U64, "without kernel", NO_UNIT,
      "values that belong to no dispatch in the window"),
    F(left_out_passes, FIELD_U64, "passes left out", NO_UNIT,
      "processes of passes beyond the 32nd"),
    F(unknown_arch, FIELD_TEXT, "unknown architecture", NO_UNIT,
      "a GPU whose counters are not known; empty: none"),
    F(times_of, FIELD_TEXT, "times of", NO_UNIT,
      "of several passes that ran one after the other, the run that the window and all times of "
      "the report are of: one without counters, else the first; null: no such choice was made"),
};
#undef F
static const struct fields summary =
    FIELDS("counter_summary", "How much was counted, and what had to be left out.",
           struct counter_summary, summary_fields);

#define F(member, type, label, unit, doc, ...)                                                     \
    FIELD(struct counter_kernel, member, type, label, unit, doc, ##__VA_ARGS__)
static const struct field kernel_fields[] = {
    F(rank, FIELD_U32, "#", NO_UNIT, "by measured time"),
    F(name, FIELD_TEXT, "full name", NO_UNIT, "full, demangled name"),
    F(short_name, FIELD_TEXT, "kernel", NO_UNIT, "name for tables"),
    F(arch, FIELD_TEXT, "architecture", NO_UNIT, "of the GPU it ran on; empty: not recorded"),
    F(dispatches, FIELD_U64, "dispatches", NO_UNIT,
      "measured dispatches used, all passes together"),
    F(unmatched, FIELD_U64, "unmatched", NO_UNIT,
      "measured dispatches left out because not all passes have them, or a value of them is lost "
      "or "
      "makes no sense"),
    F(passes, FIELD_TEXT, "passes", NO_UNIT, "passes that measured it"),
    F(duration_ns, FIELD_NUM, "duration", IN_NS, "mean over dispatches, then over passes"),
    F(spread_pct, FIELD_NUM, "spread", IN_PERCENT,
      "100 x (longest / shortest mean duration of its passes - 1); above 25 nothing is computed "
      "across passes"),
    F(measured_ns, FIELD_I64, "measured time", IN_NS,
      "summed duration of all measured dispatches; counters slow a program down, so it is no "
      "share of the run"),
    F(bound, FIELD_ENUM, "bound by", NO_UNIT,
      "memory: a level of memory is at 60 % of its peak or more; compute: the compute units are "
      "busy for 60 % or more; latency: neither, and both are known; unknown: counters are missing",
      .words = bound_labels),
    F(level, FIELD_TEXT, "level", NO_UNIT, "the level of memory that binds; null otherwise"),
    F(why, FIELD_TEXT, "because", NO_UNIT, "the numbers that decide"),
    F(cross_pass, FIELD_BOOL, "several passes", NO_UNIT,
      "the verdict puts numbers of different passes side by side"),
    F(occupancy_pct, FIELD_NUM, "occupancy", IN_PERCENT,
      "waves in flight over wave slots, mean over the active time"),
    F(memory_pct, FIELD_NUM, "of memory", IN_PERCENT,
      "fabric_gbps in percent of the peak bandwidth of device memory"),
    F(level_pct, FIELD_NUM, "busiest level", IN_PERCENT,
      "bandwidth of the level of memory (HBM, L2, L1, LDS) that is used most, in percent of its "
      "peak"),
    F(compute_pct, FIELD_NUM, "of compute", IN_PERCENT,
      "most of: operations in percent of peak (over number types), VALU busy, matrix unit use"),
    F(valu_busy_pct, FIELD_NUM, "VALU busy", IN_PERCENT,
      "share of the CUs' active cycles in which a vector instruction is processed"),
    F(mfma_util_pct, FIELD_NUM, "matrix", IN_PERCENT,
      "share of the SIMDs' active cycles in which the matrix unit works"),
    F(wait_pct, FIELD_NUM, "waiting", IN_PERCENT,
      "share of the waves' time spent waiting for memory, LDS or a barrier"),
    F(l1_hit_pct, FIELD_NUM, "L1 hits", IN_PERCENT, "accesses that did not go on to L2"),
    F(l2_hit_pct, FIELD_NUM, "L2 hits", IN_PERCENT, "requests that L2 answered itself"),
    F(lds_conflict_pct, FIELD_NUM, "LDS conflicts", IN_PERCENT,
      "share of the active cycles lost to bank conflicts of the LDS"),
    F(fabric_gbps, FIELD_NUM, "memory bandwidth", IN_GBPS,
      "bytes read and written by L2, per second; with an Infinity Cache part of it is served "
      "there"),
    F(gflops, FIELD_NUM, "performance", IN_GFLOPS,
      "floating-point operations of the number types that were counted, per second"),
    F(intensity, FIELD_NUM, "intensity", IN_FLOP_PER_BYTE,
      "those operations per byte between L2 and memory"),
    F(not_counted, FIELD_TEXT, "not counted", NO_UNIT,
      "number types without counters; empty: none"),
    F(missing, FIELD_TEXT, "missing", NO_UNIT, "counters that a verdict still needs; empty: none"),
};
#undef F
static const struct fields kernels =
    FIELDS("counter_kernels",
           "What binds the kernels that were measured, most measured time first, and the numbers "
           "that decide.",
           struct counter_kernel, kernel_fields);

#define F(member, type, label, unit, doc, ...)                                                     \
    FIELD(struct counter_metric, member, type, label, unit, doc, ##__VA_ARGS__)
static const struct field metric_fields[] = {
    F(rank, FIELD_U32, "#", NO_UNIT, "of the kernel in counter_kernels"),
    F(kernel, FIELD_TEXT, "kernel", NO_UNIT, "short name"),
    F(group, FIELD_ENUM, "group", NO_UNIT, "part of the GPU", .words = metric_group_words),
    F(metric, FIELD_TEXT, "id", NO_UNIT, "id; docs/counters.md has the formulas"),
    F(label, FIELD_TEXT, "metric", NO_UNIT, "for people"),
    F(unit, FIELD_ENUM, "unit", NO_UNIT, "of value and peak", .words = unit_words),
    F(value, FIELD_NUM, "value", NO_UNIT,
      "computed from mean counters of a dispatch, so that ratios are ratios of sums; null where "
      "it was refused"),
    F(peak, FIELD_NUM, "peak", NO_UNIT, "most the hardware can do; null: none is known"),
    F(pct_of_peak, FIELD_NUM, "of peak", IN_PERCENT, "100 x value / peak: the speed of light"),
    F(passes, FIELD_TEXT, "passes", NO_UNIT, "passes its counters come from"),
    F(cross_pass, FIELD_BOOL, "several passes", NO_UNIT,
      "its counters come from different passes, or from different dispatches of one"),
    F(remark, FIELD_TEXT, "remark", NO_UNIT, "why there is no value, or why it is doubtful"),
    F(doc, FIELD_TEXT, "meaning", NO_UNIT, "what it says"),
};
#undef F
static const struct fields metrics =
    FIELDS("counter_metrics",
           "Metrics derived from counters, per kernel; those with a peak are the speed of light.",
           struct counter_metric, metric_fields);

#define F(member, type, label, unit, doc, ...)                                                     \
    FIELD(struct roofline_row, member, type, label, unit, doc, ##__VA_ARGS__)
static const struct field roofline_fields[] = {
    F(rank, FIELD_U32, "#", NO_UNIT, "of the kernel in counter_kernels"),
    F(kernel, FIELD_TEXT, "kernel", NO_UNIT, "short name"),
    F(level, FIELD_ENUM, "level", NO_UNIT, "of memory", .words = roof_level_labels),
    F(bytes, FIELD_NUM, "bytes", IN_BYTES, "moved at this level, per dispatch"),
    F(intensity, FIELD_NUM, "intensity", IN_FLOP_PER_BYTE,
      "operations of the counted number types per byte; null when no operations were counted, or "
      "passes cannot be put together"),
    F(gflops, FIELD_NUM, "performance", IN_GFLOPS,
      "operations of the counted number types, per second"),
    F(gbps, FIELD_NUM, "bandwidth", IN_GBPS, "bytes / duration"),
    F(peak_gbps, FIELD_NUM, "peak", IN_GBPS, "roof of the level"),
    F(bandwidth_pct, FIELD_NUM, "of bandwidth", IN_PERCENT, "100 x gbps / peak_gbps"),
    F(roof_pct, FIELD_NUM, "of roof", IN_PERCENT,
      "the larger of bandwidth_pct and the operations in percent of peak: performance over "
      "min(peak, intensity x bandwidth)"),
    F(cross_pass, FIELD_BOOL, "several passes", NO_UNIT,
      "operations and bytes come from different passes"),
};
#undef F
static const struct fields roofline =
    FIELDS("roofline", "Each measured kernel under the roofs of the memory levels.",
           struct roofline_row, roofline_fields);

#define F(member, type, label, unit, doc, ...)                                                     \
    FIELD(struct roof_row, member, type, label, unit, doc, ##__VA_ARGS__)
static const struct field roof_fields[] = {
    F(gpu, FIELD_TEXT, "GPU", NO_UNIT, "product"),
    F(roof, FIELD_TEXT, "roof", NO_UNIT, "level of memory, or type of number"),
    F(kind, FIELD_ENUM, "kind", NO_UNIT, "bandwidth or compute",
      .words = WORDS("bandwidth", "compute")),
    F(peak, FIELD_NUM, "peak", NO_UNIT, "the roof"),
    F(unit, FIELD_ENUM, "unit", NO_UNIT, "of the peak", .words = unit_words),
    F(source, FIELD_ENUM, "source", NO_UNIT, "theory: clock times width; measured: by a benchmark",
      .words = WORDS("theory", "measured")),
};
#undef F
static const struct fields roofs =
    FIELDS("roofs", "What the GPUs could do at most.", struct roof_row, roof_fields);

#define F(member, type, label, unit, doc)                                                          \
    FIELD(struct counter_pass_row, member, type, label, unit, doc)
static const struct field pass_fields[] = {
    F(pass, FIELD_U32, "pass", NO_UNIT, "number, in order of files"),
    F(file, FIELD_TEXT, "file", NO_UNIT, "its first file"),
    F(processes, FIELD_U32, "processes", NO_UNIT, "processes that recorded these counters"),
    F(dispatches, FIELD_U64, "dispatches", NO_UNIT, "measured dispatches"),
    F(measured_ns, FIELD_I64, "measured time", IN_NS, "their summed duration"),
    F(counters, FIELD_TEXT, "counters", NO_UNIT, "their names"),
};
#undef F
static const struct fields passes =
    FIELDS("counter_passes", "Runs of the program with different counters.",
           struct counter_pass_row, pass_fields);

#define F(member, type, label, unit, doc)                                                          \
    FIELD(struct counter_missing, member, type, label, unit, doc)
static const struct field missing_fields[] = {
    F(question, FIELD_TEXT, "question", NO_UNIT, "what cannot be answered yet"),
    F(kernels, FIELD_U32, "kernels", NO_UNIT, "kernels for which it is open"),
    F(counters, FIELD_TEXT, "counters", NO_UNIT, "counters that are still needed"),
    F(passes, FIELD_U32, "passes", NO_UNIT,
      "runs that takes, by the limits of the hardware blocks"),
    F(capture, FIELD_TEXT, "capture", NO_UNIT,
      "the counters of each run, runs divided by semicolons"),
};
#undef F
static const struct fields missing =
    FIELDS("counter_missing", "Questions that the counters of this trace leave open.",
           struct counter_missing, missing_fields);

#define F(member, type, label, unit, doc, ...)                                                     \
    FIELD(struct counter_dispatch, member, type, label, unit, doc, ##__VA_ARGS__)
static const struct field dispatch_fields[] = {
    F(kernel, FIELD_TEXT, "kernel", NO_UNIT, "short name"),
    F(dispatch, FIELD_I64, "dispatch", NO_UNIT, "id in its first pass"),
    F(gpu, FIELD_I32, "GPU", NO_UNIT, "number of the GPU; -1: not recorded"),
    F(passes, FIELD_TEXT, "passes", NO_UNIT, "passes that measured it"),
    F(duration_ns, FIELD_NUM, "duration", IN_NS, "mean over passes"),
    F(bound, FIELD_ENUM, "bound by", NO_UNIT, "as in counter_kernels", .words = bound_labels),
    F(occupancy_pct, FIELD_NUM, "occupancy", IN_PERCENT, "waves in flight over wave slots"),
    F(memory_pct, FIELD_NUM, "of memory", IN_PERCENT, "of the peak bandwidth of device memory"),
    F(compute_pct, FIELD_NUM, "of compute", IN_PERCENT, "how busy the compute units are"),
    F(l2_hit_pct, FIELD_NUM, "L2 hits", IN_PERCENT, "requests that L2 answered itself"),
    F(lds_conflict_pct, FIELD_NUM, "LDS conflicts", IN_PERCENT,
      "share of the active cycles lost to bank conflicts"),
    F(fabric_gbps, FIELD_NUM, "memory bandwidth", IN_GBPS,
      "bytes read and written by L2, per second"),
    F(cross_pass, FIELD_BOOL, "several passes", NO_UNIT, "numbers come from different passes"),
};
#undef F
static const struct fields dispatches =
    FIELDS("counter_dispatches", "The 50 longest measured dispatches, one by one.",
           struct counter_dispatch, dispatch_fields);

const struct analysis_table counter_tables[] = {
    ANALYSIS_ONE(summary, counters.summary),
    ANALYSIS_ROWS(kernels, counters.kernels),
    ANALYSIS_ROWS(metrics, counters.metrics),
    ANALYSIS_ROWS(roofline, counters.roofline),
    ANALYSIS_ROWS(roofs, counters.roofs),
    ANALYSIS_ROWS(passes, counters.passes),
    ANALYSIS_ROWS(missing, counters.missing),
    ANALYSIS_ROWS(dispatches, counters.dispatches),
    {0},
};
