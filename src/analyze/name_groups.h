/*
 * Kernels by name: symbols of several processes and code objects that share their full name are
 * one group. Groups are numbered in the order in which symbols stand in the trace. A view has them:
 *
 *     total[view->names.of_symbol[kernels->symbol[row]]] += ...
 */
#ifndef GS_ANALYZE_NAME_GROUPS_H
#define GS_ANALYZE_NAME_GROUPS_H

#include "model/trace.h"

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

#endif
