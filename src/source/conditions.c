#include <string.h>

#include "source/source_in.h"

static bool blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static bool word_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* 0 or 1 when the expression is just that, in parentheses or not; -1 otherwise. */
static int truth(const char *p, const char *end)
{
    while (p < end && (blank(*p) || *p == '('))
        p++;
    size_t n = 0;
    while (p + n < end && word_char(p[n]))
        n++;
    int value = n == 1 && (*p == '0' || *p == '1') ? *p - '0'
                : n == 5 && !memcmp(p, "false", 5) ? 0
                : n == 4 && !memcmp(p, "true", 4)  ? 1
                                                   : -1;
    for (p += n; p < end && (blank(*p) || *p == ')'); p++)
        ;
    bool comment = end - p >= 2 && p[0] == '/' && (p[1] == '/' || p[1] == '*');
    return p == end || *p == '\n' || comment ? value : -1;
}

static enum condition_step open_condition(struct conditions *c, int value, char *tell)
{
    if (c->n == CONDITION_DEPTH) {
        c->lost++;
        return CONDITION_LIVE;
    }
    c->v[c->n].told = value < 0;
    c->v[c->n].taken = value == 1;
    c->n++;
    *tell = value < 0 ? DIRECTIVE_IF : 0;
    return value == 0 ? CONDITION_DEAD : CONDITION_LIVE;
}

static enum condition_step next_branch(struct conditions *c, int value, char *tell)
{
    if (c->lost || !c->n)
        return CONDITION_LIVE;
    bool taken = c->v[c->n - 1].taken;
    if (c->v[c->n - 1].told)
        *tell = DIRECTIVE_ELSE;
    if (value == 1)
        c->v[c->n - 1].taken = true;
    return taken || value == 0 ? CONDITION_DEAD : CONDITION_LIVE;
}

static enum condition_step close_condition(struct conditions *c, char *tell)
{
    if (c->lost)
        c->lost--;
    else if (c->n && c->v[--c->n].told)
        *tell = DIRECTIVE_ENDIF;
    return CONDITION_LIVE;
}

enum condition_step condition_line(struct conditions *c, const char *p, const char *end, char *tell)
{
    *tell = 0;
    while (p < end && blank(*p))
        p++;
    size_t n = 0;
    while (p + n < end && word_char(p[n]))
        n++;
    const char *rest = p + n;
    if (n == 2 && !memcmp(p, "if", 2))
        return open_condition(c, truth(rest, end), tell);
    if ((n == 5 && !memcmp(p, "ifdef", 5)) || (n == 6 && !memcmp(p, "ifndef", 6)))
        return open_condition(c, -1, tell);
    if (n == 4 && !memcmp(p, "else", 4))
        return next_branch(c, -1, tell);
    if (n == 4 && !memcmp(p, "elif", 4))
        return next_branch(c, truth(rest, end), tell);
    if ((n == 7 && !memcmp(p, "elifdef", 7)) || (n == 8 && !memcmp(p, "elifndef", 8)))
        return next_branch(c, -1, tell);
    if (n == 5 && !memcmp(p, "endif", 5))
        return close_condition(c, tell);
    return CONDITION_OTHER;
}
