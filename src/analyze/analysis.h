/*
 * The analysis: everything computed from a trace, typed, in one arena.
 *
 * Each member is filled by the analysis of the same name (analyses.def; NAME.c). Analyses are
 * pure: they read the trace, the view, the ledger and earlier members, and write their own. Every
 * formula is in the doc of its field, see field.h; docs/metrics.md is made from them. What is of
 * interest to a chart and a section only needs no member here: `own` has room for what each
 * analysis keeps, and its header says what that is.
 *
 * Strings are owned by the trace or the arena. Rows are in the order in which they are shown.
 * NaN means "cannot be said" in doubles.
 */
#ifndef GS_ANALYZE_ANALYSIS_H
#define GS_ANALYZE_ANALYSIS_H

#include <stddef.h>

#include "analyze/capability.h"
#include "analyze/counters/counters.h"
#include "analyze/counters/stats.h"
#include "analyze/histogram.h"
#include "analyze/iterations.h"
#include "analyze/ledger.h"
#include "analyze/pc_sampling.h"
#include "analyze/quality.h"
#include "analyze/view.h"
#include "field/field.h"
#include "model/hardware.h"
#include "model/occupancy.h"

enum analysis_number {
#define ANALYSIS(name) ANALYSIS_NUMBER_##name,
#include "analyze/analyses.def"
#undef ANALYSIS
    N_ANALYSES,
};

/* analysis_own(a, NAME): what the analysis NAME keeps. */
#define analysis_own(a, name) ((a)->own[ANALYSIS_NUMBER_##name])

struct analysis_kind;
struct analysis_opts {
    struct view_opts view;
    const struct analysis_kind *const *kinds; /* only these and the ledger; NULL: all there is */
    int64_t min_duration_ns;            /* kernels shorter than this are left out of hotspots */
    int64_t short_threshold_ns;         /* what a short kernel is */
    bool by_gpu, by_process, by_stream; /* hotspots per ... */
    uint32_t max_phases;                /* 1: do not look for phases */
    bool replay;                        /* make the dependency graph, for critical path and gains */
};

/* ---- breakdown: one object, the totals of the window ---- */
struct breakdown {
    int64_t window_ns;       /* length of the window, without pauses of the recording */
    int64_t not_recorded_ns; /* those pauses */
    int64_t gpu_span_ns;     /* first start to last end of GPU work, over all GPUs */
    int64_t gpu_time_ns;     /* window x GPUs: what the ledger distributes */
    uint32_t gpu_count;
    int64_t busy_ns;         /* sum over GPUs of union(kernels, copies) */
    int64_t kernel_ns;       /* sum over GPUs of union(kernels) */
    int64_t kernel_sum_ns;   /* plain sum of kernel durations */
    int64_t copy_ns;         /* sum over GPUs of union(copies) */
    int64_t exposed_copy_ns; /* of the ledger */
    int64_t exposed_comm_ns;
    int64_t idle_ns;                       /* of the ledger, start-up and tail included */
    double busy_pct, kernel_pct, idle_pct; /* of gpu_time_ns */
    double concurrency;                    /* kernel_sum / kernel: > 1 means kernels overlap */
    int64_t sync_blocked_ns; /* union over threads of host time inside synchronising calls */
    double sync_blocked_pct; /* of the window */
};

/* ---- hotspots: kernels grouped by full name ---- */
struct hotspot {
    uint32_t rank;
    enum kernel_role category;
    const char *name, *short_name, *library;
    uint64_t calls;
    int64_t total_duration_ns;
    double avg_duration_ns;
    int64_t median_ns, p95_ns, min_duration_ns, max_duration_ns;
    double std_dev_ns, cv; /* population */
    double pct_of_total;   /* of the summed kernel time */
    double pct_of_wall;    /* of window x GPUs */
    uint32_t symbol;       /* one of the group */
    uint32_t slowest;      /* kernels row of the longest dispatch: evidence */
    uint32_t name_id;      /* string */
    int32_t gpu;           /* by_gpu: index; -1 otherwise */
    int64_t pid, stream;   /* by_process, by_stream; -1 otherwise */
};

