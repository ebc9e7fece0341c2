/*
 * What a report of gpusight says that it was asked: the changes of a what-if, the goals of a plan,
 * the question of an answer. With it the report can be made again.
 *
 *     struct asked_change q;
 *     if (asked_change(&q, reading, arena)) ... whatif_make(w, analysis, &q.change, arena);
 *
 * Reports are texts of strangers: what they say is looked up in lists, never believed.
 */
#ifndef GS_CLI_ASKED_H
#define GS_CLI_ASKED_H

#include "depend/change_words.h"
#include "plan/plan.h"
#include "verify/reading.h"

/* False: the text is no report of this kind. */
bool asked_change(struct change *out, const struct reading *r, struct arena *a);

/* All but the analysis. `tools` is what its captures use; asked for or chosen, it does not say. */
bool asked_plan(struct plan_request *out, const struct reading *r, struct arena *a);

/* The question; NULL: none. */
const char *asked_question(const struct reading *r, struct arena *a);

/* Of rocpd's tables of sums ('summary --by-domain'): the host's domains in them, as words of
 * --region-categories; NULL: it is none of those. */
const char *asked_domains(const struct reading *r, struct arena *a);

/* The rows of its tables: of a report of analyze, what stands below one that is not whole, "15 of 538;
 * --top-kernels shows more", or the longest of "30 of 538". 0: it does not say. `sure`: it is the
 * former; other tables may have limits of their own. */
size_t asked_rows(const char *text, size_t n, bool *sure);

#endif
