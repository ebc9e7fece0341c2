/*
 * What a plan can be made for, and the kinds of records that answer it: goals.def, ratios.def.
 */
#ifndef GS_PLAN_GOALS_H
#define GS_PLAN_GOALS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum goal_index {
#define GOAL(name, ...) GOAL_##name,
#include "plan/goals.def"
#undef GOAL
    GOALS
};

#define ON(goal) (1u << GOAL_##goal)
#define ALL_GOALS ((1u << GOALS) - 1)

/* Kinds of records. */
enum item {
    ITEM_KERNELS = 1 << 0,
    ITEM_API = 1 << 1,
    ITEM_COPIES = 1 << 2,
    ITEM_ALLOCATIONS = 1 << 3,
    ITEM_MARKERS = 1 << 4,
    ITEM_MPI = 1 << 5,
    ITEM_COLLECTIVES = 1 << 6,
    ITEM_TELEMETRY = 1 << 7,
    ITEM_SAMPLES = 1 << 8, /* call stacks of the host */
    ITEM_IO = 1 << 9,      /* calls of the operating system */
    ITEM_INSTRUCTIONS = 1 << 10,
    ITEM_PC_SAMPLES = 1 << 11,
};

enum tool_set {
    TOOL_ROCPROFV3 = 1 << 0,
    TOOL_ROCPROF_SYS = 1 << 1,
    TOOL_ROCPROF_COMPUTE = 1 << 2,
    TOOL_NSYS = 1 << 3,
    TOOL_NCU = 1 << 4,
};

struct goal {
    const char *name, *answers;
    unsigned items;       /* that must be there */
    unsigned also;        /* that are worth taking along */
    bool counters;        /* reads some, see ratios.def */
    const char *sections; /* of Nsight Compute, divided by spaces; "" none */
};

extern const struct goal plan_goals[GOALS];
extern const char *const goal_names[]; /* by index, NULL at the end */

enum { RATIO_MOST = 8 };
struct ratio {
    unsigned goals;
    const char *answers, *instead;    /* instead "": nothing */
    const char *counters[RATIO_MOST]; /* NULL after the last */
};
extern const struct ratio plan_ratios[];
extern const size_t n_plan_ratios;

/* "roofline,memory" or "all"; an unknown word fails with the list of goals. */
bool goals_parse(unsigned *out, const char *words, struct gs_error *err);

#endif
