/*
 * Braces, loops and functions of the C family: which tokens are inside what. It follows the
 * tokens once, keeps a stack of frames, and never fails: code that it does not understand costs a
 * name or a loop depth, not the rest of the file.
 */
#include <string.h>

#include "source/c_parser.h"

static struct frame *push(struct c_parser *p, enum frame_kind kind)
{
    struct frame f = *c_top(p);
    f.kind = (uint8_t)kind;
    f.header = 0;
    vec_push(&p->frames, p->t->scratch, f);
    return c_top(p);
}

static void pop(struct c_parser *p)
{
    if (p->frames.n > 1)
        p->frames.n--;
}

static bool all_capitals(const struct c_parser *p, size_t i)
{
    const struct token *k = &p->t->tokens.v[i];
    for (size_t c = 0; c < k->len; c++)
        if (p->t->text[k->at + c] >= 'a' && p->t->text[k->at + c] <= 'z')
            return false;
    return true;
}

static enum keyword word_of(const struct c_parser *p, size_t i)
{
    const struct token *k = &p->t->tokens.v[i];
    const struct symbol *s = &p->t->symbols->v[k->symbol];
    return k->kind == TOKEN_IDENT && k->symbol && s->form == FORM_KEYWORD ? s->word : WORD_NONE;
}

/* ---- outside functions ---- */

/* A '(' outside functions: is the name before it that of a function? */
static void consider(struct c_parser *p, size_t i)
{
    struct declaration *d = &p->decl;
    size_t name = c_name_before(p, i);
    if (!name || d->assigned || (d->candidate && d->colon) || (d->scope && d->colon))
        return;
    if (word_of(p, name) != WORD_NONE && word_of(p, name) != WORD_OPERATOR)
        return;
    if (!d->candidate || (all_capitals(p, d->candidate) && !all_capitals(p, name)))
        d->candidate = name;
    if (d->candidate == name)
        d->colon = false; /* "public:" came before it */
}

/* At "template": the token that ends its parameters, which may hold '=' and '('. */
static size_t skip_template(const struct c_parser *p, size_t i)
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

static void open_outside(struct c_parser *p, size_t i)
{
    struct declaration d = p->decl;
    const struct token *before = &p->t->tokens.v[i ? i - 1 : 0];
    memset(&p->decl, 0, sizeof(p->decl));
    bool lambda = d.assigned && (token_is(before, ')') || token_is(before, ']') ||
                                 before->kind == TOKEN_IDENT);
    if (d.candidate && !d.assigned && !(d.scope && all_capitals(p, d.candidate))) {
        p->decl.kernel = d.kernel;
        p->decl.candidate = d.candidate;
        if (d.kernel)
            c_kernel(p, i);
        memset(&p->decl, 0, sizeof(p->decl));
        struct frame *f = push(p, FRAME_FUNCTION);
        f->in_function = true;
        f->depth = 0;
        f->function = (uint32_t)d.candidate;
    } else if (lambda) {
        struct frame *f = push(p, FRAME_FUNCTION);
        f->in_function = true;
        f->depth = 0;
        f->function = (uint32_t)d.variable;
    } else if (d.assigned || d.is_enum) {
        push(p, FRAME_BLOCK);
    } else {
        struct frame *f = push(p, FRAME_SCOPE);
        f->in_function = false;
        f->depth = 0;
    }
}

