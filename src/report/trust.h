/*
 * What a trace can tell and how far it can be trusted, as JSON: the same words in every document.
 */
#ifndef GS_REPORT_TRUST_H
#define GS_REPORT_TRUST_H

#include "analyze/capability.h"
#include "analyze/quality.h"
#include "field/field.h"

struct quality_json {
    char grade[2];
    int points;
    VEC(struct quality_reason) reasons;
};

struct trust_json {
    struct quality_json quality;
    struct capabilities capabilities, missing;
};

void trust_json_make(struct trust_json *t, const struct quality *q, const struct capabilities *c,
                     struct arena *arena);

/* {quality}, and {capabilities, missing} */
extern const struct fields trust_quality_fields, trust_capability_fields;

#endif