/* ---- categories ---- */
struct category_row {
    enum kernel_role category;
    const char *group; /* rocinsight's coarser word */
    uint64_t count;
    int64_t total_ns;
    double pct_of_kernel_time;
    int64_t avg_duration_ns;
    double pct_of_total_time; /* of the span of GPU work x GPUs; at most 100 */
};

/* ---- short kernels ---- */
struct short_bucket {
    const char *bucket_label;
    uint64_t count;
    int64_t total_ns;
};
struct short_offender {
    const char *name;
    uint64_t count;
    double avg_us;
    int64_t total_ns;
};
struct short_kernels {
    double threshold_us;
    uint64_t total_kernels, short_kernel_count;
    double short_kernel_pct;
    int64_t short_ns; /* time inside short kernels: work, not waste */
    double short_pct_of_kernel_time;
    int64_t gap_ns; /* launch-bound idle time directly before short kernels: the waste */
};

/* ---- launches: from the call to the kernel, by correlation ---- */
struct launch_stats {
    uint64_t linked, kernels;
    double mean_latency_ns; /* kernel start - max(call start, end of the stream's previous work) */
    int64_t median_latency_ns, p95_latency_ns, max_latency_ns;
    double mean_queue_ns; /* time the kernel waited behind earlier work of its stream */
    int64_t median_queue_ns, p95_queue_ns, max_queue_ns;
    double mean_call_ns; /* duration of the launching call */
    double launches_per_s;
    uint64_t
        after_sync; /* launches that follow a synchronising call with at most one launch between */
    double after_sync_pct;
};

/* ---- warm-up ---- */
struct warmup_row {
    const char *kernel_name;
    int64_t first_duration_ns;
    int64_t median_ns; /* of the other calls */
    double ratio;
    int64_t excess_ns; /* first - median */
    uint32_t kernel;   /* row */
};

/* ---- resources and occupancy, per hotspot and its most expensive launch configuration ---- */
struct resource_row {
    const char *name;
    uint32_t vgpr, accum_vgpr, sgpr, lds_bytes, scratch_bytes;
    const char *block, *grid; /* "256x1x1", in work-items */
    uint64_t calls;           /* with this configuration */
    int64_t total_ns;         /* with this configuration */
    uint32_t configurations;  /* different ones of this kernel */
    double occupancy_pct;     /* theoretical; NaN unknown */
    uint32_t waves_per_cu, max_waves_per_cu;
    const char *limiter; /* "none", "registers", ... */
    const char *arithmetic;
    uint64_t workgroups;
    double rounds; /* workgroups / resident workgroups of the device */
    double tail_efficiency_pct;
    uint32_t cu_count;
    uint32_t symbol, launch;
};

/* ---- API ---- */
struct api_row {
    const char *name;
    enum api_class class;
    uint64_t calls;
    int64_t total_ns;     /* inclusive */
    int64_t exclusive_ns; /* without nested calls */
    double avg_ns;
    int64_t max_ns;
    double pct_of_window; /* exclusive, of window x threads that call */
    uint32_t longest;     /* regions row */
};
struct api_class_row {
    enum api_class class;
    uint64_t calls;
    int64_t exclusive_ns; /* of outermost attribution: nested calls count for the outer one */
    double pct_of_window; /* of the window, per calling thread */
};

/* ---- copies ---- */
struct copy_row {
    enum copy_kind kind;
    uint64_t count, total_bytes; /* bytes known */
    int64_t total_duration_ns;   /* union per GPU, summed */
    double avg_bytes, avg_duration_ns;
    double bandwidth_gbps; /* bytes / summed durations */
    double link_gbps;      /* peak of the link it used; NaN unknown */
    double efficiency_pct;
    int64_t exposed_ns;  /* of the ledger */
    double pageable_pct; /* of copies, where the trace tells; NaN otherwise */
    uint32_t slowest;    /* copies row with the lowest bandwidth among the large ones */
};
extern const char
    *const copy_directions[]; /* rocinsight's words: Host-to-Device; NULL at the end */

enum copy_size { COPY_TINY, COPY_SMALL, COPY_MIDDLE, COPY_LARGE, COPY_HUGE, COPY_SIZES };
extern const char *const copy_size_labels[]; /* "<4 KiB", "4-64 KiB", ...; NULL at the end */

