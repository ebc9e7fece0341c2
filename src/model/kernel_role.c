#include "model/kernel_role.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/array.h"
#include "model/name_scan.h"

static const struct kernel_role_info infos[] = {
#define KERNEL_ROLE(id, label, rocinsight, doc) {label, rocinsight, doc},
#include "model/kernel_roles.def"
};

struct row {
    enum kernel_role role;
    const char *library;
    const char *pattern;
};

static const struct row rows[] = {
#define ROLE_WORDS(id, library, pattern) {ROLE_##id, library, pattern},
#include "model/kernel_roles.def"
};
static const struct row fallbacks[] = {
#define ROLE_FALLBACK(id, library, pattern) {ROLE_##id, library, pattern},
#include "model/kernel_roles.def"
};

/*
 * A part of a name made ready for matching: lower case, '_' left out, "::" as ':', any other
 * punctuation as ' '. edge[i] says that a word starts, or the one before ends, at s[i];
 * fresh[i] that an identifier starts there. What does not fit does not count.
 */
enum { TEXT_MAX = 2048 };

struct text {
    size_t n;
    char last, before; /* the letters put last, case kept; 0 after punctuation */
    char s[TEXT_MAX + 1];
    bool edge[TEXT_MAX + 1], fresh[TEXT_MAX + 1];
    size_t starts; /* start[]: the positions of edges, where a match can begin */
    uint16_t start[TEXT_MAX + 1];
};

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return is_upper(c) || (c >= 'a' && c <= 'z') || (unsigned char)c >= 0x80;
}

static void text_gap(struct text *t, char c)
{
    if (t->n < TEXT_MAX && !(c == ' ' && t->n && t->s[t->n - 1] == ' ')) {
        t->edge[t->n] = true;
        t->s[t->n++] = c;
    }
    t->edge[t->n] = t->fresh[t->n] = true;
    t->last = t->before = 0;
}

static void text_letter(struct text *t, char c)
{
    if (t->n == TEXT_MAX)
        return;
    char last = t->last;
    if (last && (is_digit(c) != is_digit(last) || (is_upper(c) && !is_upper(last))))
        t->edge[t->n] = true;
    /* GPUKernel: the K turns out to start a word when the e comes */
    if (is_letter(c) && !is_upper(c) && is_upper(last) && is_upper(t->before))
        t->edge[t->n - 1] = true;
    t->s[t->n++] = (char)(is_upper(c) ? c - 'A' + 'a' : c);
    t->edge[t->n] = t->fresh[t->n] = false;
    t->before = last;
    t->last = c;
}

static void text_token(struct text *t, const char *p, const char *next)
{
    if (next - p == 2 && *p == ':') {
        text_gap(t, ':');
        return;
    }
    for (; p < next && t->n < TEXT_MAX; p++) {
        if (is_letter(*p) || is_digit(*p)) {
            text_letter(t, *p);
        } else if (*p == '_' || *p == '$') {
            t->edge[t->n] = true;
            t->last = t->before = 0;
        } else {
            text_gap(t, ' ');
        }
    }
}

static void text_init(struct text *t)
{
    t->n = 0;
    t->last = t->before = 0;
    t->edge[0] = t->fresh[0] = true;
}

static void text_end(struct text *t)
{
    t->s[t->n] = 0;
    t->edge[t->n] = true;
    t->starts = 0;
    for (size_t i = 0; i < t->n; i++)
        if (t->edge[i])
            t->start[t->starts++] = (uint16_t)i;
}

/* The name itself, and what is in its template brackets. */
struct parts {
    struct text core, args;
};

static void split(struct parts *parts, const char *full)
{
    struct name_head h = name_head(full);
    text_init(&parts->core);
    text_init(&parts->args);
    bool callable = false;
    for (const char *p = h.at, *next; p < h.end; p = next) {
        next = name_token(p, h.end);
        bool names = name_is_callable(p, next);
        if (*p == '<' && callable) {
            next = name_group(p, h.end, NULL);
            for (const char *q = p + 1, *r; q < next && parts->args.n < TEXT_MAX; q = r)
                text_token(&parts->args, q, r = name_token(q, next));
            text_gap(&parts->args, ' ');
            names = true;
        } else if (*p == '(' && !h.plain) {
            next = name_group(p, h.end, NULL);
            text_gap(&parts->core, ' ');
        } else {
            text_token(&parts->core, p, next);
        }
        callable = names;
    }
    text_end(&parts->core);
    text_end(&parts->args);
}

/* Whether the alternative [w, end) of a pattern word stands at t->s[i]. */
static bool stands_at(const struct text *t, size_t i, const char *w, const char *end)
{
    for (; w < end; w++) {
        if (*w == '*')
            return true;
        if (*w == '_')
            continue;
        if (*w == ':' && w + 1 < end && w[1] == ':')
            w++;
        if (t->s[i] != *w) /* the NUL behind the text stops this */
            return false;
        i++;
    }
    return t->edge[i] || end[-1] == ':';
}

static bool has_alternative(const struct text *t, const char *w, const char *end)
{
    bool bound = *w == '^';
    w += bound;
    for (size_t k = 0; k < t->starts; k++) {
        size_t i = t->start[k];
        if (t->s[i] == *w && (!bound || t->fresh[i]) && stands_at(t, i, w, end))
            return true;
    }
    return false;
}

static bool matches(const struct text *t, const char *pattern)
{
    while (*pattern) {
        const char *end = pattern + strcspn(pattern, " ");
        bool found = false;
        for (const char *w = pattern; w < end && !found;) {
            const char *stop = w + strcspn(w, "| ");
            found = has_alternative(t, w, stop);
            w = stop < end ? stop + 1 : end;
        }
        if (!found)
            return false;
        pattern = *end ? end + 1 : end;
    }
    return true;
}

enum want { WANT_ROLE, WANT_LIBRARY };

static const struct row *find(const struct row *table, size_t n, const struct text *t,
                              enum want want)
{
    for (size_t i = 0; i < n; i++) {
        bool says = want == WANT_ROLE ? table[i].role != ROLE_OTHER : table[i].library != NULL;
        if (says && matches(t, table[i].pattern))
            return &table[i];
    }
    return NULL;
}

static const struct row *classify(const char *full_name, enum want want)
{
    enum { ROWS = ARRAY_LEN(rows), LAST = ARRAY_LEN(fallbacks) };
    struct parts parts;
    split(&parts, full_name);
    const struct row *r = find(rows, ROWS, &parts.core, want);
    if (!r)
        r = find(rows, ROWS, &parts.args, want);
    return r ? r : find(fallbacks, LAST, &parts.core, want);
}

enum kernel_role kernel_role_of(const char *full_name)
{
    const struct row *r = classify(full_name, WANT_ROLE);
    return r ? r->role : ROLE_OTHER;
}

const char *kernel_library_of(const char *full_name)
{
    const struct row *r = classify(full_name, WANT_LIBRARY);
    return r ? r->library : NULL;
}

const struct kernel_role_info *kernel_role_info(enum kernel_role role)
{
    return &infos[(unsigned)role < ROLE_COUNT ? role : ROLE_OTHER];
}
