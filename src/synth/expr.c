#include "synth/expr.h"

#include <ctype.h>
#include <string.h>

#include "base/str.h"

static const struct {
    const char *name;
    int64_t factor;
} units[] = {
    {"ns", 1},
    {"us", 1000},
    {"ms", 1000000},
    {"s", 1000000000},
    {"min", 60000000000},
    {"B", 1},
    {"kB", 1000},
    {"MB", 1000000},
    {"GB", 1000000000},
    {"TB", 1000000000000},
    {"KiB", 1 << 10},
    {"MiB", 1 << 20},
    {"GiB", 1 << 30},
    {"TiB", (int64_t)1 << 40},
    {"MB/s", 1000000},
    {"GB/s", 1000000000},
    {"TB/s", 1000000000000},
    {"k", 1000},
    {"M", 1000000},
};

/* The index of a unit in bytes or ns: how many of the base unit; 0 when unknown. */
static int64_t expr_unit(const char *s, size_t n)
{
    for (size_t i = 0; i < ARRAY_LEN(units); i++)
        if (strlen(units[i].name) == n && !memcmp(units[i].name, s, n))
            return units[i].factor;
    return 0;
}

static struct expr *node(struct scan *s, enum expr_op op, const struct expr *a,
                         const struct expr *b)
{
    struct expr *e = arena_new(s->program->arena, struct expr);
    e->op = op;
    e->a = a;
    e->b = b;
    return e;
}

static void *bad(struct scan *s, const char *what)
{
    int n = s->end - s->at > 40 ? 40 : (int)(s->end - s->at);
    if (n)
        fail(s->err, GS_E_FORMAT, "line %d: %s at '%.*s'", s->line, what, n, s->at);
    else
        fail(s->err, GS_E_FORMAT, "line %d: %s at the end", s->line, what);
    return NULL;
}

static int peek(const struct scan *s, size_t ahead)
{
    return (size_t)(s->end - s->at) > ahead ? (unsigned char)s->at[ahead] : -1;
}

static void skip_blanks(struct scan *s)
{
    while (peek(s, 0) == ' ' || peek(s, 0) == '\t')
        s->at++;
}

static bool name_char(int c)
{
    return c == '_' || (c >= 0 && isalnum(c));
}

/* The letters behind a number; "x8" in 64x8 is none. */
static size_t unit_length(const struct scan *s)
{
    if (peek(s, 0) == 'x' && (peek(s, 1) == '(' || (peek(s, 1) >= 0 && isdigit(peek(s, 1)))))
        return 0;
    size_t n = 0;
    while (peek(s, n) >= 0 && isalpha(peek(s, n)))
        n++;
    if (n && peek(s, n) == '/' && peek(s, n + 1) == 's' && !name_char(peek(s, n + 2)))
        n += 2;
    return n;
}

static int digit_of(int c, int base)
{
    int d = c >= '0' && c <= '9'   ? c - '0'
            : c >= 'a' && c <= 'f' ? c - 'a' + 10
            : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                   : 99;
    return d < base ? d : -1;
}

static const struct expr *number(struct scan *s)
{
    const char *start = s->at;
    int base = peek(s, 0) == '0' && peek(s, 1) == 'x' && digit_of(peek(s, 2), 16) >= 0 ? 16 : 10;
    if (base == 16)
        s->at += 2;
    __int128 whole = 0, part = 0, scale = 1;
    bool fraction = false;
    for (; digit_of(peek(s, 0), base) >= 0 || peek(s, 0) == '_' ||
           (peek(s, 0) == '.' && base == 10 && !fraction && digit_of(peek(s, 1), 10) >= 0);
         s->at++) {
        int d = digit_of(peek(s, 0), base);
        if (peek(s, 0) == '.')
            fraction = true;
        if (d < 0)
            continue;
        if (fraction && scale < 1000000000000) {
            part = part * 10 + d;
            scale *= 10;
        } else if (!fraction) {
            whole = whole * base + d;
        }
        if (whole > INT64_MAX) {
            s->at = start;
            return bad(s, "number too large");
        }
    }
    size_t n = unit_length(s);
    int64_t factor = n ? expr_unit(s->at, n) : 1;
    if (!factor)
        return bad(s, "unknown unit");
    if (fraction && !n)
        return bad(s, "a number with a fraction needs a unit");
    __int128 v = whole * factor + part * factor / scale;
    if (v > INT64_MAX) {
        s->at = start;
        return bad(s, "number too large");
    }
    s->at += n;
    struct expr *e = node(s, EX_CONST, NULL, NULL);
    e->value = (int64_t)v;
    return e;
}

