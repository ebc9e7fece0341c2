/* An answer of 'gpusight ask' as JSON; schema/answer.schema.json describes it. */
#ifndef GS_RENDER_ANSWER_JSON_H
#define GS_RENDER_ANSWER_JSON_H

#include "base/jwrite.h"
#include "report/answer.h"

#define ANSWER_SCHEMA_VERSION "1.0"

void answer_json(struct jwrite *w, const struct answer *a);
void answer_json_schema(struct str *out);

#endif
