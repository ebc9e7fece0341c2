/* The window, white space, strings and words of the JSON reader. */
#include "base/jread_impl.h"

static const char TOO_LONG[] = "a string is too long";

/* Newlines in [p, end); *tail gets the bytes after the last one, and stays when there is none. */
static uint64_t count_lines(const char *p, const char *end, uint64_t *tail)
{
    uint64_t n = 0;
    const char *q = p;
#ifdef __SSE2__
    const __m128i newline = _mm_set1_epi8('\n'), zero = _mm_setzero_si128();
    while (end - q >= 16) {
        __m128i sums = zero;
        for (int i = 0; i < 255 && end - q >= 16; i++, q += 16)
            sums = _mm_sub_epi8(sums, _mm_cmpeq_epi8(jr_load(q), newline));
        sums = _mm_sad_epu8(sums, zero);
        n += (uint64_t)_mm_extract_epi16(sums, 0) + (uint64_t)_mm_extract_epi16(sums, 4);
    }
#endif
    for (; q < end; q++)
        n += *q == '\n';
    if (n) {
        for (q = end; q[-1] != '\n';)
            q--;
        *tail = (uint64_t)(end - q);
    } else {
        *tail += (uint64_t)(end - p);
    }
    return n;
}

bool jr_fail(struct jread *j, const char *problem)
{
    if (!j->problem) {
        j->problem = problem;
        j->column = j->line_bytes;
        j->line = j->lines + 1 + count_lines(j->start, j->at, &j->column);
        j->column++;
        j->fill = NULL;
        j->at = j->end;
    }
    return false;
}

bool jr_truncated(struct jread *j)
{
    return jr_fail(j, "the file ends too early");
}

bool jr_refill(struct jread *j)
{
    if (!j->fill)
        return false;
    if (!j->window)
        j->start = j->end = j->window = mem_alloc(JR_WINDOW);
    j->lines += count_lines(j->start, j->end, &j->line_bytes);
    j->start = j->at = j->end = j->window;
    ptrdiff_t n = j->fill(j->fill_ctx, j->window, JR_WINDOW);
    if (n < 0 || n > JR_WINDOW) {
        j->unreadable = true;
        return jr_fail(j, "the input cannot be read");
    }
    if (n == 0)
        j->fill = NULL;
    j->end += n;
    return n > 0;
}

int jr_space(struct jread *j)
{
    for (;;) {
        const char *p = j->at, *end = j->end;
        if (p < end && *p == '\n')
            p++;
#ifdef __SSE2__
        for (; end - p >= 16; p += 16) {
            unsigned m = jr_nonspace_mask(jr_load(p));
            if (m) {
                p += __builtin_ctz(m);
                j->at = p;
                return (unsigned char)*p;
            }
        }
#endif
        while (p < end && jr_is_space(*p))
            p++;
        j->at = p;
        if (p < end)
            return (unsigned char)*p;
        if (!jr_refill(j))
            return JR_EOF;
    }
}

bool jr_push(struct jread *j, char c)
{
    if (j->depth == JREAD_DEPTH)
        return jr_fail(j, "nested too deeply");
    j->closer[j->depth++] = c;
    j->first = true;
    j->at++;
    return true;
}

/* Room for n more bytes of text and some. */
static bool text_room(struct jread *j, size_t n)
{
    if (j->text_len + n > JREAD_STRING_MAX)
        return jr_fail(j, TOO_LONG);
    if (j->text_cap - j->text_len < n + 32) {
        size_t cap = (j->text_len + n) * 2 + JR_TEXT;
        j->text = mem_realloc(j->text, cap);
        j->text_cap = cap;
    }
    return true;
}

static bool text_put(struct jread *j, const char *p, size_t n)
{
    if (!text_room(j, n))
        return false;
    memcpy(j->text + j->text_len, p, n);
    j->text_len += n;
    return true;
}

/* A code point below 0x110000 as UTF-8. */
static bool text_put_code(struct jread *j, uint32_t c)
{
    char b[4];
    size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = n; i-- > 1; c >>= 6)
        b[i] = (char)(0x80 | (c & 0x3f));
    b[0] = (char)(lead[n] | c);
    return text_put(j, b, n);
}