struct copy_size_row {
    enum copy_kind kind;
    enum copy_size size_class;
    uint64_t count, bytes;
    int64_t duration_ns;
    double bandwidth_gbps, efficiency_pct;
};

/* ---- allocations ---- */
struct allocation_stats {
    uint64_t allocations, frees; /* records, or calls where no record is there */
    uint64_t device_calls;       /* allocating and freeing calls of the runtime */
    int64_t api_ns;              /* host time in them, union per thread */
    uint64_t allocated_bytes;
    uint64_t peak_bytes;  /* most held at once */
    uint64_t in_loop;     /* allocating calls after the first kernel and before the last one */
    double per_kernel;    /* in_loop / kernels */
    const char *top_call; /* the call with most time */
    /* Slow calls between first and last kernel that make or give back streams and events. */
    uint64_t created;
    int64_t created_ns, in_loop_ns; /* in them; in the allocating calls of in_loop */
    const char *top_created;
};

/* ---- gaps: the idle time between pieces of work ---- */
struct gap_row {
    const char *label;
    uint64_t count;
    int64_t total_ns;
    const char *main_cause;
};
struct long_gap {
    int64_t start_ns, end_ns, duration_ns;
    int32_t gpu;
    const char *main_cause;
    const char *next_kernel; /* NULL: a copy */
};

/* ---- streams and queues ---- */
struct stream_row {
    int32_t gpu;
    int64_t pid, stream;
    const char *name;
    uint64_t kernels, copies;
    int64_t busy_ns; /* union of its work */
    double pct_of_gpu_busy;
};
struct stream_stats {
    uint32_t streams;             /* with work */
    uint32_t busiest_gpu_streams; /* most streams with work on one GPU */
    int64_t overlap_ns;           /* time in which two or more streams of a GPU run something */
    double overlap_pct; /* of the time in which the second-busiest stream could have overlapped */
    double kernel_concurrency;
    bool serialised; /* several streams share the work and never overlap */
};

/* ---- markers: ranges of equal path aggregated ---- */
struct marker_row {
    const char *name;
    uint32_t depth;
    uint64_t calls;
    int64_t wall_ns; /* union over its ranges per thread */
    double avg_ns;
    int64_t max_ns;
    uint64_t kernels;           /* launched inside, by correlation */
    int64_t kernel_ns, copy_ns; /* GPU time of what was launched inside */
    double gpu_pct;             /* kernel_ns / wall_ns */
    double pct_of_window;
    int32_t parent; /* row, or -1 */
    int64_t first_start_ns, longest_start_ns, longest_end_ns;
};
struct marker_stats {
    uint64_t markers;
    int64_t covered_ns;   /* union of all ranges in the window */
    double uncovered_pct; /* of the window */
    uint64_t unattributed_kernels;
    int64_t unattributed_ns;
};

/* ---- collectives ---- */
struct collective_stats {
    uint64_t kernels;
    int64_t busy_ns, exposed_ns, hidden_ns; /* sums over GPUs */
    double exposed_pct;                     /* of window x GPUs */
    double hidden_pct;                      /* of busy */
};

/* ---- balance between GPUs ---- */
struct gpu_row {
    int32_t gpu;
    const char *name, *host;
    int64_t busy_ns, compute_ns, idle_ns;
    double busy_pct;
    uint64_t kernels, copies;
};
struct balance {
    uint32_t gpus;
    double imbalance_pct;    /* (max - min) / mean of compute, x 100 */
    int64_t lost_ns;         /* sum over GPUs of max(compute) - compute */
    int32_t busiest, idlest; /* index of GPU */
};

/* ---- telemetry ---- */
struct telemetry_row {
    const char *series, *units;
    int32_t gpu;
    uint64_t points;
    double min, mean, max;
};

/* ---- phases: stretches in which the GPUs do the same kind of work ---- */
enum phase_naming { NAMED_BY_MARKER, NAMED_BY_KERNEL, NAMED_BY_HOST, NAMED_BY_IDLE };
extern const char *const phase_naming_words[]; /* NULL at the end */

