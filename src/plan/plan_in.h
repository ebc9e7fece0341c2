/*
 * Inside the planner: what its files share.
 */
#ifndef GS_PLAN_PLAN_IN_H
#define GS_PLAN_PLAN_IN_H

#include "metric/counters.h"
#include "plan/plan.h"

/* Which kernels, and which of their calls. */
struct kernel_filter {
    const char *regex;    /* NULL: all kernels */
    struct words pieces;  /* of names, for tools that look for a piece */
    uint64_t first, last; /* calls of each kernel, from 1; 0: all */
    uint64_t skip, count; /* over all of them together; count 0: all */
    uint64_t calls;       /* that fall into it; 0: not known */
    double share_pct;     /* of the kernel time */
    size_t unnamed;       /* hot kernels that no search can tell from others */
};

struct planner {
    struct plan *p;
    const struct plan_request *q;
    const struct analysis *an; /* NULL: no trace */
    const struct trace *t;     /* NULL as well then */
    unsigned family, have;     /* of counters; ITEM_... that the trace holds */
    uint64_t *counter_values;  /* by counter_info: how many the trace has; NULL: no trace */
    struct kernel_filter filter;
    struct arena *arena;
};

static inline bool plan_allows(const struct planner *pl, unsigned tool)
{
    return !pl->q->tools || (pl->q->tools & tool);
}

/* Why a tool may not be used. */
static inline const char *plan_left_out(const struct planner *pl)
{
    return pl->q->installed ? "is not installed" : "--tool leaves out";
}

/* have.c */
void plan_find_have(struct planner *pl);
/* Items that goals want and the trace lacks, and those worth taking along. */
struct lacks {
    unsigned needs, worth;
};
struct lacks plan_lacks(const struct planner *pl);
uint64_t *plan_counter_values(const struct trace *t, struct arena *a); /* by counter_info */
bool plan_counter_collected(const struct trace *t, const uint64_t *values, const char *name);
unsigned plan_goals_with(const struct planner *pl, unsigned items);

/* filter.c */
void plan_find_filter(struct planner *pl);

/* estimate.c: fill overhead, size and basis of a capture. */
void estimate_trace(const struct planner *pl, struct capture *c, unsigned items);
void estimate_counters(const struct planner *pl, struct capture *c);
void estimate_unknown(const struct planner *pl, struct capture *c, const char *why);

/* amd.c, nvidia.c */
void plan_amd(struct planner *pl);
void plan_nvidia(struct planner *pl);

/* plan.c */
struct capture *plan_capture(struct planner *pl, enum profiler tool, unsigned goals);
void plan_capture_done(struct planner *pl, struct capture *c);
void plan_note(struct planner *pl, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
const char *plan_name(const struct planner *pl, const char *name); /* of a file, per rank */
void plan_answers(struct planner *pl, struct capture *c);          /* those of its goals */

#endif
