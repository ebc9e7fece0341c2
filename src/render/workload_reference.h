/*
 * docs/workload-metrics.md, made from panels.def: every metric of a rocprof-compute workload with
 * its formula. `gpusight --generate workload-metrics`.
 */
#ifndef GS_RENDER_WORKLOAD_REFERENCE_H
#define GS_RENDER_WORKLOAD_REFERENCE_H

#include "base/str.h"

void reference_workload(struct str *out);

#endif
