/*
 * Data quality: can the numbers be trusted? A grade from A to F, with every reason.
 *
 * Each check counts affected rows and takes points off 100, more the larger the share: all of
 * its weight from 5 % on, half from 0.5 %, a fifth below. A from 95, B from 85, C from 70,
 * D from 50. A trace without any event is F. docs/metrics.md lists the checks.
 */
#ifndef GS_ANALYZE_QUALITY_H
#define GS_ANALYZE_QUALITY_H

#include "model/trace.h"

struct quality_reason {
    const char *code;    /* "negative-duration" */
    const char *text;    /* "3 kernels end before they start" */
    const char *affects; /* which numbers suffer */
    uint64_t count;
    int points;
};

struct quality {
    char grade; /* 'A' to 'F' */
    int points; /* 0 to 100 */
    VEC(struct quality_reason) reasons;
};

struct view;

/* Uses up to `workers` threads. `v` is a view of the trace, which has rows in order, or NULL. */
void quality_check(struct quality *q, const struct trace *t, const struct view *v, int workers,
                   struct arena *a);

#endif
