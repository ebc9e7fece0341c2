#include "verify/figure.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/human.h"
#include "base/sat.h"

static const struct unit {
    const char *name;
    enum dimension dim;
    double scale;
} units[] = {
#define UNIT(name, dim, scale) {name, dim, scale},
#include "verify/units.def"
#undef UNIT
};

#define MINUS "\xe2\x88\x92"

enum { UNITS = ARRAY_LEN(units), NUMBER_MAX = 64 };

static bool word_byte(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

size_t unit_at(const char *text, size_t n, enum dimension *dim, double *scale)
{
    for (size_t u = 0; u < UNITS; u++) {
        size_t len = strlen(units[u].name);
        if (len > n || memcmp(text, units[u].name, len) != 0)
            continue;
        /* "s" of "steps" is no unit, nor is "x" of "2048x1x1". */
        if (len < n && units[u].name[0] != '%' && word_byte(text[len]) &&
            (unsigned char)text[len] < 0x80)
            continue;
        *dim = units[u].dim;
        *scale = units[u].scale;
        return len;
    }
    return 0;
}

bool unit_of_words(const char *words, size_t n, enum dimension *dim, double *scale)
{
    size_t at = n, end = n;
    while (end && (words[end - 1] == ')' || words[end - 1] == ']' || words[end - 1] == ' '))
        end--;
    for (at = end; at &&
                   (word_byte(words[at - 1]) || words[at - 1] == '/' || words[at - 1] == '%') &&
                   words[at - 1] != '_';)
        at--;
    if (at == end)
        return false;
    /* A word of its own is a title ("min"), not a unit, unless it stands in brackets or behind "_". */
    bool marked = at && (words[at - 1] == '(' || words[at - 1] == '[' || words[at - 1] == '_');
    if (words[end - 1] == '%')
        marked = true;
    if (!marked || unit_at(words + at, end - at, dim, scale) != end - at)
        return false;
    return *dim != DIM_NUMBER && (*dim != DIM_RATIO || words[at - 1] != '_');
}

/* ---- numbers ---- */

static bool name_byte(char c)
{
    return word_byte(c) && (unsigned char)c < 0x80;
}

static bool begins(const char *text, size_t i, size_t end, const char *with)
{
    size_t n = strlen(with);
    return end - i >= n && !memcmp(text + i, with, n);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Digits with points and commas inside; the length. */
static size_t number_length(const char *p, size_t n)
{
    size_t i = 0;
    while (i < n && (is_digit(p[i]) || ((p[i] == ',' || p[i] == '.') && i && is_digit(p[i - 1]) &&
                                        i + 1 < n && is_digit(p[i + 1]))))
        i++;
    if (i && i + 1 < n && (p[i] == 'e' || p[i] == 'E')) {
        size_t e = i + 1;
        if (p[e] == '+' || p[e] == '-')
            e++;
        size_t first = e;
        while (e < n && is_digit(p[e]))
            e++;
        if (e > first && !(e < n && word_byte(p[e])))
            i = e;
    }
    return i;
}

/* Commas only where they divide thousands, one point at most. */
static bool number_read(const char *p, size_t n, struct figure *f)
{
    char buf[NUMBER_MAX];
    size_t used = 0, decimals = 0, since_comma = 0, points = 0, commas = 0, exponent = 0;
    if (n >= sizeof(buf))
        return false;
    for (size_t i = 0; i < n; i++) {
        if (p[i] == ',') {
            if (points || (commas ? since_comma != 3 : !i || i > 3))
                return false;
            commas++, since_comma = 0;
            continue;
        }
        if (p[i] == 'e' || p[i] == 'E')
            exponent = i;
        if (p[i] == '.')
            points++;
        else if (is_digit(p[i]) && !exponent && points)
            decimals++;
        else if (is_digit(p[i]) && !points)
            since_comma++;
        if (is_digit(p[i]) && !exponent && (f->digits || p[i] != '0'))
            f->digits++;
        buf[used++] = p[i];
    }
    if (points > 1 || (commas && since_comma != 3))
        return false;
    buf[used] = 0;
    f->value = strtod(buf, NULL);
    double unit = pow(10, -(double)decimals);
    if (exponent)
        unit *= pow(10, strtod(p + exponent + 1, NULL));
    f->tolerance = 0.5 * unit;
    return isfinite(f->value);
}

static bool at_word_start(const char *text, size_t i)
{
    return !i || !word_byte(text[i - 1]) || (unsigned char)text[i - 1] >= 0x80;
}

/* 2026-11-15, 12:30:05 */
static size_t date_length(const char *p, size_t n)
{
    size_t digits = 0, i = 0, parts = 1;
    char mark = 0;
    for (; i < n && parts <= 3; i++) {
        if (is_digit(p[i]))
            digits++;
        else if ((p[i] == '-' || p[i] == ':') && digits && digits <= 4 && i + 1 < n &&
                 is_digit(p[i + 1]) && (!mark || mark == p[i]))
            mark = p[i], digits = 0, parts++;
        else
            break;
    }
    return parts == 3 ? i : 0;
}

static size_t name_end(const char *text, size_t i, size_t end)
{
    while (i < end && (word_byte(text[i]) && (unsigned char)text[i] < 0x80))
        i++;
    return i;
}

/* "2 h 05 min" and "3 min 09 s" are one time. */
static void join_smaller(struct figure *f, const char *text, size_t end)
{
    size_t i = f->at + f->n;
    if (f->dim != DIM_TIME || (f->scale != 3600e9 && f->scale != 60e9) || i + 3 >= end ||
        text[i] != ' ' || !is_digit(text[i + 1]))
        return;
    struct figure next = {.at = (uint32_t)(i + 1)};
    size_t len = number_length(text + i + 1, end - i - 1);
    size_t unit = i + 1 + len + (i + 1 + len < end && text[i + 1 + len] == ' ');
    size_t n = unit < end ? unit_at(text + unit, end - unit, &next.dim, &next.scale) : 0;
    if (!n || next.dim != DIM_TIME || next.scale * 60 != f->scale ||
        !number_read(text + i + 1, len, &next))
        return;
    f->value += next.value * next.scale;
    /* Whole minutes or seconds are cut, not rounded. */
    f->tolerance = next.scale;
    f->digits += 2;
    f->n = (uint32_t)(unit + n - f->at);
    f->number_n = f->n;
}

static void take_unit(struct figure *f, const char *text, size_t end)
{
    size_t i = f->at + f->number_n, gap = 0;
    if (i < end && text[i] == ' ')
        gap = 1;
    else if (begins(text, i, end, "\xc2\xa0"))
        gap = 2;
    else if (begins(text, i, end, "\xe2\x80\xaf"))
        gap = 3;
    size_t len = i + gap < end ? unit_at(text + i + gap, end - i - gap, &f->dim, &f->scale) : 0;
    /* "8 M" may be anything; letters that multiply stand at the number. */
    if (!len || (gap && len == 1 && f->dim == DIM_NUMBER)) {
        f->dim = DIM_NUMBER;
        f->scale = 1;
        return;
    }
    f->n = (uint32_t)(i + gap + len - f->at);
}

static bool says_about(const char *text, size_t from, size_t at)
{
    static const char *const words[] = {
        "about ",         "roughly ", "nearly ",      "almost ",       "around ", "some ",
        "approximately ", "~",        "\xe2\x89\x88", "\xe2\x89\x88 ", "~ ",      "circa "};
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        size_t len = strlen(words[i]);
        if (at - from >= len && !strncasecmp(text + at - len, words[i], len))
            return true;
    }
    return false;
}

static struct figure figure_at(const char *text, size_t from, size_t i, size_t end)
{
    struct figure f = {.at = (uint32_t)i, .dim = DIM_NAME, .scale = 1};
    size_t sign = text[i] == '-' || text[i] == '+' ? 1 : begins(text, i, end, MINUS) ? 3 : 0;
    size_t date = date_length(text + i, end - i);
    size_t len = date ? date : number_length(text + i + sign, end - i - sign);
    f.number_n = f.n = (uint32_t)(sign + len);
    size_t stop = i + f.n;
    if (date || !number_read(text + i + sign, len, &f))
        return f;
    take_unit(&f, text, end);
    if (f.n == f.number_n && stop < end &&
        (word_byte(text[stop]) && (unsigned char)text[stop] < 0x80)) {
        f.n = f.number_n = (uint32_t)(name_end(text, stop, end) - i);
        f.dim = DIM_NAME;
        return f;
    }
    if (sign && text[i] != '+')
        f.value = -f.value;
    f.about = says_about(text, from, i);
    f.value *= f.scale;
    f.tolerance *= f.scale;
    join_smaller(&f, text, end);
    if (f.dim == DIM_NAME)
        f.dim = DIM_NUMBER;
    return f;
}

static bool spans(const char *text, size_t from, const struct figure *a, const struct figure *b)
{
    static const char *const marks[] = {"-", "\xe2\x80\x93", "\xe2\x80\x94", MINUS, "..", "to"};
    size_t at = a->at + a->n, end = b->at;
    while (at < end && text[at] == ' ')
        at++;
    while (end > at && text[end - 1] == ' ')
        end--;
    for (size_t i = 0; i < ARRAY_LEN(marks); i++)
        if (end - at == strlen(marks[i]) && begins(text, at, end, marks[i]))
            return true;
    return end - at == 3 && begins(text, at, end, "and") && a->at - from >= 8 &&
           !strncasecmp(text + a->at - 8, "between ", 8);
}

/* "0.8-1.7 ms", "between 800 and 1700 us": the unit stands once and is that of both. */
static void find_ranges(struct figure *v, size_t n, const char *text, size_t from)
{
    for (size_t i = 0; i + 1 < n; i++) {
        struct figure *a = &v[i], *b = &v[i + 1];
        if (a->dim == DIM_NAME || b->dim == DIM_NAME || b->dim == DIM_NUMBER ||
            !spans(text, from, a, b))
            continue;
        if (a->dim == DIM_NUMBER && a->scale == 1) {
            a->dim = b->dim;
            a->scale = b->scale;
            a->value *= b->scale;
            a->tolerance *= b->scale;
        }
        if (a->dim == b->dim && a->value < b->value)
            a->side = SIDE_LOW, b->side = SIDE_HIGH;
    }
}

void figures_find(struct figures *out, const char *text, size_t at, size_t n, struct arena *a)
{
    size_t end = at + n, first = out->n;
    for (size_t i = at; i < end && out->n <= FIGURES_MAX;) {
        bool sign = (text[i] == '-' || text[i] == '+') && i + 1 < end && is_digit(text[i + 1]) &&
                    (i == at || !name_byte(text[i - 1]));
        bool minus = i + 3 < end && begins(text, i, end, MINUS) && is_digit(text[i + 3]) &&
                     (i == at || !name_byte(text[i - 1]));
        if (is_digit(text[i]) || sign || minus) {
            if (at_word_start(text, i) || i == at) {
                struct figure f = figure_at(text, at, i, end);
                vec_push_alone(out, a, f);
                i = f.at + f.n;
                continue;
            }
            /* digits inside a word: the whole word is a name */
            size_t start = i;
            while (start > at && word_byte(text[start - 1]) &&
                   (unsigned char)text[start - 1] < 0x80)
                start--;
            i = name_end(text, i, end);
            uint32_t len = (uint32_t)(i - start);
            struct figure f = {.at = (uint32_t)start, .n = len, .number_n = len, .dim = DIM_NAME};
            vec_push_alone(out, a, f);
            continue;
        }
        i++;
    }
    if (out->n > first)
        find_ranges(out->v + first, out->n - first, text, at);
}

bool figure_fits(const struct figure *f, double value)
{
    double room = f->tolerance * 1.02 + fabs(value) * 1e-12;
    if (f->dim == DIM_NUMBER && f->scale == 1 && f->tolerance >= 0.5 && value == floor(value))
        room = 0.25; /* a count with all its digits */
    if (f->about)
        room = fmax(room, fabs(value) * 0.05);
    return fabs(f->value - value) <= room;
}

const char *dimension_text(enum dimension dim, double value, struct arena *a)
{
    char buf[HUMAN_MAX];
    bool whole = value == floor(value) && fabs(value) < 1e15;
    switch (dim) {
    case DIM_TIME:
        return arena_printf(a, "%s", human_time(buf, ns_from(value)));
    case DIM_BYTES:
        return arena_printf(
            a, "%s", value >= 0 && value < 1.8e19 ? human_bytes(buf, count_from(value)) : "-");
    case DIM_RATE:
        return arena_printf(a, "%s", human_rate(buf, value));
    case DIM_PCT:
        return arena_printf(a, "%.1f %%", value);
    case DIM_RATIO:
        return arena_printf(a, "%.2f times", value);
    case DIM_FLOPS:
        return arena_printf(a, "%.4g TFLOP/s", value / 1e12);
    case DIM_HZ:
        return arena_printf(a, "%.6g MHz", value / 1e6);
    default:
        return whole && value >= 0 ? arena_printf(a, "%s", human_count(buf, count_from(value)))
                                   : arena_printf(a, "%.6g", value);
    }
}