struct phase_row {
    uint32_t phase;   /* from 1 */
    const char *name; /* marker, dominant kernel, or what the host does */
    enum phase_naming named_by;
    int64_t start_ns, end_ns, duration_ns;
    double pct_of_window;
    int64_t busy_ns; /* sum over GPUs */
    double busy_pct; /* of duration x GPUs */
    uint64_t kernels, copies;
    int64_t compute_ns, exposed_ns, idle_ns; /* of the phase's ledger */
    const char *main_cause;                  /* largest cause that is not compute, or "-" */
    const char *top_kernel;
    uint64_t iterations;  /* repetitions inside; 0: none found */
    int64_t iteration_ns; /* median */
    struct ledger ledger;
};
struct phase_stats {
    uint32_t phases;
    double quality; /* share of the variation that the phases explain, 0 to 1 */
    int64_t bin_ns; /* resolution of the search */
};

/* ---- critical path: what the end waited for, of the dependency graph (depend/depend.h) ---- */
struct path_stats {
    int64_t length_ns;       /* first launching call to the end of the last work, or of its wait */
    double replay_error_pct; /* of a replay without changes */
    bool rough;              /* that is above 2 %: predictions are rough */
    const char *limit;       /* label of the largest part */
    int64_t gpu_ns, host_ns; /* time on the path in GPU work, and on the host */
    uint64_t ops;            /* kernels and copies in the graph */
    uint64_t ops_on_path;
    uint64_t unlinked; /* without the call that launched them */
    uint64_t waits_recorded, waits_inferred, waits_default, handovers, host_waits, meetings;
};
struct path_row {
    const char *kind, *label;
    int64_t ns;
    double pct; /* of length_ns */
};
struct path_member {
    const char *what; /* "kernel", "copy", "call" */
    const char *name;
    uint64_t on_path; /* dispatches, copies or calls with time on the path */
    int64_t path_ns;
    double pct;             /* of length_ns */
    int64_t total_ns;       /* of all of them, on the path or not */
    int64_t least_slack_ns; /* of those not on it, the least; -1: all are, or it is a call */
    size_t place; /* among those of its kind: group of names, kind of copy, or name of calls */
};

/* A stretch of the path in which the time is of one kind; by time, without holes. */
struct path_span {
    int64_t start_ns, end_ns;
    const char *label;
};
/* The part of the path in a phase. */
struct path_phase {
    uint32_t phase;
    const char *name;
    int64_t path_ns, gpu_ns, host_ns, other_ns; /* other: queues, latencies, waits, delays */
    const char *limit;                          /* label of the largest part */
    int64_t limit_ns;
    double limit_pct; /* of path_ns */
};

struct analysis {
    const struct trace *trace;
    struct arena *arena;
    struct analysis_opts opts;
    const char *only;     /* what filters left, in words; NULL: all. Set after the run */
    const char *times_of; /* of several passes, the one the window is; NULL: no such thing */
    struct view view;
    struct ledger ledger;
    struct quality quality;
    struct capabilities capabilities;
    const struct hardware **hardware; /* by trace GPU; NULL entries: not in the table */

    struct breakdown breakdown;
    VEC(struct hotspot) hotspots;
    struct histogram *hotspot_durations; /* of the first HISTOGRAMS of them */
    VEC(struct category_row) categories;
    struct short_kernels short_kernels;
    VEC(struct short_bucket) short_histogram;
    VEC(struct short_offender) short_offenders;
    struct launch_stats launches;
    VEC(struct warmup_row) warmup;
    VEC(struct resource_row) resources;
    VEC(struct api_row) api;
    VEC(struct api_class_row) api_classes;
    VEC(struct copy_row) copies;
    VEC(struct copy_size_row) copy_sizes;
    struct allocation_stats allocations;
    VEC(struct gap_row) gaps;
    VEC(struct long_gap) long_gaps;
    VEC(struct stream_row) streams;
    struct stream_stats stream_stats;
    VEC(struct marker_row) markers;
    struct marker_stats marker_stats;
    struct collective_stats collectives;
    VEC(struct gpu_row) gpus;
    struct balance balance;
    VEC(struct telemetry_row) telemetry;
    VEC(struct phase_row) phases;
    struct phase_stats phase_stats;
    struct iteration_stats iterations;
    const struct job *job; /* all ranks, job/job.h; NULL for a single process. Set after the run */
    struct counter_results counters;
    struct counter_stats counter_stats; /* as the profiler counted */
    struct pc_sampling pc_sampling;
    struct depend *depend; /* NULL: replay was not asked for, or there is no GPU work */
    struct replay *replay; /* room for replays of it, one at a time; NULL as above */
    struct arena *slack_room;
    struct op_lengths *slack; /* of ops, until the critical path is told; in its own room */
    struct path_stats path_stats;
    VEC(struct path_row) path;
    VEC(struct path_member) path_members;
    VEC(struct path_phase) path_phases;
    VEC(struct path_span) path_spans; /* of too many, the largest part of each stretch of time */
    const void *own[N_ANALYSES];      /* by enum analysis_number; NULL: it keeps nothing there */
};

