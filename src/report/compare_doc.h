/*
 * The report of a comparison, for people: the verdict first, then whether it can be trusted, what
 * moved, and the details.
 */
#ifndef GS_REPORT_COMPARE_DOC_H
#define GS_REPORT_COMPARE_DOC_H

#include "compare/gate.h"
#include "report/doc.h"

struct doc *compare_doc(const struct comparison *c, const struct gate *gate, size_t top,
                        struct arena *arena);

#endif
