/* Which names there are: of a run, of a comparison, of the user and this machine. */
#ifndef GS_LLM_NAMES_H
#define GS_LLM_NAMES_H

#include "compare/compare.h"
#include "llm/redact.h"
#include "run/run.h"

void redact_run(struct redact *r, const struct run *run);
void redact_comparison(struct redact *r, const struct comparison *c);

#endif
