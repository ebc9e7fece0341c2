/*
 * What a model is told: instructions that are the same for every trace, and data that is.
 *
 * Data is JSON between tags. Names of a trace appear in it as strings and nowhere else; '<' is
 * escaped, so that no name can close the tag. The instructions come from here and from the guide,
 * never from a trace.
 */
#ifndef GS_LLM_PROMPT_H
#define GS_LLM_PROMPT_H

#include "llm/names.h"
#include "llm/session.h"

enum prompt_task {
    TASK_EXPLAIN,    /* summary, bottleneck, recommendations, next step */
    TASK_COMPARE,    /* did the change help, and why */
    TASK_QUESTION,   /* answer what is asked */
    TASK_HYPOTHESES, /* PerfAdvisor's schema, as a bare JSON array */
};

/* `tools`: the model may look things up; `short_guide`: only what is always of use. */
const char *prompt_system(const struct llm *l, enum prompt_task task, bool tools,
                          const struct run *run, const char *question, bool short_guide);

/* The analysis in brief, as JSON; redacted. */
const char *prompt_analysis(struct llm *l, const struct run *run);
const char *prompt_source(struct llm *l, const struct run *run);
const char *prompt_comparison(struct llm *l, const struct comparison *c);

/* Data and what is asked of it, as the first message. */
const char *prompt_message(struct llm *l, const char *data, enum prompt_task task,
                           const char *question);

/* JSON that holds no '<': what stands between tags. */
const char *prompt_quoted(const char *json, struct arena *a);

#endif