static void outside(struct c_parser *p, size_t i, const struct token *k)
{
    struct declaration *d = &p->decl;
    if (k->kind == TOKEN_IDENT) {
        enum keyword w = word_of(p, i);
        d->scope |= w == WORD_SCOPE;
        d->is_enum |= w == WORD_ENUM;
        if (w == WORD_GLOBAL || (w == WORD_CL_KERNEL && p->t->language == SOURCE_OPENCL))
            d->kernel = i;
    } else if (k->kind == TOKEN_PUNCT && k->ch == '=') {
        size_t name = c_name_before(p, i);
        if (name && word_of(p, name) == WORD_OPERATOR)
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

/* ---- brackets ---- */

/* The members of a constructor: "Grid() : n_{2} {". */
static bool initialises_member(const struct c_parser *p, size_t i)
{
    const struct token *before = &p->t->tokens.v[i - 1];
    return p->decl.candidate && p->decl.colon && (before->kind == TOKEN_IDENT || token_is(before, '>'));
}

static size_t open_brace(struct c_parser *p, size_t i)
{
    if (c_top(p)->kind == FRAME_SCOPE) {
        if (initialises_member(p, i))
            return tokens_skip(p->t, i) - 1;
        open_outside(p, i);
        return i;
    }
    bool type = p->decl.scope && !p->decl.is_enum;
    memset(&p->decl, 0, sizeof(p->decl));
    struct frame *f = push(p, type ? FRAME_SCOPE : FRAME_BLOCK);
    if (type) {
        f->in_function = false;
        f->depth = 0;
    }
    return i;
}

static bool has_braces(uint8_t kind)
{
    return kind <= FRAME_DO;
}

/* Loops without braces whose statement is over. */
static void end_statements(struct c_parser *p, size_t next)
{
    if (word_of(p, next) == WORD_ELSE)
        return;
    while (c_top(p)->kind == FRAME_STATEMENT)
        pop(p);
}

/* "do { … } while (0)" is a block, as macros are written: what was found in it is in no loop. */
static void forget_loop(struct c_parser *p, size_t i, uint32_t from)
{
    const struct token *k = &p->t->tokens.v[i];
    bool zero = k[2].kind == TOKEN_NUMBER && k[2].len == 1 && p->t->text[k[2].at] == '0';
    if (!token_is(k + 1, '(') || !(zero || token_eq(p->t, i + 2, "false")) || !token_is(k + 3, ')'))
        return;
    for (size_t f = from; f < p->out->n; f++)
        p->out->v[f].loop_depth--;
}

static void close_brace(struct c_parser *p, size_t i)
{
    size_t n = p->frames.n;
    while (n > 1 && !has_braces(p->frames.v[n - 1].kind) &&
           p->frames.v[n - 1].kind != FRAME_MACRO)
        n--;
    if (n <= 1 || p->frames.v[n - 1].kind == FRAME_MACRO)
        return; /* one too many */
    uint8_t kind = p->frames.v[n - 1].kind;
    uint32_t facts = p->frames.v[n - 1].facts;
    p->frames.n = n - 1;
    memset(&p->decl, 0, sizeof(p->decl));
    p->do_while = kind == FRAME_DO && word_of(p, i + 1) == WORD_WHILE;
    if (p->do_while)
        forget_loop(p, i + 1, facts);
    if (kind != FRAME_DO)
        end_statements(p, i + 1);
}

static void open_paren(struct c_parser *p)
{
    struct frame *f = push(p, FRAME_PAREN);
    f->header = p->header;
    f->depth += p->header == 'w' || p->header == 'd';
    p->header = 0;
}

/* The body of a loop begins at token i. Returns the last token taken. */
static size_t begin_body(struct c_parser *p, size_t i, enum frame_kind braces)
{
    const struct token *k = &p->t->tokens.v[i];
    if (token_is(k, ';') && braces == FRAME_LOOP)
        return i - 1;
    bool open = token_is(k, '{');
    struct frame *f = push(p, open ? braces : FRAME_STATEMENT);
    f->depth++;
    f->facts = (uint32_t)p->out->n;
    memset(&p->decl, 0, sizeof(p->decl));
    return open ? i : i - 1;
}

static size_t close_paren(struct c_parser *p, size_t i)
{
    if (c_top(p)->kind != FRAME_PAREN)
        return i;
    char header = c_top(p)->header;
    pop(p);
    return header == 'f' || header == 'w' ? begin_body(p, i + 1, FRAME_LOOP) : i;
}

static void semicolon(struct c_parser *p, size_t i)
{
    struct frame *f = c_top(p);
    if (f->kind == FRAME_PAREN && f->header == 'f') {
        f->header = 'w'; /* condition and step are inside the loop, the start is not */
        f->depth++;
        return;
    }
    p->decl.scope = p->decl.is_enum = false;
    end_statements(p, i + 1);
}

/* ---- directives ---- */

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
    struct frame *f = push(p, FRAME_MACRO);
    f->in_function = true;
    f->depth = 0;
    f->function = (uint32_t)(i + 1);
    p->macro = i + 1;
    const struct token *paren = name + 1;
    bool parameters = token_is(paren, '(') && paren->at == name->at + name->len;
    return parameters ? tokens_skip(p->t, i + 2) - 1 : i + 1;
}

static void end_macro(struct c_parser *p)
{
    if (!p->macro)
        return;
    while (p->frames.n > 1 && c_top(p)->kind != FRAME_MACRO)
        p->frames.n--;
    pop(p);
    p->macro = 0;
    p->header = 0;
    p->do_while = false;
}

static size_t pragma(struct c_parser *p, size_t i)
{
    size_t end = skip_directive(p, i);
    bool omp = token_eq(p->t, i + 1, "omp"), acc = token_eq(p->t, i + 1, "acc");
    if ((omp || acc) && c_top(p)->in_function) {
        struct source_fact *f = c_fact(p, i, FACT_LAUNCH, omp ? PATTERN_OMP_TARGET : PATTERN_ACC_REGION);
        struct source_fact around = *f;
        p->out->n--;
        parse_offload(p->t, i + 1, around, p->out);
    }
    return end;
}

static size_t directive(struct c_parser *p, size_t i)
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

/* ---- tokens ---- */

static size_t punct(struct c_parser *p, size_t i, const struct token *k)
{
    if (c_top(p)->kind == FRAME_SCOPE && k->ch != '{' && k->ch != '}')
        outside(p, i, k);
    switch (k->ch) {
    case '{':
        return open_brace(p, i);
    case '}':
        close_brace(p, i);
        break;
    case '(':
    case '[':
        open_paren(p);
        break;
    case ')':
    case ']':
        return close_paren(p, i);
    case ';':
        semicolon(p, i);
        break;
    case '=':
        p->decl.scope = p->decl.scope && c_top(p)->kind == FRAME_SCOPE;
        break;
    case PUNCT_LAUNCH:
        if (c_top(p)->in_function)
            c_launch(p, i);
        break;
    default:
        break;
    }
    return i;
}

static size_t identifier(struct c_parser *p, size_t i, const struct token *k)
{
    if (c_top(p)->kind == FRAME_SCOPE) {
        outside(p, i, k);
        return word_of(p, i) == WORD_TEMPLATE ? skip_template(p, i) : i;
    }
    if (!k->symbol)
        return i;
    switch (word_of(p, i)) {
    case WORD_NONE:
        if (c_top(p)->in_function)
            c_symbol(p, i);
        return i;
    case WORD_FOR:
        p->header = 'f';
        return i;
    case WORD_WHILE:
        p->header = p->do_while ? 'd' : 'w';
        p->do_while = false;
        return i;
    case WORD_DO:
        return begin_body(p, i + 1, FRAME_DO);
    case WORD_SCOPE:
        p->decl.scope = c_top(p)->kind != FRAME_PAREN;
        return i;
    case WORD_ENUM:
        p->decl.is_enum = true;
        return i;
    default:
        return i;
    }
}

void parse_c(struct source_text *t, struct fact_list *out)
{
    struct c_parser p = {.t = t, .out = out};
    vec_push(&p.frames, t->scratch, ((struct frame){.kind = FRAME_SCOPE}));
    for (size_t i = 0; t->tokens.v[i].kind != TOKEN_END; i++) {
        const struct token *k = &t->tokens.v[i];
        if (k->kind == TOKEN_PUNCT)
            i = punct(&p, i, k);
        else if (k->kind == TOKEN_IDENT)
            i = identifier(&p, i, k);
        else if (k->kind == TOKEN_DIRECTIVE)
            i = directive(&p, i);
        else if (k->kind == TOKEN_DIRECTIVE_END)
            end_macro(&p);
    }
}