/* A table of an analysis: a VEC of rows, or one object. */
struct analysis_table {
    const struct fields *fields; /* NULL: behind the last */
    size_t at;                   /* of the member */
    bool is_object;
};
#define ROWS_IN(type, table, member)                                                               \
    {                                                                                              \
        &(table), offsetof(type, member), false                                                    \
    }
#define ONE_IN(type, table, member)                                                                \
    {                                                                                              \
        &(table), offsetof(type, member), true                                                     \
    }
#define ANALYSIS_ROWS(table, member) ROWS_IN(struct analysis, table, member)
#define ANALYSIS_ONE(table, member) ONE_IN(struct analysis, table, member)
#define ANALYSIS_TABLES(...)                                                                       \
    (const struct analysis_table[])                                                                \
    {                                                                                              \
        __VA_ARGS__,                                                                               \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }

typedef void analysis_fn(struct analysis *a, struct arena *arena);

/* One analysis: the foot of its file. */
struct analysis_kind {
    const char *name;
    const char *doc; /* what it answers, one paragraph */
    /*
     * Early ones run first, in the order of analyses.def, once the ledger is made. All others may
     * read what these have found, and nothing of each other: they run at the same time. What is kept
     * comes from the arena given.
     */
    analysis_fn *run; /* NULL: somebody else makes it, or those below do */
    bool early;
    bool
        takes_long; /* of those that are not early: begun first, so that nobody waits for it alone */
    /* Of one that takes long, instead of run(): first the part that needs nothing but the view. */
    analysis_fn *beside, *beside_end;
    const struct analysis_table *tables; /* in the order in which they are shown */
    /* What the tables are members of; NULL: the analysis itself. */
    const void *(*keeper)(const struct analysis *a);
};

#define ANALYSIS(name) extern const struct analysis_kind analysis_##name;
#include "analyze/analyses.def"
#undef ANALYSIS

/* All of them, in order, NULL at the end. */
extern const struct analysis_kind *const analysis_kinds[];

void analysis_run(struct analysis *a, const struct trace *t, const struct analysis_opts *o,
                  struct arena *arena);

/* Tables that documents hold in places of their own as well. */
extern const struct fields breakdown_fields, hotspot_fields, category_fields, short_kernel_fields,
    short_bucket_fields, short_offender_fields, launch_fields, resource_fields, api_call_fields,
    api_class_fields, copy_fields, allocation_fields, collective_fields, telemetry_fields,
    phase_fields, long_gap_fields;

extern const struct analysis_table pc_tables[]; /* pc_fields.c */

/* The tables of one, and all tables of all analyses. */
void analysis_kind_results(const struct analysis_kind *k, const struct analysis *a,
                           struct results *out, struct arena *arena);
void analysis_results(const struct analysis *a, struct results *out, struct arena *arena);

/* Helpers that several analyses share. */
int32_t analysis_gpu_index(const struct analysis *a,
                           size_t slot); /* number users know; -1 unknown */
static inline int64_t kernel_ns(const struct analysis *a, uint32_t row)
{
    struct span s =
        view_clip(&a->view, a->trace->kernels.start_ns[row], a->trace->kernels.end_ns[row]);
    return s.end - s.start;
}
static inline double percent_of(double part, double whole)
{
    return whole > 0 ? 100.0 * part / whole : 0.0;
}

#endif
