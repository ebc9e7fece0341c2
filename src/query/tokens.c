/* SQL as words, names, numbers and signs. */
#include <ctype.h>
#include <string.h>

#include "base/str.h"
#include "query/groups_in.h"

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (c & 0x80);
}

/* Behind a comment that begins here; p: there is none. */
static const char *skip_comment(const char *p)
{
    if (p[0] == '-' && p[1] == '-')
        return p + strcspn(p, "\n");
    if (p[0] != '/' || p[1] != '*')
        return p;
    const char *end = strstr(p + 2, "*/");
    return end ? end + 2 : p + strlen(p);
}

static const char *skip_quoted(const char *p, char end)
{
    for (p++; *p; p++) {
        if (*p != end)
            continue;
        if (p[1] != end || end == ']')
            return p + 1;
        p++;
    }
    return NULL;
}

static const char *skip_number(const char *p)
{
    while (isdigit((unsigned char)*p))
        p++;
    if (*p == '.')
        for (p++; isdigit((unsigned char)*p);)
            p++;
    if (*p == 'e' || *p == 'E') {
        const char *e = p + 1 + (p[1] == '+' || p[1] == '-');
        while (isdigit((unsigned char)*e))
            p = ++e;
    }
    return is_word(*p) ? NULL : p; /* hexadecimal: not here */
}

static const char *skip_sign(const char *p)
{
    static const char *const two[] = {"<=", ">=", "<>", "!=", "==", "||", "<<", ">>"};
    for (size_t i = 0; i < ARRAY_LEN(two); i++)
        if (!strncmp(p, two[i], 2))
            return p + 2;
    return strchr("()+-*/%<>=,.;&|~", *p) ? p + 1 : NULL;
}

static const char *read_one(const char *p, enum token_kind *kind)
{
    if (*p == '\'') {
        *kind = TOKEN_TEXT;
        return skip_quoted(p, '\'');
    }
    if (*p == '"' || *p == '`' || *p == '[') {
        *kind = TOKEN_QUOTED;
        return skip_quoted(p, *p == '[' ? ']' : *p);
    }
    if (isdigit((unsigned char)*p) || (*p == '.' && isdigit((unsigned char)p[1]))) {
        *kind = TOKEN_NUMBER;
        return skip_number(p);
    }
    if (is_word(*p) && *p != '$') {
        *kind = TOKEN_WORD;
        while (is_word(*p))
            p++;
        return *p == '\'' ? NULL : p; /* x'00' */
    }
    *kind = TOKEN_SIGN;
    return skip_sign(p);
}

bool sql_read(struct tokens *out, const char *sql, struct arena *arena)
{
    for (const char *p = sql;;) {
        const char *behind = p + strspn(p, " \t\r\n\f");
        behind = skip_comment(behind);
        if (behind != p) {
            p = behind;
            continue;
        }
        struct token t = {TOKEN_END, p, 0};
        const char *end = *p ? read_one(p, &t.kind) : p;
        if (!end)
            return false;
        t.n = (size_t)(end - p);
        vec_push(out, arena, t);
        if (t.kind == TOKEN_END)
            break;
        p = end;
    }
    out->n--;
    return true;
}

bool sql_is(const struct token *t, const char *word)
{
    return (t->kind == TOKEN_WORD || t->kind == TOKEN_SIGN) && strlen(word) == t->n &&
           sqlite3_strnicmp(t->p, word, (int)t->n) == 0;
}

bool sql_same(const struct token *a, const struct token *b)
{
    bool exact = a->kind == TOKEN_TEXT || a->kind == TOKEN_QUOTED;
    return a->kind == b->kind && a->n == b->n &&
           (exact ? !memcmp(a->p, b->p, a->n) : !sqlite3_strnicmp(a->p, b->p, (int)a->n));
}

char *sql_text(const struct token *t, struct arena *arena)
{
    if (t->kind != TOKEN_TEXT && t->kind != TOKEN_QUOTED)
        return arena_strndup(arena, t->p, t->n);
    char *text = arena_strndup(arena, t->p + 1, t->n - 2), *to = text;
    for (const char *from = text; *from; from++) {
        *to++ = *from;
        from += *t->p != '[' && from[0] == *t->p && from[1] == *t->p;
    }
    *to = 0;
    return text;
}

bool sql_named(const struct token *t, const char *name)
{
    size_t n = strlen(name), quotes = t->kind == TOKEN_QUOTED;
    return (t->kind == TOKEN_WORD || quotes) && t->n == n + 2 * quotes &&
           sqlite3_strnicmp(t->p + quotes, name, (int)n) == 0;
}
