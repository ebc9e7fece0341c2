#include "advise/overview.h"

#define F(member, type, label, unit, doc) FIELD(struct execution, member, type, label, unit, doc)
static const struct field execution_v[] = {
    F(total_runtime_ns, FIELD_I64, "GPU span", IN_NS,
      "last end - first start of kernels and copies over all GPUs: the span"),
    F(gpu_count, FIELD_U32, "GPUs", NO_UNIT, "number of GPUs in the view"),
    F(kernel_time_ns, FIELD_I64, "kernels", IN_NS, "sum over GPUs of the union of kernels"),
    F(kernel_time_pct, FIELD_NUM, "kernel share", IN_PERCENT,
      "100 x kernel_time_ns / (span x GPUs)"),
    F(memcpy_time_ns, FIELD_I64, "exposed copies", IN_NS,
      "sum over GPUs of the time in which a copy runs and no kernel does; all copies: "
      "breakdown.copy_ns"),
    F(memcpy_time_pct, FIELD_NUM, "exposed copy share", IN_PERCENT,
      "100 x memcpy_time_ns / (span x GPUs)"),
    F(api_overhead_ns, FIELD_I64, "API overhead", IN_NS,
      "idle time of the ledger whose cause is launch, sync or allocation"),
    F(api_overhead_pct, FIELD_NUM, "API overhead share", IN_PERCENT,
      "100 x api_overhead_ns / (span x GPUs)"),
    F(idle_time_ns, FIELD_I64, "other idle", IN_NS,
      "the rest: kernel_time_ns + memcpy_time_ns + api_overhead_ns + idle_time_ns = span x GPUs"),
    F(idle_time_pct, FIELD_NUM, "other idle share", IN_PERCENT,
      "100 x idle_time_ns / (span x GPUs)"),
};
#undef F

#define F(member, type, label, unit, doc) FIELD(struct timeline, member, type, label, unit, doc)
static const struct field timeline_v[] = {
    F(total_wall_ns, FIELD_I64, "wall", IN_NS,
      "the span; the three parts add up to total_wall_ns x gpu_count exactly"),
    F(gpu_count, FIELD_U32, "GPUs", NO_UNIT, "number of GPUs in the view"),
    F(true_compute_ns, FIELD_I64, "kernels", IN_NS, "sum over GPUs of the union of kernels"),
    F(true_compute_pct, FIELD_NUM, "kernel share", IN_PERCENT,
      "100 x true_compute_ns / (total_wall_ns x gpu_count)"),
    F(exposed_memcpy_ns, FIELD_I64, "exposed copies", IN_NS,
      "sum over GPUs of the time in which a copy runs and no kernel does"),
    F(exposed_memcpy_pct, FIELD_NUM, "exposed copy share", IN_PERCENT,
      "100 x exposed_memcpy_ns / (total_wall_ns x gpu_count)"),
    F(idle_ns, FIELD_I64, "idle", IN_NS,
      "sum over GPUs of the time in the span in which neither kernel nor copy runs"),
    F(idle_pct, FIELD_NUM, "idle share", IN_PERCENT, "100 x idle_ns / (total_wall_ns x gpu_count)"),
};
#undef F

#define F(member, type, label, unit, doc) FIELD(struct region_row, member, type, label, unit, doc)
static const struct field region_v[] = {
    F(name, FIELD_TEXT, "range", NO_UNIT, "text of the marker"),
    F(depth, FIELD_U32, "depth", NO_UNIT, "number of ranges around it on its thread"),
    F(calls, FIELD_U64, "calls", NO_UNIT, "number of ranges of this path"),
    F(wall_time_ns, FIELD_I64, "wall", IN_NS, "sum over threads of the union of its ranges"),
    F(kernel_count, FIELD_U64, "kernels", NO_UNIT, "kernels launched inside, by correlation"),
    F(kernel_time_ns, FIELD_I64, "kernel time", IN_NS, "sum of their durations, whenever they ran"),
    F(memcpy_time_ns, FIELD_I64, "copy time", IN_NS,
      "sum of the durations of copies asked for inside"),
    F(overhead_time_ns, FIELD_I64, "rest", IN_NS,
      "max(0, wall_time_ns - kernel_time_ns - memcpy_time_ns)"),
    F(kernel_pct, FIELD_NUM, "kernel share", IN_PERCENT, "100 x kernel_time_ns / wall_time_ns"),
    F(memcpy_pct, FIELD_NUM, "copy share", IN_PERCENT, "100 x memcpy_time_ns / wall_time_ns"),
    F(overhead_pct, FIELD_NUM, "rest share", IN_PERCENT, "100 x overhead_time_ns / wall_time_ns"),
};
#undef F

const struct fields execution_fields =
    FIELDS("execution_breakdown", "What the GPUs did between their first and last work.",
           struct execution, execution_v);
const struct fields timeline_fields = FIELDS(
    "interval_timeline", "The span of GPU work, divided into three.", struct timeline, timeline_v);
const struct fields region_fields =
    FIELDS("roctx_regions", "Ranges the program marked, by path.", struct region_row, region_v);
