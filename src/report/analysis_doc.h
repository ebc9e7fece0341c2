/*
 * The report of an analysis, for people: the verdict first, then where the time went, what to do
 * about it, and the details.
 */
#ifndef GS_REPORT_ANALYSIS_DOC_H
#define GS_REPORT_ANALYSIS_DOC_H

#include "advise/advise.h"
#include "report/doc.h"

struct doc *analysis_doc(const struct analysis *a, const struct advice *advice, size_t top_kernels,
                         struct arena *arena);

#endif
