/*
 * A series of runs, for people: how time went from run to run, where it changed, who is fastest.
 */
#ifndef GS_REPORT_HISTORY_DOC_H
#define GS_REPORT_HISTORY_DOC_H

#include "compare/history.h"
#include "report/doc.h"

struct doc *history_doc(const struct history *h, const char *title, struct arena *arena);

#endif
