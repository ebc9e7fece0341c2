/* The document of a scan of source code without a trace. */
#ifndef GS_RENDER_SOURCE_JSON_H
#define GS_RENDER_SOURCE_JSON_H

#include "render/analysis_json.h"
#include "report/source_report.h"

void source_json_document(struct jwrite *w, const struct source_scan *s,
                          const struct analysis_json_opts *o);

#endif
