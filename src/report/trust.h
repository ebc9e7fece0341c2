/*
 * What a trace can tell and how far it can be trusted, as JSON: the same words in every document.
 */
#ifndef GS_REPORT_TRUST_H
#define GS_REPORT_TRUST_H

#include "analyze/capability.h"
#include "analyze/quality.h"
#include "base/jwrite.h"

/* "quality": {grade, points, reasons[]} */
void quality_json(struct jwrite *w, const struct quality *q);

/* "capabilities": {key: bool}, then "missing": [{capability, consequence, command}] */
void capabilities_json(struct jwrite *w, const struct capabilities *c);

#endif
