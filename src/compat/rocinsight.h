/*
 * rocinsight's own document, up to version 0.4.0, and nothing else: for programs that check against
 * its schema. Commands of tools and copies of directions that it does not know are left out, and
 * said so in "warnings". schema/rocinsight-0.4.0.schema.json describes what is written.
 */
#ifndef GS_COMPAT_ROCINSIGHT_H
#define GS_COMPAT_ROCINSIGHT_H

#include "render/analysis_json.h"

/* Of a trace, with what lies beside it. */
void rocinsight_json(struct jwrite *w, const struct analysis *a, const struct advice *advice,
                     const struct analysis_json_opts *o);
/* Of source code alone: its version 0.2.0. */
void rocinsight_source_json(struct jwrite *w, const struct source_scan *s,
                            const struct analysis_json_opts *o);
/* The JSON Schema of both, as a whole file. */
void rocinsight_json_schema(struct str *out);

#endif
