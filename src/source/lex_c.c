/*
 * The C family: C, C++, HIP, CUDA, OpenCL. Comments, strings (raw ones too), numbers with
 * separators, line continuations, and the preprocessor as far as it hides code.
 */
#include <string.h>

#include "source/source_in.h"

enum { OTHER, BLANK, NEWLINE, IDENT, DIGIT, QUOTE, SLASH, HASH, BACKSLASH, ANGLE };

static const uint8_t classes[256] = {
    [' '] = BLANK,      ['\t'] = BLANK,   ['\r'] = BLANK,        ['\f'] = BLANK,
    ['\v'] = BLANK,     ['\n'] = NEWLINE, ['a' ... 'z'] = IDENT, ['A' ... 'Z'] = IDENT,
    ['_'] = IDENT,      ['$'] = IDENT,    [128 ... 255] = IDENT, ['0' ... '9'] = DIGIT,
    ['"'] = QUOTE,      ['\''] = QUOTE,   ['/'] = SLASH,         ['#'] = HASH,
    ['\\'] = BACKSLASH, ['<'] = ANGLE,
};

struct lexer {
    struct source_text *t;
    const char *p, *end;
    uint32_t line;
    bool line_start, in_directive;
    struct conditions conditions;
};

static void emit(struct lexer *x, uint8_t kind, char ch, const char *from)
{
    struct token k = {.at = (uint32_t)(from - x->t->text),
                      .len = (uint32_t)(x->p - from),
                      .line = x->line,
                      .kind = kind,
                      .ch = ch};
    vec_push(&x->t->tokens, x->t->token_arena, k);
}

static void end_directive(struct lexer *x)
{
    x->in_directive = false;
    emit(x, TOKEN_DIRECTIVE_END, 0, x->p);
}

/* Behind the newline of a line; one behind a backslash does not end it. */
static void skip_line(struct lexer *x)
{
    while (x->p < x->end) {
        const char *nl = memchr(x->p, '\n', (size_t)(x->end - x->p));
        if (!nl) {
            x->p = x->end;
            return;
        }
        const char *last = nl > x->p && nl[-1] == '\r' ? nl - 1 : nl;
        bool goes_on = last > x->p && last[-1] == '\\';
        x->p = goes_on ? nl + 1 : nl;
        if (!goes_on)
            return;
        x->line++;
    }
}

static void skip_block_comment(struct lexer *x)
{
    x->p += 2;
    for (; x->p < x->end; x->p++) {
        if (*x->p == '\n')
            x->line++;
        else if (*x->p == '*' && x->p + 1 < x->end && x->p[1] == '/') {
            x->p += 2;
            return;
        }
    }
}

/* A quoted text; without its partner it ends with the line. */
static void skip_quoted(struct lexer *x)
{
    char quote = *x->p++;
    for (; x->p < x->end && *x->p != '\n'; x->p++) {
        if (*x->p == quote) {
            x->p++;
            return;
        }
        if (*x->p != '\\' || x->p + 1 >= x->end)
            continue;
        x->p++;
        if (*x->p == '\r' && x->p + 1 < x->end && x->p[1] == '\n')
            x->p++;
        if (*x->p == '\n')
            x->line++;
    }
}

/* At the quote of R"mark( … )mark". */
static void skip_raw(struct lexer *x)
{
    const char *mark = x->p + 1;
    size_t n = 0;
    while (n < 17 && mark + n < x->end && mark[n] != '(' && mark[n] != '"' && mark[n] != '\n')
        n++;
    if (n == 17 || mark + n >= x->end || mark[n] != '(') {
        skip_quoted(x);
        return;
    }
    for (x->p = mark + n; x->p < x->end; x->p++) {
        if (*x->p == '\n')
            x->line++;
        if (*x->p == ')' && (size_t)(x->end - x->p) >= n + 2 && !memcmp(x->p + 1, mark, n) &&
            x->p[n + 1] == '"') {
            x->p += n + 2;
            return;
        }
    }
}

