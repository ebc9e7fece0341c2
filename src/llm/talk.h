/*
 * A conversation about a run: questions and answers that know of each other, with tools.
 *
 *     struct llm_talk t;
 *     talk_begin(&t, llm, run, threads, err);
 *     talk_ask(&t, "why is the GPU idle?", &answer, show, ctx);
 *
 * A question that fails leaves no trace in the dialogue. Every so many questions (--llm-compact-every)
 * all but the newest TALK_RECENT are replaced by a summary that the model writes; the data that came
 * with the first question stays. --llm-archive keeps everything that was said, line by line.
 */
#ifndef GS_LLM_TALK_H
#define GS_LLM_TALK_H

#include "llm/agent.h"

enum { TALK_RECENT = 6 };

struct llm_talk {
    struct llm *l;
    const struct run *run;
    struct llm_dialogue d;
    struct llm_agent agent;
    VEC(size_t) starts; /* messages that are questions */
    size_t asked, since_compaction;
    struct journal *archive;
};

bool talk_begin(struct llm_talk *t, struct llm *l, struct run *run, int threads,
                struct gs_error *err);

/* The question into the dialogue, for talk_ask() or a preview. */
void talk_put(struct llm_talk *t, const char *question);

/* Asks what was put. False: there is a fault. */
bool talk_ask(struct llm_talk *t, const char *question, struct llm_answer *out, llm_shower *show,
              void *ctx);

#endif
