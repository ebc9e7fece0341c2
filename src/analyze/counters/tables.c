/* The tables of the analysis of counters, field by field. */
#include "analyze/counters/counters_in.h"

#define F(member, type, label, unit, doc)                                                          \
    FIELD(struct counter_summary, member, type, label, unit, doc)
static const struct field summary_fields[] = {
    F(values, FIELD_U64, "values", "", "counter values of dispatches in the window"),
    F(dispatches, FIELD_U64, "dispatches", "", "dispatches in the window with a value"),
    F(counters, FIELD_U32, "counters", "", "different names"),
    F(passes, FIELD_U32, "passes", "",
      "runs with different counters: processes that recorded the same names are one pass"),
    F(kernels, FIELD_U32, "kernels", "", "kernels that were measured"),
    F(kernels_shown, FIELD_U32, "shown", "", "those with most measured time, at most 20"),
    F(bad_values, FIELD_U64, "bad values", "", "values below zero or not finite, left out"),
    F(odd_dispatches, FIELD_U64, "odd dispatches", "",
      "dispatches in which a counter has another number of instances than usual: values lost or "
      "doubled; that counter is left out there"),
    F(without_kernel, FIELD_U64, "without kernel", "",
      "values that belong to no dispatch in the window"),
    F(left_out_passes, FIELD_U64, "passes left out", "", "processes of passes beyond the 32nd"),
    F(unknown_arch, FIELD_TEXT, "unknown architecture", "",
      "a GPU whose counters are not known; empty: none"),
    F(times_of, FIELD_TEXT, "times of", "",
      "of several passes that ran one after the other, the run that the window and all times of "
      "the report are of: one without counters, else the first; null: no such choice was made"),
};
#undef F
static const struct fields summary =
    FIELDS("counter_summary", "How much was counted, and what had to be left out.",
           struct counter_summary, summary_fields);

#define F(member, type, label, unit, doc)                                                          \
    FIELD(struct counter_kernel, member, type, label, unit, doc)
static const struct field kernel_fields[] = {
    F(rank, FIELD_U32, "#", "", "by measured time"),
    F(name, FIELD_TEXT, "full name", "", "full, demangled name"),
    F(short_name, FIELD_TEXT, "kernel", "", "name for tables"),
    F(arch, FIELD_TEXT, "architecture", "", "of the GPU it ran on; empty: not recorded"),
    F(dispatches, FIELD_U64, "dispatches", "", "measured dispatches used, all passes together"),
    F(unmatched, FIELD_U64, "unmatched", "",
      "measured dispatches left out because not all passes have them, or a value of them is lost "
      "or "
      "makes no sense"),
    F(passes, FIELD_TEXT, "passes", "", "passes that measured it"),
    F(duration_ns, FIELD_NUM, "duration", "ns", "mean over dispatches, then over passes"),
    F(spread_pct, FIELD_NUM, "spread", "%",
      "100 x (longest / shortest mean duration of its passes - 1); above 25 nothing is computed "
      "across passes"),
    F(measured_ns, FIELD_I64, "measured", "ns",
      "summed duration of all measured dispatches; counters slow a program down, so it is no "
      "share of the run"),
    F(bound, FIELD_TEXT, "bound by", "",
      "memory: a level of memory is at 60 % of its peak or more; compute: the compute units are "
      "busy for 60 % or more; latency: neither, and both are known; unknown: counters are missing"),
    F(level, FIELD_TEXT, "level", "", "the level of memory that binds; null otherwise"),
    F(why, FIELD_TEXT, "because", "", "the numbers that decide"),
    F(cross_pass, FIELD_BOOL, "several passes", "",
      "the verdict puts numbers of different passes side by side"),
    F(occupancy_pct, FIELD_NUM, "occupancy", "%",
      "waves in flight over wave slots, mean over the active time"),
    F(memory_pct, FIELD_NUM, "memory", "%",
      "fabric_gbps in percent of the peak bandwidth of device memory"),
    F(level_pct, FIELD_NUM, "busiest level", "%",
      "bandwidth of the level of memory (HBM, L2, L1, LDS) that is used most, in percent of its "
      "peak"),
    F(compute_pct, FIELD_NUM, "compute", "%",
      "most of: operations in percent of peak (over number types), VALU busy, matrix unit use"),
    F(valu_busy_pct, FIELD_NUM, "VALU busy", "%",
      "share of the CUs' active cycles in which a vector instruction is processed"),
    F(mfma_util_pct, FIELD_NUM, "matrix", "%",
      "share of the SIMDs' active cycles in which the matrix unit works"),
    F(wait_pct, FIELD_NUM, "waiting", "%",
      "share of the waves' time spent waiting for memory, LDS or a barrier"),
    F(l1_hit_pct, FIELD_NUM, "L1 hits", "%", "accesses that did not go on to L2"),
    F(l2_hit_pct, FIELD_NUM, "L2 hits", "%", "requests that L2 answered itself"),
    F(lds_conflict_pct, FIELD_NUM, "LDS conflicts", "%",
      "share of the active cycles lost to bank conflicts of the LDS"),
    F(fabric_gbps, FIELD_NUM, "memory bandwidth", "GB/s",
      "bytes read and written by L2, per second; with an Infinity Cache part of it is served "
      "there"),
    F(gflops, FIELD_NUM, "performance", "GFLOP/s",
      "floating-point operations of the number types that were counted, per second"),
    F(intensity, FIELD_NUM, "intensity", "FLOP/byte",
      "those operations per byte between L2 and memory"),
    F(not_counted, FIELD_TEXT, "not counted", "", "number types without counters; empty: none"),
    F(missing, FIELD_TEXT, "missing", "", "counters that a verdict still needs; empty: none"),
};
#undef F
static const struct fields kernels =
    FIELDS("counter_kernels",
           "What binds the kernels that were measured, most measured time first, and the numbers "
           "that decide.",
           struct counter_kernel, kernel_fields);

