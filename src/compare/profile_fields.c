#include <math.h>

#include "compare/profile.h"

#define F(member, type, unit, doc) FIELD(struct profile_config, member, type, #member, unit, doc)
static const struct field config_fields[] = {
    F(gpu, FIELD_U32, "", "place among the GPUs of the run"),
    F(grid_x, FIELD_U32, "", "work-items"),
    F(grid_y, FIELD_U32, "", "work-items"),
    F(grid_z, FIELD_U32, "", "work-items"),
    F(group_x, FIELD_U32, "", "work-items of a work-group"),
    F(group_y, FIELD_U32, "", "work-items of a work-group"),
    F(group_z, FIELD_U32, "", "work-items of a work-group"),
    F(calls, FIELD_U64, "", "dispatches"),
    F(total_ns, FIELD_I64, "ns", "sum of their durations"),
    F(std_dev_ns, FIELD_NUM, "ns", "population standard deviation of durations"),
    F(typical_ns, FIELD_NUM, "ns", "mean of the middle half"),
    F(error_ns, FIELD_NUM, "ns", "standard error of typical_ns"),
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

#define F(member, type, label, unit, doc)                                                          \
    FIELD(struct profile_kernel, member, type, label, unit, doc)
static const struct field kernel_fields[] = {
    F(name, FIELD_TEXT, "full name", "", "full, demangled name"),
    F(short_name, FIELD_TEXT, "kernel", "", "name for tables"),
    F(category, FIELD_TEXT, "role", "", "what it does, judged by its name"),
    F(calls, FIELD_U64, "calls", "", "number of dispatches"),
    F(total_duration_ns, FIELD_I64, "total", "ns", "sum of durations"),
    F(avg_duration_ns, FIELD_NUM, "mean", "ns", "total_duration_ns / calls"),
    F(std_dev_ns, FIELD_NUM, "deviation", "ns", "population standard deviation of durations"),
    F(median_ns, FIELD_I64, "median", "ns", "median duration"),
    F(mad_ns, FIELD_I64, "MAD", "ns", "median distance from the median"),
    F(p95_ns, FIELD_I64, "p95", "ns", "95th percentile"),
    F(typical_ns, FIELD_NUM, "typical", "ns", "mean of the middle half of durations"),
    F(error_ns, FIELD_NUM, "error", "ns", "standard error of typical_ns"),
    F(work_items, FIELD_NUM, "work-items", "", "mean number of work-items of a call"),
    F(vgpr, FIELD_U32, "VGPRs", "", "vector registers of a work-item"),
    F(accum_vgpr, FIELD_U32, "AGPRs", "", "accumulation registers of a work-item"),
    F(lds_bytes, FIELD_U32, "LDS", "bytes", "LDS (shared memory) of a work-group"),
    F(scratch_bytes, FIELD_U32, "scratch", "bytes", "private memory of a work-item"),
    F(grid, FIELD_TEXT, "grid", "", "work-items of the configuration with most time"),
    F(block, FIELD_TEXT, "block", "", "work-items of its work-groups"),
    F(occupancy_pct, FIELD_NUM, "occupancy", "%", "theoretical; known for the top 20 kernels"),
    F(many_configs, FIELD_BOOL, "many", "", "more configurations than are kept"),
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
    .n = sizeof(kernel_fields) / sizeof(*kernel_fields),
    .row_size = sizeof(struct profile_kernel),
    .start = &unknown_kernel,
};

#define F(member, type, label, unit, doc) FIELD(struct profile_rank, member, type, label, unit, doc)
static const struct field rank_fields[] = {
    F(rank, FIELD_I32, "rank", "", "number of the rank"),
    F(host, FIELD_TEXT, "host", "", "host it ran on"),
    F(window_ns, FIELD_I64, "window", "ns", "from its first to its last event"),
    F(compute_ns, FIELD_I64, "compute", "ns", "compute time of its GPUs"),
    F(gpu_idle_ns, FIELD_I64, "idle", "ns", "idle time of its GPUs"),
    F(copy_ns, FIELD_I64, "copies", "ns", "exposed copies of its GPUs"),
    F(comm_ns, FIELD_I64, "collectives", "ns", "exposed collectives of its GPUs"),
    F(mpi_ns, FIELD_I64, "MPI", "ns", "time in MPI"),
    F(host_ns, FIELD_I64, "host time", "ns", "time with neither GPU work nor MPI"),
    F(wait_ns, FIELD_I64, "waits", "ns", "waited for later ranks"),
    F(caused_ns, FIELD_I64, "makes wait", "ns", "time that others waited for it"),
};
#undef F

const struct fields profile_rank_fields =
    FIELDS("ranks", "Ranks of a job.", struct profile_rank, rank_fields);