/* Up to the '#' of the next directive, over code that is never compiled. */
static void skip_dead(struct lexer *x)
{
    bool start = true;
    while (x->p < x->end) {
        char c = *x->p;
        if (c == '\n') {
            x->line++;
            x->p++;
            start = true;
        } else if (c == '#' && start) {
            return;
        } else if (c == '/' && x->p + 1 < x->end && x->p[1] == '*') {
            skip_block_comment(x);
        } else if (c == '/' && x->p + 1 < x->end && x->p[1] == '/') {
            skip_line(x);
        } else if (c == '"' || c == '\'') {
            skip_quoted(x);
            start = false;
        } else {
            start = start && classes[(uint8_t)c] == BLANK;
            x->p++;
        }
    }
}

static size_t word_at(const char *p, const char *end)
{
    size_t n = 0;
    while (p + n < end && (classes[(uint8_t)p[n]] == IDENT || classes[(uint8_t)p[n]] == DIGIT))
        n++;
    return n;
}

static void other_directive(struct lexer *x, const char *hash)
{
    while (x->p < x->end && classes[(uint8_t)*x->p] == BLANK)
        x->p++;
    const char *word = x->p;
    size_t n = word_at(word, x->end);
    bool define = n == 6 && !memcmp(word, "define", 6);
    bool pragma = n == 6 && !memcmp(word, "pragma", 6);
    if (define || pragma) {
        x->p += n;
        emit(x, TOKEN_DIRECTIVE, define ? DIRECTIVE_DEFINE : DIRECTIVE_PRAGMA, hash);
        x->in_directive = true;
        return;
    }
    skip_line(x);
    if (n == 7 && !memcmp(word, "include", 7))
        for (const char *p = word; p + 4 <= x->p && !x->t->includes_sycl; p++)
            x->t->includes_sycl = !memcmp(p, "sycl", 4);
}

/* At '#', the first of its line. */
static void directive(struct lexer *x)
{
    for (;;) {
        const char *hash = x->p++;
        const char *nl = memchr(x->p, '\n', (size_t)(x->end - x->p));
        char tell;
        enum condition_step step = condition_line(&x->conditions, x->p, nl ? nl : x->end, &tell);
        if (step == CONDITION_OTHER) {
            other_directive(x, hash);
            return;
        }
        if (tell)
            emit(x, TOKEN_DIRECTIVE, tell, hash);
        skip_line(x);
        if (step == CONDITION_LIVE)
            return;
        /* Dead: branches inside it are dead as well. */
        for (size_t inner = 0;;) {
            skip_dead(x);
            if (x->p >= x->end)
                return;
            const char *word = x->p + 1;
            while (word < x->end && classes[(uint8_t)*word] == BLANK)
                word++;
            size_t n = word_at(word, x->end);
            bool opens = n >= 2 && !memcmp(word, "if", 2);
            bool closes = n == 5 && !memcmp(word, "endif", 5);
            bool branch = n >= 4 && (!memcmp(word, "else", 4) || !memcmp(word, "elif", 4));
            if (!inner && (closes || branch))
                break;
            inner += opens;
            inner -= closes;
            x->p++;
            skip_line(x);
        }
    }
}

static void identifier(struct lexer *x)
{
    const char *from = x->p;
    uint32_t h = SYMBOL_HASH_START;
    do
        h = symbol_hash(h, (uint8_t)*x->p++);
    while (x->p < x->end && (classes[(uint8_t)*x->p] == IDENT || classes[(uint8_t)*x->p] == DIGIT));
    size_t n = (size_t)(x->p - from);
    if (x->p < x->end && *x->p == '"' && n <= 3 && x->p[-1] == 'R') {
        uint32_t line = x->line;
        skip_raw(x);
        emit(x, TOKEN_STRING, '"', from);
        x->t->tokens.v[x->t->tokens.n - 1].line = line;
        return;
    }
    emit(x, TOKEN_IDENT, 0, from);
    x->t->tokens.v[x->t->tokens.n - 1].symbol = symbols_find(x->t->symbols, from, n, h);
}

