/*
 * Phases as they are compared: one, or up to PHASES_TOGETHER neighbours taken as one, since noise
 * may divide one run where it does not divide the other. Kernels are known by their row in the
 * comparison, so renamed ones are the same.
 */
#ifndef GS_COMPARE_PHASE_GROUPS_H
#define GS_COMPARE_PHASE_GROUPS_H

#include "compare/compare.h"

#define PHASE_LEAST_ALIKE 0.35 /* less alike phases are no pair */

enum { PHASES_TOGETHER = 4, PHASE_KERNELS = PHASES_TOGETHER * PROFILE_SHARES };

struct phase_group {
    struct profile_phase sum; /* under the name of the longest */
    size_t first, count;
    size_t kernel[PHASE_KERNELS];
    double ns[PHASE_KERNELS], all_ns;
    size_t n;
};

/*
 * All groups of the first n phases: [first * PHASES_TOGETHER + count - 1]. Those that would reach
 * past the end are empty.
 */
struct phase_group *phase_groups(struct comparison *c, const struct run_profile *p, size_t n);

/* The numbers that equal names get do not count: "warm-up (2)" is "warm-up". */
bool phase_same_name(const char *a, const char *b);

/* The part of the kernel time that both have in common, 0 to 1; NaN where neither has kernels. */
double phase_common_share(const struct phase_group *a, const struct phase_group *b);

/* B is divided by this: by the steps where its work follows them, by 1 where it runs once. */
double phase_factor(const struct comparison *c, const struct profile_phase *a,
                    const struct profile_phase *b);

/* What the pair explains, in ns; 0: they are not alike. */
double phase_worth(const struct comparison *c, const struct phase_group *a,
                   const struct phase_group *b);

#endif
