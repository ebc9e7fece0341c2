/* Macros, pragmas and the branches of #if, for the C parser. */
#include <string.h>

#include "source/c_parser.h"

static void save_frames(struct c_parser *p)
{
    vec_push(&p->saved_at, p->t->scratch, p->saved.n);
    for (size_t i = 0; i < p->frames.n; i++)
        vec_push(&p->saved, p->t->scratch, p->frames.v[i]);
}

/* Each branch of an #if begins with the frames there were at the #if. */
static void restore_frames(struct c_parser *p)
{
    if (!p->saved_at.n)
        return;
    size_t from = p->saved_at.v[p->saved_at.n - 1];
    p->frames.n = 0;
    for (size_t i = from; i < p->saved.n; i++)
        vec_push(&p->frames, p->t->scratch, p->saved.v[i]);
    memset(&p->decl, 0, sizeof(p->decl));
}

static size_t skip_directive(const struct c_parser *p, size_t i)
{
    while (p->t->tokens.v[i].kind != TOKEN_DIRECTIVE_END && p->t->tokens.v[i].kind != TOKEN_END)
        i++;
    return p->t->tokens.v[i].kind == TOKEN_END ? i - 1 : i;
}

static size_t begin_macro(struct c_parser *p, size_t i)
{
    const struct token *name = &p->t->tokens.v[i + 1];
    if (name->kind != TOKEN_IDENT)
        return skip_directive(p, i);
    struct frame *f = c_push(p, FRAME_MACRO);
    f->in_function = true;
    f->depth = 0;
    f->function = (uint32_t)(i + 1);
    p->macro = i + 1;
    const struct token *paren = name + 1;
    bool parameters = token_is(paren, '(') && paren->at == name->at + name->len;
    return parameters ? tokens_skip(p->t, i + 2) - 1 : i + 1;
}

void c_end_macro(struct c_parser *p)
{
    if (!p->macro)
        return;
    while (p->frames.n > 1 && c_top(p)->kind != FRAME_MACRO)
        p->frames.n--;
    c_pop(p);
    p->macro = 0;
    p->header = 0;
    p->do_while = false;
}

static size_t pragma(struct c_parser *p, size_t i)
{
    size_t end = skip_directive(p, i);
    bool omp = token_eq(p->t, i + 1, "omp"), acc = token_eq(p->t, i + 1, "acc");
    if ((omp || acc) && c_top(p)->in_function) {
        struct source_fact *f =
            c_fact(p, i, FACT_LAUNCH, omp ? PATTERN_OMP_TARGET : PATTERN_ACC_REGION);
        struct source_fact around = *f;
        p->out->n--;
        parse_offload(p->t, i + 1, around, p->out);
    }
    return end;
}

size_t c_directive(struct c_parser *p, size_t i)
{
    switch (p->t->tokens.v[i].ch) {
    case DIRECTIVE_IF:
        save_frames(p);
        return i;
    case DIRECTIVE_ELSE:
        restore_frames(p);
        return i;
    case DIRECTIVE_ENDIF:
        if (p->saved_at.n)
            p->saved.n = p->saved_at.v[--p->saved_at.n];
        return i;
    case DIRECTIVE_DEFINE:
        return begin_macro(p, i);
    default:
        return pragma(p, i);
    }
}