#define F(member, type, label, unit, doc)                                                          \
    FIELD(struct counter_metric, member, type, label, unit, doc)
static const struct field metric_fields[] = {
    F(rank, FIELD_U32, "#", "", "of the kernel in counter_kernels"),
    F(kernel, FIELD_TEXT, "kernel", "", "short name"),
    F(group, FIELD_TEXT, "group", "", "part of the GPU"),
    F(metric, FIELD_TEXT, "id", "", "id; docs/counters.md has the formulas"),
    F(label, FIELD_TEXT, "metric", "", "for people"),
    F(unit, FIELD_TEXT, "unit", "", "of value and peak"),
    F(value, FIELD_NUM, "value", "",
      "computed from mean counters of a dispatch, so that ratios are ratios of sums; null where "
      "it was refused"),
    F(peak, FIELD_NUM, "peak", "", "most the hardware can do; null: none is known"),
    F(pct_of_peak, FIELD_NUM, "of peak", "%", "100 x value / peak: the speed of light"),
    F(passes, FIELD_TEXT, "passes", "", "passes its counters come from"),
    F(cross_pass, FIELD_BOOL, "several passes", "",
      "its counters come from different passes, or from different dispatches of one"),
    F(remark, FIELD_TEXT, "remark", "", "why there is no value, or why it is doubtful"),
    F(doc, FIELD_TEXT, "meaning", "", "what it says"),
};
#undef F
static const struct fields metrics =
    FIELDS("counter_metrics",
           "Metrics derived from counters, per kernel; those with a peak are the speed of light.",
           struct counter_metric, metric_fields);

#define F(member, type, label, unit, doc) FIELD(struct roofline_row, member, type, label, unit, doc)
static const struct field roofline_fields[] = {
    F(rank, FIELD_U32, "#", "", "of the kernel in counter_kernels"),
    F(kernel, FIELD_TEXT, "kernel", "", "short name"),
    F(level, FIELD_TEXT, "level", "", "of memory"),
    F(bytes, FIELD_NUM, "bytes", "bytes", "moved at this level, per dispatch"),
    F(intensity, FIELD_NUM, "intensity", "FLOP/byte",
      "operations of the counted number types per byte; null when no operations were counted, or "
      "passes cannot be put together"),
    F(gflops, FIELD_NUM, "performance", "GFLOP/s",
      "operations of the counted number types, per second"),
    F(gbps, FIELD_NUM, "bandwidth", "GB/s", "bytes / duration"),
    F(peak_gbps, FIELD_NUM, "peak", "GB/s", "roof of the level"),
    F(bandwidth_pct, FIELD_NUM, "of bandwidth", "%", "100 x gbps / peak_gbps"),
    F(roof_pct, FIELD_NUM, "of roof", "%",
      "the larger of bandwidth_pct and the operations in percent of peak: performance over "
      "min(peak, intensity x bandwidth)"),
    F(cross_pass, FIELD_BOOL, "several passes", "",
      "operations and bytes come from different passes"),
};
#undef F
static const struct fields roofline =
    FIELDS("roofline", "Each measured kernel under the roofs of the memory levels.",
           struct roofline_row, roofline_fields);

