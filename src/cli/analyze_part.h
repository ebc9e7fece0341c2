/*
 * A part of a run that the analysis itself has found: a phase, or iterations. The analysis is done
 * once more, for the window of that part, so every number exists for it.
 */
#ifndef GS_CLI_ANALYZE_PART_H
#define GS_CLI_ANALYZE_PART_H

#include "analyze/analysis.h"
#include "base/err.h"

/* phase: 0 is none; iteration: "N" or "A..B", NULL is none. *a is replaced. */
bool analyze_part(struct analysis *a, struct analysis_opts *o, int64_t phase, const char *iteration,
                  struct gs_error *err);

#endif
