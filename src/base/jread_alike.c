#include "base/jread_alike.h"

#include <stdio.h>
#include <string.h>

#include "base/jread_impl.h"

enum { DIGITS = 18 }; /* fit whatever is made of them, with a sign or without */

/* The end of the digits at p, at most `end`; NULL: none, too many, or a zero before others. */
static inline const char *take_number(const char *p, const char *end, uint64_t *v)
{
    const char *from = p;
    uint64_t sum = 0;
    for (; p < end && jr_is_digit(*p); p++)
        sum = sum * 10 + (uint64_t)(*p - '0');
    if (p == from || p - from > DIGITS || (*from == '0' && p - from > 1))
        return NULL;
    *v = sum;
    return p;
}

/* The byte behind a key without escapes that begins at the quote p, or NULL. */
static const char *behind_key(const char *p, const char *end)
{
    for (p++; p < end && *p != '"'; p++)
        if (*p == '\\' || (unsigned char)*p < ' ')
            return NULL;
    for (p += p < end; p < end && jr_is_space(*p);)
        p++;
    return p < end && *p == ':' ? p + 1 : NULL;
}

bool jalike_learn(struct jalike *a, const char *text, size_t n)
{
    const char *end = text + n;
    a->n = a->length = 0;
    for (const char *p = text, *next; p < end; p = next) {
        uint64_t ignored;
        bool number = jr_is_digit(*p);
        if (number)
            next = take_number(p, end, &ignored);
        else if (*p == '"')
            next = behind_key(p, end);
        else
            next = *p == '{' || *p == '}' || *p == ',' || jr_is_space(*p) ? p + 1 : NULL;
        if (!next || a->n == JALIKE_NUMBERS)
            return false;
        if (number) {
            if (next < end && !strchr(",} \n\r\t", *next)) /* 1.5, 1e9 */
                return false;
            a->upto[a->n++] = (uint16_t)a->length;
            continue;
        }
        if ((size_t)(next - p) > JALIKE_TEXT - a->length)
            return false;
        memcpy(a->text + a->length, p, (size_t)(next - p));
        a->length += (size_t)(next - p);
    }
    a->upto[a->n] = (uint16_t)a->length;
    return a->n && a->upto[a->n - 1] < a->length;
}

size_t jalike_print(const struct jalike *a, const uint64_t *numbers, char *buf, size_t size)
{
    size_t at = 0, from = 0;
    for (size_t i = 0; i <= a->n; from = a->upto[i++]) {
        size_t n = a->upto[i] - from;
        if (size - at < n + 2 * DIGITS)
            return 0;
        memcpy(buf + at, a->text + from, n);
        at += n;
        if (i < a->n)
            at += (size_t)snprintf(buf + at, size - at, "%llu", (unsigned long long)numbers[i]);
    }
    buf[at] = 0;
    return at;
}

bool jr_alike(struct jread *j, const struct jalike *a, uint64_t *numbers)
{
    const char *p = j->at, *end = j->end;
    size_t from = 0;
    if ((size_t)(end - p) < a->length + a->n * (DIGITS + 1) + JR_MARGIN)
        return false;
    for (size_t i = 0; i < a->n; from = a->upto[i++]) {
        size_t n = a->upto[i] - from;
        if (memcmp(p, a->text + from, n) != 0)
            return false;
        p = take_number(p + n, p + n + DIGITS + 1, &numbers[i]);
        if (!p)
            return false;
    }
    if (memcmp(p, a->text + from, a->length - from) != 0)
        return false;
    j->at = p + (a->length - from);
    return true;
}
