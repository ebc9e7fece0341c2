/* Between the files of the C parser. */
#ifndef GS_SOURCE_C_PARSER_H
#define GS_SOURCE_C_PARSER_H

#include "source/source_in.h"

enum frame_kind {
    FRAME_SCOPE, /* file, namespace, class */
    FRAME_FUNCTION,
    FRAME_BLOCK, /* braces of anything else */
    FRAME_LOOP,  /* braces of for, while */
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
    size_t candidate; /* token of the name before '('; 0: none */
    size_t kernel;    /* token of __global__; 0: none */
    size_t variable;  /* token before '='; 0: none */
    bool scope, is_enum, colon, assigned;
};

struct c_parser {
    struct source_text *t;
    struct fact_list *out;
    VEC(struct frame) frames;
    VEC(struct frame) saved; /* of #if, copies of frames; saved_at says where each begins */
    VEC(size_t) saved_at;
    struct declaration decl;
    char header;    /* the next '(' belongs to a loop */
    bool do_while;  /* the next while closes a do */
    size_t macro;   /* token of the macro's name; 0: not inside one */
    uint32_t named; /* the function whose name was made last */
    const char *name;
};

static inline struct frame *c_top(struct c_parser *p)
{
    return &p->frames.v[p->frames.n - 1];
}

static inline const struct token *c_at(const struct c_parser *p, size_t i)
{
    return &p->t->tokens.v[i];
}

static inline struct frame *c_push(struct c_parser *p, enum frame_kind kind)
{
    struct frame f = *c_top(p);
    f.kind = (uint8_t)kind;
    f.header = 0;
    vec_push(&p->frames, p->t->scratch, f);
    return c_top(p);
}

static inline void c_pop(struct c_parser *p)
{
    if (p->frames.n > 1)
        p->frames.n--;
}

static inline enum keyword c_word(const struct c_parser *p, size_t i)
{
    const struct token *k = &p->t->tokens.v[i];
    const struct symbol *s = &p->t->symbols->v[k->symbol];
    return k->kind == TOKEN_IDENT && k->symbol && s->form == FORM_KEYWORD ? s->word : WORD_NONE;
}

/* c_outside.c: each takes the token it is at. */
void c_outside(struct c_parser *p, size_t i, const struct token *k);
void c_open_outside(struct c_parser *p, size_t i);          /* at '{' */
size_t c_skip_template(const struct c_parser *p, size_t i); /* at "template": the last of it */

/* c_directives.c */
size_t c_directive(struct c_parser *p, size_t i); /* the last token taken */
void c_end_macro(struct c_parser *p);

/* c_calls.c and c_launch.c */
const char *c_text(const struct c_parser *p, size_t i);
size_t c_kernel_name(const struct c_parser *p, size_t from, size_t to);
void c_runtime_launch(struct c_parser *p, size_t i, size_t paren, const struct symbol *s);
void c_owned_launch(struct c_parser *p, size_t i, size_t paren, const struct symbol *s);
void c_symbol(struct c_parser *p, size_t i);
void c_launch(struct c_parser *p, size_t i);     /* at <<< */
void c_kernel(struct c_parser *p, size_t brace); /* at the '{' of the definition */
struct source_fact *c_fact(struct c_parser *p, size_t i, enum fact_kind kind,
                           enum source_pattern_id pattern);
size_t c_name_before(const struct c_parser *p, size_t i); /* the identifier before i, over <…> */

#endif
