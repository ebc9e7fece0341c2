/*
 * What a workload says: every metric of panels.def over the dispatches selected and for its longest
 * kernels, the roofline, and what could not be computed and why.
 *
 *     struct workload_report r;
 *     if (workload_evaluate(&r, &w, &(struct workload_opts){.top = 10}, arena, err))
 *         r.all.values[i].mean ...                i as in workload_metrics()
 *
 * A metric is computed for each dispatch; mean, least and most are over those where it can be.
 * `weighted` is the formula on the mean of each counter, so that dispatches count by what they did:
 * the ratio of sums where the mean is that of ratios. NaN is "cannot be said".
 */
#ifndef GS_WORKLOAD_RESULTS_H
#define GS_WORKLOAD_RESULTS_H

#include "metric/roofline.h"
#include "workload/panels.h"
#include "workload/workload.h"

struct workload_value {
    double mean, least, most, weighted;
    double peak, pct; /* of peak, of the mean */
    uint32_t dispatches;
    uint32_t passes; /* its counters were measured in that many */
    /* When there is no value: the counters and facts that are missing; none of them: x / 0. */
    const char *const *missing;
    uint32_t n_missing;
};

/* The dispatches of one kernel, or all that were selected. */
struct workload_view {
    uint32_t kernel;  /* NO_INDEX: all */
    const char *name; /* "all kernels" */
    const uint32_t *rows;
    size_t n;
    double total_ns, mean_ns, median_ns, least_ns, most_ns, time_pct;
    struct workload_value *values; /* as workload_metrics() */
    double *facts;                 /* as workload_facts() */
    struct roof_point roof;
};

/* What counts are divided by. */
enum workload_per { PER_WAVE, PER_CYCLE, PER_SECOND, PER_KERNEL };
#define WORKLOAD_PER_CHOICE "wave|cycle|second|kernel"
extern const char *const workload_per_words[];          /* NULL at the end */
enum workload_per workload_per_named(const char *word); /* NULL: PER_WAVE */

struct workload_opts {
    const char *kernel;        /* part of a name, or the rank of a kernel; NULL: all */
    const char *dispatches;    /* "0,4,10-20"; NULL: all */
    const char *const *panels; /* numbers; none: all */
    size_t n_panels;
    enum workload_per per;
    bool per_given; /* someone asked for it */
    size_t top;     /* kernels */
};

struct workload_report {
    const struct workload *w;
    struct arena *arena;
    enum workload_per per;
    struct workload_view all;
    VEC(struct workload_view) kernels; /* longest first, at most `top` */
    size_t n_kernels;                  /* selected, with those not in `kernels` */
    uint32_t channels;                 /* of the L2; 0: not measured one by one */
    double *channel_values;            /* by metric of PANEL_CHANNELS, then by channel: means */
    struct metric_device device;
    struct metric_set set;           /* of the architecture, for the roofline */
    struct roof_peaks theory, peaks; /* peaks: measured where they were, theory otherwise */
    size_t device_row;               /* of w->peaks; SIZE_MAX: none */
    VEC(int) panels;                 /* to show */
    VEC(const char *) notes;         /* those of the workload, and more */
};

bool workload_evaluate(struct workload_report *r, const struct workload *w,
                       const struct workload_opts *o, struct arena *arena, struct gs_error *err);

/* The name that it was given, or that of its folder. */
const char *workload_title(const struct workload_report *r);

bool workload_shows(const struct workload_report *r, int panel);

/* A metric's index in workload_metrics(); SIZE_MAX: none. */
size_t workload_metric_index(int panel, const char *key);

/* "req/wave" from "req/n". */
const char *workload_unit(const struct workload_report *r, const struct workload_metric *m);

#endif
