/* The critical path as a section of a report. */
#ifndef GS_REPORT_PATH_DOC_H
#define GS_REPORT_PATH_DOC_H

#include "analyze/analysis.h"
#include "report/doc.h"

/* Nothing when the graph was not made. */
void path_section(struct doc *d, const struct analysis *a, size_t rows);

#endif
