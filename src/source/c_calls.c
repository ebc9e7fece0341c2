/* Calls of the C family, once it is known where they are. */
#include <string.h>

#include "base/str.h"
#include "source/c_parser.h"

/* Over template arguments, backwards: i is '>'; returns the token before the matching '<'. */
static size_t before_template(const struct c_parser *p, size_t i)
{
    enum { FAR = 400 };
    size_t angle = 0, round = 0;
    for (size_t seen = 0; i && seen < FAR; i--, seen++) {
        const struct token *k = c_at(p, i);
        if (k->kind == TOKEN_DIRECTIVE || k->kind == TOKEN_DIRECTIVE_END)
            return 0;
        if (k->kind != TOKEN_PUNCT)
            continue;
        if (k->ch == ';' || k->ch == '{' || k->ch == '}')
            return 0;
        if (k->ch == ')' || k->ch == ']')
            round++;
        else if (k->ch == '(' || k->ch == '[') {
            if (!round--)
                return 0;
        } else if (round)
            continue;
        else if (k->ch == '>')
            angle++;
        else if (k->ch == '<' && !--angle)
            return i - 1;
    }
    return 0;
}

size_t c_name_before(const struct c_parser *p, size_t i)
{
    if (!i--)
        return 0;
    if (token_is(c_at(p, i), '>'))
        i = before_template(p, i);
    return i && c_at(p, i)->kind == TOKEN_IDENT ? i : 0;
}

/* The function's name with what qualifies it: "Grid::step". */
static const char *function_name(struct c_parser *p, uint32_t token)
{
    if (!token)
        return NULL;
    if (p->name && p->named == token)
        return p->name;
    size_t from = token;
    while (from >= 2 && token_is(c_at(p, from - 1), PUNCT_SCOPE) &&
           c_at(p, from - 2)->kind == TOKEN_IDENT)
        from -= 2;
    const struct token *last = c_at(p, token);
    bool is_operator = last->len == 8 && !memcmp(p->t->text + last->at, "operator", 8);
    p->named = token;
    p->name = is_operator ? "operator" : tokens_text(p->t, from, (size_t)token + 1);
    return p->name;
}

struct source_fact *c_fact(struct c_parser *p, size_t i, enum fact_kind kind,
                           enum source_pattern_id pattern)
{
    const struct frame *f = c_top(p);
    struct source_fact fact = {.kind = kind,
                               .pattern = pattern,
                               .line = c_at(p, i)->line,
                               .loop_depth = f->depth,
                               .function = function_name(p, f->function),
                               .in_macro = p->macro != 0};
    vec_push(p->out, p->t->scratch, fact);
    return &p->out->v[p->out->n - 1];
}

const char *c_text(const struct c_parser *p, size_t i)
{
    return arena_strndup(p->t->arena, p->t->text + c_at(p, i)->at, c_at(p, i)->len);
}

/* The '(' of the call named at i, over template arguments; 0: no call. */
static size_t call_paren(const struct c_parser *p, size_t i)
{
    enum { FAR = 64 };
    if (token_is(c_at(p, i + 1), '('))
        return i + 1;
    if (!token_is(c_at(p, i + 1), '<'))
        return 0;
    size_t angle = 0;
    for (size_t n = i + 1; n < i + FAR && c_at(p, n)->kind != TOKEN_END; n++) {
        if (token_is(c_at(p, n), ';') || token_is(c_at(p, n), '{'))
            return 0;
        angle += token_is(c_at(p, n), '<');
        if (token_is(c_at(p, n), '>') && !--angle)
            return token_is(c_at(p, n + 1), '(') ? n + 1 : 0;
    }
    return 0;
}

/* Behind a type it is a declaration, behind '.' or a foreign '::' somebody else's function. */
static bool is_free_call(const struct c_parser *p, size_t i)
{
    const struct token *before = c_at(p, i - 1);
    if (before->kind == TOKEN_IDENT) {
        const struct symbol *s = &p->t->symbols->v[before->symbol];
        return i - 1 == p->macro || (before->symbol && s->form == FORM_KEYWORD);
    }
    if (token_is(before, '.') || token_is(before, PUNCT_ARROW))
        return false;
    return !token_is(before, PUNCT_SCOPE) || i < 2 || c_at(p, i - 2)->kind != TOKEN_IDENT;
}

static bool owner_fits(const struct c_parser *p, size_t i, const struct symbol *s)
{
    const struct token *before = c_at(p, i - 1);
    bool scoped = token_is(before, PUNCT_SCOPE);
    if (str_eq(s->owner, "Kokkos"))
        return scoped && i >= 2 && token_eq(p->t, i - 2, "Kokkos");
    if (!p->t->includes_sycl)
        return false;
    bool member = token_is(before, '.') || token_is(before, PUNCT_ARROW);
    bool free_form = s->kind == FACT_ALLOC;
    return free_form ? !member : member;
}

/* rocblas_int(n), hipblasHandle_t(h): types of a library, not calls of it. */
static bool names_type(const struct c_parser *p, size_t i)
{
    const char *text = c_text(p, i);
    return str_ends(text, "_t") || str_ends(text, "_int") || str_ends(text, "omplex") ||
           str_ends(text, "_stride");
}

static void call(struct c_parser *p, size_t i, size_t paren, const struct symbol *s)
{
    if (s->kind == FACT_LIBRARY && names_type(p, i))
        return;
    struct source_fact *f = c_fact(p, i, s->kind, s->pattern);
    bool whole = c_at(p, i)->len == strlen(s->name);
    f->name = whole ? s->name : c_text(p, i);
    if (s->kind == FACT_NAME) {
        size_t name = c_kernel_name(p, paren + 1, tokens_skip(p->t, paren));
        f->name = name ? c_text(p, name) : f->name;
    } else if (s->kind == FACT_COPY || s->kind == FACT_MARKER || s->kind == FACT_ALLOC) {
        size_t end = tokens_skip(p->t, paren);
        f->detail = end > paren + 2 ? tokens_text(p->t, paren + 1, end - 1) : NULL;
    }
}

void c_symbol(struct c_parser *p, size_t i)
{
    size_t paren = i ? call_paren(p, i) : 0;
    if (!paren)
        return;
    const struct symbol *s = &p->t->symbols->v[c_at(p, i)->symbol];
    if (s->form == FORM_OWNED) {
        while (!owner_fits(p, i, s)) {
            if (!s->next)
                return;
            s = &p->t->symbols->v[s->next];
        }
        if (s->kind == FACT_LAUNCH)
            c_owned_launch(p, i, paren, s);
        else
            call(p, i, paren, s);
    } else if (is_free_call(p, i)) {
        if (s->form == FORM_LAUNCH)
            c_runtime_launch(p, i, paren, s);
        else
            call(p, i, paren, s);
    }
}
