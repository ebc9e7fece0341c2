/*
 * The inner side of the JSON reader, shared by jread*.c; nobody else includes it.
 *
 * The rule that keeps the fast paths short: they look only at at and end. An error empties the
 * window, so every fast path falls through to a slow one, which finds no next byte, reports a
 * problem (ignored: the first one sticks) and returns false.
 *
 * Tokens may be cut anywhere by the end of the window. Slow paths therefore go byte by byte
 * through jr_peek(), which reads on; fast paths need a margin of bytes and leave when it is
 * missing, always at the start of a token. Only slow paths report problems.
 */
#ifndef GS_BASE_JREAD_IMPL_H
#define GS_BASE_JREAD_IMPL_H

#include "base/jread.h"
#include "base/mem.h"
#include "base/watch.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum {
    JR_EOF = -1,
    JR_WINDOW = 1024 * 1024,
    JR_TEXT = 256,  /* room for a key or string, before it is known */
    JR_MARGIN = 64, /* bytes a fast path may touch without looking at end again */
};

/* A number, taken apart: text[0..text_len) holds the digits without the point. */
struct jnumber {
    bool negative;
    int64_t exponent; /* of ten, for the digits as an integer; clamped to +-10^9 */
};

/* Both always return false. The second is for the end of the document, or a dead stream. */
bool jr_fail(struct jread *j, const char *problem);
bool jr_truncated(struct jread *j);

bool jr_refill(struct jread *j);       /* false: no more bytes */
int jr_space(struct jread *j);         /* the slow half of jr_next() */
bool jr_push(struct jread *j, char c); /* enters a container, c is its closer */
bool jr_string(struct jread *j);       /* after the quote: into text */
bool jr_skip_string(struct jread *j);  /* after the quote */
bool jr_word(struct jread *j, const char *word);

/* Numbers. The first two are fast paths: false leaves everything as it was. */
bool jr_fast_integer(struct jread *j, uint64_t *v, bool *negative);
bool jr_fast_fixed(struct jread *j, unsigned decimals, uint64_t *v, bool *negative);
bool jr_number(struct jread *j, struct jnumber *n); /* n NULL: checked, not kept */
bool jr_number_integer(const struct jread *j, const struct jnumber *n, uint64_t *v);
bool jr_number_double(struct jread *j, const struct jnumber *n, double *v);
bool jr_number_fixed(const struct jread *j, const struct jnumber *n, unsigned decimals,
                     uint64_t *v);

/* Key or string were valid until now: where that is watched, whoever still has them is found. */
static inline void jr_forget(struct jread *j)
{
    if (!WATCHED || !j->text)
        return;
    char *fresh = mem_alloc(JR_TEXT);
    mem_free(j->text);
    j->text = fresh;
    j->text_cap = JR_TEXT;
}

static inline bool jr_is_digit(int c)
{
    return (unsigned)c - '0' < 10;
}

static inline bool jr_is_space(int c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

/* The byte at hand, or JR_EOF. */
static inline int jr_peek(struct jread *j)
{
    if (j->at < j->end || jr_refill(j))
        return (unsigned char)*j->at;
    return JR_EOF;
}

/* The next byte that is no white space, not consumed, or JR_EOF. */
static inline int jr_next(struct jread *j)
{
    const char *p = j->at;
    if (j->end - p >= 2) {
        p += jr_is_space(*p);
        j->at = p;
        if ((unsigned char)*p > ' ')
            return (unsigned char)*p;
    }
    return jr_space(j);
}

#ifdef __SSE2__

static inline __m128i jr_load(const char *p)
{
    return _mm_loadu_si128((const __m128i *)(const void *)p);
}

/* A bit per byte that ends a run of plain string bytes: quote, backslash, control. */
static inline unsigned jr_string_mask(__m128i x)
{
    __m128i quote = _mm_cmpeq_epi8(x, _mm_set1_epi8('"'));
    __m128i slash = _mm_cmpeq_epi8(x, _mm_set1_epi8('\\'));
    __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(x, _mm_set1_epi8(0x1f)), x);
    return (unsigned)_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quote, slash), control));
}

/* A bit per byte that is no decimal digit. */
static inline unsigned jr_nondigit_mask(__m128i x)
{
    __m128i v = _mm_add_epi8(x, _mm_set1_epi8((char)(127 - '9'))); /* digits: 118..127 */
    return (unsigned)_mm_movemask_epi8(_mm_cmplt_epi8(v, _mm_set1_epi8(118)));
}

/* A bit per byte that is no white space. */
static inline unsigned jr_nonspace_mask(__m128i x)
{
    __m128i a =
        _mm_or_si128(_mm_cmpeq_epi8(x, _mm_set1_epi8(' ')), _mm_cmpeq_epi8(x, _mm_set1_epi8('\n')));
    __m128i b = _mm_or_si128(_mm_cmpeq_epi8(x, _mm_set1_epi8('\t')),
                             _mm_cmpeq_epi8(x, _mm_set1_epi8('\r')));
    return ~(unsigned)_mm_movemask_epi8(_mm_or_si128(a, b)) & 0xffff;
}

#endif

/* Over white space; p[1] can be read, the result may be end. */
static inline const char *jr_fast_space(const char *p, const char *end)
{
    if ((unsigned char)*p > ' ')
        return p;
    if (jr_is_space(*p) && (unsigned char)p[1] > ' ')
        return p + 1;
#ifdef __SSE2__
    for (; end - p >= 16; p += 16) {
        unsigned m = jr_nonspace_mask(jr_load(p));
        if (m)
            return p + __builtin_ctz(m);
    }
#endif
    while (p < end && jr_is_space(*p))
        p++;
    return p;
}

/* The first byte of [p, end) that is no plain string byte, or end. */
static inline const char *jr_plain_end(const char *p, const char *end)
{
#ifdef __SSE2__
    for (; end - p >= 16; p += 16) {
        unsigned m = jr_string_mask(jr_load(p));
        if (m)
            return p + __builtin_ctz(m);
    }
#endif
    while (p < end && *p != '"' && *p != '\\' && (unsigned char)*p >= ' ')
        p++;
    return p;
}

#endif
