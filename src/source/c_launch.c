/* Kernels and their launches in the C family. */
#include <string.h>

#include "source/c_parser.h"

static bool is_macro_parameter(const struct c_parser *p, size_t name)
{
    if (!p->macro || !token_is(c_at(p, p->macro + 1), '('))
        return false;
    const struct token *k = c_at(p, name);
    for (size_t i = p->macro + 2; c_at(p, i)->kind == TOKEN_IDENT || token_is(c_at(p, i), ','); i++)
        if (c_at(p, i)->len == k->len &&
            !memcmp(p->t->text + c_at(p, i)->at, p->t->text + k->at, k->len))
            return true;
    return false;
}

/* ---- kernels ---- */

void c_kernel(struct c_parser *p, size_t brace)
{
    struct source_fact *f = c_fact(p, p->decl.candidate, FACT_KERNEL, PATTERN_GLOBAL_KERNEL_DEF);
    f->name = c_text(p, p->decl.candidate);
    f->function = NULL;
    f->loop_depth = 0;
    for (size_t i = p->decl.kernel; i < brace; i++) {
        const struct symbol *s = &p->t->symbols->v[c_at(p, i)->symbol];
        bool decorates =
            c_at(p, i)->symbol && s->form == FORM_KEYWORD && s->word == WORD_DECORATION;
        if (decorates && token_is(c_at(p, i + 1), '(')) {
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
    f->name = name ? c_text(p, name) : "(expression)";
    f->indirect = !name || is_macro_parameter(p, name);
}

/* At <<<: the configuration goes to the >>> that is outside of parentheses. */
void c_launch(struct c_parser *p, size_t i)
{
    enum { FAR = 1024 };
    size_t name = c_name_before(p, i), round = 0, end = i + 1;
    if (!name && token_is(c_at(p, i - 1), ')') && c_at(p, i - 2)->kind == TOKEN_IDENT)
        name = i - 2;
    for (size_t seen = 0; seen < FAR; seen++, end++) {
        const struct token *k = c_at(p, end);
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
    if (!token_is(c_at(p, end), '>') || !token_is(c_at(p, end + 3), '('))
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
        const struct token *k = c_at(p, i);
        if (token_is(k, '(') || token_is(k, '[') || token_is(k, '{')) {
            i = tokens_skip(p->t, i) - 1;
        } else if (token_is(k, '<') && c_at(p, i - 1)->kind == TOKEN_IDENT) {
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

/* The kernel among the tokens of an argument: (void *)k, HIP_KERNEL_NAME(k<int>), (ns::k<int>), &k.
 */
size_t c_kernel_name(const struct c_parser *p, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        if (c_at(p, i)->kind != TOKEN_IDENT || token_eq(p->t, i, "HIP_KERNEL_NAME"))
            continue;
        bool cast = token_eq(p->t, i, "void") || token_eq(p->t, i, "const") ||
                    token_eq(p->t, i, "reinterpret_cast") || token_eq(p->t, i, "static_cast");
        if (!cast && !token_is(c_at(p, i + 1), PUNCT_SCOPE))
            return i;
    }
    return 0;
}

void c_runtime_launch(struct c_parser *p, size_t i, size_t paren, const struct symbol *s)
{
    size_t from, to;
    if (!argument(p, paren, s->argument, &from, &to))
        return;
    struct source_fact *f = c_fact(p, i, FACT_LAUNCH, s->pattern);
    name_launch(p, f, c_kernel_name(p, from, to));
    size_t end = tokens_skip(p->t, paren) - 1, last = to, next = to + 1;
    for (int n = 0; n < 4 && last < end; n++) { /* grid, block, memory, stream */
        size_t b = next;
        for (; b < end && !token_is(c_at(p, b), ','); b++)
            if (token_is(c_at(p, b), '(') || token_is(c_at(p, b), '[') || token_is(c_at(p, b), '{'))
                b = tokens_skip(p->t, b) - 1;
        last = b;
        next = b + 1;
    }
    f->detail = tokens_text(p->t, to + 1, last);
}

/* Kokkos and SYCL: the name is a text, a template argument, or that of the function around. */
void c_owned_launch(struct c_parser *p, size_t i, size_t paren, const struct symbol *s)
{
    struct source_fact *f = c_fact(p, i, FACT_LAUNCH, s->pattern);
    const struct token *first = c_at(p, paren + 1);
    if (first->kind == TOKEN_STRING && first->len > 2)
        f->name = arena_strndup(p->t->arena, p->t->text + first->at + 1, first->len - 2);
    else if (paren > i + 2)
        f->name = c_text(p, c_at(p, paren - 2)->kind == TOKEN_IDENT ? paren - 2 : i);
    else
        f->name = arena_printf(p->t->arena, "%s:%u", f->function ? f->function : "lambda", f->line);
    size_t from, to;
    bool named = first->kind == TOKEN_STRING;
    if (argument(p, paren, named ? 1 : 0, &from, &to))
        f->detail = tokens_text(p->t, from, to);
}
