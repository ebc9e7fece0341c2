#include "synth/expr.h"

uint64_t random_next(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

int64_t random_between(uint64_t *state, int64_t lo, int64_t hi)
{
    uint64_t width = (uint64_t)hi - (uint64_t)lo + 1; /* 0 stands for the whole range */
    uint64_t r = random_next(state);
    if (width)
        r = (uint64_t)(((unsigned __int128)r * width) >> 64);
    return (int64_t)((uint64_t)lo + r);
}

static bool divide(enum expr_op op, int64_t a, int64_t b, int64_t *out)
{
    if (b == 0 || (b == -1 && a == INT64_MIN))
        return false;
    *out = op == EX_DIV ? a / b : a % b;
    return true;
}

static bool combine(enum expr_op op, int64_t a, int64_t b, uint64_t *random, int64_t *out)
{
    switch (op) {
    case EX_NEG:
        return !__builtin_sub_overflow((int64_t)0, a, out);
    case EX_ADD:
        return !__builtin_add_overflow(a, b, out);
    case EX_SUB:
        return !__builtin_sub_overflow(a, b, out);
    case EX_MUL:
        return !__builtin_mul_overflow(a, b, out);
    case EX_DIV:
    case EX_MOD:
        return divide(op, a, b, out);
    case EX_EQ:
        return *out = a == b, true;
    case EX_NE:
        return *out = a != b, true;
    case EX_LT:
        return *out = a < b, true;
    case EX_LE:
        return *out = a <= b, true;
    case EX_GT:
        return *out = a > b, true;
    case EX_GE:
        return *out = a >= b, true;
    case EX_MIN:
        return *out = a < b ? a : b, true;
    case EX_MAX:
        return *out = a > b ? a : b, true;
    case EX_RAND:
        return a <= b && (*out = random_between(random, a, b), true);
    default:
        return false;
    }
}

/* Depth is bounded by the parser. */
bool expr_eval(const struct expr *e, const struct env *env, int64_t *out)
{
    switch (e->op) {
    case EX_CONST:
        return *out = e->value, true;
    case EX_LOCAL:
        return *out = env->locals[e->value], true;
    case EX_PARAM:
        return *out = env->params[e->value], true;
    default:
        break;
    }
    int64_t a, b = 0;
    return expr_eval(e->a, env, &a) && (!e->b || expr_eval(e->b, env, &b)) &&
           combine(e->op, a, b, env->random, out);
}
