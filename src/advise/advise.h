/*
 * Advise: runs the rules, settles their claims on the ledger, ranks what is left, gives a verdict.
 * What it returns is final: nothing adds to a finding later.
 */
#ifndef GS_ADVISE_ADVISE_H
#define GS_ADVISE_ADVISE_H

#include "advise/beside.h"
#include "advise/overview.h"

enum verdict_status { VERDICT_HEALTHY, VERDICT_IMPROVABLE, VERDICT_PROBLEM, VERDICT_NO_GPU_WORK };

struct verdict {
    enum verdict_status status;
    const char *headline; /* one sentence */
    int64_t
        recoverable_ns; /* claimed by findings above INFO, compute hotspots and start-up aside */
    double recoverable_pct; /* of window x GPUs */
    /* The findings above LOW that can be replayed, all followed: their number, and the time then.
     */
    uint32_t together;
    int64_t together_ns;
    double together_speedup; /* NaN: none */
};

struct advice {
    VEC(struct finding *) findings; /* ranked: what can be won, largest first */
    struct verdict verdict;
    struct overview overview; /* in numbers and sentences that no single analysis has */
};

/* `beside` may be NULL: nothing but the trace. */
void advise(struct advice *out, const struct analysis *a, const struct beside *beside,
            struct arena *arena);

/* What further captures its findings call for (plan/goals.h); the timeline where nothing does. NULL: no advice. */
unsigned advice_goals(const struct advice *advice);

extern const char *const verdict_status_names[];        /* by value, NULL at the end */
const char *verdict_status_name(enum verdict_status s); /* "healthy" */

#endif
