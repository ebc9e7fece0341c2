#include "advise/host_words.h"

#include <math.h>

#include "base/human.h"

enum { MOST_PARTS = 4 };

/* Smaller parts are not worth a line. */
#define LEAST_PART_PCT 5.0

void finding_because_host(struct finding *f, const struct host_time *h, const char *metric)
{
    char time[HUMAN_MAX];
    for (size_t i = 0; i < h->parts.n && i < MOST_PARTS; i++) {
        const struct host_part *p = &h->parts.v[i];
        double pct = percent_of((double)p->ns, (double)h->all_ns);
        if (pct < LEAST_PART_PCT)
            break;
        finding_because(f, metric, pct, NAN, IN_PERCENT, "%.0f %% of it (%s) %s %s", pct,
                        human_time(time, p->ns), host_source_text(p->source), p->name);
    }
    double unknown = 100 - percent_of((double)h->named_ns, (double)h->all_ns);
    if (h->parts.n && unknown >= LEAST_PART_PCT)
        finding_because(f, metric, unknown, NAN, IN_PERCENT,
                        "%.0f %% of it has no name in the trace", unknown);
}

const char *host_words(const struct host_time *h, struct arena *arena)
{
    const struct host_part *p = h->parts.n ? &h->parts.v[0] : NULL;
    double share = p ? percent_of((double)p->ns, (double)h->all_ns) : 0;
    if (!p || 2 * h->named_ns < h->all_ns || share < LEAST_PART_PCT)
        return NULL;
    if (2 * p->ns < h->all_ns)
        return arena_printf(arena, "is in %zu things that the trace names, most %s %s (%.0f %%)",
                            h->parts.n, host_source_text(p->source), p->name, share);
    if (p->source == HOST_SAMPLE)
        return arena_printf(arena, "is mostly in %s, by its CPU samples", p->name);
    if (p->source == HOST_OTHER_THREAD)
        return arena_printf(arena, "mostly waits while another thread is in %s", p->name);
    return arena_printf(arena, "is mostly %s %s", host_source_text(p->source), p->name);
}
