/*
 * Formulas over hardware counters: the language of metrics.def, read once and computed for many
 * dispatches.
 *
 *     100 * TCC_HIT_sum / (TCC_HIT_sum + TCC_MISS_sum)
 *     100 * reduce(GRBM_GUI_ACTIVE, max) / reduce(GRBM_COUNT, max)
 *     first(FETCH_SIZE * 1024, 32 * TCC_EA_RDREQ_32B + 64 * (TCC_EA_RDREQ - TCC_EA_RDREQ_32B))
 *
 * There are numbers, + - * /, parentheses, unary minus, comparisons (1 or 0), c ? a : b, and
 * - min max sum avg (mean) of any arguments, abs round floor of one, mod of two;
 * - first(a, b, ...): the first that can be computed;
 * - NAME: a counter, over its hardware instances by its own rule (see counter_reduction());
 *   NAME_sum, NAME_max, NAME_min, NAME_avr or reduce(NAME, sum|max|min|avr): by that rule;
 *   NAME[3]: one instance;
 * - $name: a fact about the device or the dispatch ($dt_ns, $cu_count; see metrics.h).
 *
 * NaN is "cannot be said": what is missing, x / 0, and every sum with such a part; only first()
 * passes it over. Infinity does not exist: overflow is NaN.
 *
 * Everything is bounded: FORMULA_NAMES names, FORMULA_OPS operations, FORMULA_DEPTH nested
 * parentheses; computing does not recurse. Formulas may come from strangers.
 *
 * Thread-safety: a formula is read-only once read and may be shared.
 */
#ifndef GS_METRIC_FORMULA_H
#define GS_METRIC_FORMULA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"

enum { FORMULA_NAMES = 64, FORMULA_OPS = 1024, FORMULA_DEPTH = 48, FORMULA_NAME_BYTES = 96 };

/* How the instances of a counter become one number. */
enum reduction { REDUCE_SUM, REDUCE_MAX, REDUCE_MIN, REDUCE_AVG };

/* A name in a formula. */
struct formula_name {
    const char *text; /* without `$`, suffix or index */
    enum reduction reduction;
    int32_t instance;  /* -1: all of them */
    bool is_variable;  /* $name */
    const char *spelt; /* as users write it to a profiler: "TCC_HIT_sum", "SQ_WAVES"; "$dt_ns" */
};

/*
 * Where values come from. `name->text` may be asked for twice: as it is, to be reduced, and with
 * the suffix of its reduction ("TCC_HIT_sum", reduction done), for sources that hold it so.
 * False: not there. A value that is there and makes no sense is NaN with true.
 */
struct formula_scope {
    bool (*lookup)(void *ctx, const struct formula_name *name, double *value);
    void *ctx;
};

struct formula;

/* Reads a formula; it lives in the arena. GS_E_FORMAT with the column where it went wrong. */
bool formula_parse(const struct formula **out, const char *text, struct arena *arena,
                   struct gs_error *err);

double formula_eval(const struct formula *f, const struct formula_scope *scope);

/* The names of a formula, each once, in order of first use. */
const struct formula_name *formula_names(const struct formula *f, size_t *n);

/*
 * What a value rests on, as bits over formula_names(): `used` are the names that are there and
 * decide it, `missing` those that are not there; of first(), only the part that counts: the first
 * complete one, otherwise the last, which by custom is the one made of the plainest counters.
 * missing == 0 does not promise a number (x / 0).
 */
struct formula_parts {
    uint64_t used, missing;
};
struct formula_parts formula_parts(const struct formula *f, const struct formula_scope *scope);

/*
 * A counter's own rule: sums, but for clocks that all instances count alike (GRBM_*: max), and
 * shares and means that a profiler has derived already (avg).
 */
enum reduction counter_reduction(const char *name);

/* Whether a counter is a share or a mean ("OccupancyPercent"): dispatches do not add up, either. */
bool counter_is_share(const char *name);

const char *reduction_name(enum reduction how); /* "sum", "max", "min", "avr" */

/* Reduces n > 0 values; NaN if one of them is. */
double reduce_values(const double *v, size_t n, enum reduction how);

/* Asks a scope for a counter as formulas do; for code that needs a number on its own. */
bool formula_lookup(const struct formula_scope *scope, const struct formula_name *name,
                    double *value);

#endif
