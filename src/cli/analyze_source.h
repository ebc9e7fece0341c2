/* The part of 'gpusight analyze' that reads source: --source-dir. */
#ifndef GS_CLI_ANALYZE_SOURCE_H
#define GS_CLI_ANALYZE_SOURCE_H

#include <time.h>

#include "cli/output.h"
#include "render/analysis_json.h"
#include "report/source_report.h"

/* The report of a scan without a trace, in the form asked for. */
bool analyze_source_report(struct subject *about, struct output *out, enum json_profile profile,
                           const char *prompt, const struct timespec *begin, struct gs_error *err);

#endif
