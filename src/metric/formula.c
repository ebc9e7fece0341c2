#include "metric/formula.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/vec.h"
#include "metric/formula_in.h"

struct parser {
    const char *text, *at;
    struct arena *arena;
    struct gs_error *err;
    VEC(struct formula_op) ops;
    VEC(struct formula_name) names;
    size_t height, depth; /* of the stack: now, at most */
    int nesting;
};

static bool ternary(struct parser *p);

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static void skip_space(struct parser *p)
{
    while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r')
        p->at++;
}

static bool wrong(struct parser *p, const char *what)
{
    return fail(p->err, GS_E_FORMAT, "%s at column %zu of the formula", what,
                (size_t)(p->at - p->text) + 1);
}

static bool take(struct parser *p, char c)
{
    skip_space(p);
    if (*p->at != c)
        return false;
    p->at++;
    return true;
}

static bool need(struct parser *p, char c, const char *what)
{
    return take(p, c) || wrong(p, what);
}

static bool emit(struct parser *p, struct formula_op op)
{
    if (p->ops.n >= FORMULA_OPS)
        return wrong(p, "too many operations");
    p->height = p->height - op.args + 1;
    p->depth = p->height > p->depth ? p->height : p->depth;
    vec_push(&p->ops, p->arena, op);
    return true;
}

static bool number(struct parser *p)
{
    /* strtod takes hex, "inf" and locales; a copy of plain digits does not. */
    char copy[64];
    size_t n = 0;
    const char *s = p->at;
    while (is_digit(s[n]) || s[n] == '.')
        n++;
    if (n && (s[n] == 'e' || s[n] == 'E')) {
        size_t sign = s[n + 1] == '-' || s[n + 1] == '+';
        if (is_digit(s[n + 1 + sign]))
            for (n += 1 + sign; is_digit(s[n]);)
                n++;
    }
    if (n >= sizeof(copy))
        return wrong(p, "number too long");
    memcpy(copy, s, n);
    copy[n] = 0;
    char *end;
    double v = strtod(copy, &end);
    if (*end || end == copy || !isfinite(v))
        return wrong(p, "bad number");
    p->at += n;
    return emit(p, (struct formula_op){.code = OP_NUMBER, .number = v});
}

static bool word(struct parser *p, char out[FORMULA_NAME_BYTES])
{
    size_t n = 0;
    if (!is_letter(*p->at))
        return wrong(p, "expected a name");
    while (is_letter(p->at[n]) || is_digit(p->at[n]))
        n++;
    if (n >= FORMULA_NAME_BYTES)
        return wrong(p, "name too long");
    memcpy(out, p->at, n);
    out[n] = 0;
    p->at += n;
    return true;
}

/* ------------------------------------------------------------------------------------ names */
static bool same_name(const struct formula_name *a, const struct formula_name *b)
{
    return a->is_variable == b->is_variable && a->reduction == b->reduction &&
           a->instance == b->instance && str_eq(a->text, b->text);
}

static bool emit_name(struct parser *p, struct formula_name name)
{
    size_t i = 0;
    while (i < p->names.n && !same_name(&p->names.v[i], &name))
        i++;
    if (i == FORMULA_NAMES)
        return wrong(p, "too many names");
    if (i == p->names.n) {
        name.text = arena_strdup(p->arena, name.text);
        name.spelt = arena_strdup(p->arena, name.spelt);
        vec_push(&p->names, p->arena, name);
    }
    return emit(p, (struct formula_op){.code = OP_NAME, .name = (uint32_t)i});
}

static bool variable(struct parser *p)
{
    char buf[FORMULA_NAME_BYTES + 1] = "$";
    return word(p, buf + 1) &&
           emit_name(p, (struct formula_name){
                            .text = buf + 1, .spelt = buf, .instance = -1, .is_variable = true});
}

static bool counter(struct parser *p, char *name)
{
    char spelt[FORMULA_NAME_BYTES + 16];
    memcpy(spelt, name, strlen(name) + 1);
    struct formula_name n = {.text = name, .spelt = spelt, .instance = -1};
    if (!take(p, '[')) {
        n.reduction = counter_reduction(name);
        reduction_cut(name, &n.reduction);
        return emit_name(p, n);
    }
    skip_space(p);
    int32_t at = 0;
    const char *digits = p->at;
    for (; is_digit(*p->at) && at < 100000; p->at++)
        at = at * 10 + (*p->at - '0');
    if (p->at == digits || !take(p, ']'))
        return wrong(p, "expected the number of an instance and ]");
    n.instance = at;
    return emit_name(p, n);
}

static bool reduce_call(struct parser *p)
{
    char name[FORMULA_NAME_BYTES], how[FORMULA_NAME_BYTES];
    char spelt[FORMULA_NAME_BYTES];
    struct formula_name n = {.text = name, .spelt = spelt, .instance = -1};
    skip_space(p);
    if (!word(p, name) || !need(p, ',', "expected a comma"))
        return false;
    memcpy(spelt, name, sizeof(spelt));
    skip_space(p);
    if (!word(p, how))
        return false;
    if (!reduction_find(how, &n.reduction))
        return wrong(p, "expected sum, max, min or avr");
    return need(p, ')', "expected )") && emit_name(p, n);
}

