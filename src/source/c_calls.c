/* Calls, launches and kernels of the C family, once it is known where they are. */
#include <string.h>

#include "base/str.h"
#include "source/c_parser.h"

static const struct token *at(const struct c_parser *p, size_t i)
{
    return &p->t->tokens.v[i];
}

/* Over template arguments, backwards: i is '>'; returns the token before the matching '<'. */
static size_t before_template(const struct c_parser *p, size_t i)
{
    enum { FAR = 400 };
    size_t angle = 0, round = 0;
    for (size_t seen = 0; i && seen < FAR; i--, seen++) {
        const struct token *k = at(p, i);
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
    if (token_is(at(p, i), '>'))
        i = before_template(p, i);
    return i && at(p, i)->kind == TOKEN_IDENT ? i : 0;
}

/* The function's name with what qualifies it: "Grid::step". */
static const char *function_name(struct c_parser *p, uint32_t token)
{
    if (!token)
        return NULL;
    if (p->name && p->named == token)
        return p->name;
    size_t from = token;
    while (from >= 2 && token_is(at(p, from - 1), PUNCT_SCOPE) && at(p, from - 2)->kind == TOKEN_IDENT)
        from -= 2;
    const struct token *last = at(p, token);
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
                               .line = at(p, i)->line,
                               .loop_depth = f->depth,
                               .function = function_name(p, f->function),
                               .in_macro = p->macro != 0};
    vec_push(p->out, p->t->scratch, fact);
    return &p->out->v[p->out->n - 1];
}

static const char *token_text(const struct c_parser *p, size_t i)
{
    return arena_strndup(p->t->arena, p->t->text + at(p, i)->at, at(p, i)->len);
}

static bool is_macro_parameter(const struct c_parser *p, size_t name)
{
    if (!p->macro || !token_is(at(p, p->macro + 1), '('))
        return false;
    const struct token *k = at(p, name);
    for (size_t i = p->macro + 2; at(p, i)->kind == TOKEN_IDENT || token_is(at(p, i), ','); i++)
        if (at(p, i)->len == k->len &&
            !memcmp(p->t->text + at(p, i)->at, p->t->text + k->at, k->len))
            return true;
    return false;
}

/* ---- kernels ---- */

void c_kernel(struct c_parser *p, size_t brace)
{
    struct source_fact *f = c_fact(p, p->decl.candidate, FACT_KERNEL, PATTERN_GLOBAL_KERNEL_DEF);
    f->name = token_text(p, p->decl.candidate);
    f->function = NULL;
    f->loop_depth = 0;
    for (size_t i = p->decl.kernel; i < brace; i++) {
        const struct symbol *s = &p->t->symbols->v[at(p, i)->symbol];
        bool decorates = at(p, i)->symbol && s->form == FORM_KEYWORD && s->word == WORD_DECORATION;
        if (decorates && token_is(at(p, i + 1), '(')) {
            size_t end = tokens_skip(p->t, i + 1);
            const char *text = tokens_text(p->t, i, end);
            f->detail = f->detail ? arena_printf(p->t->arena, "%s %s", f->detail, text) : text;
            i = end - 1;
        }
    }
}

/* ---- launches ---- */

static void name_launch(struct c_parser *p, struct source_fact *f, size_t name)
{
    f->name = name ? token_text(p, name) : "(expression)";
    f->indirect = !name || is_macro_parameter(p, name);
}

/* At <<<: the configuration goes to the >>> that is outside of parentheses. */
void c_launch(struct c_parser *p, size_t i)
{
    enum { FAR = 1024 };
    size_t name = c_name_before(p, i), round = 0, end = i + 1;
    if (!name && token_is(at(p, i - 1), ')') && at(p, i - 2)->kind == TOKEN_IDENT)
        name = i - 2;
    for (size_t seen = 0; seen < FAR; seen++, end++) {
        const struct token *k = at(p, end);
        if (k->kind == TOKEN_END || k->kind == TOKEN_DIRECTIVE_END || token_is(k, ';'))
            return;
        if (k->kind != TOKEN_PUNCT)
            continue;
        round += k->ch == '(' || k->ch == '[' || k->ch == '{';
        if ((k->ch == ')' || k->ch == ']' || k->ch == '}') && !round--)
            return;
        if (!round && k->ch == '>' && token_is(k + 1, '>') && token_is(k + 2, '>') &&
            k[2].at == k->at + 2 && !token_is(k + 3, '>'))
            break;
    }
    if (!token_is(at(p, end), '>') || !token_is(at(p, end + 3), '('))
        return;
    struct source_fact *f = c_fact(p, name ? name : i, FACT_LAUNCH, PATTERN_TRIPLE_ANGLE_LAUNCH);
    f->detail = tokens_text(p->t, i + 1, end);
    name_launch(p, f, name);
}

/* Argument n of the call whose '(' is at `paren`: from and the comma or ')' behind it. */
static bool argument(const struct c_parser *p, size_t paren, size_t n, size_t *from, size_t *to)
{
    size_t end = tokens_skip(p->t, paren) - 1, i = paren + 1, angle = 0;
    for (*from = i; i < end; i++) {
        const struct token *k = at(p, i);
        if (token_is(k, '(') || token_is(k, '[') || token_is(k, '{')) {
            i = tokens_skip(p->t, i) - 1;
        } else if (token_is(k, '<') && at(p, i - 1)->kind == TOKEN_IDENT) {
            angle++;
        } else if (token_is(k, '>') && angle) {
            angle--;
        } else if (token_is(k, ',') && !angle) {
            if (!n--)
                break;
            *from = i + 1;
        }
    }
    *to = i < end ? i : end;
    return n == 0 || n == SIZE_MAX ? *from < *to : false;
}

