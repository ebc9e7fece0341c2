#include "compare/compare.h"

#define F(member, type, label, unit, doc)                                                          \
    FIELD(struct compare_kernel, member, type, label, unit, doc)
static const struct field kernel_fields[] = {
    F(name, FIELD_TEXT, "in A", "", "of A, or a role; null: only in B"),
    F(name_b, FIELD_TEXT, "in B", "", "its partner; null: only in A"),
    F(title, FIELD_TEXT, "kernel", "", "name for tables; 'old → new' when renamed"),
    F(role, FIELD_TEXT, "role", "", "what it does"),
    F(match, FIELD_TEXT, "match", "",
      "how they were paired: name, short name, similar, calls, role, new, gone"),
    F(calls_a, FIELD_U64, "calls A", "", "dispatches in A"),
    F(calls_b, FIELD_U64, "calls B", "", "dispatches in B"),
    F(total_a_ns, FIELD_I64, "total A", "ns", "sum of durations in A"),
    F(total_b_ns, FIELD_I64, "total B", "ns", "sum of durations in B"),
    F(median_a_ns, FIELD_NUM, "median A", "ns", "median duration in A"),
    F(median_b_ns, FIELD_NUM, "median B", "ns", "median duration in B"),
    F(typical_a_ns, FIELD_NUM, "typical A", "ns", "mean of the middle half of durations in A"),
    F(typical_b_ns, FIELD_NUM, "typical B", "ns", "mean of the middle half of durations in B"),
    F(change_ns, FIELD_I64, "change", "ns",
      "calls both have x (duration in B - in A), and calls that came or went"),
    F(change_pct, FIELD_NUM, "of A", "%", "of A's time in it"),
    F(noise_ns, FIELD_I64, "noise", "ns", "smaller changes are not significant"),
    F(noise_pct, FIELD_NUM, "noise of A", "%", "the same, of A's time"),
    F(significant, FIELD_BOOL, "significant", "", "beyond noise and at least 0.5 %"),
    F(other_work, FIELD_BOOL, "other work", "", "work-items of a call differ by more than 1 %"),
    F(vgpr_a, FIELD_U32, "registers A", "", "vector and accumulation registers in A"),
    F(vgpr_b, FIELD_U32, "registers B", "", "vector and accumulation registers in B"),
    F(lds_a_bytes, FIELD_U32, "LDS A", "bytes", "LDS (shared memory) in A"),
    F(lds_b_bytes, FIELD_U32, "LDS B", "bytes", "LDS (shared memory) in B"),
    F(occupancy_a_pct, FIELD_NUM, "occupancy A", "%", "theoretical occupancy in A"),
    F(occupancy_b_pct, FIELD_NUM, "occupancy B", "%", "theoretical occupancy in B"),
    F(grid_a, FIELD_TEXT, "grid A", "", "work-items of the configuration with most time in A"),
    F(grid_b, FIELD_TEXT, "grid B", "", "work-items of the configuration with most time in B"),
};
#undef F

#define F(member, type, label, unit, doc)                                                          \
    FIELD(struct compare_cause, member, type, label, unit, doc)
static const struct field cause_fields[] = {
    F(what, FIELD_TEXT, "what", "", "what changed"),
    F(kind, FIELD_TEXT, "kind", "",
      "kernel, calls, new_kernel, gone_kernel, overlap, copy, communication, idle"),
    F(change_ns, FIELD_I64, "change", "ns", "of GPU time; negative is a gain"),
    F(change_pct, FIELD_NUM, "of all", "%", "of base_ns"),
    F(noise_ns, FIELD_I64, "noise", "ns", "smaller changes are not significant"),
    F(significant, FIELD_BOOL, "significant", "", "beyond noise"),
    F(counted, FIELD_BOOL, "counted", "", "part of the verdict when significant"),
    F(phase, FIELD_TEXT, "phase", "", "phase that holds nearly all of it; null: none does"),
};
#undef F

#define F(member, type, label, unit, doc) FIELD(struct compare_row, member, type, label, unit, doc)
static const struct field row_fields[] = {
    F(key, FIELD_TEXT, "key", "", "what"),
    F(a, FIELD_I64, "A", "", "in A"),
    F(b, FIELD_I64, "B", "", "in B"),
    F(change, FIELD_I64, "change", "", "B per A's number of steps - A"),
    F(change_pct, FIELD_NUM, "of A", "%", "of A"),
    F(noise, FIELD_I64, "noise", "", "smaller changes mean nothing; 0: not known"),
};
#undef F

#define F(member, type, label, unit, doc)                                                          \
    FIELD(struct compare_phase, member, type, label, unit, doc)
