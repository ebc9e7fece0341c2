/*
 * Kernels by name: symbols of several processes and code objects that share their full name are
 * one group. Groups are numbered in the order in which symbols stand in the trace.
 *
 *     struct name_groups names;
 *     name_groups_make(&names, trace, &temporary);
 *     total[names.of_symbol[kernels->symbol[row]]] += ...
 */
#ifndef GS_ANALYZE_NAME_GROUPS_H
#define GS_ANALYZE_NAME_GROUPS_H

#include "analyze/view.h"

struct name_groups {
    uint32_t *of_symbol; /* by symbol: group */
    uint32_t *symbol;    /* by group: its first symbol */
    size_t n;
};

void name_groups_make(struct name_groups *g, const struct trace *t, struct arena *a);

/* The full name of a group. */
static inline const char *name_groups_name(const struct name_groups *g, const struct trace *t,
                                           size_t group)
{
    return trace_str(t, t->symbols.v[g->symbol[group]].name);
}

/*
 * All kernels of the view (n_kernels rows), for sums in which order does not matter: with several
 * GPUs in order of rows, which reads the columns once and not once for each GPU.
 */
const uint32_t *kernel_rows(const struct view *v, struct arena *a);

#endif
