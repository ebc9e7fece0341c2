/*
 * The scenarios that come with the program, and what is planted in each (scenarios.def).
 */
#ifndef GS_EVALUATE_SHIPPED_H
#define GS_EVALUATE_SHIPPED_H

struct eval_shipped {
    const char *scenario, *expected, *also_true, *measure, *suggestions;
};
extern const struct eval_shipped eval_shipped[]; /* a NULL name at the end */

#endif
