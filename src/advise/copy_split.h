/*
 * Exposed copies cost time for three reasons, and three rules share that time:
 * - copies run slower than the link (slow-copies): what full speed would save;
 * - at full speed they could hide behind compute (overlap-missing): as much as there is compute;
 * - with hardly any compute to hide behind, or with a link that is busy all the time, it is more
 *   data than the link can move (transfer-bound).
 */
#ifndef GS_ADVISE_COPY_SPLIT_H
#define GS_ADVISE_COPY_SPLIT_H

#include "advise/rule.h"

struct copy_split {
    int64_t exposed_ns; /* all directions over links */
    int64_t edge_ns;    /* of them, before the first and after the last kernel of their GPU */
    int64_t slow_ns;
    int64_t hideable_ns; /* as much as there is compute; 0 when that is too little to matter */
    int64_t bound_ns;    /* the rest, when there is too little compute to hide it behind */
    int64_t both_ns;     /* of that, what could run beside copies in the other direction */
    bool full;           /* copies in one direction follow each other without a pause */
};

/*
 * Copies below this share of the link's peak are slow. Pinned memory on a link that runs at half
 * its generation still reaches more; pageable memory and small copies do not. Where the trace says
 * that the memory is pageable, less is needed.
 */
#define SLOW_COPY_PCT 30.0
#define SLOW_PAGEABLE_PCT 50.0

/* With less compute than this share of the copies, overlap would not help. */
#define HIDEABLE_SHARE 0.4

/* Copies of one direction that are under way for this share of the time fill the link. */
#define FULL_LINK_SHARE 0.95

/* Whether the copies of a direction between devices are slow. */
bool copy_is_slow(const struct copy_row *c);

void copy_split(struct copy_split *s, const struct analysis *a);

/* Claims ns of exposed copies, spread over the directions as they occur. */
void claim_copies(struct finding *f, int64_t ns);

#endif
