#include <assert.h>
#include <math.h>
#include <stdio.h>

#include "metric/formula_in.h"

bool formula_lookup(const struct formula_scope *scope, const struct formula_name *name,
                    double *value)
{
    if (scope->lookup(scope->ctx, name, value))
        return true;
    if (name->is_variable || name->instance >= 0)
        return false;
    char with[FORMULA_NAME_BYTES + 8];
    snprintf(with, sizeof(with), "%s_%s", name->text, reduction_name(name->reduction));
    struct formula_name reduced = *name;
    reduced.text = with;
    return scope->lookup(scope->ctx, &reduced, value);
}

static double first_number(const double *a, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (!isnan(a[i]))
            return a[i];
    return NAN;
}

static double truth(bool b, double x, double y)
{
    return isnan(x) || isnan(y) ? NAN : b ? 1 : 0;
}

static double compare(enum formula_code code, double x, double y)
{
    switch (code) {
    case OP_LESS:
        return truth(x < y, x, y);
    case OP_LESS_EQUAL:
        return truth(x <= y, x, y);
    case OP_GREATER:
        return truth(x > y, x, y);
    case OP_GREATER_EQUAL:
        return truth(x >= y, x, y);
    case OP_EQUAL:
        return truth(x >= y && x <= y, x, y);
    default:
        return truth(x < y || x > y, x, y);
    }
}

/* a: the arguments, first one first. */
static double apply(const struct formula_op *op, const double *a)
{
    switch (op->code) {
    case OP_NEGATE:
        return -a[0];
    case OP_ADD:
        return a[0] + a[1];
    case OP_SUBTRACT:
        return a[0] - a[1];
    case OP_MULTIPLY:
        return a[0] * a[1];
    case OP_DIVIDE:
        return a[1] < 0 || a[1] > 0 ? a[0] / a[1] : NAN;
    case OP_CHOOSE:
        return isnan(a[0]) ? NAN : a[0] < 0 || a[0] > 0 ? a[1] : a[2];
    case OP_MIN:
        return reduce_values(a, op->args, REDUCE_MIN);
    case OP_MAX:
        return reduce_values(a, op->args, REDUCE_MAX);
    case OP_SUM:
        return reduce_values(a, op->args, REDUCE_SUM);
    case OP_AVG:
        return reduce_values(a, op->args, REDUCE_AVG);
    case OP_ABS:
        return fabs(a[0]);
    case OP_ROUND:
        return round(a[0]);
    case OP_FLOOR:
        return floor(a[0]);
    case OP_MOD:
        return a[1] < 0 || a[1] > 0 ? fmod(a[0], a[1]) : NAN;
    case OP_FIRST:
        return first_number(a, op->args);
    default:
        return compare(op->code, a[0], a[1]);
    }
}

static uint64_t look_up(const struct formula *f, const struct formula_scope *scope,
                        double values[FORMULA_NAMES])
{
    uint64_t missing = 0;
    for (size_t i = 0; i < f->n_names; i++) {
        values[i] = NAN;
        if (!formula_lookup(scope, &f->names[i], &values[i]))
            missing |= UINT64_C(1) << i;
        if (!isfinite(values[i]))
            values[i] = NAN;
    }
    return missing;
}

double formula_eval(const struct formula *f, const struct formula_scope *scope)
{
    double values[FORMULA_NAMES], stack[FORMULA_OPS];
    size_t height = 0;
    look_up(f, scope, values);
    for (size_t i = 0; i < f->n; i++) {
        const struct formula_op *op = &f->ops[i];
        height -= op->args;
        double v = op->code == OP_NUMBER ? op->number
                   : op->code == OP_NAME ? values[op->name]
                                         : apply(op, &stack[height]);
        stack[height++] = isfinite(v) ? v : NAN;
    }
    assert(height == 1); /* the parser balances every formula */
    return stack[0];
}

/* All arguments decide, but for first(): the first complete one, or the last. */
static struct formula_parts join(const struct formula_op *op, const struct formula_parts *a)
{
    struct formula_parts out = {0};
    if (op->code == OP_FIRST) {
        out = a[0];
        for (uint32_t i = 1; i < op->args && out.missing; i++)
            out = a[i];
        return out;
    }
    for (uint32_t i = 0; i < op->args; i++) {
        out.used |= a[i].used;
        out.missing |= a[i].missing;
    }
    return out;
}

struct formula_parts formula_parts(const struct formula *f, const struct formula_scope *scope)
{
    double values[FORMULA_NAMES];
    struct formula_parts stack[FORMULA_OPS];
    size_t height = 0;
    uint64_t missing = look_up(f, scope, values);
    for (size_t i = 0; i < f->n; i++) {
        const struct formula_op *op = &f->ops[i];
        height -= op->args;
        struct formula_parts v = {0};
        if (op->code == OP_NAME) {
            uint64_t bit = UINT64_C(1) << op->name;
            v = (struct formula_parts){bit & ~missing, bit & missing};
        } else if (op->code != OP_NUMBER) {
            v = join(op, &stack[height]);
        }
        stack[height++] = v;
    }
    return stack[0];
}
