/*
 * Counters in passes: which can be measured in one run of the program.
 *
 * Each hardware block has a few registers to count with. Asking for more makes rocprofv3 give up
 * ("request exceeds the capabilities of the hardware"), so every pass stays within them.
 */
#ifndef GS_METRIC_PASSES_H
#define GS_METRIC_PASSES_H

#include "base/vec.h"

struct counter_pass {
    VEC(const char *) counters;
};

struct counter_passes {
    VEC(struct counter_pass) list;
};

/* Puts counters into as few passes as first-fit finds, in order; doubles are left out. */
void passes_make(struct counter_passes *out, const char *const *counters, size_t n,
                 struct arena *arena);

/* The counters of a pass as an argument of --pmc: "A B C". */
const char *pass_text(const struct counter_pass *pass, struct arena *arena);

#endif
