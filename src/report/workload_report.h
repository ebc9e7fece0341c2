/*
 * A rocprof-compute workload for people: tables, the memory chart and the roofline, as a doc; and
 * two of them side by side.
 */
#ifndef GS_REPORT_WORKLOAD_REPORT_H
#define GS_REPORT_WORKLOAD_REPORT_H

#include "analyze/counters/counters.h"
#include "report/chart/draw.h"
#include "report/doc.h"
#include "workload/compare.h"
#include "workload/results.h"

/* What the folder holds, without the metrics. */
struct doc *workload_info_doc(const struct workload_report *r, struct arena *a);

/* The memory chart: as a picture, and in characters for media that cannot draw. */
struct draw *workload_memory_draw(const struct workload_report *r, int width_px, struct arena *a);
const char *workload_memory_text(const struct workload_report *r, struct arena *a);

/* Kernels under the roofs of memory and compute: rows, and the picture of them. */
void workload_roofline(struct counter_results *c, const struct workload_report *r, struct arena *a);
struct draw *workload_roof_draw(const struct workload_report *r, int width_px, struct arena *a);

/* What draws the chart of that name; NULL: a workload has none such, and err says which it has. */
typedef struct draw *workload_draw_fn(const struct workload_report *r, int width_px,
                                      struct arena *a);
workload_draw_fn *workload_chart(const char *name, struct gs_error *err);

#endif
