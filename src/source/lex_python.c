/*
 * Python: logical lines with their indentation, strings of every prefix, brackets that join lines.
 * An f-string is one string, expressions and nested quotes included.
 */
#include <string.h>

#include "source/source_in.h"

struct lexer {
    struct source_text *t;
    const char *p, *end;
    uint32_t line;
    size_t brackets;
};

static void emit(struct lexer *x, uint8_t kind, char ch, const char *from, uint32_t line)
{
    struct token k = {.at = (uint32_t)(from - x->t->text),
                      .len = (uint32_t)(x->p - from),
                      .line = line,
                      .kind = kind,
                      .ch = ch};
    vec_push(&x->t->tokens, x->t->token_arena, k);
}

static bool ident_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (unsigned char)c >= 128;
}

static bool triple(const struct lexer *x, char quote)
{
    return x->end - x->p >= 3 && x->p[0] == quote && x->p[1] == quote && x->p[2] == quote;
}

static void skip_string(struct lexer *x, bool formatted, int nesting);

/* In an f-string, at '{': up to its '}'. */
static void skip_braces(struct lexer *x, char quote, bool is_triple, int nesting)
{
    size_t depth = 0;
    for (; x->p < x->end; x->p++) {
        char c = *x->p;
        if (c == '\n') {
            if (!is_triple)
                return;
            x->line++;
        } else if (c == '{' || c == '(' || c == '[') {
            depth++;
        } else if (c == '}' || c == ')' || c == ']') {
            if (!--depth) {
                x->p++;
                return;
            }
        } else if (c == '\'' || c == '"') {
            if (c == quote && is_triple && triple(x, quote))
                return;
            bool inner = x->p[-1] == 'f' || x->p[-1] == 'F';
            if (nesting > 8)
                return;
            skip_string(x, inner, nesting + 1);
            x->p--;
        }
    }
}

/* At the quote; x->p ends behind the string. */
static void skip_string(struct lexer *x, bool formatted, int nesting)
{
    char quote = *x->p;
    bool is_triple = triple(x, quote);
    x->p += is_triple ? 3 : 1;
    while (x->p < x->end) {
        char c = *x->p;
        if (c == '\\' && x->p + 1 < x->end) {
            x->line += x->p[1] == '\n';
            x->p += 2;
        } else if (c == quote && (!is_triple || triple(x, quote))) {
            x->p += is_triple ? 3 : 1;
            return;
        } else if (c == '\n') {
            if (!is_triple)
                return; /* no partner: it ends with the line */
            x->line++;
            x->p++;
        } else if (c == '{' && formatted) {
            if (x->p + 1 < x->end && x->p[1] == '{')
                x->p += 2;
            else
                skip_braces(x, quote, is_triple, nesting);
        } else {
            x->p++;
        }
    }
}

static void string(struct lexer *x, const char *from)
{
    uint32_t line = x->line;
    bool formatted = false;
    for (const char *c = from; c < x->p; c++)
        formatted |= *c == 'f' || *c == 'F' || *c == 't' || *c == 'T';
    skip_string(x, formatted, 0);
    emit(x, TOKEN_STRING, '"', from, line);
}

static bool is_prefix(const char *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!strchr("rRbBfFuUtT", from[i]))
            return false;
    return n <= 2;
}

static void identifier(struct lexer *x)
{
    const char *from = x->p;
    uint32_t h = SYMBOL_HASH_START;
    while (x->p < x->end && ident_char(*x->p))
        h = symbol_hash(h, (uint8_t)*x->p++);
    size_t n = (size_t)(x->p - from);
    if (x->p < x->end && (*x->p == '"' || *x->p == '\'') && is_prefix(from, n)) {
        string(x, from);
        return;
    }
    bool digit = *from >= '0' && *from <= '9';
    emit(x, digit ? TOKEN_NUMBER : TOKEN_IDENT, 0, from, x->line);
    if (!digit)
        x->t->tokens.v[x->t->tokens.n - 1].symbol = symbols_find(x->t->symbols, from, n, h);
}

/* The indentation of a line; blank lines and comments have none and give false. */
static bool begin_line(struct lexer *x)
{
    uint32_t indent = 0;
    for (; x->p < x->end && (*x->p == ' ' || *x->p == '\t' || *x->p == '\f'); x->p++)
        indent = *x->p == '\t' ? (indent / 8 + 1) * 8 : *x->p == '\f' ? 0 : indent + 1;
    if (x->p >= x->end || *x->p == '\n' || *x->p == '\r' || *x->p == '#')
        return false;
    emit(x, TOKEN_LINE, 0, x->p, x->line);
    x->t->tokens.v[x->t->tokens.n - 1].len = indent;
    return true;
}

static void token(struct lexer *x, bool *fresh)
{
    char c = *x->p;
    if (ident_char(c)) {
        identifier(x);
    } else if (c == '"' || c == '\'') {
        string(x, x->p);
    } else if (c == '#') {
        const char *nl = memchr(x->p, '\n', (size_t)(x->end - x->p));
        x->p = nl ? nl : x->end;
    } else if (c == '\n') {
        x->p++;
        x->line++;
        *fresh = !x->brackets;
    } else if (c == '\\' && x->p + 1 < x->end && (x->p[1] == '\n' || x->p[1] == '\r')) {
        x->p += x->p[1] == '\r' ? 3 : 2;
        x->p = x->p > x->end ? x->end : x->p;
        x->line++;
    } else {
        const char *from = x->p++;
        if (c == '(' || c == '[' || c == '{')
            x->brackets++;
        else if ((c == ')' || c == ']' || c == '}') && x->brackets)
            x->brackets--;
        if (c != ' ' && c != '\t' && c != '\r')
            emit(x, TOKEN_PUNCT, c, from, x->line);
    }
}

void lex_python(struct source_text *t)
{
    struct lexer x = {.t = t, .p = t->text, .end = t->text + t->size, .line = 1};
    if (t->size >= 3 && !memcmp(t->text, "\xef\xbb\xbf", 3))
        x.p += 3;
    vec_reserve(&t->tokens, t->token_arena, t->size / 4 + 64);
    emit(&x, TOKEN_DIRECTIVE_END, 0, x.p, 1);
    bool fresh = true;
    while (x.p < x.end) {
        if (fresh)
            begin_line(&x);
        fresh = false;
        if (x.p < x.end)
            token(&x, &fresh);
    }
    for (int i = 0; i < TOKENS_BEHIND; i++)
        emit(&x, TOKEN_END, 0, x.end, x.line);
    t->lines = x.line;
}
