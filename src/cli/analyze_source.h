/* The part of 'gpusight analyze' that reads source: --source-dir. */
#ifndef GS_CLI_ANALYZE_SOURCE_H
#define GS_CLI_ANALYZE_SOURCE_H

#include "cli/report_form.h"
#include "render/analysis_json.h"

struct analyze_source {
    struct source_scan scan; /* owned: source_scan_init() and source_scan_release() around it */
    struct source_links links;
    const char *prompt; /* kept in the JSON; NULL: none */
    bool used;
};

/* Scans the folder; nothing happens when dir is NULL. */
bool analyze_source_scan(struct analyze_source *s, const char *dir, struct cli *cli,
                         struct gs_error *err);

/* The report of a scan without a trace, in the form asked for. */
bool analyze_source_report(const struct analyze_source *s, const struct report_form *f,
                           struct str *out, struct gs_error *err);

#endif
