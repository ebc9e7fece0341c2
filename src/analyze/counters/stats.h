/*
 * Hardware counters, reduced per dispatch first: a trace has one row for each instance of a block
 * (XCC, shader engine, channel...), and only together do they say something about a dispatch: added
 * up, but for clocks (the most) and shares (the mean); see metric/formula.h.
 */
#ifndef GS_ANALYZE_COUNTERS_STATS_H
#define GS_ANALYZE_COUNTERS_STATS_H

#include "base/arena.h"
#include "base/vec.h"
#include "field/field.h"

struct analysis;

struct counter_row {
    const char *counter;
    const char *units, *description; /* "" where the trace does not say */
    const char *reduction;           /* over instances: "sum", "max", "avr" */
    uint64_t sample_count;           /* dispatches */
    uint32_t instances;              /* most rows of one dispatch */
    double avg_value, min_value, max_value, total_value;
};

struct counter_stats {
    VEC(struct counter_row) rows;
    double gpu_utilization_pct; /* NaN where not known, as the next three */
    double avg_waves, min_waves, max_waves;
};

extern const struct fields counter_fields;

/* Of the dispatches in the view, counters in order of name. */
void counter_stats_make(struct counter_stats *s, const struct analysis *a, struct arena *arena);

#endif