static void number(struct lexer *x)
{
    const char *from = x->p++;
    for (; x->p < x->end; x->p++) {
        uint8_t c = classes[(uint8_t)*x->p];
        bool exponent = (*x->p == '+' || *x->p == '-') && strchr("eEpP", x->p[-1]);
        bool separator = *x->p == '\'' && x->p + 1 < x->end &&
                         (classes[(uint8_t)x->p[1]] == DIGIT || classes[(uint8_t)x->p[1]] == IDENT);
        if (c != IDENT && c != DIGIT && *x->p != '.' && !separator && !(exponent && from[0] != '0'))
            break;
    }
    emit(x, TOKEN_NUMBER, 0, from);
}

static void punctuation(struct lexer *x)
{
    const char *from = x->p++;
    char c = *from, d = x->p < x->end ? *x->p : 0;
    char ch = c;
    if (c == '<' && d == '<' && x->p + 1 < x->end && x->p[1] == '<') {
        x->p += 2;
        ch = PUNCT_LAUNCH;
        if (x->p < x->end && *x->p == '<') { /* a conflict that was left in the file */
            while (x->p < x->end && *x->p == '<')
                x->p++;
            ch = '#';
        }
    } else if (c == ':' && d == ':') {
        x->p++;
        ch = PUNCT_SCOPE;
    } else if (c == '-' && d == '>') {
        x->p++;
        ch = PUNCT_ARROW;
    } else if (d == '=' && (c == '=' || c == '!' || c == '<' || c == '>')) {
        x->p++;
        ch = PUNCT_COMPARE;
    } else if (d == '=' && strchr("+-*/%&|^", c)) {
        x->p++;
        ch = '=';
    }
    emit(x, TOKEN_PUNCT, ch, from);
}

static void newline(struct lexer *x)
{
    if (x->in_directive)
        end_directive(x);
    x->line++;
    x->p++;
    x->line_start = true;
}

static void step(struct lexer *x)
{
    const char *from = x->p;
    switch (classes[(uint8_t)*from]) {
    case NEWLINE:
        newline(x);
        return;
    case BLANK:
        x->p++;
        return;
    case BACKSLASH: /* before a line's end: the line goes on, which matters in directives alone */
        x->p += from + 1 < x->end && from[1] == '\r' ? 2 : 1;
        if (x->p < x->end && *x->p == '\n') {
            x->line++;
            x->p++;
        }
        return;
    case SLASH:
        if (from + 1 < x->end && from[1] == '*') {
            skip_block_comment(x);
            return;
        }
        if (from + 1 < x->end && from[1] == '/') {
            skip_line(x);
            return;
        }
        punctuation(x);
        break;
    case HASH:
        if (x->line_start && !x->in_directive)
            directive(x);
        else
            punctuation(x);
        break;
    case IDENT:
        identifier(x);
        break;
    case DIGIT:
        number(x);
        break;
    case QUOTE: {
        uint32_t line = x->line;
        skip_quoted(x);
        emit(x, TOKEN_STRING, *from, from);
        x->t->tokens.v[x->t->tokens.n - 1].line = line;
        break;
    }
    default:
        punctuation(x);
    }
    x->line_start = false;
}

void lex_c(struct source_text *t)
{
    struct lexer x = {
        .t = t, .p = t->text, .end = t->text + t->size, .line = 1, .line_start = true};
    if (t->size >= 3 && !memcmp(t->text, "\xef\xbb\xbf", 3))
        x.p += 3;
    vec_reserve(&t->tokens, t->token_arena, t->size / 4 + 64);
    emit(&x, TOKEN_DIRECTIVE_END, 0, x.p); /* so that 0 is no token of the file */
    while (x.p < x.end)
        step(&x);
    if (x.in_directive)
        end_directive(&x);
    for (int i = 0; i < TOKENS_BEHIND; i++)
        emit(&x, TOKEN_END, 0, x.end);
    t->lines = x.line;
}
