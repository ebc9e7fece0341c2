/*
 * Hypotheses in PerfAdvisor's schema, as a model writes them: found in its text, words brought into
 * form, numbers held in range, and the bounds of the speed-up computed by us, by Amdahl, whatever
 * the model says about them.
 */
#ifndef GS_LLM_HYPOTHESIS_H
#define GS_LLM_HYPOTHESIS_H

#include "base/arena.h"
#include "report/explanation.h"

/*
 * The JSON array in a text: up to the last ']', from the first '[' that makes it one. NULL: none.
 * `start` gets where it begins; NULL: nobody asks.
 */
const char *hypotheses_array(const char *text, size_t *start, struct arena *a);

/* All objects of the array, in their order. False: there is no array. */
bool hypotheses_read(struct explanation *out, const char *text, struct arena *a);

/*
 * Key differences of a comparison, at the end of a text. Returns how much of the text is before them,
 * or all of it where there are none.
 */
size_t differences_read(struct explanation *out, const char *text, struct arena *a);

/* Bounds in percent for a share of the time: half of it removed, all of it. NaN: none. */
void amdahl_bounds(double share_pct, double *lower, double *upper);

#endif
