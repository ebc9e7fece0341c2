/*
 * Counters by dispatch, reduced over hardware instances, and dispatches of several passes joined.
 *
 * A pass is one run of the program with one set of counters: processes that recorded the same names
 * belong to the same pass. Dispatches of different passes are the same piece of work when rank (or,
 * without ranks, the place among the processes of the pass), GPU number, kernel name, grid and
 * occurrence are equal. Where a kernel was measured in several passes, only dispatches found in
 * all of them are used, so that sums of different passes are about the same work.
 *
 * Values below zero or not finite, and dispatches with another number of instances than usual
 * (values lost or doubled), are left out and counted: the whole dispatch, in all passes, for the
 * parts of a ratio must be about the same work.
 */
#ifndef GS_ANALYZE_COUNTERS_JOIN_H
#define GS_ANALYZE_COUNTERS_JOIN_H

#include "analyze/analysis.h"
#include "metric/formula.h"

enum {
    JOIN_PASSES = 32,     /* more are left out */
    JOIN_COUNTERS = 4096, /* more names with values are left out */
    JOIN_KERNELS = 20,    /* those with most measured time */
    REDUCTIONS_ALL = REDUCE_AVG + 1,
};

struct join_counter {
    const char *name;
    uint32_t instances; /* rows a dispatch has of it, usually */
};

/* Sums over dispatches of one counter, reduced over instances in each of the ways. */
struct join_cell {
    double sum[REDUCTIONS_ALL];
    double weight; /* dispatches; of shares their time in ns */
};

/* The dispatches of one kernel in one pass. */
struct join_sum {
    uint64_t dispatches;
    double dt_ns;            /* sum of their durations */
    struct join_cell *cells; /* by counter; weight 0: not measured */
};

struct join_kernel {
    uint32_t symbol; /* one of the group */
    uint32_t gpu;    /* of its first dispatch, index into trace.gpus; NO_INDEX */
    uint32_t passes; /* bits: those that measured it */
    uint64_t dispatches, unmatched;
    int64_t total_ns;      /* of all measured dispatches, all passes */
    uint32_t slowest;      /* kernels row */
    bool joined;           /* one pass, or dispatches that all its passes have */
    struct join_sum *sums; /* by pass */
};

struct join_pass {
    uint32_t process; /* the first */
    uint32_t n_processes;
    uint64_t dispatches;
    int64_t total_ns;
    bool *has; /* by counter */
};

/* A measured dispatch of one of the kernels, in order of process and dispatch id. */
struct join_dispatch {
    uint32_t row;    /* kernels */
    uint32_t kernel; /* of join_kernel; NO_INDEX: not among them */
    uint32_t pass;
    uint32_t slot; /* equal for the same piece of work in several passes */
};

struct counter_join {
    const struct analysis *a;
    struct join_counter *counters;
    size_t n_counters;
    struct join_pass passes[JOIN_PASSES];
    size_t n_passes, left_out_passes; /* processes of further passes */
    struct join_kernel *kernels;      /* most measured time first */
    size_t n_kernels, all_kernels;
    struct join_dispatch *dispatches;
    size_t n_dispatches, n_slots;
    uint32_t *slot_passes; /* by slot: bits */
    uint64_t bad_values, odd_dispatches;

    /* Between the files of the join. */
    uint32_t *counter_of; /* by counter_info; NO_INDEX: without values, or left out */
    uint32_t *rows;       /* counters rows, by kernels row */
    size_t *first;        /* by kernels row, and the end */
    struct join_cell *scratch;
    uint32_t *rows_of; /* by counter: rows of the dispatch at hand */
    uint32_t *touched; /* the counters that have any */
    size_t n_touched;
    bool *bad;
};

/* All of it lives in the arena. */
void counter_join_make(struct counter_join *j, const struct analysis *a, struct arena *arena);

/* Which kernels count: those of the view, and of all passes where times are of one of them. */
bool *counter_kernels_in(const struct analysis *a, struct arena *arena);

/* Duration of a dispatch; outside of the window, too, where passes are. */
static inline int64_t measured_ns(const struct analysis *a, uint32_t row)
{
    int64_t ns = sub_ns(a->trace->kernels.end_ns[row], a->trace->kernels.start_ns[row]);
    return !a->times_of ? kernel_ns(a, row) : ns > 0 ? ns : 0;
}

/*
 * Adds one dispatch to a sum; its cells must have n_counters entries. For the numbers of single
 * dispatches.
 */
void counter_join_add(struct counter_join *j, uint32_t row, struct join_sum *sum);

#endif
