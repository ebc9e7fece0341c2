#include "run/pattern.h"

#include <string.h>

#include "base/str.h"

static void release(void *regex)
{
    regfree(regex);
}

/*
 * What the C library would make of a regular expression: it writes out repeats, calls itself for each
 * bracket, and tries back-references in all ways, without a limit on any.
 */
enum { MOST_DEEP = 100, MOST_PIECES = 2000, TOO_MANY = MOST_PIECES + 1 };

struct extent {
    size_t deep;
    struct {
        size_t all, last; /* pieces of a group, and of the last atom in it */
    } group[MOST_DEEP + 1];
};

static size_t at_most(size_t n)
{
    return n < TOO_MANY ? n : TOO_MANY;
}

static void add_atom(struct extent *x, size_t pieces)
{
    x->group[x->deep].all = at_most(x->group[x->deep].all + pieces);
    x->group[x->deep].last = pieces;
}

static void repeat(struct extent *x, size_t times)
{
    size_t last = x->group[x->deep].last;
    add_atom(x, at_most(last * times));
}

/* The last place of "{3}", "{3,}", "{,5}" or "{3,5}", where it is one of these. */
static const char *behind_braces(struct extent *x, const char *p)
{
    const char *end = p + 1;
    size_t n = 0, times = 1;
    for (; (*end >= '0' && *end <= '9') || *end == ','; end++) {
        n = *end == ',' ? 0 : at_most(n * 10 + (size_t)(*end - '0'));
        times = n > times ? n : times;
    }
    if (*end != '}') {
        add_atom(x, 1);
        return p;
    }
    repeat(x, times + (end[-1] == ','));
    return end;
}

/* Behind a set in brackets: "]" is a member at its front, and "[:alpha:]" holds others. */
static const char *behind_set(const char *p)
{
    p += 1 + (p[1] == '^');
    p += *p == ']';
    for (; *p && *p != ']'; p++)
        if (*p == '[' && p[1] && strchr(".:=", p[1])) {
            char kind = p[1];
            for (p += 2; *p && !(*p == kind && p[1] == ']'); p++)
                ;
            p += *p != 0;
        }
    return *p ? p : p - 1;
}

/* Why it is not given to the C library, or NULL. */
static const char *not_bounded(const char *p)
{
    struct extent x = {0};
    for (; *p; p++) {
        if (*p == '(') {
            if (x.deep == MOST_DEEP)
                return "its brackets are too deep";
            memset(&x.group[++x.deep], 0, sizeof(*x.group));
        } else if (*p == ')' && x.deep) {
            x.deep--;
            add_atom(&x, x.group[x.deep + 1].all);
        } else if (*p == '{') {
            p = behind_braces(&x, p);
        } else if (*p == '+') {
            repeat(&x, 2); /* once, and any number of times */
        } else if (*p == '*' || *p == '?') {
            continue;
        } else if (*p == '\\' && p[1]) {
            if (*++p >= '1' && *p <= '9')
                return "back-references are not known";
            add_atom(&x, 1);
        } else {
            if (*p == '[')
                p = behind_set(p);
            add_atom(&x, 1);
        }
        if (x.group[x.deep].all >= TOO_MANY)
            return "it is too long, with its repeats written out";
    }
    return NULL;
}

static bool parse_regex(struct pattern *p, const char *option, struct arena *a,
                        struct gs_error *err)
{
    char why[128];
    size_t n = strlen(p->text);
    const char *inner = arena_strndup(a, p->text + 1, n - 2), *wrong = not_bounded(inner);
    if (wrong)
        return fail(err, GS_E_USAGE, "option '--%s': bad regular expression '%s': %s", option,
                    p->text, wrong);
    regex_t *regex = arena_new(a, regex_t);
    int rc = regcomp(regex, inner, REG_EXTENDED | REG_NOSUB);
    if (rc) {
        regerror(rc, regex, why, sizeof(why));
        return fail(err, GS_E_USAGE, "option '--%s': bad regular expression '%s': %s", option,
                    p->text, why);
    }
    arena_defer(a, release, regex);
    p->regex = *regex;
    p->is_regex = true;
    return true;
}

bool patterns_parse(struct patterns *out, const struct opt_list *list, const char *option,
                    struct arena *a, struct gs_error *err)
{
    for (size_t i = 0; i < list->n; i++) {
        struct pattern p = {.text = list->v[i]};
        p.negated = *p.text == '!';
        p.text += p.negated;
        size_t n = strlen(p.text);
        if (!n)
            return fail(err, GS_E_USAGE, "option '--%s' must not be empty", option);
        if (n > 2 && p.text[0] == '/' && p.text[n - 1] == '/') {
            if (!parse_regex(&p, option, a, err))
                return false;
        } else {
            p.is_glob = strpbrk(p.text, "*?");
        }
        vec_push(&out->v, a, p);
    }
    return true;
}

/* The last star may stand for more and more: never worse than the product of both lengths. */
static bool glob(const char *p, const char *s)
{
    const char *star = NULL, *from = NULL;
    while (*s) {
        if (*p == '*') {
            star = p++;
            from = s;
        } else if (*p == '?' || *p == *s) {
            p++;
            s++;
        } else if (star) {
            p = star + 1;
            s = ++from;
        } else {
            return false;
        }
    }
    while (*p == '*')
        p++;
    return !*p;
}

static bool matches(const struct pattern *p, const char *text)
{
    if (p->is_regex)
        return regexec(&p->regex, text, 0, NULL, 0) == 0;
    return p->is_glob ? glob(p->text, text) : str_has(text, p->text);
}

bool patterns_match_any(const struct patterns *p, const char *first, const char *second)
{
    bool any = false, plain = false;
    for (size_t i = 0; i < p->v.n; i++) {
        const struct pattern *x = &p->v.v[i];
        bool hit = matches(x, first) || (second && matches(x, second));
        if (x->negated && hit)
            return false;
        plain |= !x->negated;
        any |= !x->negated && hit;
    }
    return any || !plain;
}

bool patterns_match(const struct patterns *p, const char *text)
{
    return patterns_match_any(p, text, NULL);
}
