#include "base/opt.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/vec.h"

static size_t edit_distance(const char *a, const char *b)
{
    size_t row[64], n = strlen(a), m = strlen(b);
    if (n >= 64 || m >= 64)
        return 64;
    for (size_t j = 0; j <= m; j++)
        row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t best = diagonal + (a[i - 1] != b[j - 1]);
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[m];
}

const char *opt_nearest(const char *word, const char *const *words)
{
    const char *best = NULL;
    size_t least = strlen(word) / 3 + 2;
    for (; *words; words++) {
        size_t d = edit_distance(word, *words);
        if (d < least) {
            least = d;
            best = *words;
        }
    }
    return best;
}

static bool unknown(const struct opt *table, const char *name, size_t len, struct gs_error *err)
{
    enum { MOST = 64 };
    const char *words[MOST + 1] = {"help"};
    size_t n = 1;
    for (const struct opt *o = table; o->name && n < MOST; o++)
        words[n++] = o->name;
    words[n] = NULL;
    char word[64];
    if (len >= sizeof(word))
        len = sizeof(word) - 1;
    memcpy(word, name, len);
    word[len] = 0;
    const char *near = opt_nearest(word, words);
    if (near)
        return fail(err, GS_E_USAGE, "unknown option '--%s'; did you mean '--%s'?", word, near);
    return fail(err, GS_E_USAGE, "unknown option '--%s'; see --help", word);
}

static const struct opt *find_long(const struct opt *table, const char *name, size_t len,
                                   struct gs_error *err)
{
    const struct opt *found = NULL;
    for (const struct opt *o = table; o->name; o++) {
        if (strncmp(o->name, name, len))
            continue;
        if (strlen(o->name) == len)
            return o;
        if (found) {
            fail(err, GS_E_USAGE, "option '--%.*s' is ambiguous; '--%s' or '--%s'?", (int)len, name,
                 found->name, o->name);
            return NULL;
        }
        found = o;
    }
    if (!found)
        unknown(table, name, len, err);
    return found;
}

static bool parse_number(const struct opt *o, const char *text, double *num, int64_t *integer,
                         struct gs_error *err)
{
    char *end;
    errno = 0;
    bool limited = o->min < o->max;
    if (o->kind == OPT_KIND_INT) {
        *integer = strtoll(text, &end, 10);
        *num = (double)*integer;
    } else {
        *num = strtod(text, &end);
    }
    if (end == text || *end || errno == ERANGE || !isfinite(*num))
        return fail(err, GS_E_USAGE, "option '--%s' needs a number, not '%s'", o->name, text);
    if (limited && (*num < o->min || *num > o->max))
        return fail(err, GS_E_USAGE, "option '--%s' must be between %.15g and %.15g, not '%s'",
                    o->name, o->min, o->max, text);
    return true;
}

static bool parse_bytes(const struct opt *o, const char *text, uint64_t *bytes,
                        struct gs_error *err)
{
    static const char units[] = "KMGT";
    char *end;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    const char *unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
    int shift = unit ? 10 * (int)(unit - units + 1) : 0;
    const char *rest = unit ? end + 1 : end;
    bool good = end != text && *text >= '0' && *text <= '9' && errno == 0 &&
                (!*rest || (unit && (!strcmp(rest, "iB") || !strcmp(rest, "B")))) &&
                n <= (uint64_t)INT64_MAX >> shift;
    *bytes = good ? (uint64_t)n << shift : 0;
    return good || fail(err, GS_E_USAGE, "option '--%s' needs a size such as 500M or 2G, not '%s'",
                        o->name, text);
}

/* The place of the word among the choices; -1: it is none. */
static int choice_of(const char *choices, const char *word)
{
    size_t len = strlen(word);
    int at = 0;
    for (const char *p = choices; len && p; p = strchr(p, '|') ? strchr(p, '|') + 1 : NULL, at++)
        if (!strncmp(p, word, len) && (p[len] == '|' || !p[len]))
            return at;
    return -1;
}

