/*
 * Tier 3 for people: a thread trace (att/att.h) beside a timeline.
 */
#ifndef GS_REPORT_ATT_REPORT_H
#define GS_REPORT_ATT_REPORT_H

#include "advise/advise.h"
#include "att/att.h"

/* Annotated code: the hottest block, all that ran, or none. */
enum att_listing { ATT_LIST_BLOCK, ATT_LIST_ALL, ATT_LIST_NONE };

/*
 * Gives each kernel its rank, calls and time in the trace, by name, and findings about tuning it
 * what its instructions say.
 */
void att_join(struct att *t, const struct analysis *a, struct advice *advice);

#endif
