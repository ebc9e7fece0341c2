/*
 * Between the two halves of regular expressions (regex.h): text to tree (regex_parse.c), so that the
 * steps it becomes are counted before any is written, and tree to steps (regex.c).
 */
#ifndef GS_BASE_REGEX_IN_H
#define GS_BASE_REGEX_IN_H

#include <ctype.h>
#include <stdint.h>

#include "base/regex.h"

enum { NO_END = -1 };

enum kind {
    STEP_BYTES, /* one of a set */
    STEP_TEXT_START,
    STEP_TEXT_END,
    STEP_EDGE, /* of a word */
    STEP_NO_EDGE,
    STEP_WORD_START,
    STEP_WORD_END,
    SEQUENCE,   /* nodes only: of its children */
    CHOICE,     /* one of its children */
    REPEAT,     /* of its child */
    STEP_SPLIT, /* steps only: goes on at both */
    STEP_JUMP,
    STEP_FOUND,
};

struct byte_set {
    uint64_t has[4];
};

struct node {
    enum kind kind;
    struct byte_set *set;             /* STEP_BYTES */
    int least, most;                  /* REPEAT; most NO_END: as often as one likes */
    struct node *first, *last, *next; /* children; the one beside this */
    size_t steps;                     /* it becomes so many */
};

static inline bool has(const struct byte_set *s, unsigned char c)
{
    return s->has[c >> 6] >> (c & 63) & 1;
}

/* Of ASCII, whatever the locale of who calls the library. */
static inline int is_word(int c)
{
    return c < 128 && (isalnum(c) || c == '_');
}

/* NULL with what is wrong. Nodes are temporary, their sets are not. */
struct node *regex_parse(const char *text, struct arena *kept, struct arena *temporary,
                         const char **why);

#endif
