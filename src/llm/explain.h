/*
 * A model's words for a report: `analyze --llm`, `compare --llm`. Whatever fails, the report stays
 * whole; the explanation then says why there is none.
 */
#ifndef GS_LLM_EXPLAIN_H
#define GS_LLM_EXPLAIN_H

#include "llm/agent.h"
#include "report/explanation.h"

/* What the explanation is about: one of them. */
struct explain_of {
    struct run *run;
    const struct comparison *comparison;
    const char *question; /* of --prompt; NULL: none */
    bool agent;           /* with tools, for hypotheses */
    int threads;
};

/* The dialogue up to the first request, and who leads it. */
void explain_begin(struct llm *l, const struct explain_of *of, struct llm_dialogue *d,
                   struct llm_agent *agent);

/* Asks, and fills out; `show` gets the text as it comes, or is NULL. */
void explain_run(struct llm *l, struct llm_dialogue *d, struct llm_agent *agent,
                 struct explanation *out, llm_shower *show, void *ctx);

/* What came of an answer: its text, what is wrong, what it took. */
void explain_take(const struct llm *l, const struct llm_agent *agent, const struct llm_answer *a,
                  bool ok, struct explanation *out);

/* Looks for every number of the text in the analysis and in what tools answered. */
void explain_check(const struct llm *l, const struct run *run, const struct llm_agent *agent,
                   struct explanation *out);

/* An explanation that there is none, and why. */
void explain_failed(struct explanation *out, const char *provider, const char *model,
                    const char *why);

#endif
