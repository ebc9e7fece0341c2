#include "report/value.h"

#include <math.h>
#include <string.h>

#include "analyze/view.h"
#include "base/human.h"

bool value_listed(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = list; p && *p; p += strcspn(p, " "), p += strspn(p, " "))
        if (strcspn(p, " ") == n && !strncmp(p, word, n))
            return true;
    return false;
}

bool value_is_text(const struct field *f)
{
    return f->type == FIELD_TEXT || f->type == FIELD_BOOL;
}

double value_number(const struct field *f, const void *row)
{
    const char *p = (const char *)row + f->offset;
    switch (f->type) {
    case FIELD_I64:
        return (double)*(const int64_t *)p;
    case FIELD_U64:
        return (double)*(const uint64_t *)p;
    case FIELD_U32:
        return *(const uint32_t *)p;
    case FIELD_I32:
        return *(const int32_t *)p;
    case FIELD_NUM:
        return *(const double *)p;
    default:
        return NAN;
    }
}

static const char *words(const struct field *f, const void *row)
{
    const char *p = (const char *)row + f->offset;
    if (f->type == FIELD_BOOL)
        return *(const bool *)p ? "yes" : "no";
    const char *s = *(const char *const *)p;
    return s ? s : "";
}

bool value_is_empty(const struct field *f, const void *row)
{
    return value_is_text(f) ? !*words(f, row)
                            : !isfinite(value_number(f, row)) ||
                                  (f->type == FIELD_I32 && value_number(f, row) < 0);
}

/* Without a unit; a number that names something has no commas. */
static const char *plain(struct arena *a, const struct field *f, double v)
{
    char text[HUMAN_MAX];
    double size = fabs(v);
    if (f->type == FIELD_NUM && (size < 999.5 || size >= 1e15))
        return arena_printf(a, size >= 1 ? "%.3g" : "%.2g", v);
    if (f->type == FIELD_NUM || f->type == FIELD_U64 || f->type == FIELD_U32)
        return arena_printf(a, "%s%s", v < 0 ? "-" : "",
                            human_count(text, size < 1e19 ? (uint64_t)(size + 0.5) : UINT64_MAX));
    return arena_printf(a, "%.0f", v);
}

const char *value_text(struct arena *a, const struct field *f, const void *row)
{
    char text[HUMAN_MAX];
    double v = value_number(f, row), size = fabs(v);
    if (value_is_text(f))
        return words(f, row);
    if (value_is_empty(f, row))
        return "-";
    if (!strcmp(f->unit, "ns"))
        return arena_strdup(a, human_time(text, size < 9e18 ? (int64_t)v : INT64_MAX));
    if (!strcmp(f->unit, "bytes"))
        return arena_printf(a, "%s%s", v < 0 ? "-" : "",
                            human_bytes(text, size < 1e19 ? (uint64_t)size : UINT64_MAX));
    if (!strcmp(f->unit, "%"))
        return arena_strdup(a, human_pct(text, v));
    if (!strcmp(f->unit, "address"))
        return arena_printf(a, "0x%llx",
                            *(const unsigned long long *)((const char *)row + f->offset));
    bool said = !*f->unit || !strcmp(f->unit, "cycles"); /* a table of cycles has nothing else */
    return said ? plain(a, f, v) : arena_printf(a, "%s %s", plain(a, f, v), f->unit);
}

const char *value_change(struct arena *a, const struct field *f, const void *row)
{
    double v = value_number(f, row);
    if (!strcmp(f->unit, "%"))
        return value_signed_pct(a, v);
    const char *text = value_text(a, f, row);
    return v >= 0 ? arena_printf(a, "+%s", text) : text;
}

const char *value_moment(struct arena *a, const struct field *f, const void *row, int64_t origin_ns)
{
    char text[HUMAN_MAX];
    int64_t at = *(const int64_t *)((const char *)row + f->offset);
    return arena_strdup(a, human_time(text, sub_ns(at, origin_ns)));
}

const char *value_exact(struct arena *a, const struct field *f, const void *row)
{
    const char *p = (const char *)row + f->offset;
    switch (f->type) {
    case FIELD_I64:
        return arena_printf(a, "%lld", (long long)*(const int64_t *)p);
    case FIELD_U64:
        return arena_printf(a, "%llu", (unsigned long long)*(const uint64_t *)p);
    case FIELD_NUM:
        return isfinite(*(const double *)p) ? arena_printf(a, "%.17g", *(const double *)p) : "";
    case FIELD_TEXT:
    case FIELD_BOOL:
        return words(f, row);
    default:
        return arena_printf(a, "%.0f", value_number(f, row));
    }
}

const struct field *value_field(const struct fields *f, const char *key)
{
    for (size_t i = 0; i < f->n; i++)
        if (!strcmp(f->v[i].key, key))
            return &f->v[i];
    return NULL;
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
    return isfinite(pct) ? arena_strdup(a, human_pct(text, pct)) : "-";
}

const char *value_signed_ns(struct arena *a, int64_t ns)
{
    return arena_printf(a, "%s%s", ns < 0 ? "" : "+", value_ns(a, ns));
}

const char *value_signed_pct(struct arena *a, double pct)
{
    return isfinite(pct) ? arena_printf(a, "%+.1f %%", pct) : "-";
}
