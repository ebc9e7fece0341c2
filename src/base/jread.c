#include "base/jread.h"

#include "base/jread_impl.h"
#include "base/mem.h"

void jr_memory(struct jread *j, const char *text, size_t n)
{
    memset(j, 0, offsetof(struct jread, closer));
    j->start = j->at = n ? text : "";
    j->end = j->at + n;
}

void jr_stream(struct jread *j, jread_fill *fill, void *ctx)
{
    jr_memory(j, NULL, 0);
    j->fill = fill;
    j->fill_ctx = ctx;
}

void jr_release(struct jread *j)
{
    mem_free(j->window);
    mem_free(j->text);
    jr_memory(j, NULL, 0);
}

enum jtype jr_type(struct jread *j)
{
    int c = jr_next(j);
    switch (c) {
    case '{':
        return J_OBJECT;
    case '[':
        return J_ARRAY;
    case '"':
        return J_STRING;
    case 't':
    case 'f':
        return J_BOOL;
    case 'n':
        return J_NULL;
    default:
        return c == '-' || jr_is_digit(c) ? J_NUMBER : J_NONE;
    }
}

bool jr_object(struct jread *j)
{
    if (jr_next(j) == '{')
        return jr_push(j, '}');
    jr_skip(j);
    return false;
}

bool jr_array(struct jread *j)
{
    if (jr_next(j) == '[')
        return jr_push(j, ']');
    jr_skip(j);
    return false;
}

/*
 * The first byte of the next member or item, past the comma; JR_EOF when there is none, since
 * the container was closed (and left) or something is wrong.
 */
static int next_member(struct jread *j, char closer)
{
    int c = jr_next(j);
    if (!j->depth || j->closer[j->depth - 1] != closer)
        return JR_EOF; /* the caller is not where it thinks it is */
    if (c == closer) {
        j->at++;
        j->depth--;
        j->first = false;
        return JR_EOF;
    }
    if (!j->first && c == ',') {
        j->at++;
        c = jr_next(j);
    } else if (!j->first && c != JR_EOF) {
        jr_fail(j, closer == '}' ? "expected ',' or '}'" : "expected ',' or ']'");
        return JR_EOF;
    }
    j->first = false;
    if (c == JR_EOF)
        jr_truncated(j);
    return c;
}

#ifdef __SSE2__

/*
 * A key of at most 32 plain bytes, well inside the window: one pass scans and copies.
 * False leaves everything as it was.
 */
static inline bool fast_key(struct jread *j)
{
    const char *p = j->at, *end = j->end;
    if (end - p < JR_MARGIN + 2 || j->text_cap < JR_MARGIN || !j->depth ||
        j->closer[j->depth - 1] != '}' || (!j->first && *p != ','))
        return false;
    p = jr_fast_space(p + !j->first, end);
    if (end - p < JR_MARGIN || *p != '"')
        return false;
    p++;
    __m128i a = jr_load(p), b = jr_load(p + 16);
    unsigned m = jr_string_mask(a) | jr_string_mask(b) << 16;
    unsigned n = m ? (unsigned)__builtin_ctz(m) : 0;
    if (!m || p[n] != '"' || p[n + 1] != ':')
        return false;
    jr_forget(j);
    _mm_storeu_si128((__m128i *)(void *)j->text, a);
    _mm_storeu_si128((__m128i *)(void *)(j->text + 16), b);
    j->text[n] = '\0';
    j->text_len = n;
    j->first = false;
    p += n + 2;
    j->at = p + (*p == ' ');
    return true;
}

#else

static bool fast_key(struct jread *j)
{
    (void)j;
    return false;
}

#endif

bool jr_key(struct jread *j)
{
    if (fast_key(j))
        return true;
    int c = next_member(j, '}');
    if (c == JR_EOF)
        return false;
    if (c != '"')
        return jr_fail(j, "expected a key");
    j->at++;
    if (!jr_string(j))
        return false;
    c = jr_next(j);
    if (c == JR_EOF)
        return jr_truncated(j);
    if (c != ':')
        return jr_fail(j, "expected ':'");
    j->at++;
    return true;
}

bool jr_item(struct jread *j)
{
    int c = next_member(j, ']');
    if (c == JR_EOF)
        return false;
    return c != ']' || jr_fail(j, "expected a value");
}

/* A string that is an integer and nothing else. */
static bool text_integer(const struct jread *j, uint64_t *v, bool *negative)
{
    const char *p = j->text, *end = p + j->text_len;
    *negative = p < end && *p == '-';
    p += *negative;
    if (p == end)
        return false;
    for (*v = 0; p < end; p++) {
        if (!jr_is_digit(*p) || __builtin_mul_overflow(*v, 10, v) ||
            __builtin_add_overflow(*v, (uint64_t)(*p - '0'), v))
            return false;
    }
    return true;
}