/* The kernel among the tokens of an argument: (void *)k, HIP_KERNEL_NAME(k<int>), (ns::k<int>), &k. */
static size_t kernel_name(const struct c_parser *p, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        if (at(p, i)->kind != TOKEN_IDENT || token_eq(p->t, i, "HIP_KERNEL_NAME"))
            continue;
        bool cast = token_eq(p->t, i, "void") || token_eq(p->t, i, "const") ||
                    token_eq(p->t, i, "reinterpret_cast") || token_eq(p->t, i, "static_cast");
        if (!cast && !token_is(at(p, i + 1), PUNCT_SCOPE))
            return i;
    }
    return 0;
}

static void runtime_launch(struct c_parser *p, size_t i, size_t paren, const struct symbol *s)
{
    size_t from, to;
    if (!argument(p, paren, s->argument, &from, &to))
        return;
    struct source_fact *f = c_fact(p, i, FACT_LAUNCH, s->pattern);
    name_launch(p, f, kernel_name(p, from, to));
    size_t end = tokens_skip(p->t, paren) - 1, last = to, next = to + 1;
    for (int n = 0; n < 4 && last < end; n++) { /* grid, block, memory, stream */
        size_t b = next;
        for (; b < end && !token_is(at(p, b), ','); b++)
            if (token_is(at(p, b), '(') || token_is(at(p, b), '[') || token_is(at(p, b), '{'))
                b = tokens_skip(p->t, b) - 1;
        last = b;
        next = b + 1;
    }
    f->detail = tokens_text(p->t, to + 1, last);
}

/* Kokkos and SYCL: the name is a text, a template argument, or that of the function around. */
static void owned_launch(struct c_parser *p, size_t i, size_t paren, const struct symbol *s)
{
    struct source_fact *f = c_fact(p, i, FACT_LAUNCH, s->pattern);
    const struct token *first = at(p, paren + 1);
    if (first->kind == TOKEN_STRING && first->len > 2)
        f->name = arena_strndup(p->t->arena, p->t->text + first->at + 1, first->len - 2);
    else if (paren > i + 2)
        f->name = token_text(p, at(p, paren - 2)->kind == TOKEN_IDENT ? paren - 2 : i);
    else
        f->name = arena_printf(p->t->arena, "%s:%u", f->function ? f->function : "lambda", f->line);
    size_t from, to;
    bool named = first->kind == TOKEN_STRING;
    if (argument(p, paren, named ? 1 : 0, &from, &to))
        f->detail = tokens_text(p->t, from, to);
}

/* ---- calls ---- */

/* The '(' of the call named at i, over template arguments; 0: no call. */
static size_t call_paren(const struct c_parser *p, size_t i)
{
    enum { FAR = 64 };
    if (token_is(at(p, i + 1), '('))
        return i + 1;
    if (!token_is(at(p, i + 1), '<'))
        return 0;
    size_t angle = 0;
    for (size_t n = i + 1; n < i + FAR && at(p, n)->kind != TOKEN_END; n++) {
        if (token_is(at(p, n), ';') || token_is(at(p, n), '{'))
            return 0;
        angle += token_is(at(p, n), '<');
        if (token_is(at(p, n), '>') && !--angle)
            return token_is(at(p, n + 1), '(') ? n + 1 : 0;
    }
    return 0;
}

/* Behind a type it is a declaration, behind '.' or a foreign '::' somebody else's function. */
static bool is_free_call(const struct c_parser *p, size_t i)
{
    const struct token *before = at(p, i - 1);
    if (before->kind == TOKEN_IDENT) {
        const struct symbol *s = &p->t->symbols->v[before->symbol];
        return i - 1 == p->macro || (before->symbol && s->form == FORM_KEYWORD);
    }
    if (token_is(before, '.') || token_is(before, PUNCT_ARROW))
        return false;
    return !token_is(before, PUNCT_SCOPE) || i < 2 || at(p, i - 2)->kind != TOKEN_IDENT;
}

static bool owner_fits(const struct c_parser *p, size_t i, const struct symbol *s)
{
    const struct token *before = at(p, i - 1);
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
    const char *text = token_text(p, i);
    return str_ends(text, "_t") || str_ends(text, "_int") || str_ends(text, "omplex") ||
           str_ends(text, "_stride");
}

static void call(struct c_parser *p, size_t i, size_t paren, const struct symbol *s)
{
    if (s->kind == FACT_LIBRARY && names_type(p, i))
        return;
    struct source_fact *f = c_fact(p, i, s->kind, s->pattern);
    bool whole = at(p, i)->len == strlen(s->name);
    f->name = whole ? s->name : token_text(p, i);
    if (s->kind == FACT_NAME) {
        size_t name = kernel_name(p, paren + 1, tokens_skip(p->t, paren));
        f->name = name ? token_text(p, name) : f->name;
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
    const struct symbol *s = &p->t->symbols->v[at(p, i)->symbol];
    if (s->form == FORM_OWNED) {
        while (!owner_fits(p, i, s)) {
            if (!s->next)
                return;
            s = &p->t->symbols->v[s->next];
        }
        if (s->kind == FACT_LAUNCH)
            owned_launch(p, i, paren, s);
        else
            call(p, i, paren, s);
    } else if (is_free_call(p, i)) {
        if (s->form == FORM_LAUNCH)
            runtime_launch(p, i, paren, s);
        else
            call(p, i, paren, s);
    }
}