#define F(member, type, label, unit, doc) FIELD(struct roof_row, member, type, label, unit, doc)
static const struct field roof_fields[] = {
    F(gpu, FIELD_TEXT, "GPU", "", "product"),
    F(roof, FIELD_TEXT, "roof", "", "level of memory, or type of number"),
    F(kind, FIELD_TEXT, "kind", "", "bandwidth or compute"),
    F(peak, FIELD_NUM, "peak", "", "the roof"),
    F(unit, FIELD_TEXT, "unit", "", "of the peak"),
    F(source, FIELD_TEXT, "source", "", "theory: clock times width; measured: by a benchmark"),
};
#undef F
static const struct fields roofs =
    FIELDS("roofs", "What the GPUs could do at most.", struct roof_row, roof_fields);

#define F(member, type, label, unit, doc)                                                          \
    FIELD(struct counter_pass_row, member, type, label, unit, doc)
static const struct field pass_fields[] = {
    F(pass, FIELD_U32, "pass", "", "number, in order of files"),
    F(file, FIELD_TEXT, "file", "", "its first file"),
    F(processes, FIELD_U32, "processes", "", "processes that recorded these counters"),
    F(dispatches, FIELD_U64, "dispatches", "", "measured dispatches"),
    F(measured_ns, FIELD_I64, "measured", "ns", "their summed duration"),
    F(counters, FIELD_TEXT, "counters", "", "their names"),
};
#undef F
static const struct fields passes =
    FIELDS("counter_passes", "Runs of the program with different counters.",
           struct counter_pass_row, pass_fields);

#define F(member, type, label, unit, doc)                                                          \
    FIELD(struct counter_missing, member, type, label, unit, doc)
static const struct field missing_fields[] = {
    F(question, FIELD_TEXT, "question", "", "what cannot be answered yet"),
    F(kernels, FIELD_U32, "kernels", "", "kernels for which it is open"),
    F(counters, FIELD_TEXT, "counters", "", "counters that are still needed"),
    F(passes, FIELD_U32, "passes", "", "runs that takes, by the limits of the hardware blocks"),
    F(capture, FIELD_TEXT, "capture", "", "the counters of each run, runs divided by semicolons"),
};
#undef F
static const struct fields missing =
    FIELDS("counter_missing", "Questions that the counters of this trace leave open.",
           struct counter_missing, missing_fields);

#define F(member, type, label, unit, doc)                                                          \
    FIELD(struct counter_dispatch, member, type, label, unit, doc)
static const struct field dispatch_fields[] = {
    F(kernel, FIELD_TEXT, "kernel", "", "short name"),
    F(dispatch, FIELD_I64, "dispatch", "", "id in its first pass"),
    F(gpu, FIELD_I32, "GPU", "", "number of the GPU; -1: not recorded"),
    F(passes, FIELD_TEXT, "passes", "", "passes that measured it"),
    F(duration_ns, FIELD_NUM, "duration", "ns", "mean over passes"),
    F(bound, FIELD_TEXT, "bound by", "", "as in counter_kernels"),
    F(occupancy_pct, FIELD_NUM, "occupancy", "%", "waves in flight over wave slots"),
    F(memory_pct, FIELD_NUM, "memory", "%", "of the peak bandwidth of device memory"),
    F(compute_pct, FIELD_NUM, "compute", "%", "how busy the compute units are"),
    F(l2_hit_pct, FIELD_NUM, "L2 hits", "%", "requests that L2 answered itself"),
    F(lds_conflict_pct, FIELD_NUM, "LDS conflicts", "%",
      "share of the active cycles lost to bank conflicts"),
    F(fabric_gbps, FIELD_NUM, "memory bandwidth", "GB/s",
      "bytes read and written by L2, per second"),
    F(cross_pass, FIELD_BOOL, "several passes", "", "numbers come from different passes"),
};
#undef F
static const struct fields dispatches =
    FIELDS("counter_dispatches", "The 50 longest measured dispatches, one by one.",
           struct counter_dispatch, dispatch_fields);

void counter_tables(const struct analysis *a, struct results *out, struct arena *arena)
{
    const struct counter_results *c = &a->counters;
    const struct result all[] = {
        {&summary, &c->summary, 1, true},
        {&kernels, c->kernels.v, c->kernels.n, false},
        {&metrics, c->metrics.v, c->metrics.n, false},
        {&roofline, c->roofline.v, c->roofline.n, false},
        {&roofs, c->roofs.v, c->roofs.n, false},
        {&passes, c->passes.v, c->passes.n, false},
        {&missing, c->missing.v, c->missing.n, false},
        {&dispatches, c->dispatches.v, c->dispatches.n, false},
    };
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        vec_push(out, arena, all[i]);
}
