/*
 * What happened, for people: --log-file gets requests and answers as they are, --transcript-file the
 * dialogue with its names. Both grow while it happens; neither ever holds a key, since this process
 * has none.
 */
#ifndef GS_LLM_TRANSCRIPT_H
#define GS_LLM_TRANSCRIPT_H

#include "llm/session.h"

bool transcript_open(struct llm *l, struct gs_error *err);
void transcript_request(struct llm *l, const char *body, size_t n);
void transcript_answer(struct llm *l, const struct llm_answer *a, const char *raw);
void transcript_question(struct llm *l, const char *text);
void transcript_call(struct llm *l, const char *name, const char *arguments, const char *answer);

#endif
