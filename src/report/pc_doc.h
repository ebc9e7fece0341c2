/* PC samples as a section of the report. */
#ifndef GS_REPORT_PC_DOC_H
#define GS_REPORT_PC_DOC_H

#include "analyze/analysis.h"
#include "report/doc.h"

/* Appends the section; nothing when there are no samples. */
void pc_section(struct doc *d, const struct analysis *a, size_t top);

#endif
