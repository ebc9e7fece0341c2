/* The part of a report that tells what hardware counters say. Nothing when there are none. */
#ifndef GS_REPORT_COUNTERS_DOC_H
#define GS_REPORT_COUNTERS_DOC_H

#include "analyze/analysis.h"
#include "report/doc.h"

void counters_doc(struct doc *d, const struct analysis *a, size_t top);

#endif
