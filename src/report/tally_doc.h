/*
 * Tables of sums (tally/tally.h) for people.
 */
#ifndef GS_REPORT_TALLY_DOC_H
#define GS_REPORT_TALLY_DOC_H

#include "report/doc.h"
#include "tally/tally.h"

/* All tables that have rows; brief: only how many rows there are. */
struct doc *tally_doc(struct tally *t, bool brief, struct arena *a);

#endif
