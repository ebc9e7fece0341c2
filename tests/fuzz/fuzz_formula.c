/*
 * Fuzzing formulas: any text is read or refused with a message, and what is read computes to a
 * finite number or NaN, the same each time, whatever the counters are.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "metric/formula.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Some names are missing, some are odd. */
static bool lookup(void *ctx, const struct formula_name *name, double *value)
{
    static const double odd[] = {0, 1, -1, 1e308, NAN, INFINITY, 0.5, 3};
    (void)ctx;
    unsigned sum = (unsigned)name->instance;
    for (const char *p = name->text; *p; p++)
        sum += (unsigned char)*p;
    *value = odd[sum % 8];
    return sum % 3 != 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a;
    struct gs_error err = {0};
    const struct formula *f;
    arena_init(&a);
    char *text = arena_strndup(&a, (const char *)data, size);
    struct formula_scope scope = {lookup, NULL};
    if (!formula_parse(&f, text, &a, &err)) {
        if (err.code != GS_E_FORMAT || !err.text[0])
            abort();
    } else {
        double x = formula_eval(f, &scope), y = formula_eval(f, &scope);
        size_t n;
        formula_names(f, &n);
        struct formula_parts p = formula_parts(f, &scope);
        uint64_t all = n < 64 ? (UINT64_C(1) << n) - 1 : UINT64_MAX;
        if (isinf(x) || memcmp(&x, &y, sizeof(x)) != 0 || (p.used & p.missing) ||
            ((p.used | p.missing) & ~all))
            abort();
    }
    arena_release(&a);
    return 0;
}
