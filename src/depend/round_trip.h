/*
 * Data that leaves the device only to come back: a copy to the host, and one of as many bytes back.
 */
#ifndef GS_DEPEND_ROUND_TRIP_H
#define GS_DEPEND_ROUND_TRIP_H

#include "analyze/view.h"

struct round_trips {
    uint64_t n;
    uint64_t bytes; /* in both directions */
    int64_t out_ns, in_ns;
    uint32_t longest; /* copies row of the one to the host, or NO_INDEX */
};

/* `gone`, by copies row, gets 1 for the copies of round trips; may be NULL. */
void round_trips_find(struct round_trips *out, const struct view *v, uint8_t *gone,
                      struct arena *temporary);

#endif
