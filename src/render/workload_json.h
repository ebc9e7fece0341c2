/*
 * A workload as JSON; docs/workloads.md has the keys.
 */
#ifndef GS_RENDER_WORKLOAD_JSON_H
#define GS_RENDER_WORKLOAD_JSON_H

#include "base/jwrite.h"
#include "workload/compare.h"
#include "workload/results.h"

#define WORKLOAD_SCHEMA_VERSION "1.0.0"

void workload_json(struct jwrite *w, const struct workload_report *r);
void workload_compare_json(struct jwrite *w, const struct workload_comparison *c);

/* The schemas of both. */
void workload_json_schema(struct str *out);
void workload_compare_json_schema(struct str *out);

#endif
