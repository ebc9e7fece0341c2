/*
 * Integer expressions: + - * / %, comparisons, parentheses, min(a,b) max(a,b) rand(a,b), numbers
 * with units, parameters and variables. Also texts with {expressions} in them.
 *
 * Reading is bounded in depth and never fails on a deep input; computing reports overflow and
 * division by zero. All integers are 64 bits; times are ns and sizes bytes.
 */
#ifndef GS_SYNTH_EXPR_H
#define GS_SYNTH_EXPR_H

#include "base/err.h"
#include "synth/ast.h"

/* Where a value is read from: [at, end) of one line. */
struct scan {
    struct program *program;
    const char *at, *end;
    int line;
    int depth;
    struct gs_error *err;
};

/* Reads an expression up to where none continues; NULL with err filled. */
const struct expr *expr_parse(struct scan *s);

/* Reads a whole value of the given type from [at, end). */
bool value_parse(struct scan *s, enum value_type type, const char *words, struct value *out);

/* The slot of a variable, made if `make`; -1 when there is none (or no room for it). */
int program_local(struct program *p, const char *s, size_t n, bool make);
int program_param(const struct program *p, const char *s, size_t n);

/* What an expression may look at. */
struct env {
    const int64_t *params, *locals;
    uint64_t *random; /* state of the generator */
};

/* False on overflow, division by zero or an empty range of rand(). */
bool expr_eval(const struct expr *e, const struct env *env, int64_t *out);

/* The next number of the generator (splitmix64), and one in [lo, hi]. */
uint64_t random_next(uint64_t *state);
int64_t random_between(uint64_t *state, int64_t lo, int64_t hi);

#endif