/*
 * A \u escape. A high surrogate is first put as U+FFFD; when its partner follows at once, the
 * pair takes that place. So nothing has to look ahead over the edge of the window.
 */
static bool put_unicode(struct jread *j, uint32_t c)
{
    bool pair = c >= 0xdc00 && c < 0xe000 && j->pair_at && j->pair_at == j->text_len;
    bool high = c >= 0xd800 && c < 0xdc00;
    j->pair_at = 0;
    if (pair) {
        j->text_len -= 3;
        return text_put_code(j, 0x10000 + ((j->pair_high - 0xd800) << 10) + (c - 0xdc00));
    }
    if (!text_put_code(j, c >= 0xd800 && c < 0xe000 ? 0xfffd : c))
        return false;
    if (high) {
        j->pair_high = c;
        j->pair_at = j->text_len;
    }
    return true;
}

static int hex_digit(int c)
{
    if (jr_is_digit(c))
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The escape at the backslash; *code gets its character, or the code unit of a \u (then true). */
static bool take_escape(struct jread *j, uint32_t *code, bool *unicode)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    j->at++;
    int c = jr_peek(j);
    if (c == JR_EOF)
        return jr_truncated(j);
    *unicode = c == 'u';
    *code = 0;
    if (!*unicode) {
        const char *hit = c ? strchr(from, c) : NULL;
        if (!hit)
            return jr_fail(j, "bad escape in a string");
        *code = (unsigned char)to[hit - from];
        j->at++;
        return true;
    }
    j->at++;
    for (int i = 0; i < 4; i++) {
        c = jr_peek(j);
        if (c == JR_EOF)
            return jr_truncated(j);
        int digit = hex_digit(c);
        if (digit < 0)
            return jr_fail(j, "bad escape in a string");
        *code = *code << 4 | (uint32_t)digit;
        j->at++;
    }
    return true;
}

/* Moves the plain bytes at hand into text, at most to the end of the window. */
static bool take_plain(struct jread *j)
{
#ifdef __SSE2__
    /* Almost every string: short, and well inside the window. One pass scans and copies. */
    while (j->end - j->at >= 16 && j->text_cap - j->text_len >= 32 &&
           j->text_len < JREAD_STRING_MAX - 16) {
        __m128i x = jr_load(j->at);
        unsigned m = jr_string_mask(x);
        _mm_storeu_si128((__m128i *)(void *)(j->text + j->text_len), x);
        size_t n = m ? (size_t)__builtin_ctz(m) : 16;
        j->text_len += n;
        j->at += n;
        if (m)
            return true;
    }
#endif
    const char *stop = jr_plain_end(j->at, j->end);
    const char *p = j->at;
    if (!text_put(j, p, (size_t)(stop - p)))
        return false;
    j->at = stop;
    return true;
}

bool jr_string(struct jread *j)
{
    jr_forget(j);
    j->text_len = 0;
    j->pair_at = 0;
    for (;;) {
        if (!take_plain(j))
            return false;
        int c = jr_peek(j);
        if (c == '"') {
            j->at++;
            j->text[j->text_len] = '\0';
            return true;
        }
        uint32_t code;
        bool unicode;
        if (c == JR_EOF)
            return jr_truncated(j);
        if (c < ' ')
            return jr_fail(j, "control character in a string");
        if (c == '\\') {
            if (!take_escape(j, &code, &unicode))
                return false;
            if (unicode ? !put_unicode(j, code) : !text_put_code(j, code))
                return false;
        }
    }
}

bool jr_skip_string(struct jread *j)
{
    for (;;) {
        j->at = jr_plain_end(j->at, j->end);
        int c = jr_peek(j);
        uint32_t code;
        bool unicode;
        if (c == '"') {
            j->at++;
            return true;
        }
        if (c == JR_EOF)
            return jr_truncated(j);
        if (c < ' ')
            return jr_fail(j, "control character in a string");
        if (c == '\\' && !take_escape(j, &code, &unicode))
            return false;
    }
}

bool jr_word(struct jread *j, const char *word)
{
    for (; *word; word++, j->at++) {
        int c = jr_peek(j);
        if (c == JR_EOF)
            return jr_truncated(j);
        if (c != *word)
            return jr_fail(j, "expected a value");
    }
    return true;
}
