/*
 * A capture plan as a shell script.
 */
#ifndef GS_REPORT_PLAN_DOC_H
#define GS_REPORT_PLAN_DOC_H

#include "base/str.h"
#include "plan/plan.h"

/* Runnable by any POSIX shell; arguments with line ends included. */
void plan_shell(struct str *out, const struct plan *p, struct arena *a);

#endif
