/* .gitignore, as git reads it: the last rule that matches decides, nearer files come last. */
#include <string.h>

#include "source/source_in.h"

/* "[a-z]", "[!x]" at p; *next is behind it. Without its ']' it is a plain '['. */
static bool match_set(const char *p, char c, const char **next)
{
    const char *at = p + 1;
    bool negated = *at == '!' || *at == '^', found = false;
    at += negated;
    for (const char *first = at; *at && (*at != ']' || at == first); at++) {
        if (at[1] == '-' && at[2] && at[2] != ']') {
            found |= c >= at[0] && c <= at[2];
            at += 2;
        } else {
            found |= *at == c;
        }
    }
    if (*at != ']') {
        *next = p + 1;
        return c == '[';
    }
    *next = at + 1;
    return found != negated && c != '/';
}

/* One folder's name at most for '*'; two of them take any number of folders. Steps are bounded. */
enum { MOST_STEPS = 20000, MOST_FOR_ALL = 100000 };

bool glob_match(const char *p, const char *s, size_t *steps)
{
    for (; *p;) {
        if (++*steps > MOST_STEPS)
            return false;
        if (p[0] == '*' && p[1] == '*') {
            while (*p == '*')
                p++;
            if (*p == '/') { /* any folders, also none */
                if (glob_match(p + 1, s, steps))
                    return true;
                for (; *s; s++)
                    if (*s == '/' && glob_match(p + 1, s + 1, steps))
                        return true;
                return false;
            }
            for (;; s++) {
                if (glob_match(p, s, steps))
                    return true;
                if (!*s)
                    return false;
            }
        }
        if (*p == '*') {
            for (p++;; s++) {
                if (glob_match(p, s, steps))
                    return true;
                if (!*s || *s == '/')
                    return false;
            }
        }
        if (!*s)
            return false;
        const char *next = p + 1;
        bool same = *p == '?'            ? *s != '/'
                    : *p == '['          ? match_set(p, *s, &next)
                    : *p == '\\' && p[1] ? p[1] == *s && (next = p + 2)
                                         : *p == *s;
        if (!same)
            return false;
        p = next;
        s++;
    }
    return !*s;
}

static void add_rule(struct ignore_file *f, const char *p, size_t n, struct arena *a)
{
    struct ignore_rule r = {0};
    while (n && (p[n - 1] == '\r' || (p[n - 1] == ' ' && !(n > 1 && p[n - 2] == '\\'))))
        n--;
    if (!n || *p == '#')
        return;
    if (*p == '!') {
        r.negated = true;
        p++;
        n--;
    }
    if (n && p[n - 1] == '/') {
        r.folder_only = true;
        n--;
    }
    if (!n)
        return;
    r.anchored = memchr(p, '/', n) != NULL;
    r.pattern = *p == '/' ? arena_strndup(a, p + 1, n - 1) : arena_strndup(a, p, n);
    vec_push(&f->rules, a, r);
}

void ignore_parse(struct ignore_file *f, const char *text, size_t n, struct arena *a)
{
    for (const char *p = text, *end = text + n; p < end;) {
        const char *nl = memchr(p, '\n', (size_t)(end - p));
        const char *e = nl ? nl : end;
        add_rule(f, p, (size_t)(e - p), a);
        p = nl ? nl + 1 : end;
    }
}

/* Files with very many rules, or very slow ones, are obeyed up to a number of steps. */
bool ignored(const struct ignore_file *f, const char *path, bool is_folder)
{
    size_t all = 0;
    for (; f; f = f->above) {
        const char *below = path + f->base;
        for (size_t i = f->rules.n; i-- > 0 && all < MOST_FOR_ALL;) {
            const struct ignore_rule *r = &f->rules.v[i];
            if (r->folder_only && !is_folder)
                continue;
            size_t steps = 0;
            bool matches = glob_match(r->pattern, r->anchored ? below : fs_basename(below), &steps);
            all += steps + 1;
            if (matches)
                return !r->negated;
        }
    }
    return false;
}
