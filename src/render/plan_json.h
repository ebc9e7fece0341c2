/*
 * A capture plan as JSON; docs/planner.md lists the keys.
 */
#ifndef GS_RENDER_PLAN_JSON_H
#define GS_RENDER_PLAN_JSON_H

#include "base/str.h"
#include "field/field.h"
#include "plan/plan.h"

extern const struct fields plan_json_fields; /* of struct plan */
void plan_json(struct jwrite *w, const struct plan *p);

/* Its JSON Schema, as a whole file. */
void plan_json_schema(struct str *out);

#endif