static const struct field phase_list[] = {
    F(phase_a, FIELD_I32, "phase A", "", "number of the (first) phase in A, from 1; -1: only in B"),
    F(phase_b, FIELD_I32, "phase B", "", "number of the (first) phase in B, from 1; -1: only in A"),
    F(joined_a, FIELD_U32, "joined A", "", "phases of A taken together to fit one of B"),
    F(joined_b, FIELD_U32, "joined B", "", "phases of B taken together to fit one of A"),
    F(title, FIELD_TEXT, "phase", "", "name for tables; says what is new, gone, renamed, joined"),
    F(name, FIELD_TEXT, "in A", "", "name in A, or in B where A has none"),
    F(name_b, FIELD_TEXT, "in B", "", "name in B; null: only in A"),
    F(match, FIELD_TEXT, "match", "", "how they were paired: name, kernels, order, new, gone"),
    F(duration_a_ns, FIELD_NUM, "A", "ns", "length in A; null: only in B"),
    F(duration_b_ns, FIELD_NUM, "B", "ns", "length in B; null: only in A"),
    F(change_ns, FIELD_I64, "change", "ns", "length in B per A's number of steps - in A"),
    F(change_pct, FIELD_NUM, "of A", "%", "of the length in A"),
    F(compute_change_ns, FIELD_I64, "compute", "ns", "change of compute in its ledger"),
    F(exposed_change_ns, FIELD_I64, "exposed", "ns", "change of copies and communication in it"),
    F(idle_change_ns, FIELD_I64, "idle", "ns", "change of idle time in its ledger"),
    F(cause, FIELD_TEXT, "mostly", "", "cause of its ledger that changed most; null: not known"),
    F(cause_change_ns, FIELD_I64, "change of that", "ns", "change of that cause"),
    F(iterations_a, FIELD_U64, "iterations A", "", "repetitions inside, in A; 0: none found"),
    F(iterations_b, FIELD_U64, "iterations B", "", "repetitions inside, in B; 0: none found"),
    F(iteration_a_ns, FIELD_NUM, "iteration A", "ns", "median length of one in A"),
    F(iteration_b_ns, FIELD_NUM, "iteration B", "ns", "median length of one in B"),
};
#undef F

#define F(member, type, label, unit, doc) FIELD(struct compare_rank, member, type, label, unit, doc)
static const struct field rank_fields[] = {
    F(rank, FIELD_I32, "rank", "", "number of the rank"),
    F(host_a, FIELD_TEXT, "host A", "", "host in A; null: only in B"),
    F(host_b, FIELD_TEXT, "host B", "", "host in B; null: only in A"),
    F(window_a_ns, FIELD_NUM, "A", "ns", "first to last event in A; null: only in B"),
    F(window_b_ns, FIELD_NUM, "B", "ns", "first to last event in B; null: only in A"),
    F(change_ns, FIELD_I64, "change", "ns", "B per A's number of steps - A; so are all changes"),
    F(change_pct, FIELD_NUM, "of A", "%", "of the window in A"),
    F(compute_change_ns, FIELD_I64, "compute", "ns", "change of its GPUs' compute time"),
    F(copy_change_ns, FIELD_I64, "copies", "ns", "change of its GPUs' exposed copies"),
    F(comm_change_ns, FIELD_I64, "collectives", "ns", "change of its GPUs' exposed collectives"),
    F(mpi_change_ns, FIELD_I64, "MPI", "ns", "change of its time in MPI"),
    F(host_change_ns, FIELD_I64, "host", "ns", "change of its time with neither GPU work nor MPI"),
    F(idle_change_ns, FIELD_I64, "idle", "ns", "change of its GPUs' idle time"),
    F(wait_change_ns, FIELD_I64, "waits", "ns", "change of its waiting for later ranks"),
    F(mostly, FIELD_TEXT, "mostly", "", "which of these changed most, idle and waits aside"),
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
    F(comparable, FIELD_BOOL, "", "both did work that can be compared; reasons say what differs"),
    F(score, FIELD_NUM, "", "1: nothing differs but the times; refused ones have at most 0.3"),
    F(matched_pct, FIELD_NUM, "%", "share of A's kernel time that has a partner in B"),
    FIELD_AS(struct comparison, steps, FIELD_NUM, "steps_ratio", "steps_ratio", "",
             "B ran this many times as many steps as A; B's figures are divided by it"),
    F(base_ns, FIELD_I64, "ns",
      "A's compute, exposed copies and communication, and idle time when it is regular"),
    F(change_ns, FIELD_I64, "ns", "sum of the significant changes that count; negative is a gain"),
    F(noise_ns, FIELD_I64, "ns", "root of the sum of the squared noise of these changes"),
    F(wall_change_pct, FIELD_NUM, "%", "100 x change_ns / base_ns"),
    F(noise_pct, FIELD_NUM, "%", "100 x noise_ns / base_ns"),
    F(window_change_pct, FIELD_NUM, "%",
      "difference of the windows per step of A, start-up and irregular idle time included"),
};
#undef F

const struct fields compare_fields =
    FIELDS("compare", "Did the change help: the verdict of 'gpusight compare' in numbers.",
           struct comparison, comparison_list);
