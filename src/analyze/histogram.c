#include "analyze/histogram.h"

#include <math.h>

#include "base/array.h"
#include "base/sat.h"

struct bounds {
    int64_t least, most;
};

/* Limits grow by one factor and by 1 ns at least, so short ranges have fewer bins. */
static void set_limits(struct histogram *h, struct bounds b)
{
    double low = b.least > 0 ? (double)b.least : 1, high = (double)b.most;
    double factor = high > low ? pow(high / low, 1.0 / HISTOGRAM_BINS) : 1;
    h->limit[0] = b.least;
    h->bins = 1;
    for (int i = 1; i < HISTOGRAM_BINS; i++) {
        int64_t limit = ns_from(round(low * pow(factor, i)));
        if (limit > h->limit[h->bins - 1] && limit < b.most)
            h->limit[h->bins++] = limit;
    }
    h->limit[h->bins] = b.most;
}

static size_t bin_of(const struct histogram *h, int64_t ns)
{
    size_t next = 1;
    BISECT(next, h->bins, i, h->limit[i] <= ns);
    return next - 1;
}

void histogram_make(struct histogram *h, const int64_t *ns, size_t n)
{
    struct bounds b = {INT64_MAX, -1};
    *h = (struct histogram){.calls = n};
    for (size_t i = 0; i < n; i++) {
        b.least = ns[i] < b.least ? ns[i] : b.least;
        b.most = ns[i] > b.most ? ns[i] : b.most;
    }
    set_limits(h, b);
    for (size_t i = 0; i < n; i++)
        h->count[bin_of(h, ns[i])]++;
    for (size_t i = 0; i < h->bins; i++)
        h->most = h->count[i] > h->most ? h->count[i] : h->most;
}
