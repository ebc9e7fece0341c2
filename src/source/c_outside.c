/* Outside functions: which '{' begins a function, a class, an initialiser. */
#include <string.h>

#include "source/c_parser.h"

static bool all_capitals(const struct c_parser *p, size_t i)
{
    const struct token *k = &p->t->tokens.v[i];
    for (size_t c = 0; c < k->len; c++)
        if (p->t->text[k->at + c] >= 'a' && p->t->text[k->at + c] <= 'z')
            return false;
    return true;
}

/* A '(' outside functions: is the name before it that of a function? */
static void consider(struct c_parser *p, size_t i)
{
    struct declaration *d = &p->decl;
    size_t name = c_name_before(p, i);
    if (!name || d->assigned || (d->candidate && d->colon) || (d->scope && d->colon))
        return;
    if (c_word(p, name) != WORD_NONE && c_word(p, name) != WORD_OPERATOR)
        return;
    if (!d->candidate || (all_capitals(p, d->candidate) && !all_capitals(p, name)))
        d->candidate = name;
    if (d->candidate == name)
        d->colon = false; /* "public:" came before it */
}

/* At "template": the token that ends its parameters, which may hold '=' and '('. */
size_t c_skip_template(const struct c_parser *p, size_t i)
{
    enum { FAR = 1024 };
    size_t angle = 0, n = i + 1;
    if (!token_is(&p->t->tokens.v[n], '<'))
        return i;
    for (; n < i + FAR && p->t->tokens.v[n].kind != TOKEN_END; n++) {
        const struct token *k = &p->t->tokens.v[n];
        if (token_is(k, '(') || token_is(k, '{'))
            n = tokens_skip(p->t, n) - 1;
        angle += token_is(k, '<');
        if (token_is(k, '>') && !--angle)
            return n;
    }
    return i;
}

void c_open_outside(struct c_parser *p, size_t i)
{
    struct declaration d = p->decl;
    const struct token *before = &p->t->tokens.v[i ? i - 1 : 0];
    memset(&p->decl, 0, sizeof(p->decl));
    bool lambda = d.assigned &&
                  (token_is(before, ')') || token_is(before, ']') || before->kind == TOKEN_IDENT);
    if (d.candidate && !d.assigned && !(d.scope && all_capitals(p, d.candidate))) {
        p->decl.kernel = d.kernel;
        p->decl.candidate = d.candidate;
        if (d.kernel)
            c_kernel(p, i);
        memset(&p->decl, 0, sizeof(p->decl));
        struct frame *f = c_push(p, FRAME_FUNCTION);
        f->in_function = true;
        f->depth = 0;
        f->function = (uint32_t)d.candidate;
    } else if (lambda) {
        struct frame *f = c_push(p, FRAME_FUNCTION);
        f->in_function = true;
        f->depth = 0;
        f->function = (uint32_t)d.variable;
    } else if (d.assigned || d.is_enum) {
        c_push(p, FRAME_BLOCK);
    } else {
        struct frame *f = c_push(p, FRAME_SCOPE);
        f->in_function = false;
        f->depth = 0;
    }
}

void c_outside(struct c_parser *p, size_t i, const struct token *k)
{
    struct declaration *d = &p->decl;
    if (k->kind == TOKEN_IDENT) {
        enum keyword w = c_word(p, i);
        d->scope |= w == WORD_SCOPE;
        d->is_enum |= w == WORD_ENUM;
        if (w == WORD_GLOBAL || (w == WORD_CL_KERNEL && p->t->language == SOURCE_OPENCL))
            d->kernel = i;
    } else if (k->kind == TOKEN_PUNCT && k->ch == '=') {
        size_t name = c_name_before(p, i);
        if (name && c_word(p, name) == WORD_OPERATOR)
            return;
        if (!d->assigned)
            d->variable = name;
        d->assigned = !d->candidate; /* "= default", "= 0" come behind a function */
    } else if (k->kind == TOKEN_PUNCT && k->ch == ':') {
        d->colon = true;
    } else if (k->kind == TOKEN_PUNCT && (k->ch == ';' || k->ch == '}')) {
        memset(d, 0, sizeof(*d));
    } else if (k->kind == TOKEN_PUNCT && k->ch == '(') {
        consider(p, i);
    }
}
