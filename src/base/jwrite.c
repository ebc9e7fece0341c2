#include "base/jwrite.h"

#include <assert.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

enum { NUMBER_MAX = 40 };

void jw_init(struct jwrite *w, struct str *out, int indent)
{
    *w = (struct jwrite){.out = out, .indent = indent};
}

static void newline(struct jwrite *w)
{
    if (!w->indent)
        return;
    str_putc(w->out, '\n');
    str_fill(w->out, ' ', (size_t)(w->indent * w->depth));
}

static void begin(struct jwrite *w, const char *key)
{
    if (w->pour && w->out->len >= w->most)
        w->pour(w->into);
    assert(key ? w->depth && w->closers[w->depth - 1] == '}'
               : !w->depth || w->closers[w->depth - 1] == ']'); /* members have keys, only they */
    if (w->has_items[w->depth])
        str_puts(w->out, w->indent ? "," : ", ");
    w->has_items[w->depth] = true;
    if (w->depth)
        newline(w);
    if (key) {
        jw_quote(w->out, key, strlen(key));
        str_puts(w->out, ": ");
    }
}

void jw_open(struct jwrite *w, const char *key, char bracket)
{
    begin(w, key);
    str_putc(w->out, bracket);
    assert(bracket == '{' || bracket == '[');
    if (w->depth == JWRITE_DEPTH - 1)
        abort(); /* documents are written by our own code, to a known depth */
    w->closers[w->depth++] = bracket == '{' ? '}' : ']';
    w->has_items[w->depth] = false;
}

void jw_close(struct jwrite *w)
{
    assert(w->depth > 0);
    bool any = w->has_items[w->depth];
    w->depth--;
    if (any)
        newline(w);
    str_putc(w->out, w->closers[w->depth]);
    if (!w->depth && w->indent)
        str_putc(w->out, '\n');
}

void jw_quote(struct str *out, const char *s, size_t n)
{
    str_putc(out, '"');
    for (size_t i = 0, len; i < n; i += len) {
        size_t plain = i;
        while (plain < n && (unsigned char)s[plain] >= 0x20 && (unsigned char)s[plain] < 0x7F &&
               s[plain] != '"' && s[plain] != '\\')
            plain++;
        str_put(out, s + i, plain - i);
        if ((i = plain) == n)
            break;
        uint32_t c = utf8_decode(s + i, n - i, &len);
        if (c == '"' || c == '\\')
            str_printf(out, "\\%c", (char)c);
        else if (c == '\n')
            str_puts(out, "\\n");
        else if (c == '\t')
            str_puts(out, "\\t");
        else if (c < 0x20 || c == 0x7F || (utf8_unsafe(c) && c < 0x10000))
            str_printf(out, "\\u%04x", c);
        else if (c == 0xFFFD)
            str_puts(out, "\xEF\xBF\xBD");
        else
            str_put(out, s + i, len);
    }
    str_putc(out, '"');
}

void jw_strn(struct jwrite *w, const char *key, const char *s, size_t n)
{
    begin(w, key);
    jw_quote(w->out, s, n);
}

void jw_str(struct jwrite *w, const char *key, const char *s)
{
    if (s)
        jw_strn(w, key, s, strlen(s));
    else
        jw_null(w, key);
}

void jw_int(struct jwrite *w, const char *key, int64_t v)
{
    begin(w, key);
    str_printf(w->out, "%" PRId64, v);
}

void jw_uint(struct jwrite *w, const char *key, uint64_t v)
{
    begin(w, key);
    str_printf(w->out, "%" PRIu64, v);
}

/* From the first digit that is no zero to the last one. */
static int significant(const char *text)
{
    int n = 0, last = 0;
    for (; *text && *text != 'e'; text++) {
        n += *text != '-' && *text != '.' && (n || *text != '0');
        last = *text != '0' && *text != '.' ? n : last;
    }
    return last;
}

/*
 * The fewest digits to which a double can be rounded so that it reads back equal, at least six. A
 * decimal of up to 15 digits comes back from a double as it was, so those of it that are zeros at
 * the end are what is not needed.
 */
static void shortest(char text[NUMBER_MAX], double v)
{
    enum { LEAST = 6, ALWAYS = 15, MOST = 17 };
    bool normal = fabs(v) >= DBL_MIN; /* those below have fewer digits, zero none */
    int digits = normal ? ALWAYS : LEAST;
    for (; digits <= MOST; digits++) {
        snprintf(text, NUMBER_MAX, "%.*g", digits, v);
        if (digits == MOST || strtod(text, NULL) == v)
            break;
    }
    if (digits > ALWAYS || !normal)
        return;
    digits = significant(text);
    if (digits < ALWAYS)
        snprintf(text, NUMBER_MAX, "%.*g", digits < LEAST ? LEAST : digits, v);
}

void jw_num(struct jwrite *w, const char *key, double v)
{
    if (!isfinite(v)) {
        jw_null(w, key);
        return;
    }
    begin(w, key);
    char text[NUMBER_MAX];
    shortest(text, v);
    str_puts(w->out, text);
}

void jw_bool(struct jwrite *w, const char *key, bool v)
{
    begin(w, key);
    str_puts(w->out, v ? "true" : "false");
}

void jw_null(struct jwrite *w, const char *key)
{
    begin(w, key);
    str_puts(w->out, "null");
}
