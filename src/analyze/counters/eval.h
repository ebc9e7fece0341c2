/*
 * Metrics of a kernel (or dispatch) from joined passes.
 *
 * A metric is computed inside one pass where one has all its counters. Otherwise its parts come
 * from several passes, which is said (cross_pass), and refused when the passes ran the kernel for
 * different times: then they did not measure the same thing.
 */
#ifndef GS_ANALYZE_COUNTERS_EVAL_H
#define GS_ANALYZE_COUNTERS_EVAL_H

#include "analyze/counters/join.h"
#include "metric/roofline.h"

/* Mean durations of passes may differ by this factor before ratios across them are refused. */
#define PASS_SPREAD_MOST 1.25

/* What is known of one kernel or dispatch. */
struct counter_facts {
    const struct counter_join *join;
    const struct join_sum *sums; /* by pass */
    uint32_t passes;             /* bits: those with data */
    bool joined;                 /* the sums of different passes are about the same dispatches */
    const struct metric_device *device;
    const struct metric_set *metrics; /* of the device's architecture */
    struct arena *arena;              /* for texts */
};

struct counter_value {
    double value;    /* NaN: not known */
    uint32_t passes; /* bits: where it comes from */
    bool cross_pass;
    const char *refused; /* why there is no value although the counters are there; NULL */
    uint64_t missing;    /* names of the formula that are not there */
};

struct counter_value counter_value_of(const struct counter_facts *f, const struct formula *formula);

/* Mean duration over the passes in the mask; NaN when there is none. */
double counter_duration(const struct counter_facts *f, uint32_t passes);

/* How much longer the slowest pass ran it than the fastest, in percent. */
double counter_spread_pct(const struct counter_facts *f, uint32_t passes);

/* The numbers of passes as people count them: "1+3". */
const char *counter_pass_list(uint32_t passes, struct arena *arena);

#endif
