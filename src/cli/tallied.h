/*
 * Operands that are no traces but tables of sums (tally/tally.h): profiles of rocprof-sys, statistics,
 * databases of rocprof-compute. Commands that can show tables take them in place of traces.
 */
#ifndef GS_CLI_TALLIED_H
#define GS_CLI_TALLIED_H

#include "base/opt.h"
#include "cli/output.h"
#include "tally/tally.h"

/* All tables in the form of the output; brief: only what there is. Named and finished. */
bool tallied_output(const struct tally *t, struct output *out, bool brief, struct gs_error *err);

/* Its sheets. */
void tallied_workbook(const struct tally *t, struct workbook *w, struct arena *a);

#endif
