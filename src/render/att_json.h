/* The document of a thread trace without a trace. */
#ifndef GS_RENDER_ATT_JSON_H
#define GS_RENDER_ATT_JSON_H

#include "att/att.h"
#include "render/analysis_json.h"

void att_json_document(struct jwrite *w, const struct att *t, const struct analysis_json_opts *o);

#endif