/* Consumes the value; true with sign and magnitude when it is an integer in some form. */
static bool take_integer(struct jread *j, uint64_t *v, bool *negative)
{
    int c = jr_next(j);
    if (jr_fast_integer(j, v, negative))
        return true;
    if (c == '"') {
        j->at++;
        return jr_string(j) && text_integer(j, v, negative);
    }
    if (c != '-' && !jr_is_digit(c)) {
        jr_skip(j);
        return false;
    }
    struct jnumber n;
    if (!jr_number(j, &n))
        return false;
    *negative = n.negative;
    return jr_number_integer(j, &n, v);
}

int64_t jr_int(struct jread *j, int64_t otherwise)
{
    uint64_t v;
    bool negative;
    if (!take_integer(j, &v, &negative) || v > (uint64_t)INT64_MAX + negative)
        return otherwise;
    return negative ? (int64_t)(0 - v) : (int64_t)v;
}

uint64_t jr_uint(struct jread *j, uint64_t otherwise)
{
    uint64_t v;
    bool negative;
    return take_integer(j, &v, &negative) && !(negative && v) ? v : otherwise;
}

double jr_num(struct jread *j, double otherwise)
{
    int c = jr_next(j);
    uint64_t v;
    bool negative;
    if (jr_fast_integer(j, &v, &negative))
        return negative ? -(double)v : (double)v;
    if (c != '-' && !jr_is_digit(c)) {
        jr_skip(j);
        return otherwise;
    }
    struct jnumber n;
    double d;
    return jr_number(j, &n) && jr_number_double(j, &n, &d) ? d : otherwise;
}

/* A string that is a plain decimal number becomes one: text without the point, and n. */
static bool text_decimal(struct jread *j, struct jnumber *n)
{
    size_t from = j->text_len && j->text[0] == '-', to = 0, point = SIZE_MAX;
    n->negative = from == 1;
    for (size_t i = from; i < j->text_len; i++) {
        if (jr_is_digit(j->text[i]))
            j->text[to++] = j->text[i];
        else if (j->text[i] == '.' && point == SIZE_MAX)
            point = to;
        else
            return false;
    }
    j->text_len = to;
    n->exponent = point == SIZE_MAX ? 0 : -(int64_t)(to - point);
    return to && point != 0 && point != to;
}

int64_t jr_fixed(struct jread *j, unsigned decimals, int64_t otherwise)
{
    int c = jr_next(j);
    uint64_t v;
    struct jnumber n;
    bool ok;
    if (jr_fast_fixed(j, decimals, &v, &n.negative)) {
        ok = true;
    } else if (c == '"') {
        j->at++;
        ok = jr_string(j) && text_decimal(j, &n) && jr_number_fixed(j, &n, decimals, &v);
    } else if (c == '-' || jr_is_digit(c)) {
        ok = jr_number(j, &n) && jr_number_fixed(j, &n, decimals, &v);
    } else {
        jr_skip(j);
        return otherwise;
    }
    if (!ok || v > (uint64_t)INT64_MAX + n.negative)
        return otherwise;
    return n.negative ? (int64_t)(0 - v) : (int64_t)v;
}

bool jr_bool(struct jread *j, bool otherwise)
{
    int c = jr_next(j);
    if (c != 't' && c != 'f') {
        jr_skip(j);
        return otherwise;
    }
    return jr_word(j, c == 't' ? "true" : "false") ? c == 't' : otherwise;
}

const char *jr_str(struct jread *j, size_t *n)
{
    if (n)
        *n = 0;
    if (jr_next(j) != '"') {
        jr_skip(j);
        return NULL;
    }
    j->at++;
    if (!jr_string(j))
        return NULL;
    if (n)
        *n = j->text_len;
    return j->text;
}

char *jr_strdup(struct jread *j, struct arena *a)
{
    size_t n;
    const char *s = jr_str(j, &n);
    return s ? arena_strndup(a, s, n) : NULL;
}

bool jr_end(struct jread *j, struct gs_error *err)
{
    int c = jr_next(j);
    if (j->depth && c == JR_EOF)
        jr_truncated(j);
    else if (c != JR_EOF)
        jr_fail(j, "expected nothing more");
    return jr_error(j, err);
}

bool jr_failed(const struct jread *j)
{
    return j->problem != NULL;
}

bool jr_error(const struct jread *j, struct gs_error *err)
{
    if (!j->problem)
        return true;
    if (j->unreadable)
        return fail(err, GS_E_IO, "%s", j->problem);
    return fail(err, GS_E_FORMAT, "bad JSON: %s, line %llu, column %llu", j->problem,
                (unsigned long long)j->line, (unsigned long long)j->column);
}

static void release_it(void *j)
{
    jr_release(j);
}

struct jread *jr_new(struct arena *a, jread_fill *fill, void *ctx)
{
    struct jread *j = arena_new(a, struct jread);
    jr_stream(j, fill, ctx);
    arena_defer(a, release_it, j);
    return j;
}

struct jread *jr_text(struct arena *a, const char *text, size_t n)
{
    struct jread *j = jr_new(a, NULL, NULL);
    jr_memory(j, text, n);
    return j;
}

void jr_next_text(struct jread *j, const char *text, size_t n)
{
    char *buffer = j->text;
    size_t room = j->text_cap;
    jr_memory(j, text, n);
    j->text = buffer;
    j->text_cap = room;
}
