/*
 * Braces, loops and functions of the C family: which tokens are inside what. It follows the
 * tokens once, keeps a stack of frames, and never fails: code that it does not understand costs a
 * name or a loop depth, not the rest of the file.
 */
#include <string.h>

#include "source/c_parser.h"

/* ---- brackets ---- */

/* The members of a constructor: "Grid() : n_{2} {". */
static bool initialises_member(const struct c_parser *p, size_t i)
{
    const struct token *before = &p->t->tokens.v[i - 1];
    return p->decl.candidate && p->decl.colon &&
           (before->kind == TOKEN_IDENT || token_is(before, '>'));
}

static size_t open_brace(struct c_parser *p, size_t i)
{
    if (c_top(p)->kind == FRAME_SCOPE) {
        if (initialises_member(p, i))
            return tokens_skip(p->t, i) - 1;
        c_open_outside(p, i);
        return i;
    }
    bool type = p->decl.scope && !p->decl.is_enum;
    memset(&p->decl, 0, sizeof(p->decl));
    struct frame *f = c_push(p, type ? FRAME_SCOPE : FRAME_BLOCK);
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
    if (c_word(p, next) == WORD_ELSE)
        return;
    while (c_top(p)->kind == FRAME_STATEMENT)
        c_pop(p);
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
    while (n > 1 && !has_braces(p->frames.v[n - 1].kind) && p->frames.v[n - 1].kind != FRAME_MACRO)
        n--;
    if (n <= 1 || p->frames.v[n - 1].kind == FRAME_MACRO)
        return; /* one too many */
    uint8_t kind = p->frames.v[n - 1].kind;
    uint32_t facts = p->frames.v[n - 1].facts;
    p->frames.n = n - 1;
    memset(&p->decl, 0, sizeof(p->decl));
    p->do_while = kind == FRAME_DO && c_word(p, i + 1) == WORD_WHILE;
    if (p->do_while)
        forget_loop(p, i + 1, facts);
    if (kind != FRAME_DO)
        end_statements(p, i + 1);
}

static void open_paren(struct c_parser *p)
{
    struct frame *f = c_push(p, FRAME_PAREN);
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
    struct frame *f = c_push(p, open ? braces : FRAME_STATEMENT);
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
    c_pop(p);
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

/* ---- tokens ---- */

static size_t punct(struct c_parser *p, size_t i, const struct token *k)
{
    if (c_top(p)->kind == FRAME_SCOPE && k->ch != '{' && k->ch != '}')
        c_outside(p, i, k);
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
        c_outside(p, i, k);
        return c_word(p, i) == WORD_TEMPLATE ? c_skip_template(p, i) : i;
    }
    if (!k->symbol)
        return i;
    switch (c_word(p, i)) {
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
            i = c_directive(&p, i);
        else if (k->kind == TOKEN_DIRECTIVE_END)
            c_end_macro(&p);
    }
}
