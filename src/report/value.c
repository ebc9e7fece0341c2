#include "report/value.h"

#include <math.h>
#include <string.h>

#include "base/human.h"
#include "base/sat.h"

bool value_listed(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = list; p && *p; p += strcspn(p, " "), p += strspn(p, " "))
        if (strcspn(p, " ") == n && !strncmp(p, word, n))
            return true;
    return false;
}

bool value_is_empty(const struct field *f, const void *row)
{
    struct field_value v = field_get(f, row);
    if (f->type == FIELD_SET)
        return !*(const unsigned *)((const char *)row + f->offset);
    return v.kind == VALUE_NONE || (v.kind == VALUE_TEXT && !*v.text) ||
           (f->type == FIELD_I32 && v.i < 0);
}

const char *value_ns(struct arena *a, int64_t ns)
{
    char text[HUMAN_MAX];
    return arena_strdup(a, human_time(text, ns));
}

const char *value_bytes(struct arena *a, uint64_t n)
{
    char text[HUMAN_MAX];
    return arena_strdup(a, human_bytes(text, n));
}

const char *value_count(struct arena *a, uint64_t n)
{
    char text[HUMAN_MAX];
    return arena_strdup(a, human_count(text, n));
}

const char *value_pct(struct arena *a, double pct)
{
    char text[HUMAN_MAX];
    return arena_strdup(a, human_pct(text, pct));
}

const char *value_figure(struct arena *a, double v)
{
    char text[HUMAN_MAX];
    return arena_strdup(a, human_figure(text, v));
}

const char *value_signed_ns(struct arena *a, int64_t ns)
{
    return arena_printf(a, "%s%s", ns < 0 ? "" : "+", value_ns(a, ns));
}

const char *value_signed_pct(struct arena *a, double pct)
{
    char text[HUMAN_MAX];
    return arena_strdup(a, human_change_pct(text, pct));
}
