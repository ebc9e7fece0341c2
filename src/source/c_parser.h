/* Between the files of the C parser. */
#ifndef GS_SOURCE_C_PARSER_H
#define GS_SOURCE_C_PARSER_H

#include "source/source_in.h"

enum frame_kind {
    FRAME_SCOPE,     /* file, namespace, class */
    FRAME_FUNCTION,
    FRAME_BLOCK,     /* braces of anything else */
    FRAME_LOOP,      /* braces of for, while */
    FRAME_DO,
    FRAME_MACRO,     /* body of a #define */
    FRAME_STATEMENT, /* body of a loop without braces: ends with the statement */
    FRAME_PAREN,     /* ( or [ */
};

/* What is inherited from frame to frame: the top one tells all about a place. */
struct frame {
    uint8_t kind;
    char header; /* FRAME_PAREN: 'f' of for, 'w' of while, 'd' of do … while; 0: plain */
    bool in_function;
    uint32_t depth;    /* loops */
    uint32_t function; /* token of its name; 0: none */
    uint32_t facts;    /* FRAME_DO: how many there were before it */
};

/* What was seen since the last ; { or } outside functions. */
struct declaration {
    size_t candidate;  /* token of the name before '('; 0: none */
    size_t kernel;     /* token of __global__; 0: none */
    size_t variable;   /* token before '='; 0: none */
    bool scope, is_enum, colon, assigned;
};

struct c_parser {
    struct source_text *t;
    struct fact_list *out;
    VEC(struct frame) frames;
    VEC(struct frame) saved; /* of #if, copies of frames; saved_at says where each begins */
    VEC(size_t) saved_at;
    struct declaration decl;
    char header;   /* the next '(' belongs to a loop */
    bool do_while; /* the next while closes a do */
    size_t macro;  /* token of the macro's name; 0: not inside one */
    uint32_t named; /* the function whose name was made last */
    const char *name;
};

static inline struct frame *c_top(struct c_parser *p)
{
    return &p->frames.v[p->frames.n - 1];
}

/* c_calls.c */
void c_symbol(struct c_parser *p, size_t i);
void c_launch(struct c_parser *p, size_t i); /* at <<< */
void c_kernel(struct c_parser *p, size_t brace); /* at the '{' of the definition */
struct source_fact *c_fact(struct c_parser *p, size_t i, enum fact_kind kind,
                           enum source_pattern_id pattern);
size_t c_name_before(const struct c_parser *p, size_t i); /* the identifier before i, over <…> */

#endif