/* -------------------------------------------------------------------------------- functions */
static const struct {
    const char *name;
    enum formula_code code;
    uint32_t least, most;
} functions[] = {
    {"min", OP_MIN, 1, 64},     {"max", OP_MAX, 1, 64},    {"sum", OP_SUM, 1, 64},
    {"avg", OP_AVG, 1, 64},     {"mean", OP_AVG, 1, 64},   {"abs", OP_ABS, 1, 1},
    {"round", OP_ROUND, 1, 1},  {"floor", OP_FLOOR, 1, 1}, {"mod", OP_MOD, 2, 2},
    {"first", OP_FIRST, 1, 64},
};

static bool call(struct parser *p, const char *name)
{
    size_t i = 0, n = ARRAY_LEN(functions);
    if (str_eq(name, "reduce"))
        return reduce_call(p);
    while (i < n && !str_eq(functions[i].name, name))
        i++;
    if (i == n)
        return wrong(p, "unknown function before");
    uint32_t args = 0;
    do {
        if (!ternary(p))
            return false;
        args++;
    } while (args <= functions[i].most && take(p, ','));
    if (!need(p, ')', "expected a comma or )"))
        return false;
    if (args < functions[i].least || args > functions[i].most)
        return wrong(p, "wrong number of arguments before");
    return emit(p, (struct formula_op){.code = functions[i].code, .args = args});
}

/* -------------------------------------------------------------------------------- operators */
static bool primary(struct parser *p)
{
    char name[FORMULA_NAME_BYTES];
    skip_space(p);
    if (is_digit(*p->at) || *p->at == '.')
        return number(p);
    if (take(p, '$'))
        return variable(p);
    if (take(p, '('))
        return ternary(p) && need(p, ')', "expected )");
    if (!word(p, name))
        return false;
    return take(p, '(') ? call(p, name) : counter(p, name);
}

static bool unary(struct parser *p)
{
    size_t minuses = 0;
    while (take(p, '-'))
        minuses++;
    if (!primary(p))
        return false;
    return minuses % 2 == 0 || emit(p, (struct formula_op){.code = OP_NEGATE, .args = 1});
}

/* Operands with one of two operators between them, from the left. */
static bool operands(struct parser *p, bool (*operand)(struct parser *), char first,
                     enum formula_code of_first, char second, enum formula_code of_second)
{
    if (!operand(p))
        return false;
    for (;;) {
        enum formula_code code = take(p, first)    ? of_first
                                 : take(p, second) ? of_second
                                                   : OP_NUMBER;
        if (code == OP_NUMBER)
            return true;
        if (!operand(p) || !emit(p, (struct formula_op){.code = code, .args = 2}))
            return false;
    }
}

static bool product(struct parser *p)
{
    return operands(p, unary, '*', OP_MULTIPLY, '/', OP_DIVIDE);
}

static bool sum(struct parser *p)
{
    return operands(p, product, '+', OP_ADD, '-', OP_SUBTRACT);
}

static enum formula_code take_comparison(struct parser *p)
{
    static const struct {
        const char *text;
        enum formula_code code;
    } list[] = {{"<=", OP_LESS_EQUAL}, {">=", OP_GREATER_EQUAL}, {"==", OP_EQUAL},
                {"!=", OP_NOT_EQUAL},  {"<", OP_LESS},           {">", OP_GREATER}};
    skip_space(p);
    for (size_t i = 0; i < ARRAY_LEN(list); i++)
        if (str_starts(p->at, list[i].text)) {
            p->at += strlen(list[i].text);
            return list[i].code;
        }
    return OP_NUMBER;
}

static bool comparison(struct parser *p)
{
    if (!sum(p))
        return false;
    enum formula_code code = take_comparison(p);
    return code == OP_NUMBER || (sum(p) && emit(p, (struct formula_op){.code = code, .args = 2}));
}

static bool ternary(struct parser *p)
{
    if (++p->nesting > FORMULA_DEPTH)
        return wrong(p, "nested too deeply");
    if (!comparison(p))
        return false;
    if (take(p, '?')) {
        if (!ternary(p) || !need(p, ':', "expected :") || !ternary(p) ||
            !emit(p, (struct formula_op){.code = OP_CHOOSE, .args = 3}))
            return false;
    }
    p->nesting--;
    return true;
}

bool formula_parse(const struct formula **out, const char *text, struct arena *arena,
                   struct gs_error *err)
{
    struct parser p = {.text = text, .at = text, .arena = arena, .err = err};
    if (!ternary(&p))
        return false;
    skip_space(&p);
    if (*p.at)
        return wrong(&p, "unexpected text");
    struct formula *f = arena_new(arena, struct formula);
    *f = (struct formula){p.ops.v, p.ops.n, p.names.v, p.names.n, p.depth};
    *out = f;
    return true;
}

const struct formula_name *formula_names(const struct formula *f, size_t *n)
{
    *n = f->n_names;
    return f->names;
}
