/*
 * Runs of an evaluation by a language model, and a judge of the advice that came out.
 */
#ifndef GS_EVALUATE_MODEL_H
#define GS_EVALUATE_MODEL_H

#include "evaluate/evaluate.h"
#include "llm/session.h"

struct run;

/* Asks for hypotheses; without `lookups` the model gets the analysis in brief and nothing else. */
void evaluate_by_model(struct eval_run *r, struct llm *l, struct run *run, bool lookups,
                       int threads, struct arena *a);

/* One question for each piece of advice that the truth expects; names stay here, as everywhere. */
void evaluate_judge(struct eval_run *r, struct llm *judge, const struct run *run, struct arena *a);

#endif
