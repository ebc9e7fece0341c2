/*
 * When a report was made, for documents that must say so. SOURCE_DATE_EPOCH, where it is set, is
 * the time, and nothing took any: the same input then gives the same bytes.
 */
#ifndef GS_CLI_REPORT_TIME_H
#define GS_CLI_REPORT_TIME_H

#include <stdint.h>
#include <time.h>

#include "base/arena.h"

struct report_time {
    const char *timestamp; /* ISO 8601, UTC */
    int64_t duration_ms;
};

/* begin: of the clock CLOCK_MONOTONIC. */
struct report_time report_time(const struct timespec *begin, struct arena *arena);

#endif
