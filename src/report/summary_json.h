/*
 * The summary (analyze/summary.h) as JSON, and the schema of that.
 */
#ifndef GS_REPORT_SUMMARY_JSON_H
#define GS_REPORT_SUMMARY_JSON_H

#include "analyze/summary.h"
#include "base/jwrite.h"

void summary_json(const struct summary *s, struct jwrite *w);
void summary_json_schema(struct str *out);

#endif
