#include "field/field.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "base/sat.h"
#include "field/field_in.h"

static const struct field text_item[] = {{.type = FIELD_TEXT, .null = NULL_NEVER}};
const struct fields field_texts = FIELDS("", "", const char *, text_item);

const struct result *results_find(const struct results *all, const char *key)
{
    for (size_t i = 0; i < all->n; i++)
        if (str_eq(all->v[i].fields->key, key))
            return &all->v[i];
    return NULL;
}

const struct field *fields_find(const struct fields *f, const char *key)
{
    for (size_t i = 0; i < f->n; i++)
        if (f->v[i].key && !strcmp(f->v[i].key, key))
            return &f->v[i];
    return NULL;
}

/* ---- access ---- */

struct field_list field_list(const struct field *f, const void *row)
{
    struct field_list list; /* copied: a VEC has its own type */
    memcpy(&list, (const char *)row + f->offset, sizeof(list));
    return list;
}

const void *field_target(const struct field *f, const void *row)
{
    const void *at = (const char *)row + f->offset, *target = at;
    if (f->type == FIELD_REF)
        memcpy(&target, at, sizeof(target));
    return target;
}

bool field_has(const struct field *f, const void *row)
{
    return (!f->has || f->has(row)) &&
           (!f->flag || *(const bool *)((const char *)row + f->flag - 1));
}

bool fields_are_bare(const struct fields *f)
{
    return f->n && !f->v->key && !field_is_spread(f->v);
}

static struct field_value of_int(int64_t v)
{
    return (struct field_value){.kind = VALUE_INT, .i = v};
}

static struct field_value of_uint(uint64_t v)
{
    return (struct field_value){.kind = VALUE_UINT, .u = v};
}

static struct field_value of_text(const char *s)
{
    return (struct field_value){.kind = s ? VALUE_TEXT : VALUE_NONE, .text = s};
}

static const char *word_of(const struct field *f, int value)
{
    assert(f->words); /* an enum without names cannot be written */
    for (int i = 0; f->words[i]; i++)
        if (i == value)
            return f->words[i];
    return NULL;
}

/* The member as it is. */
static struct field_value plain(const struct field *f, const void *row)
{
    const void *at = (const char *)row + f->offset;
    switch (f->type) {
    case FIELD_I64:
        return of_int(*(const int64_t *)at);
    case FIELD_U64:
        return of_uint(*(const uint64_t *)at);
    case FIELD_U32:
        return of_uint(*(const uint32_t *)at);
    case FIELD_I32:
        return of_int(*(const int32_t *)at);
    case FIELD_NUM:
        return (struct field_value){.kind = VALUE_REAL, .real = *(const double *)at};
    case FIELD_TEXT:
        return of_text(*(const char *const *)at);
    case FIELD_CHARS:
        return of_text(at);
    case FIELD_BOOL:
        return (struct field_value){.kind = VALUE_BOOL, .yes = *(const bool *)at};
    case FIELD_ENUM:
        return of_text(word_of(f, *(const int *)at));
    case FIELD_FIXED:
        return of_text(f->words[0]);
    default:
        return (struct field_value){.kind = VALUE_NONE};
    }
}

static double as_real(struct field_value v)
{
    return v.kind == VALUE_INT    ? (double)v.i
           : v.kind == VALUE_UINT ? (double)v.u
           : v.kind == VALUE_REAL ? v.real
                                  : (double)NAN;
}

static double rounded(double v, double steps)
{
    return isfinite(v) ? round(v * steps) / steps : 0;
}

struct field_value field_get(const struct field *f, const void *row)
{
    struct field_value v = plain(f, row), none = {.kind = VALUE_NONE};
    if (!field_has(f, row))
        return none;
    if (f->null == NULL_MAYBE && !f->has && !f->flag && v.kind == VALUE_INT && v.i < 0)
        return none;
    if (f->divide > 0)
        v = (struct field_value){.kind = VALUE_REAL, .real = as_real(v) / f->divide};
    if (f->steps > 0)
        v = (struct field_value){.kind = VALUE_REAL, .real = rounded(as_real(v), f->steps)};
    return v.kind == VALUE_REAL && !isfinite(v.real) ? none : v;
}

/* ---- for people ---- */

bool field_is_text(const struct field *f)
{
    return f->type == FIELD_TEXT || f->type == FIELD_CHARS || f->type == FIELD_BOOL ||
           f->type == FIELD_ENUM || f->type == FIELD_SET || f->type == FIELD_FIXED;
}

bool field_is_count(const struct field *f)
{
    return (f->type == FIELD_U32 || f->type == FIELD_U64) && f->unit != AN_ADDRESS;
}

double field_number(const struct field *f, const void *row)
{
    return as_real(field_get(f, row));
}

