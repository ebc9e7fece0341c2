/* The part of 'gpusight analyze' that reads source: --source-dir. */
#ifndef GS_CLI_ANALYZE_SOURCE_H
#define GS_CLI_ANALYZE_SOURCE_H

#include "cli/report_form.h"
#include "render/analysis_json.h"

/* The report of a scan without a trace, in the form asked for. */
bool analyze_source_report(const struct source_scan *s, const struct report_form *f,
                           const char *prompt, struct str *out, struct gs_error *err);

#endif
