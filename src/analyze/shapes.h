/*
 * Shapes of launches: dispatches of one kernel with the same sizes do the same amount of work and
 * can be compared. Entries of trace.launches also differ by graph and marker text, which change
 * nothing here.
 *
 *     const uint32_t *shapes = shapes_find(trace, temporary);
 *     if (shape_of(shapes, trace, row) == shape_of(shapes, trace, other)) ...
 */
#ifndef GS_ANALYZE_SHAPES_H
#define GS_ANALYZE_SHAPES_H

#include "model/trace.h"

/* By launch: the first launch of the same sizes. */
uint32_t *shapes_find(const struct trace *t, struct arena *a);

/* Of a kernels row; NO_INDEX when its sizes were not recorded, which is a shape like others. */
static inline uint32_t shape_of(const uint32_t *shapes, const struct trace *t, uint32_t row)
{
    uint32_t launch = t->kernels.launch[row];
    return launch < t->launches.n ? shapes[launch] : NO_INDEX;
}

/* Work-groups of a dispatch, those at the edge included; UINT64_MAX where it cannot be counted. */
uint64_t launch_groups(const struct launch *l);

#endif
