/*
 * The agent: a model that looks things up. It is given the tools of tool/tool.h over one run, its
 * calls are answered, and that goes on for a bounded number of turns: three before the end it is
 * told to come to a conclusion, and when they are used up, one last request forbids further calls.
 *
 *     struct llm_agent g;
 *     agent_init(&g, llm, run, threads);
 *     agent_offer(&g, &dialogue);            the tools, into the dialogue
 *     agent_run(&g, &dialogue, &answer, show, ctx);
 *
 * The model never names files: "trace" is not among the arguments it is offered, and left out where
 * it gives one. Names in arguments are put back before a tool is called, and replaced in what it
 * answers. Nonsense is answered with an error that says so; the same call twice is not made twice.
 */
#ifndef GS_LLM_AGENT_H
#define GS_LLM_AGENT_H

#include "llm/prompt.h"
#include "tool/tool.h"

enum {
    AGENT_ANSWER_BYTES = 16000, /* of a tool, for a model */
    AGENT_CALLS_A_TURN = 12,
};

struct llm_agent {
    struct llm *l;
    struct tool_box *box; /* NULL: no tools */
    int64_t max_turns, turns;
    size_t calls;
    bool wants_array;          /* the last message must hold a JSON array */
    bool wants_differences;    /* it may end with one */
    VEC(const char *) asked;   /* "name arguments" of calls so far */
    VEC(const char *) answers; /* of tools, with their names, for those who check */
};

void agent_init(struct llm_agent *g, struct llm *l, struct run *run, int threads);
void agent_offer(struct llm_agent *g, struct llm_dialogue *d);

/* False: there is a fault, as in llm_exchange(). The answer is that of the last turn. */
bool agent_run(struct llm_agent *g, struct llm_dialogue *d, struct llm_answer *out,
               llm_shower *show, void *ctx);

#endif
