/*
 * Recordings: every exchange of a session as a line of JSON, with what was sent and the events that
 * came back. Played again, they take the place of the network, exchange by exchange.
 *
 *     {"exchange": 1, "provider": "anthropic", "model": "...", "sha256": "...", "request": "...",
 *      "events": [{"text": "..."}, {"stop": "end"}]}
 *
 * What was redacted is redacted in them too; keys are not in requests at all.
 */
#ifndef GS_LLM_RECORD_H
#define GS_LLM_RECORD_H

#include "llm/session.h"

struct recorder {
    struct str line;
    struct jwrite w;
    llm_taker *take;
    void *ctx;
};

/* Between begin and end everything that recorder_take() gets goes into the line, and on. */
void recorder_begin(struct recorder *r, const struct llm *l, const char *body, size_t n,
                    struct arena *a);
void recorder_take(void *recorder, const struct llm_event *e);
void recorder_end(struct recorder *r, struct journal *to);

struct replay_file *replay_open(const char *path, struct arena *a, struct gs_error *err);

/* The next exchange; its last event is a stop or a fault, whatever the file holds. */
void replay_next(struct replay_file *f, const char *body, size_t n, llm_taker *take, void *ctx);

#endif
