/* Between the files of the analysis of counters. */
#ifndef GS_ANALYZE_COUNTERS_COUNTERS_IN_H
#define GS_ANALYZE_COUNTERS_COUNTERS_IN_H

#include "analyze/counters/counters.h"
#include "analyze/counters/eval.h"

/* What formulas need to know of a GPU. */
struct counter_device {
    bool made;
    struct metric_device facts;
    struct metric_set metrics;
    struct roof_peaks peaks;
};

struct counter_run {
    struct analysis *a;
    struct counter_results *out;
    struct arena *arena, *scratch;  /* of what is kept; of the rest */
    struct counter_join join;       /* in scratch */
    struct counter_device *devices; /* by GPU, and one for dispatches without */
};

/* A kernel's place under the roofs, and the passes its numbers come from. */
struct counter_roof {
    const struct counter_facts *facts;
    struct roof_point point;
    uint32_t flop_passes, busy_passes, level_passes[ROOF_LEVELS];
    bool cross[ROOF_LEVELS]; /* intensity of the level */
    bool cross_pass;         /* of anything in it */
};

struct counter_facts counter_facts_of(struct counter_run *r, const struct join_sum *sums,
                                      uint32_t passes, bool joined, uint32_t gpu);
double counter_number(const struct counter_facts *f, enum metric_id id); /* NaN: not known */
void counter_roof_make(struct counter_roof *roof, struct counter_run *r,
                       const struct counter_facts *f, uint32_t gpu);

/* counter_missing.c */
const char *counter_missing_text(struct counter_run *r, const struct counter_facts *f);
void counter_missing_find(struct counter_run *r);

/* counter_dispatches.c */
void counter_dispatches_find(struct counter_run *r);

/* counter_tables.c */
extern const struct analysis_table counter_tables[];

#endif
