#include "compare/compare.h"

#define F(member, type, label, unit, doc, ...)                                                     \
    FIELD(struct compare_kernel, member, type, label, unit, doc, ##__VA_ARGS__)
static const struct field kernel_fields[] = {
    F(name, FIELD_TEXT, "in A", NO_UNIT, "of A, or a role; null: only in B"),
    F(name_b, FIELD_TEXT, "in B", NO_UNIT, "its partner; null: only in A"),
    F(title, FIELD_TEXT, "kernel", NO_UNIT, "name for tables; 'old → new' when renamed"),
    F(role, FIELD_ENUM, "category", NO_UNIT, "what it does", .words = kernel_role_labels),
    F(match, FIELD_TEXT, "match", NO_UNIT,
      "how they were paired: name, short name, similar, calls, role, new, gone"),
    F(calls_a, FIELD_U64, "calls A", NO_UNIT, "dispatches in A"),
    F(calls_b, FIELD_U64, "calls B", NO_UNIT, "dispatches in B"),
    F(total_a_ns, FIELD_I64, "total A", IN_NS, "sum of durations in A"),
    F(total_b_ns, FIELD_I64, "total B", IN_NS, "sum of durations in B"),
    F(median_a_ns, FIELD_NUM, "median A", IN_NS, "median duration in A"),
    F(median_b_ns, FIELD_NUM, "median B", IN_NS, "median duration in B"),
    F(typical_a_ns, FIELD_NUM, "typical A", IN_NS, "mean of the middle half of durations in A"),
    F(typical_b_ns, FIELD_NUM, "typical B", IN_NS, "mean of the middle half of durations in B"),
    F(change_ns, FIELD_I64, "change", IN_NS,
      "calls both have x (duration in B - in A), and calls that came or went", AS_CHANGE),
    F(change_pct, FIELD_NUM, "of A", IN_PERCENT, "of A's time in it", AS_CHANGE),
    F(noise_ns, FIELD_I64, "noise", IN_NS, "smaller changes are not significant"),
    F(noise_pct, FIELD_NUM, "noise of A", IN_PERCENT, "the same, of A's time"),
    F(significant, FIELD_BOOL, "significant", NO_UNIT, "beyond noise and at least 0.5 %"),
    F(other_work, FIELD_BOOL, "other work", NO_UNIT,
      "work-items of a call differ by more than 1 %"),
    F(vgpr_a, FIELD_U32, "registers A", NO_UNIT, "vector and accumulation registers in A"),
    F(vgpr_b, FIELD_U32, "registers B", NO_UNIT, "vector and accumulation registers in B"),
    F(lds_a_bytes, FIELD_U32, "LDS A", IN_BYTES, "LDS (shared memory) in A"),
    F(lds_b_bytes, FIELD_U32, "LDS B", IN_BYTES, "LDS (shared memory) in B"),
    F(occupancy_a_pct, FIELD_NUM, "occupancy A", IN_PERCENT, "theoretical occupancy in A"),
    F(occupancy_b_pct, FIELD_NUM, "occupancy B", IN_PERCENT, "theoretical occupancy in B"),
    F(grid_a, FIELD_TEXT, "grid A", NO_UNIT, "work-items of the configuration with most time in A"),
    F(grid_b, FIELD_TEXT, "grid B", NO_UNIT, "work-items of the configuration with most time in B"),
};
#undef F

#define F(member, type, label, unit, doc, ...)                                                     \
    FIELD(struct compare_cause, member, type, label, unit, doc, ##__VA_ARGS__)
static const struct field cause_fields[] = {
    F(what, FIELD_TEXT, "what", NO_UNIT, "what changed"),
    F(kind, FIELD_TEXT, "kind", NO_UNIT,
      "kernel, calls, new_kernel, gone_kernel, overlap, copy, communication, idle"),
    F(change_ns, FIELD_I64, "change", IN_NS, "of GPU time; negative is a gain", AS_CHANGE),
    F(change_pct, FIELD_NUM, "of all", IN_PERCENT,
      "of base_ns; of wall_a_ns where it is not counted", AS_CHANGE),
    F(noise_ns, FIELD_I64, "noise", IN_NS, "smaller changes are not significant"),
    F(significant, FIELD_BOOL, "significant", NO_UNIT, "beyond noise"),
    F(counted, FIELD_BOOL, "counted", NO_UNIT, "part of the verdict when significant"),
    F(phase, FIELD_TEXT, "phase", NO_UNIT, "phase that holds nearly all of it; null: none does"),
};
#undef F

#define F(member, type, label, unit, doc, ...)                                                     \
    FIELD(struct compare_row, member, type, label, unit, doc, ##__VA_ARGS__)
static const struct field row_fields[] = {
    F(key, FIELD_TEXT, "key", NO_UNIT, "what"),
    F(a, FIELD_I64, "A", NO_UNIT, "in A"),
    F(b, FIELD_I64, "B", NO_UNIT, "in B"),
    F(change, FIELD_I64, "change", NO_UNIT, "B per A's number of steps - A", AS_CHANGE),
    F(change_pct, FIELD_NUM, "of A", IN_PERCENT, "of A", AS_CHANGE),
    F(noise, FIELD_I64, "noise", NO_UNIT, "smaller changes mean nothing; 0: not known"),
};
#undef F

#define F(member, type, label, unit, doc, ...)                                                     \
    FIELD(struct compare_phase, member, type, label, unit, doc, ##__VA_ARGS__)
static const struct field phase_list[] = {
    F(phase_a, FIELD_I32, "phase A", NO_UNIT,
      "number of the (first) phase in A, from 1; -1: only in B"),
    F(phase_b, FIELD_I32, "phase B", NO_UNIT,
      "number of the (first) phase in B, from 1; -1: only in A"),
    F(joined_a, FIELD_U32, "joined A", NO_UNIT, "phases of A taken together to fit one of B"),
    F(joined_b, FIELD_U32, "joined B", NO_UNIT, "phases of B taken together to fit one of A"),
    F(title, FIELD_TEXT, "phase", NO_UNIT,
      "name for tables; says what is new, gone, renamed, joined"),
    F(name, FIELD_TEXT, "in A", NO_UNIT, "name in A, or in B where A has none"),
    F(name_b, FIELD_TEXT, "in B", NO_UNIT, "name in B; null: only in A"),
    F(match, FIELD_TEXT, "match", NO_UNIT, "how they were paired: name, kernels, order, new, gone"),
    F(duration_a_ns, FIELD_NUM, "A", IN_NS, "length in A; null: only in B"),
    F(duration_b_ns, FIELD_NUM, "B", IN_NS, "length in B; null: only in A"),
    F(change_ns, FIELD_I64, "change", IN_NS, "length in B per A's number of steps - in A",
      AS_CHANGE),
    F(change_pct, FIELD_NUM, "of A", IN_PERCENT, "of the length in A", AS_CHANGE),
    F(compute_change_ns, FIELD_I64, "compute", IN_NS, "change of compute in its ledger", AS_CHANGE),
    F(exposed_change_ns, FIELD_I64, "exposed", IN_NS, "change of copies and communication in it",
      AS_CHANGE),
    F(idle_change_ns, FIELD_I64, "idle", IN_NS, "change of idle time in its ledger", AS_CHANGE),
    F(cause, FIELD_TEXT, "cause", NO_UNIT,
      "cause of its ledger that changed most; null: not known"),
    F(cause_change_ns, FIELD_I64, "change of that", IN_NS, "change of that cause", AS_CHANGE),
    F(iterations_a, FIELD_U64, "iterations A", NO_UNIT, "repetitions inside, in A; 0: none found"),
    F(iterations_b, FIELD_U64, "iterations B", NO_UNIT, "repetitions inside, in B; 0: none found"),
    F(iteration_a_ns, FIELD_NUM, "iteration A", IN_NS, "median length of one in A"),
    F(iteration_b_ns, FIELD_NUM, "iteration B", IN_NS, "median length of one in B"),
};
#undef F

#define F(member, type, label, unit, doc, ...)                                                     \
    FIELD(struct compare_rank, member, type, label, unit, doc, ##__VA_ARGS__)
static const struct field rank_fields[] = {
    F(rank, FIELD_I32, "rank", NO_UNIT, "number of the rank"),
    F(host_a, FIELD_TEXT, "host A", NO_UNIT, "host in A; null: only in B"),
    F(host_b, FIELD_TEXT, "host B", NO_UNIT, "host in B; null: only in A"),
    F(window_a_ns, FIELD_NUM, "A", IN_NS, "first to last event in A; null: only in B"),
    F(window_b_ns, FIELD_NUM, "B", IN_NS, "first to last event in B; null: only in A"),
    F(change_ns, FIELD_I64, "change", IN_NS, "B per A's number of steps - A; so are all changes",
      AS_CHANGE),
    F(change_pct, FIELD_NUM, "of A", IN_PERCENT, "of the window in A", AS_CHANGE),
    F(compute_change_ns, FIELD_I64, "compute", IN_NS, "change of its GPUs' compute time",
      AS_CHANGE),
    F(copy_change_ns, FIELD_I64, "exposed copies", IN_NS, "change of its GPUs' exposed copies",
      AS_CHANGE),
    F(comm_change_ns, FIELD_I64, "collectives", IN_NS, "change of its GPUs' exposed collectives",
      AS_CHANGE),
    F(mpi_change_ns, FIELD_I64, "MPI", IN_NS, "change of its time in MPI", AS_CHANGE),
    F(host_change_ns, FIELD_I64, "host time", IN_NS,
      "change of its time with neither GPU work nor MPI", AS_CHANGE),
    F(idle_change_ns, FIELD_I64, "idle", IN_NS, "change of its GPUs' idle time", AS_CHANGE),
    F(wait_change_ns, FIELD_I64, "waits", IN_NS, "change of its waiting for later ranks",
      AS_CHANGE),
    F(mostly, FIELD_TEXT, "mostly", NO_UNIT, "which of these changed most, idle and waits aside"),
};
#undef F

const struct fields compare_rank_fields =
    FIELDS("ranks", "Ranks of both jobs, by number.", struct compare_rank, rank_fields);
const struct fields compare_phase_fields =
    FIELDS("phases", "Phases of both runs, side by side.", struct compare_phase, phase_list);
const struct fields compare_kernel_fields =
    FIELDS("kernels", "Kernels of both runs.", struct compare_kernel, kernel_fields);
const struct fields compare_cause_fields =
    FIELDS("causes", "What changed, largest first.", struct compare_cause, cause_fields);
const struct fields compare_row_fields =
    FIELDS("rows", "A time or a count on both sides.", struct compare_row, row_fields);

#define F(member, type, unit, doc) FIELD(struct comparison, member, type, #member, unit, doc)
static const struct field comparison_list[] = {
    F(comparable, FIELD_BOOL, NO_UNIT,
      "both did work that can be compared; reasons say what differs"),
    F(score, FIELD_NUM, NO_UNIT, "1: nothing differs but the times; refused ones have at most 0.3"),
    F(matched_pct, FIELD_NUM, IN_PERCENT, "share of A's kernel time that has a partner in B"),
    FIELD_AS(struct comparison, steps, FIELD_NUM, "steps_ratio", "steps_ratio", NO_UNIT,
             "B ran this many times as many steps as A; B's figures are divided by it"),
    F(wall_a_ns, FIELD_I64, IN_NS,
      "A's window without the profiler's start: the clock on the wall"),
    F(wall_b_ns, FIELD_I64, IN_NS, "the same of B, for the work of A"),
    F(wall_noise_ns, FIELD_I64, IN_NS, "noise of their difference"),
    F(by_wall, FIELD_BOOL, NO_UNIT, "the clock on the wall decided; else the sum of what changed"),
    F(base_ns, FIELD_I64, IN_NS,
      "A's time that is compared: its wall where that decided, else compute, exposed copies and "
      "communication, and idle time when it is regular, per GPU"),
    F(change_ns, FIELD_I64, IN_NS,
      "of the wall where that decided, else the sum of the significant changes; negative is a gain"),
    F(noise_ns, FIELD_I64, IN_NS, "of that change"),
    F(wall_change_pct, FIELD_NUM, IN_PERCENT, "100 x change_ns / base_ns"),
    F(noise_pct, FIELD_NUM, IN_PERCENT, "100 x noise_ns / base_ns"),
    F(window_change_pct, FIELD_NUM, IN_PERCENT,
      "difference of the windows per step of A, the profiler's own start included"),
};
#undef F

const struct fields compare_fields =
    FIELDS("compare", "Did the change help: the verdict of 'gpusight compare' in numbers.",
           struct comparison, comparison_list);
