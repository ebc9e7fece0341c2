#include <math.h>

#include "compare/profile.h"

#define F(member, type, unit, doc) FIELD(struct profile_config, member, type, #member, unit, doc)
static const struct field config_fields[] = {
    F(gpu, FIELD_U32, NO_UNIT, "place among the GPUs of the run"),
    F(grid_x, FIELD_U32, NO_UNIT, "work-items"),
    F(grid_y, FIELD_U32, NO_UNIT, "work-items"),
    F(grid_z, FIELD_U32, NO_UNIT, "work-items"),
    F(group_x, FIELD_U32, NO_UNIT, "work-items of a work-group"),
    F(group_y, FIELD_U32, NO_UNIT, "work-items of a work-group"),
    F(group_z, FIELD_U32, NO_UNIT, "work-items of a work-group"),
    F(calls, FIELD_U64, NO_UNIT, "dispatches"),
    F(total_ns, FIELD_I64, IN_NS, "sum of their durations"),
    F(std_dev_ns, FIELD_NUM, IN_NS, "population standard deviation of durations"),
    F(typical_ns, FIELD_NUM, IN_NS, "mean of the middle half"),
    F(error_ns, FIELD_NUM, IN_NS, "standard error of typical_ns"),
};
#undef F
static const struct fields profile_config_fields =
    FIELDS("configs", "Launch configurations of a kernel.", struct profile_config, config_fields);

/* Pairs in one list, to keep it short: bucket, calls, bucket, calls... */
#define F(member, type, doc) ALWAYS(struct profile_bucket, member, type, NULL, doc)
static const struct field bucket_fields[] = {
    F(bucket, FIELD_U32, "number of the bucket"),
    F(count, FIELD_U64, "calls in it"),
};
#undef F
static const struct fields profile_bucket_fields =
    FIELDS("durations", "Calls by duration.", struct profile_bucket, bucket_fields);

static bool several_configs(const void *row)
{
    return ((const struct profile_kernel *)row)->configs.n > 1;
}

