/*
 * Tier 2: what hardware counters say about kernels. Filled by counters.c; docs/counters.md explains
 * the numbers. NaN is "cannot be said" in every double.
 */
#ifndef GS_ANALYZE_COUNTERS_COUNTERS_H
#define GS_ANALYZE_COUNTERS_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "metric/roofline.h"

/* One of the kernels with most measured time: what binds it, and the numbers that decide. */
struct counter_kernel {
    uint32_t rank;
    const char *name, *short_name, *arch;
    uint64_t dispatches; /* used, all passes */
    uint64_t unmatched;  /* left out: not in all passes, or damaged */
    const char *passes;  /* "1+2" */
    double duration_ns;  /* mean */
    double spread_pct;   /* of the passes' mean durations */
    int64_t measured_ns; /* of all its measured dispatches */
    enum roof_level of;  /* the memory that does, of BOUND_MEMORY */
    enum bound bound;    /* what bounds it */
    const char *level;   /* of memory: "HBM", "L2", ... */
    const char *why;
    bool cross_pass; /* the verdict puts numbers of several passes side by side */
    double occupancy_pct;
    double memory_pct;  /* of peak memory bandwidth */
    double level_pct;   /* of the level of memory that is used most, of its peak */
    double compute_pct; /* how busy the compute units are */
    double valu_busy_pct, mfma_util_pct, wait_pct;
    double l1_hit_pct, l2_hit_pct, lds_conflict_pct;
    double fabric_gbps, gflops, intensity;
    const char *not_counted; /* number types without counters; "" none */
    const char *missing;     /* counters the verdict still needs; "" none */
    uint32_t slowest;        /* kernels row */
    uint32_t name_id;        /* string */
};

/* A derived metric of a kernel; those with a peak are the speed-of-light table. */
struct counter_metric {
    uint32_t rank; /* of the kernel: short names repeat */
    const char *kernel;
    enum metric_group group;
    const char *metric, *label;
    enum unit unit;
    double value, peak, pct_of_peak;
    const char *passes;
    bool cross_pass;
    const char *remark; /* why there is no value, or why it is doubtful; NULL */
    const char *doc;
};

struct roofline_row {
    uint32_t rank; /* of the kernel */
    const char *kernel;
    enum roof_level level;
    double bytes, intensity, gflops, gbps, peak_gbps, bandwidth_pct, roof_pct;
    bool cross_pass;
};

enum roof_kind { ROOF_BANDWIDTH, ROOF_COMPUTE };
enum roof_origin { ROOF_THEORY, ROOF_MEASURED };

struct roof_row {
    const char *gpu, *roof;
    enum roof_kind kind;
    enum roof_level level; /* of a bandwidth */
    double peak;
    enum unit unit;
    enum roof_origin source;
};

struct counter_pass_row {
    uint32_t pass;
    const char *file;
    uint32_t processes;
    uint64_t dispatches;
    int64_t measured_ns;
    const char *counters;
};

/* What a question still needs. */
struct counter_missing {
    const char *question;
    uint32_t kernels; /* for which it is open */
    const char *counters;
    uint32_t passes;
    const char *capture; /* the passes, counters between spaces, passes between "; " */
};

/* One dispatch; the longest are listed. */
struct counter_dispatch {
    const char *kernel;
    int64_t dispatch; /* id in the first pass that has it */
    int32_t gpu;
    const char *passes;
    double duration_ns;
    enum bound bound;
    double occupancy_pct, memory_pct, compute_pct, l2_hit_pct, lds_conflict_pct, fabric_gbps;
    bool cross_pass;
};

struct counter_summary {
    uint64_t values, dispatches;
    uint32_t counters, passes, kernels, kernels_shown;
    uint64_t bad_values;      /* below zero or not finite */
    uint64_t odd_dispatches;  /* with another number of instances than usual */
    uint64_t without_kernel;  /* values that belong to no dispatch in the window */
    uint64_t left_out_passes; /* more than can be joined */
    const char *unknown_arch; /* architecture without metrics, "" none */
    const char *times_of;     /* of several passes, the one the report's times are of; NULL */
};

struct counter_results {
    struct counter_summary summary;
    VEC(struct counter_kernel) kernels;
    VEC(struct counter_metric) metrics;
    VEC(struct roofline_row) roofline;
    VEC(struct roof_row) roofs;
    VEC(struct counter_pass_row) passes;
    VEC(struct counter_missing) missing;
    VEC(struct counter_dispatch) dispatches;
};

#endif
