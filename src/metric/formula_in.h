/*
 * Inside formulas: operations in postfix order. A stack of `depth` numbers computes them, so that
 * computing needs no recursion.
 */
#ifndef GS_METRIC_FORMULA_IN_H
#define GS_METRIC_FORMULA_IN_H

#include "metric/formula.h"

enum formula_code {
    OP_NUMBER,
    OP_NAME,
    OP_NEGATE,
    OP_ADD,
    OP_SUBTRACT,
    OP_MULTIPLY,
    OP_DIVIDE,
    OP_LESS,
    OP_LESS_EQUAL,
    OP_GREATER,
    OP_GREATER_EQUAL,
    OP_EQUAL,
    OP_NOT_EQUAL,
    OP_CHOOSE, /* condition, then, else */
    OP_MIN,
    OP_MAX,
    OP_SUM,
    OP_AVG,
    OP_ABS,
    OP_ROUND,
    OP_FLOOR,
    OP_MOD,
    OP_FIRST,
};

struct formula_op {
    enum formula_code code;
    uint32_t args; /* taken from the stack */
    uint32_t name;
    double number;
};

struct formula {
    const struct formula_op *ops;
    size_t n;
    const struct formula_name *names;
    size_t n_names;
    size_t depth; /* of the stack, at most FORMULA_OPS */
};

/* reduction.c: the reduction a word means; "TCC_HIT_sum" as TCC_HIT and its reduction. */
bool reduction_find(const char *word, enum reduction *how);
void reduction_cut(char *name, enum reduction *how);

#endif
