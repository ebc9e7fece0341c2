/*
 * The scenarios that come with the program, and what is planted in each (scenarios.def).
 */
#ifndef GS_EVALUATE_SHIPPED_H
#define GS_EVALUATE_SHIPPED_H

#include <stdbool.h>

struct eval_shipped {
    const char *scenario, *expected, *also_true, *measure, *suggestions;
    bool is_job; /* of several ranks: a folder of files */
};
extern const struct eval_shipped eval_shipped[]; /* a NULL name at the end */

#endif
