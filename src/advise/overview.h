/*
 * The overview: numbers and sentences for the first page of a report that no single analysis has,
 * made once, when the findings are ranked.
 *
 * Times of several GPUs are summed, after the union per GPU, and shares are of span x GPUs, so none
 * is above 100 %. The span runs from the first start to the last end of work on any GPU.
 */
#ifndef GS_ADVISE_OVERVIEW_H
#define GS_ADVISE_OVERVIEW_H

#include "advise/finding.h"

struct advice;

/* The four parts are disjoint and add up to total_runtime x gpu_count, exactly. */
struct execution {
    int64_t total_runtime_ns;
    uint32_t gpu_count;
    int64_t kernel_time_ns, memcpy_time_ns, api_overhead_ns, idle_time_ns;
    double kernel_time_pct, memcpy_time_pct, api_overhead_pct, idle_time_pct;
};

/* true_compute + exposed_memcpy + idle = total_wall x gpu_count, exactly. */
struct timeline {
    uint32_t gpu_count;
    int64_t total_wall_ns, true_compute_ns, exposed_memcpy_ns, idle_ns;
    double true_compute_pct, exposed_memcpy_pct, idle_pct;
};

/* A range of the program, in the words of rocinsight. */
struct region_row {
    const char *name;
    uint32_t depth;
    uint64_t calls;
    int64_t wall_time_ns;
    uint64_t kernel_count;
    int64_t kernel_time_ns, memcpy_time_ns, overhead_time_ns;
    double kernel_pct, memcpy_pct, overhead_pct;
};

/* What a run is limited by, in rocinsight's words. */
enum primary {
    PRIMARY_COMPUTE,
    PRIMARY_TRANSFER,
    PRIMARY_MEMORY,
    PRIMARY_LATENCY,
    PRIMARY_MIXED,
    PRIMARY_UNKNOWN,
};
extern const char *const primary_names[]; /* NULL at the end */

enum warning_severity { WARNING_SERIOUS, WARNING_INFO };
extern const char *const warning_severity_names[]; /* NULL at the end */

struct warning {
    enum warning_severity severity;
    const char *message;
    const char *recommendation; /* NULL: none */
};

struct overview {
    const char *assessment;
    enum primary bottleneck;
    double confidence;
    double compute_pct; /* of window x GPUs */
    VEC(const char *) key_findings;
    const char *profiling_mode;
    int tier;
    struct execution execution;
    struct timeline timeline;
    VEC(struct region_row) regions;
    int64_t unranged_ns;       /* of the window, under no marker */
    int64_t api_ns, launch_ns; /* host time in runtime calls, and in those that launch */
    int64_t short_gap_ns;
    double short_gap_pct; /* of the kernel time */
    VEC(struct warning) warnings;
};

extern const struct fields execution_fields, timeline_fields, region_fields;

void overview_make(struct overview *o, const struct analysis *a, const struct advice *advice,
                   struct arena *arena);

/* What doing something about a finding would win, as a sentence from its numbers. */
const char *finding_impact(const struct finding *f, struct arena *arena);

#endif
