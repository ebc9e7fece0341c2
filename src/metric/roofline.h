/*
 * The hierarchical roofline of one kernel: how much of each memory level and of the compute units
 * it uses, and what that says about its limit.
 *
 * A level is used to bytes / (duration x its bandwidth); the units to the sum over number types of
 * operations / (duration x that type's peak), since types share the time, not one peak. The share
 * of the roof at a level is the larger of the two: the same as performance / min(peak, intensity x
 * bandwidth), and defined for kernels without floating point too.
 *
 *     struct roof_peaks peaks;
 *     roof_peaks_theory(&peaks, &device);      // or fill it from measurements
 *     struct roof_point p;
 *     roof_point_make(&p, &set, &scope, &peaks, dt_ns, arena);
 *
 * NaN is "cannot be said" in every number.
 */
#ifndef GS_METRIC_ROOFLINE_H
#define GS_METRIC_ROOFLINE_H

#include "metric/metrics.h"

enum roof_level { ROOF_HBM, ROOF_L2, ROOF_L1, ROOF_LDS, ROOF_LEVELS };

/* At or above this share of a roof a kernel is bound by it; below it on all, by latency. */
#define ROOF_BOUND_PCT 60.0

struct roof_peaks {
    double gbps[ROOF_LEVELS];  /* 0: not known */
    double gflops[FLOP_KINDS]; /* 0: not known */
    bool measured;             /* by a benchmark on this GPU; otherwise theory */
};

/* From clocks, widths and the hardware table. */
void roof_peaks_theory(struct roof_peaks *peaks, const struct metric_device *device);

enum bound { BOUND_UNKNOWN, BOUND_COMPUTE, BOUND_MEMORY, BOUND_LATENCY };

struct roof_point {
    double flops[FLOP_KINDS]; /* operations of the dispatch by type */
    double total_flops;       /* of all types of the architecture; NaN if one is not known */
    double known_flops;       /* of the types that are known; NaN if none is */
    double gflops;            /* known_flops / duration */
    double bytes[ROOF_LEVELS];
    double intensity[ROOF_LEVELS]; /* known_flops / bytes */
    double gbps[ROOF_LEVELS];
    double bandwidth_pct[ROOF_LEVELS]; /* of the level's peak */
    double flop_pct;                   /* time the known operations need at peak, of the duration */
    double roof_pct[ROOF_LEVELS];      /* attained share of the roof at this level */
    enum flop_kind main_kind;          /* that needs most of that time; FLOP_KINDS: none */
    double valu_busy_pct, mfma_util_pct;
    double compute_pct; /* most of flop_pct, VALU busy and matrix unit use: how busy compute is */
    enum bound bound;
    enum roof_level level; /* of BOUND_MEMORY */
    const char *why;       /* the numbers that decide, or what is not known */
    const char *not_known; /* number types that were not counted, between commas; "" none */
};

/*
 * Where a roofline gets metrics from, for callers with rules of their own about which counters may
 * be put together: the value of a metric of the set, NaN when it cannot be said.
 */
struct roof_source {
    double (*value)(void *ctx, const struct metric *metric);
    void *ctx;
};
void roof_point_from(struct roof_point *p, const struct metric_set *set,
                     const struct roof_source *source, const struct roof_peaks *peaks, double dt_ns,
                     struct arena *arena);

/* The same from one scope, which must know $dt_ns too. set: of the architecture. */
void roof_point_make(struct roof_point *p, const struct metric_set *set,
                     const struct formula_scope *scope, const struct roof_peaks *peaks,
                     double dt_ns, struct arena *arena);

extern const char *const roof_level_labels[];        /* NULL at the end */
const char *roof_level_label(enum roof_level level); /* "HBM", "L2", "L1", "LDS" */
extern const char *const bound_labels[];             /* "unknown", "compute", "memory", ...; NULL */
const char *bound_label(enum bound bound);

/* The metric of each level's bandwidth. */
extern const enum metric_id roof_level_metrics[ROOF_LEVELS];

/* The metrics a verdict rests on, NO_METRIC at the end: what to ask a profiler for when it is open.
 */
extern const enum metric_id roof_metrics[];

#endif
