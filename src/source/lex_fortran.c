/*
 * Fortran, free and fixed form: statements joined over continuation lines, comments, both kinds of
 * quotes, directives of OpenMP, OpenACC and CUDA Fortran, and #if as in C.
 */
#include <string.h>
#include <strings.h>

#include "source/source_in.h"

struct lexer {
    struct source_text *t;
    const char *end;
    uint32_t line;
    bool fixed, goes_on; /* goes_on: the statement continues on the next line */
    char quote;          /* of a text that continues there; 0: none */
    char directive;      /* the line being read belongs to one; 0: none */
    struct conditions conditions;
};

static void emit(struct lexer *x, uint8_t kind, char ch, const char *from, const char *to)
{
    struct token k = {.at = (uint32_t)(from - x->t->text),
                      .len = (uint32_t)(to - from),
                      .line = x->line,
                      .kind = kind,
                      .ch = ch};
    vec_push(&x->t->tokens, x->t->token_arena, k);
}

static bool ident_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f';
}

static const char *identifier(struct lexer *x, const char *p, const char *e)
{
    const char *from = p;
    uint32_t h = SYMBOL_HASH_START;
    for (; p < e && ident_char(*p); p++)
        h = symbol_hash(h, (uint8_t)(*p >= 'A' && *p <= 'Z' ? *p | 32 : *p));
    bool digit = *from >= '0' && *from <= '9';
    emit(x, digit ? TOKEN_NUMBER : TOKEN_IDENT, 0, from, p);
    if (!digit)
        x->t->tokens.v[x->t->tokens.n - 1].symbol =
            symbols_find(x->t->symbols, from, (size_t)(p - from), h);
    return p;
}

/* Inside a text: behind its end, or e with x->quote set when it goes on in the next line. */
static const char *text(struct lexer *x, const char *p, const char *e, char quote)
{
    for (; p < e; p++) {
        if (*p != quote)
            continue;
        if (p + 1 < e && p[1] == quote) {
            p++;
            continue;
        }
        x->quote = 0;
        return p + 1;
    }
    while (e > x->t->text && blank(e[-1]))
        e--;
    bool joined = x->fixed || (e > x->t->text && e[-1] == '&');
    x->quote = joined ? quote : 0;
    x->goes_on = joined && !x->fixed;
    return NULL;
}

static void body(struct lexer *x, const char *p, const char *e)
{
    if (x->quote && !(p = text(x, p, e, x->quote)))
        return;
    while (p < e) {
        const char *from = p;
        if (blank(*p)) {
            p++;
        } else if (*p == '!') {
            return;
        } else if (ident_char(*p)) {
            p = identifier(x, p, e);
        } else if (*p == '\'' || *p == '"') {
            p = text(x, p + 1, e, *p);
            emit(x, TOKEN_STRING, '"', from, p ? p : e);
            if (!p)
                return;
        } else if (*p == '&' && !x->fixed) {
            const char *rest = p + 1;
            while (rest < e && blank(*rest))
                rest++;
            if (rest == e || *rest == '!') {
                x->goes_on = true;
                return;
            }
            p++;
        } else if (*p == ';' && !x->directive) {
            emit(x, TOKEN_LINE, 0, p, p);
            p++;
        } else if (e - p >= 3 && !memcmp(p, "<<<", 3)) {
            p += 3;
            emit(x, TOKEN_PUNCT, PUNCT_LAUNCH, from, p);
        } else if (e - p >= 2 && !memcmp(p, "::", 2)) {
            p += 2;
            emit(x, TOKEN_PUNCT, PUNCT_SCOPE, from, p);
        } else {
            p++;
            emit(x, TOKEN_PUNCT, *from, from, p);
        }
    }
}

/* !$omp, !$acc, !$cuf: which directive p (behind '$') begins; 0: none. */
static char sentinel(const char *p, const char *e)
{
    if (e - p < 3)
        return 0;
    bool omp = !strncasecmp(p, "omp", 3), acc = !strncasecmp(p, "acc", 3);
    bool cuf = !strncasecmp(p, "cuf", 3);
    return omp ? DIRECTIVE_OMP : acc ? DIRECTIVE_ACC : cuf ? DIRECTIVE_CUF : 0;
}

