/* The numbers of the JSON reader: exact 64-bit integers, correctly rounded doubles. */
#include "base/jread_impl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

enum { EXPONENT_MAX = 1000000000 };

#ifdef __SSE2__

/* Eight digits as they lie in memory, little endian; zero bytes count as '0'. */
static uint64_t eight_digits(uint64_t v)
{
    v &= 0x0f0f0f0f0f0f0f0f;
    v = v * 10 + (v >> 8);
    return (((v & 0x000000ff000000ff) * 0x000f424000000064) +
            (((v >> 16) & 0x000000ff000000ff) * 0x0000271000000001)) >>
           32;
}

/* n digits at p, n in 1..16; eight bytes at p and at p + 8 can be read. */
static uint64_t some_digits(const char *p, unsigned n)
{
    static const uint64_t power[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    uint64_t a, b;
    memcpy(&a, p, 8);
    if (n <= 8)
        return eight_digits(a << (64 - 8 * n));
    memcpy(&b, p + 8, 8);
    return eight_digits(a) * power[n - 8] + eight_digits(b << (128 - 8 * n));
}

static const char *take_digits(const char *p, uint64_t *v)
{
    unsigned m = jr_nondigit_mask(jr_load(p));
    unsigned n = m ? (unsigned)__builtin_ctz(m) : 16;
    *v = n ? some_digits(p, n) : 0;
    p += n;
    if (n == 16)
        for (int i = 0; i < 3 && jr_is_digit(*p); i++)
            *v = *v * 10 + (uint64_t)(*p++ - '0');
    return p;
}

#else

static const char *take_digits(const char *p, uint64_t *v)
{
    *v = 0;
    for (int i = 0; i < 19 && jr_is_digit(*p); i++)
        *v = *v * 10 + (uint64_t)(*p++ - '0');
    return p;
}

#endif

/* At most 19 digits, no point, no exponent, well inside the window; the rest is for others. */
bool jr_fast_integer(struct jread *j, uint64_t *v, bool *negative)
{
    if (j->end - j->at < JR_MARGIN)
        return false;
    const char *p = j->at;
    *negative = *p == '-';
    p += *negative;
    const char *stop = take_digits(p, v);
    if (stop == p || (*p == '0' && stop - p > 1))
        return false;
    if (jr_is_digit(*stop) || *stop == '.' || (*stop | 0x20) == 'e')
        return false;
    j->at = stop;
    return true;
}

/* The same with at most `decimals` digits behind a point, no exponent. */
bool jr_fast_fixed(struct jread *j, unsigned decimals, uint64_t *v, bool *negative)
{
    if (j->end - j->at < JR_MARGIN)
        return false;
    const char *p = j->at;
    uint64_t fraction = 0;
    *negative = *p == '-';
    p += *negative;
    const char *stop = take_digits(p, v);
    if (stop == p || (*p == '0' && stop - p > 1) || jr_is_digit(*stop))
        return false;
    if (*stop == '.') {
        p = stop + 1;
        stop = take_digits(p, &fraction);
        if (stop == p || (size_t)(stop - p) > decimals || jr_is_digit(*stop))
            return false;
        decimals -= (unsigned)(stop - p);
        for (; p < stop; p++)
            if (__builtin_mul_overflow(*v, 10, v))
                return false;
    }
    for (; decimals; decimals--)
        if (__builtin_mul_overflow(*v, 10, v) || __builtin_mul_overflow(fraction, 10, &fraction))
            return false;
    if ((*stop | 0x20) == 'e' || __builtin_add_overflow(*v, fraction, v))
        return false;
    j->at = stop;
    return true;
}

/* Takes digits, into text when keep; false with a problem when there is none. */
static bool number_digits(struct jread *j, bool keep, size_t *count)
{
    int c;
    for (*count = 0; jr_is_digit(c = jr_peek(j)); j->at++, ++*count) {
        if (!keep)
            continue;
        if (j->text_len >= JREAD_STRING_MAX)
            return jr_fail(j, "a number is too long");
        if (j->text_cap - j->text_len < 32) { /* room for the exponent, too */
            size_t cap = j->text_cap * 2 + 256;
            j->text = mem_realloc(j->text, cap);
            j->text_cap = cap;
        }
        j->text[j->text_len++] = (char)c;
    }
    if (*count)
        return true;
    return c == JR_EOF ? jr_truncated(j) : jr_fail(j, "bad number");
}

static bool number_exponent(struct jread *j, int64_t *exponent)
{
    j->at++;
    int c = jr_peek(j);
    bool negative = c == '-';
    if (c == '-' || c == '+')
        j->at++;
    int64_t v = 0;
    bool any = false;
    for (; jr_is_digit(c = jr_peek(j)); j->at++, any = true)
        v = v < EXPONENT_MAX ? v * 10 + (c - '0') : v;
    if (!any)
        return c == JR_EOF ? jr_truncated(j) : jr_fail(j, "bad number");
    v = v < EXPONENT_MAX ? v : EXPONENT_MAX;
    *exponent = negative ? -v : v;
    return true;
}

bool jr_number(struct jread *j, struct jnumber *n)
{
    bool keep = n != NULL;
    int64_t exponent = 0;
    size_t whole, fraction = 0;
    bool negative = jr_peek(j) == '-';
    if (negative)
        j->at++;
    if (keep) {
        jr_forget(j);
        j->text_len = 0;
    }
    bool zero = jr_peek(j) == '0';
    if (!number_digits(j, keep, &whole))
        return false;
    if (zero && whole > 1)
        return jr_fail(j, "bad number");
    if (jr_peek(j) == '.') {
        j->at++;
        if (!number_digits(j, keep, &fraction))
            return false;
    }
    int c = jr_peek(j);
    if ((c == 'e' || c == 'E') && !number_exponent(j, &exponent))
        return false;
    if (keep)
        *n = (struct jnumber){negative, exponent - (int64_t)fraction};
    return !j->problem;
}

/* The magnitude, when the number is integral and fits. */
bool jr_number_integer(const struct jread *j, const struct jnumber *n, uint64_t *v)
{
    const char *p = j->text, *end = p + j->text_len;
    int64_t exponent = n->exponent;
    for (; end > p && end[-1] == '0'; end--)
        exponent++;
    while (p < end && *p == '0')
        p++;
    *v = 0;
    if (p == end)
        return true;
    if (exponent < 0 || exponent > 20 || end - p > 20)
        return false;
    for (int64_t left = (end - p) + exponent; left > 0; left--) {
        uint64_t digit = p < end ? (uint64_t)(*p++ - '0') : 0;
        if (__builtin_mul_overflow(*v, 10, v) || __builtin_add_overflow(*v, digit, v))
            return false;
    }
    return true;
}

/* The magnitude times 10^decimals, rounded, when it fits. */
bool jr_number_fixed(const struct jread *j, const struct jnumber *n, unsigned decimals, uint64_t *v)
{
    struct jnumber scaled = {n->negative, n->exponent + decimals};
    if (scaled.exponent >= 0)
        return jr_number_integer(j, &scaled, v);
    const char *p = j->text, *end = p + j->text_len;
    const char *cut = scaled.exponent < p - end ? NULL : end + scaled.exponent;
    *v = 0;
    if (!cut)
        return true; /* smaller than a tenth of a unit */
    for (; p < cut; p++)
        if (__builtin_mul_overflow(*v, 10, v) ||
            __builtin_add_overflow(*v, (uint64_t)(*p - '0'), v))
            return false;
    return cut == end || *cut < '5' || !__builtin_add_overflow(*v, 1, v);
}

/* False when it is too large for a double. */
bool jr_number_double(struct jread *j, const struct jnumber *n, double *v)
{
    static const double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    uint64_t digits = 0;
    for (size_t i = 0; i < j->text_len && i < 19; i++)
        digits = digits * 10 + (uint64_t)(j->text[i] - '0');
    if (j->text_len <= 19 && digits <= (uint64_t)1 << 53 && n->exponent >= -22 &&
        n->exponent <= 22) {
        /* Both sides are exact, so the one operation rounds once. */
        *v = n->exponent < 0 ? (double)digits / power[-n->exponent]
                             : (double)digits * power[n->exponent];
    } else {
        /* No point in this text, so the locale has no say. */
        snprintf(j->text + j->text_len, 24, "e%lld", (long long)n->exponent);
        *v = strtod(j->text, NULL);
    }
    if (n->negative)
        *v = -*v;
    return isfinite(*v);
}
