#include "synth/words.h"

#include <string.h>

#include "base/err.h"

bool token_is(struct token t, const char *s)
{
    return strlen(s) == t.n && !memcmp(t.s, s, t.n);
}

/* The end of the word at p: blanks, ';' and '#' inside quotes, brackets and braces belong to it. */
static const char *word_end(const char *p, const char *end)
{
    int round = 0, curly = 0;
    bool quoted = false;
    for (; p < end && *p != '\n'; p++) {
        if (*p == '\\' && p + 1 < end && p[1] != '\n') {
            p++;
        } else if (*p == '"') {
            quoted = !quoted;
        } else if (!quoted) {
            bool blank = *p == ' ' || *p == '\t' || *p == '\r' || *p == ';';
            if ((blank && !round) || (*p == '}' && !curly))
                break;
            round += (*p == '(') - (*p == ')');
            curly += (*p == '{') - (*p == '}');
        }
    }
    return p;
}

static bool is_operator(struct token t)
{
    static const char *const all[] = {"+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">="};
    for (size_t i = 0; i < ARRAY_LEN(all); i++)
        if (token_is(t, all[i]))
            return true;
    return false;
}

void words_join(struct parser *ps)
{
    size_t n = 0;
    for (size_t i = 0; i < ps->n; i++) {
        if (n > 1 && i + 1 < ps->n && is_operator(ps->tokens[i])) {
            struct token next = ps->tokens[++i], *last = &ps->tokens[n - 1];
            last->n = (size_t)(next.s + next.n - last->s);
        } else {
            ps->tokens[n++] = ps->tokens[i];
        }
    }
    ps->n = n;
}

bool words_read(struct parser *ps)
{
    ps->n = 0;
    ps->comment = NULL;
    while (ps->at < ps->end) {
        char c = *ps->at;
        if (c == ' ' || c == '\t' || c == '\r') {
            ps->at++;
        } else if (c == '#') {
            const char *nl = memchr(ps->at, '\n', (size_t)(ps->end - ps->at));
            ps->comment = ps->at + 1;
            ps->at = ps->comment_end = nl ? nl : ps->end;
        } else if (c == '\n' || c == ';' || c == '{' || c == '}') {
            ps->stop = c;
            ps->at++;
            return true;
        } else if (ps->n >= MAX_TOKENS) {
            return fail(ps->err, GS_E_FORMAT, "line %d: too many words", ps->line);
        } else {
            const char *stop = word_end(ps->at, ps->end);
            ps->tokens[ps->n++] = (struct token){ps->at, (size_t)(stop - ps->at)};
            ps->at = stop;
        }
    }
    ps->stop = 0;
    return true;
}

char *words_comment(struct parser *ps)
{
    const char *a = ps->comment, *b = ps->comment_end;
    if (!a)
        return arena_strdup(ps->program->arena, "");
    while (a < b && (*a == ' ' || *a == '#'))
        a++;
    while (b > a && (b[-1] == ' ' || b[-1] == '\r'))
        b--;
    return arena_strndup(ps->program->arena, a, (size_t)(b - a));
}
