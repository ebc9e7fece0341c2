/*
 * Inside the planner: what the captures on AMD GPUs share.
 */
#ifndef GS_PLAN_AMD_H
#define GS_PLAN_AMD_H

#include "plan/plan_in.h"

/* Goals that nothing can be done for; a %s in the reason is the GPU. */
void amd_left_open(struct planner *pl, unsigned which, const char *why);

/* Where and how rocprofv3 writes. */
void amd_output(struct planner *pl, struct capture *c, const char *format, const char *name);

void amd_counters(struct planner *pl);

#endif
