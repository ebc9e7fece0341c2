/*
 * Words of facts and texts, as numbers: what means the same has the same one.
 */
#ifndef GS_VERIFY_WORDS_H
#define GS_VERIFY_WORDS_H

#include "base/hash.h"
#include "base/vec.h"

struct words {
    struct idmap ids;     /* by hash */
    struct idmap same;    /* of words that mean another: by hash, into that list */
    VEC(uint32_t) counts; /* facts that have it */
    VEC(bool) names;      /* it is an identifier: has "_", digits or capitals inside */
    VEC(bool) subjects;   /* facts are about it; others are keys of ours */
    struct arena *arena;
};

struct word_list {
    uint32_t *v;
    size_t n, cap;
};

/* Called for each word with where it stands; NO_INDEX: no fact has it. */
typedef void word_use(void *ctx, uint32_t word, size_t at);

void words_init(struct words *w, struct arena *a);

/* Each word of a text. With `add`, words that are new get a number. Names with "_" or digits are
 * one word, and each part of them is another. */
void words_each(struct words *w, const char *text, size_t n, bool add, word_use *use, void *ctx);

/* Appends those that are not in the list yet. */
void words_add(struct words *w, struct word_list *list, const char *text, struct arena *a);

#endif
