/*
 * What rules need to know of measured kernels: the verdict of hardware counters, and the time the
 * kernel has in the window.
 */
#ifndef GS_ADVISE_MEASURED_H
#define GS_ADVISE_MEASURED_H

#include "advise/finding.h"

/* What counters say about a kernel, by its name's string id; NULL: it was not measured. */
const struct counter_kernel *measured_kernel(const struct analysis *a, uint32_t name_id);

/*
 * The measured kernel that loses most time, among those that compute and take at least 5 % of the
 * GPU time. `lost` is the share of a kernel's time that may be claimed; below 0: not this one.
 * NULL when there is none.
 */
const struct counter_kernel *measured_worst(const struct analysis *a,
                                            double (*lost)(const struct counter_kernel *k));

/* The same kernel as what a finding is about: its share is claimed, its name the scope. */
const struct counter_kernel *finding_of_measured(struct finding *f, const struct analysis *a,
                                                 double (*lost)(const struct counter_kernel *k));

/* Claims that share of a kernel's time. */
void finding_claim_measured(struct finding *f, const struct counter_kernel *k, double lost);

/* Its longest measured dispatch as evidence, where the report shows that run. */
void finding_at_measured(struct finding *f, const struct counter_kernel *k);

/*
 * Asks for the counters of a verdict that the kernel lacks, in passes; nothing when it stands.
 * k NULL: for all that a verdict needs on the GPU of kernels row `row`.
 */
void finding_capture_verdict(struct finding *f, const struct counter_kernel *k, uint32_t row,
                             const char *kernel, const char *why);

/* How sure a verdict of counters is, with the reason; `most` for numbers of one pass. */
void finding_sure_measured(struct finding *f, const struct counter_kernel *k, double most);

#endif
