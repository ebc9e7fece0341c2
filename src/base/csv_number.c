/* Numbers in CSV fields; the locale has no say. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"

enum { CSV_NUMBER_MAX = 64 };

/* The field without blanks around it; false when nothing is left. */
static bool trimmed(const struct csv *c, size_t i, const char **p, const char **end)
{
    if (i >= c->n)
        return false;
    *p = c->field[i].p;
    *end = *p + c->field[i].n;
    while (*p < *end && (unsigned char)**p <= ' ')
        ++*p;
    while (*p < *end && (unsigned char)(*end)[-1] <= ' ')
        --*end;
    return *p < *end;
}

static bool digits(const char *p, const char *end, uint64_t *v)
{
    bool fits = end - p < 20; /* 10^19 - 1 does */
    if (p == end)
        return false;
    for (*v = 0; p < end; p++) {
        unsigned digit = (unsigned)(unsigned char)*p - '0';
        if (digit > 9)
            return false;
        if (fits)
            *v = *v * 10 + digit;
        else if (__builtin_mul_overflow(*v, 10, v) || __builtin_add_overflow(*v, digit, v))
            return false;
    }
    return true;
}

static bool hex_digits(const char *p, const char *end, uint64_t *v)
{
    if (p == end || end - p > 16)
        return false;
    for (*v = 0; p < end; p++) {
        static const char all[] = "0123456789abcdef";
        const char *at = strchr(all, *p >= 'A' && *p <= 'F' ? *p - 'A' + 'a' : *p);
        if (!at || !*at)
            return false;
        *v = *v << 4 | (uint64_t)(at - all);
    }
    return true;
}

bool csv_uint(const struct csv *c, size_t i, uint64_t *v)
{
    const char *p, *end;
    if (!trimmed(c, i, &p, &end))
        return false;
    if (end - p > 2 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X'))
        return hex_digits(p + 2, end, v);
    return digits(p, end, v);
}

bool csv_int(const struct csv *c, size_t i, int64_t *v)
{
    const char *p, *end;
    uint64_t u;
    if (!trimmed(c, i, &p, &end))
        return false;
    bool negative = *p == '-';
    if (!digits(p + negative, end, &u) || u > (uint64_t)INT64_MAX + negative)
        return false;
    *v = negative ? (int64_t)(0 - u) : (int64_t)u;
    return true;
}

/* Takes a number apart: its digits without the point, and the exponent they need. */
static bool parts(const char *p, const char *end, char *text, size_t *n, long *exponent)
{
    bool point = false;
    *n = 0;
    *exponent = 0;
    for (; p < end && *p != 'e' && *p != 'E'; p++) {
        bool digit = (unsigned)(unsigned char)*p - '0' < 10;
        bool sign = !*n && !point && (*p == '-' || *p == '+');
        if (!digit && !sign && (*p != '.' || point))
            return false;
        *exponent -= point && digit;
        point |= *p == '.';
        if (*p != '.')
            text[(*n)++] = *p;
    }
    text[*n] = '\0';
    if (p == end)
        return true;
    char own[CSV_NUMBER_MAX + 1] = "", *stop;
    memcpy(own, p + 1, (size_t)(end - p - 1));
    long given = strtol(own, &stop, 10);
    if (stop == own || *stop || given <= -10000 || given >= 10000)
        return false;
    *exponent += given;
    return true;
}

bool csv_num(const struct csv *c, size_t i, double *v)
{
    static const double power[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
    const char *p, *end;
    char text[CSV_NUMBER_MAX + 32], *stop;
    size_t n;
    long exponent;
    uint64_t u;
    if (!trimmed(c, i, &p, &end) || end - p > CSV_NUMBER_MAX || !parts(p, end, text, &n, &exponent))
        return false;
    if (n <= 15 && exponent <= 0 && exponent > -10 && digits(text, text + n, &u)) {
        *v = (double)u / power[-exponent]; /* both sides are exact, so this rounds once */
        return true;
    }
    /* No point in this text, so any locale reads it alike. */
    snprintf(text + n, sizeof(text) - n, "e%ld", exponent);
    *v = strtod(text, &stop);
    return stop != text && !*stop && isfinite(*v);
}