/* Without a unit; a number that names something has no commas. */
static const char *plain_text(struct field_value known, struct arena *a)
{
    char text[HUMAN_MAX];
    double v = as_real(known), size = fabs(v);
    if (known.kind == VALUE_UINT)
        return arena_strdup(a, human_count(text, known.u));
    if (known.kind == VALUE_INT)
        return arena_printf(a, "%" PRId64, known.i);
    if (size < 999.5 || size >= 1e15)
        return arena_printf(a, size >= 1 ? "%.3g" : "%.2g", v);
    return arena_printf(a, "%s%s", v < 0 ? "-" : "", human_count(text, count_from(size + 0.5)));
}

static const char *unit_text(const struct field *f, struct field_value known, struct arena *a)
{
    char text[HUMAN_MAX];
    double v = as_real(known);
    switch (f->unit) {
    case IN_NS:
        return arena_strdup(a, human_time(text, ns_from(v)));
    case IN_US: /* as other times */
        return arena_strdup(a, human_time(text, ns_from(1e3 * v)));
    case IN_MS:
        return arena_strdup(a, human_time(text, ns_from(1e6 * v)));
    case IN_BYTES:
        return arena_printf(a, "%s%s", v < 0 ? "-" : "", human_bytes(text, count_from(fabs(v))));
    case IN_PERCENT:
        return arena_strdup(a, human_pct(text, v));
    case IN_MHZ: /* without commas, as everybody writes them */
        return arena_printf(a, "%.0f %s", v, unit_word(IN_MHZ));
    case AN_ADDRESS:
        return arena_printf(a, "0x%" PRIx64, known.u);
    case NO_UNIT:
    case IN_CYCLES: /* a table of cycles has nothing else */
        return plain_text(known, a);
    default:
        return arena_printf(a, "%s %s", plain_text(known, a), unit_word(f->unit));
    }
}

static const char *change_text(const struct field *f, struct field_value known, struct arena *a)
{
    char text[HUMAN_MAX];
    if (f->decimals)
        return arena_printf(a, "%+.*f", f->decimals, as_real(known));
    if (f->unit == IN_PERCENT)
        return arena_strdup(a, human_change_pct(text, as_real(known)));
    return arena_printf(a, "%s%s", as_real(known) >= 0 ? "+" : "", unit_text(f, known, a));
}

static bool number_is_blank(const struct field *f, double v)
{
    return !isfinite(v) || (v < 0 && (f->type == FIELD_I32 || f->style == STYLE_FROM_ZERO)) ||
           (v <= 0 && f->style == STYLE_OVER_ZERO);
}

static const char *number_text(const struct field *f, struct field_value known, struct arena *a)
{
    char text[VALUE_MAX];
    double v = as_real(known);
    if (f->style == STYLE_EXACT)
        return arena_strdup(a, value_exact(known, text));
    if (number_is_blank(f, v))
        return "-";
    switch (f->style) {
    case STYLE_CHANGE:
        return change_text(f, known, a);
    case STYLE_FIGURE:
        return arena_strdup(a, human_figure(text, v));
    case STYLE_DECIMALS:
        return known.kind == VALUE_REAL ? arena_printf(a, "%.*f", f->decimals, v)
                                        : arena_strdup(a, value_exact(known, text));
    default:
        return unit_text(f, known, a);
    }
}

static const char *set_text(const struct field *f, const void *row, struct arena *a)
{
    unsigned set = *(const unsigned *)((const char *)row + f->offset);
    struct str s;
    str_init(&s, a);
    for (unsigned i = 0; f->words[i]; i++)
        if (set & (1u << i))
            str_printf(&s, "%s%s", s.len ? ", " : "", f->words[i]);
    return s.buf;
}

const char *field_text(const struct field *f, const void *row, struct arena *a)
{
    if (f->type == FIELD_SET)
        return set_text(f, row, a);
    struct field_value v = field_get(f, row);
    if (!field_is_text(f))
        return number_text(f, v, a);
    return v.kind == VALUE_BOOL ? v.yes ? "yes" : "no" : v.kind == VALUE_TEXT ? v.text : "";
}

bool field_is_blank(const struct field *f, const void *row)
{
    if (f->type == FIELD_SET)
        return !*(const unsigned *)((const char *)row + f->offset);
    struct field_value v = field_get(f, row);
    if (!field_is_text(f))
        return f->style == STYLE_EXACT ? v.kind == VALUE_NONE : number_is_blank(f, as_real(v));
    return v.kind != VALUE_BOOL && !(v.kind == VALUE_TEXT && *v.text);
}

/* ---- for programs ---- */

static const char *real_exact(double v, char *buf)
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(buf, VALUE_MAX, "%.*g", digits, v);
        if (strtod(buf, NULL) == v)
            break;
    }
    return buf;
}

const char *value_exact(struct field_value v, char *buf)
{
    switch (v.kind) {
    case VALUE_INT:
        snprintf(buf, VALUE_MAX, "%" PRId64, v.i);
        return buf;
    case VALUE_UINT:
        snprintf(buf, VALUE_MAX, "%" PRIu64, v.u);
        return buf;
    case VALUE_REAL:
        return real_exact(v.real, buf);
    case VALUE_BOOL:
        return v.yes ? "true" : "false";
    case VALUE_TEXT:
        return v.text;
    case VALUE_NONE:
        break;
    }
    return "";
}
