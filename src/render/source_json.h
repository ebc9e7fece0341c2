/*
 * Tier 0 as JSON: rocinsight's "tier0" object with our tables behind its keys, and the document
 * of a scan without a trace.
 */
#ifndef GS_RENDER_SOURCE_JSON_H
#define GS_RENDER_SOURCE_JSON_H

#include "render/analysis_json.h"
#include "report/source_report.h"

/* The object; links may be NULL. `strict` leaves out what rocinsight does not have. */
void source_json(struct jwrite *w, const char *key, const struct source_scan *s,
                 const struct source_links *links, const char *timestamp, bool strict);

/* The whole document of "--source-dir" alone: rocinsight's 0.2.0 when strict, else ours. */
void source_json_document(struct jwrite *w, const struct source_scan *s,
                          const struct analysis_json_opts *o, bool strict);

#endif
