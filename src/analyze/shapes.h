/*
 * Shapes of launches: dispatches of one kernel with the same sizes do the same amount of work and
 * can be compared. Entries of trace.launches also differ by graph and marker text, which change
 * nothing here.
 *
 *     if (shape_of(view, row) == shape_of(view, other)) ...
 */
#ifndef GS_ANALYZE_SHAPES_H
#define GS_ANALYZE_SHAPES_H

#include "analyze/view.h"

/* By launch: the first launch of the same sizes. The view has it. */
uint32_t *shapes_find(const struct trace *t, struct arena *a);

/* Of a kernels row; NO_INDEX when its sizes were not recorded, which is a shape like others. */
static inline uint32_t shape_of(const struct view *v, uint32_t row)
{
    uint32_t launch = kernels_launch_at(v->trace, row);
    return launch < v->trace->launches.n ? v->shapes[launch] : NO_INDEX;
}

/* Work-groups of a dispatch, those at the edge included; UINT64_MAX where it cannot be counted. */
uint64_t launch_groups(const struct launch *l);

#endif
