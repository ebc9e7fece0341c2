/*
 * A model's words for a report: `analyze --llm`, `compare --llm`. Whatever fails, the report stays
 * whole; the explanation then says why there is none.
 */
#ifndef GS_LLM_EXPLAIN_H
#define GS_LLM_EXPLAIN_H

#include "llm/prompt.h"
#include "report/explanation.h"

/* What the explanation is about: one of them. */
struct explain_of {
    const struct run *run;
    const struct comparison *comparison;
    const char *question; /* of --prompt; NULL: none */
    bool agent;           /* with tools, for hypotheses */
};

/* The dialogue up to the first request. */
void explain_begin(struct llm *l, const struct explain_of *of, struct llm_dialogue *d);

/* Asks, and fills out; `show` gets the text as it comes, or is NULL. */
void explain_run(struct llm *l, const struct explain_of *of, struct llm_dialogue *d,
                 struct explanation *out, llm_shower *show, void *ctx);

/* An explanation that there is none, and why. */
void explain_failed(struct explanation *out, const char *provider, const char *model,
                    const char *why);

#endif
