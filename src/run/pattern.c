#include "run/pattern.h"

#include <string.h>

#include "base/str.h"

static bool parse_regex(struct pattern *p, const char *option, struct arena *a,
                        struct gs_error *err)
{
    const char *why, *inner = arena_strndup(a, p->text + 1, strlen(p->text) - 2);
    p->regex = regex_new(inner, a, &why);
    return p->regex || fail(err, GS_E_USAGE, "option '--%s': bad regular expression '%s': %s",
                            option, p->text, why);
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
    if (p->regex)
        return regex_found(p->regex, text);
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