static void directive_line(struct lexer *x, const char *word, const char *e, char which)
{
    const char *p = word + 3;
    bool more = x->goes_on && x->directive == which;
    if (x->fixed) {
        more = p < e && !blank(*p) && *p != '0' && x->directive == which;
        p += p < e;
    }
    x->goes_on = false;
    x->quote = 0;
    while (p < e && blank(*p))
        p++;
    if (more && p < e && *p == '&')
        p++;
    if (!more) {
        emit(x, TOKEN_DIRECTIVE, which, word, word + 3);
        identifier(x, word, word + 3);
    }
    x->directive = which;
    body(x, p, e);
}

static void begin_statement(struct lexer *x, const char *p, bool more)
{
    if (!more) {
        x->quote = 0;
        emit(x, TOKEN_LINE, 0, p, p);
    }
    x->directive = 0;
    x->goes_on = false;
}

static void free_line(struct lexer *x, const char *p, const char *e)
{
    while (p < e && blank(*p))
        p++;
    if (p == e)
        return;
    if (*p == '!' && !x->quote) {
        char which = p + 1 < e && p[1] == '$' ? sentinel(p + 2, e) : 0;
        if (which)
            directive_line(x, p + 2, e, which);
        if (which || p + 2 >= e || p[1] != '$' || !blank(p[2]))
            return;
        p += 2; /* "!$ code": compiled with OpenMP */
    }
    bool more = x->goes_on && !x->directive;
    begin_statement(x, p, more);
    if (more && *p == '&')
        p++;
    body(x, p, e);
}

static void fixed_line(struct lexer *x, const char *p, const char *e)
{
    if (e - p > 72)
        e = p + 72;
    if (p == e)
        return;
    if (strchr("cC*!dD", *p)) {
        char which = e - p > 4 && p[1] == '$' ? sentinel(p + 2, e) : 0;
        if (which)
            directive_line(x, p + 2, e, which);
        return;
    }
    const char *tab = memchr(p, '\t', e - p < 6 ? (size_t)(e - p) : 6);
    const char *mark = tab ? tab + 1 : p + 5;
    bool more = mark < e && (tab ? *mark >= '1' && *mark <= '9' : *mark != ' ' && *mark != '0');
    const char *rest = p;
    while (rest < e && blank(*rest))
        rest++;
    if (rest == e || (*rest == '!' && !more))
        return;
    begin_statement(x, p, more);
    if (!more)
        body(x, p, e);
    else
        body(x, mark + 1, e);
}

/* Over dead lines to the directive that ends them. */
static const char *skip_dead(struct lexer *x, const char *p)
{
    for (size_t inner = 0; p < x->end; x->line++) {
        const char *nl = memchr(p, '\n', (size_t)(x->end - p));
        const char *e = nl ? nl : x->end;
        if (*p == '#') {
            const char *w = p + 1;
            while (w < e && blank(*w))
                w++;
            bool closes = e - w >= 5 && !memcmp(w, "endif", 5);
            bool branch = e - w >= 4 && (!memcmp(w, "else", 4) || !memcmp(w, "elif", 4));
            if (!inner && (closes || branch))
                return p;
            inner += e - w >= 2 && !memcmp(w, "if", 2);
            inner -= closes && inner;
        }
        p = nl ? nl + 1 : x->end;
    }
    return p;
}

void lex_fortran(struct source_text *t)
{
    struct lexer x = {
        .t = t, .end = t->text + t->size, .line = 1, .fixed = t->language == SOURCE_FORTRAN_FIXED};
    vec_reserve(&t->tokens, t->token_arena, t->size / 4 + 64);
    emit(&x, TOKEN_DIRECTIVE_END, 0, t->text, t->text);
    for (const char *p = t->text; p < x.end; x.line++) {
        const char *nl = memchr(p, '\n', (size_t)(x.end - p));
        const char *e = nl ? nl : x.end, *next = nl ? nl + 1 : x.end;
        char tell;
        while (e > p && e[-1] == '\r')
            e--;
        if (*p != '#') {
            if (x.fixed)
                fixed_line(&x, p, e);
            else
                free_line(&x, p, e);
        } else if (condition_line(&x.conditions, p + 1, e, &tell) == CONDITION_DEAD) {
            x.line++;
            next = skip_dead(&x, next);
            x.line--;
        }
        p = next;
    }
    for (int i = 0; i < TOKENS_BEHIND; i++)
        emit(&x, TOKEN_END, 0, x.end, x.end);
    t->lines = x.line;
}