static bool store(const struct opt *o, void *settings, const char *value, struct arena *a,
                  struct gs_error *err)
{
    char *place = (char *)settings + o->offset;
    double num;
    int64_t integer = 0;
    int chosen;
    uint64_t bytes;
    switch (o->kind) {
    case OPT_KIND_FLAG:
        *(bool *)place = true;
        return true;
    case OPT_KIND_INT:
        if (!parse_number(o, value, &num, &integer, err))
            return false;
        memcpy(place, &integer, sizeof(integer));
        return true;
    case OPT_KIND_NUM:
        if (!parse_number(o, value, &num, &integer, err))
            return false;
        memcpy(place, &num, sizeof(num));
        return true;
    case OPT_KIND_BYTES:
        if (!parse_bytes(o, value, &bytes, err))
            return false;
        memcpy(place, &bytes, sizeof(bytes));
        return true;
    case OPT_KIND_CHOICE:
    case OPT_KIND_WORD:
        chosen = choice_of(o->arg, value);
        if (chosen < 0)
            return fail(err, GS_E_USAGE, "option '--%s' must be one of %s, not '%s'", o->name,
                        o->arg, value);
        if (o->kind == OPT_KIND_WORD)
            memcpy(place, &chosen, sizeof(chosen));
        else
            memcpy(place, &value, sizeof(value));
        return true;
    case OPT_KIND_TEXT:
        memcpy(place, &value, sizeof(value));
        return true;
    case OPT_KIND_LIST:
        vec_push((struct opt_list *)(void *)place, a, value);
        return true;
    }
    return true;
}

struct cursor {
    int at, argc;
    char **argv;
};

static bool take_value(struct cursor *c, const struct opt *o, const char **value,
                       struct gs_error *err)
{
    if (++c->at >= c->argc)
        return fail(err, GS_E_USAGE, "option '--%s' needs a value (%s)", o->name, o->arg);
    *value = c->argv[c->at];
    return true;
}

static bool parse_long(const struct opt *table, void *settings, struct cursor *c, bool *help,
                       struct arena *a, struct gs_error *err)
{
    const char *name = c->argv[c->at] + 2, *equals = strchr(name, '=');
    size_t len = equals ? (size_t)(equals - name) : strlen(name);
    if (len == 4 && !strncmp(name, "help", 4))
        return *help = true;
    const struct opt *o = find_long(table, name, len, err);
    if (!o)
        return false;
    const char *value = equals ? equals + 1 : NULL;
    if (o->kind == OPT_KIND_FLAG && equals)
        return fail(err, GS_E_USAGE, "option '--%s' takes no value", o->name);
    if (o->kind != OPT_KIND_FLAG && !value && !take_value(c, o, &value, err))
        return false;
    return store(o, settings, value, a, err);
}

static bool parse_letters(const struct opt *table, void *settings, struct cursor *c, bool *help,
                          struct arena *a, struct gs_error *err)
{
    for (const char *p = c->argv[c->at] + 1; *p; p++) {
        const struct opt *o = table;
        while (o->name && o->letter != *p)
            o++;
        if (!o->name && *p == 'h')
            return *help = true;
        if (!o->name)
            return fail(err, GS_E_USAGE, "unknown option '-%c'; see --help", *p);
        const char *value = NULL;
        if (o->kind != OPT_KIND_FLAG) {
            value = p + 1;
            if (!*value && !take_value(c, o, &value, err))
                return false;
            return store(o, settings, value, a, err);
        }
        if (!store(o, settings, NULL, a, err))
            return false;
    }
    return true;
}

bool opt_parse(const struct opt *table, void *settings, int argc, char **argv,
               struct opt_list *operands, bool *help, struct arena *a, struct gs_error *err)
{
    struct cursor c = {0, argc, argv};
    *help = false;
    bool only_operands = false;
    for (; c.at < argc; c.at++) {
        const char *word = argv[c.at];
        if (only_operands || word[0] != '-' || !word[1]) {
            vec_push(operands, a, word);
        } else if (str_eq(word, "--")) {
            only_operands = true;
        } else {
            bool ok = word[1] == '-' ? parse_long(table, settings, &c, help, a, err)
                                     : parse_letters(table, settings, &c, help, a, err);
            if (!ok)
                return false;
        }
    }
    return true;
}
