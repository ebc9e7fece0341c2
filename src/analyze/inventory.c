#include "analyze/inventory.h"

#include <string.h>

#include "base/sat.h"

void inventory_make(struct inventory *i, const struct trace *t, bool checked, int workers,
                    struct arena *a)
{
    *i = (struct inventory){.trace = t, .checked = checked};
    i->has_span = trace_span(t, workers, &i->start_ns, &i->end_ns);
    i->markers = t->markers.n;
    i->regions = t->regions.n - t->lifted_calls;
    for (size_t m = 0; m < t->markers.n; m++)
        i->regions += t->markers.kind[m] != MARKER_INSTANT;
    capabilities_find(&i->capabilities, t, a);
    quality_check(&i->quality, t, NULL, workers, a);
}

/* Times of broken clocks lie so far apart that only an unsigned number holds the difference. */
uint64_t inventory_span_ns(const struct inventory *i)
{
    return (uint64_t)i->end_ns - (uint64_t)i->start_ns;
}

uint64_t inventory_bytes(const struct trace *t)
{
    uint64_t bytes = 0;
    for (size_t f = 0; f < t->files.n; f++)
        if (!f || strcmp(t->files.v[f].path, t->files.v[f - 1].path))
            bytes = add_bytes(bytes, t->files.v[f].bytes);
    return bytes;
}
