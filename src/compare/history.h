/*
 * History: a series of runs of one program, oldest first.
 *
 * Each run is compared with the one before it that did the same work (change points), and with the
 * first of its kind (so that levels do not drift by adding up small steps). Runs that did something
 * else form a group of their own.
 */
#ifndef GS_COMPARE_HISTORY_H
#define GS_COMPARE_HISTORY_H

#include "compare/compare.h"

struct history_run {
    const struct run_profile *profile;
    const char *label;
    uint32_t group;      /* workload, from 1: runs of one group are comparable */
    int64_t time_ns;     /* on the clock: the first's wall + the change from it */
    double relative_pct; /* time_ns in percent of the group's first */
    double change_pct;   /* from the run before it in the group; NaN for the first */
    double noise_pct;    /* of that change */
    const char *verdict; /* of that change; NULL for the first */
    bool change_point;   /* faster or slower than the one before */
    const char *cause;   /* what changed most, at a change point */
    uint32_t place;      /* in the group, 1 is the fastest */
    const char *apart;   /* why it is not in the group of the first run; NULL: it is */
};

struct history {
    VEC(struct history_run) runs;
    uint32_t groups;
    VEC(const char *) leaders; /* labels of the first group, fastest first */
};

void history_make(struct history *h, const struct run_profile *runs, size_t n, struct arena *arena);

extern const struct fields history_fields;

/* The JSON document, and its schema. */
extern const struct fields history_document_fields;
void history_json_schema(struct str *out);

#endif
