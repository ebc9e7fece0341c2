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

#define VALUE(name, type, human)                                                                   \
    const char *value_##name(struct arena *a, type v)                                              \
    {                                                                                              \
        char text[HUMAN_MAX];                                                                      \
        return arena_strdup(a, human(text, v));                                                    \
    }
VALUE(ns, int64_t, human_time)
VALUE(bytes, uint64_t, human_bytes)
VALUE(count, uint64_t, human_count)
VALUE(pct, double, human_pct)
VALUE(figure, double, human_figure)
VALUE(signed_pct, double, human_change_pct)

const char *value_signed_ns(struct arena *a, int64_t ns)
{
    return arena_printf(a, "%s%s", ns < 0 ? "" : "+", value_ns(a, ns));
}
