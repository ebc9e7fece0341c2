#include "cli/report_time.h"

#include <errno.h>
#include <stdlib.h>

/* False without the variable, or where it is no number of seconds. */
static bool fixed_time(time_t *seconds)
{
    const char *text = getenv("SOURCE_DATE_EPOCH");
    char *end;
    if (!text || !*text)
        return false;
    errno = 0;
    long long n = strtoll(text, &end, 10);
    if (*end || errno || n < 0)
        return false;
    *seconds = (time_t)n;
    return true;
}

struct report_time report_time(const struct timespec *begin, struct arena *arena)
{
    struct report_time out = {0};
    time_t seconds;
    struct tm parts;
    char *text = arena_alloc(arena, 64);
    if (!fixed_time(&seconds)) {
        struct timespec now;
        seconds = time(NULL);
        clock_gettime(CLOCK_MONOTONIC, &now);
        out.duration_ms =
            (int64_t)(now.tv_sec - begin->tv_sec) * 1000 + (now.tv_nsec - begin->tv_nsec) / 1000000;
        if (out.duration_ms < 1)
            out.duration_ms = 1; /* 0 stands for not measured */
    }
    if (gmtime_r(&seconds, &parts) && strftime(text, 64, "%Y-%m-%dT%H:%M:%S+00:00", &parts))
        out.timestamp = text;
    return out;
}
