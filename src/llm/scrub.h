/*
 * No key in anything that comes back: a server may repeat what it was sent, in an error or in the
 * answer, in pieces too. Everything the messenger says passes here.
 *
 * Texts of an answer are held back as long as they could be the beginning of a secret. Sentences
 * about faults are cut here, afterwards: half a key is too much of it.
 */
#ifndef GS_LLM_SCRUB_H
#define GS_LLM_SCRUB_H

#include "base/str.h"
#include "llm/dialogue.h"

struct scrub {
    const char *const *secrets;
    size_t n;
    struct arena *arena;
    struct str held;
    llm_taker *take;
    void *ctx;
};

void scrub_init(struct scrub *s, const char *const *secrets, size_t n, struct arena *a,
                llm_taker *take, void *ctx);
void scrub_take(void *scrub, const struct llm_event *e);

#endif
