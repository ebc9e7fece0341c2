/*
 * The words of a .trace text, one statement at a time. Quotes, brackets and braces hold a word
 * together; '#' begins a comment; a statement ends at the end of its line, at ';' or at a brace.
 */
#ifndef GS_SYNTH_WORDS_H
#define GS_SYNTH_WORDS_H

#include "base/err.h"
#include "synth/ast.h"

struct token {
    const char *s;
    size_t n;
};

struct parser {
    struct program *program;
    const char *at, *end;
    int line;
    struct token tokens[MAX_TOKENS];
    size_t n;
    char stop; /* what ended the statement: '\n', ';', '{', '}', 0 at the end */
    const char *comment, *comment_end;
    struct gs_error *err;
};

bool token_is(struct token t, const char *s);

/* Reads the words of the next statement; false only for too many. */
bool words_read(struct parser *ps);

/* An operator between blanks makes one word of its neighbours: `loop n * 2`. */
void words_join(struct parser *ps);

/* The comment of the line just read, trimmed; "" when there is none. */
char *words_comment(struct parser *ps);

#endif