#define F(member, type, label, unit, doc, ...)                                                     \
    FIELD(struct profile_kernel, member, type, label, unit, doc, ##__VA_ARGS__)
static const struct field kernel_fields[] = {
    F(name, FIELD_TEXT, "full name", NO_UNIT, "full, demangled name"),
    F(short_name, FIELD_TEXT, "kernel", NO_UNIT, "name for tables"),
    F(category, FIELD_ENUM, "category", NO_UNIT, "what it does, judged by its name",
      .words = kernel_role_labels),
    F(calls, FIELD_U64, "calls", NO_UNIT, "number of dispatches"),
    F(total_duration_ns, FIELD_I64, "total", IN_NS, "sum of durations"),
    F(avg_duration_ns, FIELD_NUM, "mean", IN_NS, "total_duration_ns / calls"),
    F(std_dev_ns, FIELD_NUM, "deviation", IN_NS, "population standard deviation of durations"),
    F(median_ns, FIELD_I64, "median", IN_NS, "median duration"),
    F(mad_ns, FIELD_I64, "MAD", IN_NS, "median distance from the median"),
    F(p95_ns, FIELD_I64, "p95", IN_NS, "95th percentile"),
    F(typical_ns, FIELD_NUM, "typical", IN_NS, "mean of the middle half of durations"),
    F(error_ns, FIELD_NUM, "error", IN_NS, "standard error of typical_ns"),
    F(dependence, FIELD_NUM, "dependence", NO_UNIT,
      "errors are this many times larger than for independent calls; 0: not known"),
    F(work_items, FIELD_NUM, "work-items", NO_UNIT, "mean number of work-items of a call"),
    F(vgpr, FIELD_U32, "VGPRs", NO_UNIT, "vector registers of a work-item"),
    F(accum_vgpr, FIELD_U32, "AGPRs", NO_UNIT, "accumulation registers of a work-item"),
    F(lds_bytes, FIELD_U32, "LDS", IN_BYTES, "LDS (shared memory) of a work-group"),
    F(scratch_bytes, FIELD_U32, "scratch", IN_BYTES, "private memory of a work-item"),
    F(grid, FIELD_TEXT, "grid", NO_UNIT, "work-items of the configuration with most time"),
    F(block, FIELD_TEXT, "block", NO_UNIT, "work-items of its work-groups"),
    F(occupancy_pct, FIELD_NUM, "occupancy", IN_PERCENT,
      "theoretical; known for the top 20 kernels"),
    F(many_configs, FIELD_BOOL, "many", NO_UNIT, "more configurations than are kept"),
    IF_ANY(struct profile_kernel, configs, FIELD_LIST, "configs", "where there are several",
           .of = &profile_config_fields, .has = several_configs),
    IF_ANY(struct profile_kernel, durations, FIELD_LIST, "durations", "calls by duration",
           .of = &profile_bucket_fields),
};
#undef F
static const struct profile_kernel unknown_kernel = {.work_items = NAN, .occupancy_pct = NAN};

const struct fields profile_kernel_fields = {
    .key = "kernels",
    .doc = "Kernels of a run.",
    .v = kernel_fields,
    .n = ARRAY_LEN(kernel_fields),
    .row_size = sizeof(struct profile_kernel),
    .start = &unknown_kernel,
};

#define F(member, type, label, unit, doc) FIELD(struct profile_rank, member, type, label, unit, doc)
static const struct field rank_fields[] = {
    F(rank, FIELD_I32, "rank", NO_UNIT, "number of the rank"),
    F(host, FIELD_TEXT, "host", NO_UNIT, "host it ran on"),
    F(window_ns, FIELD_I64, "window", IN_NS, "from its first to its last event"),
    F(compute_ns, FIELD_I64, "compute", IN_NS, "compute time of its GPUs"),
    F(gpu_idle_ns, FIELD_I64, "idle", IN_NS, "idle time of its GPUs"),
    F(copy_ns, FIELD_I64, "copies", IN_NS, "exposed copies of its GPUs"),
    F(comm_ns, FIELD_I64, "collectives", IN_NS, "exposed collectives of its GPUs"),
    F(mpi_ns, FIELD_I64, "MPI", IN_NS, "time in MPI"),
    F(host_ns, FIELD_I64, "host time", IN_NS, "time with neither GPU work nor MPI"),
    F(wait_ns, FIELD_I64, "waits", IN_NS, "waited for later ranks"),
    F(caused_ns, FIELD_I64, "makes wait", IN_NS, "time that others waited for it"),
};
#undef F

#define F(member, type, label, unit, doc)                                                          \
    FIELD(struct profile_block, member, type, label, unit, doc)
static const struct field block_list[] = {
    F(iterations, FIELD_U64, "iterations", NO_UNIT, "repetitions in it"),
    F(ns, FIELD_I64, "length", IN_NS, "of all of them, start to start"),
};
#undef F
const struct fields profile_block_fields =
    FIELDS("blocks", "Repetitions in blocks, in order of time.", struct profile_block, block_list);

#define F(member, type, label, unit, doc)                                                          \
    FIELD(struct profile_marker, member, type, label, unit, doc)
static const struct field marker_list[] = {
    F(name, FIELD_TEXT, "name", NO_UNIT, "of the ranges"),
    F(calls, FIELD_U64, "calls", NO_UNIT, "number of ranges"),
    F(wall_ns, FIELD_I64, "wall", IN_NS, "union of the ranges per thread"),
};
#undef F
const struct fields profile_marker_fields =
    FIELDS("markers", "Ranges of the user's, by name.", struct profile_marker, marker_list);

#define F(member, type, label, unit, doc)                                                          \
    FIELD(struct profile_repeat, member, type, label, unit, doc)
static const struct field repeat_list[] = {
    F(label, FIELD_TEXT, "label", NO_UNIT, "name of the run"),
    F(wall_ns, FIELD_I64, "wall", IN_NS, "its window without the profiler's start"),
    F(compute_ns, FIELD_I64, "compute", IN_NS, "compute time of a GPU"),
};
#undef F
const struct fields profile_repeat_fields =
    FIELDS("repeats", "Runs that the profile stands for.", struct profile_repeat, repeat_list);

const struct fields profile_rank_fields =
    FIELDS("ranks", "Ranks of a job.", struct profile_rank, rank_fields);