static const struct expr *comparison(struct scan *s);

static const struct expr *call(struct scan *s, enum expr_op op)
{
    s->at++;
    const struct expr *a = comparison(s);
    skip_blanks(s);
    if (!a)
        return NULL;
    if (peek(s, 0) != ',')
        return bad(s, "',' expected");
    s->at++;
    const struct expr *b = comparison(s);
    skip_blanks(s);
    if (!b)
        return NULL;
    if (peek(s, 0) != ')')
        return bad(s, "')' expected");
    s->at++;
    return node(s, op, a, b);
}

static const struct expr *variable(struct scan *s)
{
    size_t n = 0;
    while (name_char(peek(s, n)))
        n++;
    const char *word = s->at;
    if (peek(s, n) == '(') {
        static const char *const names[] = {"min", "max", "rand"};
        static const enum expr_op ops[] = {EX_MIN, EX_MAX, EX_RAND};
        for (size_t i = 0; i < ARRAY_LEN(names); i++)
            if (strlen(names[i]) == n && !memcmp(names[i], word, n)) {
                s->at += n;
                return call(s, ops[i]);
            }
        return bad(s, "unknown function");
    }
    int slot = program_local(s->program, word, n, false);
    int param = program_param(s->program, word, n);
    if (slot < 0 && param < 0)
        return bad(s, "unknown variable");
    s->at += n;
    struct expr *e = node(s, slot >= 0 ? EX_LOCAL : EX_PARAM, NULL, NULL);
    e->value = slot >= 0 ? slot : param;
    return e;
}

static const struct expr *primary(struct scan *s)
{
    skip_blanks(s);
    int c = peek(s, 0);
    if (c == '(') {
        s->at++;
        const struct expr *e = comparison(s);
        skip_blanks(s);
        if (e && peek(s, 0) != ')')
            return bad(s, "')' expected");
        s->at += e != NULL;
        return e;
    }
    if (c >= 0 && isdigit(c))
        return number(s);
    if (c == '_' || (c >= 0 && isalpha(c)))
        return variable(s);
    return bad(s, "a number expected");
}

static const struct expr *signed_primary(struct scan *s)
{
    if (++s->depth > MAX_EXPR_DEPTH)
        return bad(s, "expression too deep");
    skip_blanks(s);
    const struct expr *e;
    if (peek(s, 0) == '-') {
        s->at++;
        const struct expr *a = signed_primary(s);
        e = a ? node(s, EX_NEG, a, NULL) : NULL;
    } else {
        e = primary(s);
    }
    s->depth--;
    return e;
}

static const struct expr *product(struct scan *s)
{
    const struct expr *e = signed_primary(s);
    for (int chain = 0; e; chain++) {
        skip_blanks(s);
        int c = peek(s, 0);
        /* A '%' with nothing behind it is the unit of a jitter. */
        if (!(c == '*' || c == '/' || (c == '%' && peek(s, 1) >= 0)))
            break;
        if (chain + s->depth > MAX_EXPR_DEPTH)
            return bad(s, "expression too long");
        s->at++;
        const struct expr *b = signed_primary(s);
        e = b ? node(s, c == '*' ? EX_MUL : c == '/' ? EX_DIV : EX_MOD, e, b) : NULL;
    }
    return e;
}

static const struct expr *sum(struct scan *s)
{
    const struct expr *e = product(s);
    for (int chain = 0; e; chain++) {
        skip_blanks(s);
        int c = peek(s, 0);
        if (c != '+' && c != '-')
            break;
        if (chain + s->depth > MAX_EXPR_DEPTH)
            return bad(s, "expression too long");
        s->at++;
        const struct expr *b = product(s);
        e = b ? node(s, c == '+' ? EX_ADD : EX_SUB, e, b) : NULL;
    }
    return e;
}

static const struct expr *comparison(struct scan *s)
{
    static const char *const signs[] = {"==", "!=", "<=", ">=", "<", ">"};
    static const enum expr_op ops[] = {EX_EQ, EX_NE, EX_LE, EX_GE, EX_LT, EX_GT};
    const struct expr *a = sum(s);
    if (!a)
        return NULL;
    skip_blanks(s);
    for (size_t i = 0; i < 6; i++) {
        size_t n = strlen(signs[i]);
        if ((size_t)(s->end - s->at) < n || memcmp(s->at, signs[i], n))
            continue;
        s->at += n;
        const struct expr *b = sum(s);
        return b ? node(s, ops[i], a, b) : NULL;
    }
    return a;
}

const struct expr *expr_parse(struct scan *s)
{
    return comparison(s);
}
