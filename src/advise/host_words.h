/* What the host did meanwhile, in the words of a finding. */
#ifndef GS_ADVISE_HOST_WORDS_H
#define GS_ADVISE_HOST_WORDS_H

#include "advise/rule.h"
#include "analyze/host_time.h"

/* The largest parts with their shares of `metric`, as evidence. */
void finding_because_host(struct finding *f, const struct host_time *h, const char *metric);

/* "is mostly in the function load_batch" where half of it has one name; NULL otherwise. */
const char *host_words(const struct host_time *h, struct arena *arena);

#endif
