#include <assert.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "source/source_in.h"

enum { TEXT_MAX = 160 };

const char *tokens_text(const struct source_text *t, size_t from, size_t to)
{
    if (from >= to || to > t->tokens.n)
        return NULL;
    size_t at = t->tokens.v[from].at;
    size_t end = t->tokens.v[to - 1].at + t->tokens.v[to - 1].len;
    struct str s;
    str_init(&s, t->arena);
    for (; at < end && s.len < TEXT_MAX; at++) {
        char c = t->text[at];
        bool blank = c == ' ' || (c >= '\t' && c <= '\r') || c == '\\';
        if (!blank)
            str_putc(&s, c);
        else if (s.len && s.buf[s.len - 1] != ' ')
            str_putc(&s, ' ');
    }
    while (s.len && s.buf[s.len - 1] == ' ')
        s.buf[--s.len] = 0;
    if (at < end) { /* not in the middle of a character */
        while (s.len && ((unsigned char)s.buf[s.len - 1] & 0xc0) == 0x80)
            s.buf[--s.len] = 0;
        str_puts(&s, "...");
    }
    return s.buf;
}

bool token_eq(const struct source_text *t, size_t i, const char *word)
{
    const struct token *k = &t->tokens.v[i];
    return k->kind == TOKEN_IDENT && k->len == strlen(word) &&
           !memcmp(t->text + k->at, word, k->len);
}

bool token_eq_fold(const struct source_text *t, size_t i, const char *word)
{
    const struct token *k = &t->tokens.v[i];
    return k->kind == TOKEN_IDENT && k->len == strlen(word) &&
           !strncasecmp(t->text + k->at, word, k->len);
}

size_t tokens_skip(const struct source_text *t, size_t i)
{
    enum { FAR = 4096 }; /* hostile nesting must not make the scan quadratic */
    size_t depth = 0;
    assert(t->tokens.v[t->tokens.n - 1].kind == TOKEN_END); /* so that walks need no other end */
    for (size_t seen = 0; t->tokens.v[i].kind != TOKEN_END && seen < FAR; i++, seen++) {
        const struct token *k = &t->tokens.v[i];
        if (k->kind == TOKEN_DIRECTIVE_END)
            return i;
        if (k->kind != TOKEN_PUNCT)
            continue;
        if (k->ch == '(' || k->ch == '[' || k->ch == '{')
            depth++;
        else if ((k->ch == ')' || k->ch == ']' || k->ch == '}') && --depth == 0)
            return i + 1;
    }
    return i;
}
