#include "report/histogram.h"

#include <math.h>

#include "analyze/name_groups.h"
#include "base/sat.h"

struct bounds {
    int64_t least, most;
};

const struct histogram *histogram_of(const struct histograms *h, uint32_t name_id)
{
    for (size_t i = 0; i < h->v.n; i++)
        if (h->v.v[i].name_id == name_id)
            return &h->v.v[i];
    return NULL;
}

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
    size_t low = 0, high = h->bins;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (h->limit[middle] <= ns)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void choose(struct histograms *h, const struct analysis *a, size_t most, struct arena *arena)
{
    for (size_t i = 0; i < a->hotspots.n && h->v.n < most; i++)
        if (!histogram_of(h, a->hotspots.v[i].name_id))
            vec_push(&h->v, arena, ((struct histogram){.name_id = a->hotspots.v[i].name_id}));
}

void histograms_make(struct histograms *h, const struct analysis *a, size_t most,
                     struct arena *arena)
{
    *h = (struct histograms){0};
    choose(h, a, most, arena);
    const struct trace *t = a->trace;
    struct histogram **of = arena_array(arena, struct histogram *, t->symbols.n);
    struct bounds *bounds = arena_array(arena, struct bounds, h->v.n);
    for (size_t i = 0; i < h->v.n; i++)
        bounds[i] = (struct bounds){INT64_MAX, -1};
    for (size_t s = 0; s < t->symbols.n; s++)
        of[s] = (struct histogram *)histogram_of(h, t->symbols.v[s].name);
    const uint32_t *rows = kernel_rows(&a->view, arena);
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < a->view.n_kernels; i++) {
            struct histogram *to = of[t->kernels.symbol[rows[i]]];
            int64_t ns = kernel_ns(a, rows[i]);
            if (!to || ns < a->opts.min_duration_ns)
                continue;
            struct bounds *b = &bounds[to - h->v.v];
            b->least = ns < b->least ? ns : b->least;
            b->most = ns > b->most ? ns : b->most;
            if (pass)
                to->count[bin_of(to, ns)]++;
            to->calls += (uint64_t)pass;
        }
        for (size_t i = 0; !pass && i < h->v.n; i++)
            if (bounds[i].most >= 0)
                set_limits(&h->v.v[i], bounds[i]);
    }
    for (size_t i = 0; i < h->v.n; i++)
        for (size_t b = 0; b < h->v.v[i].bins; b++)
            if (h->v.v[i].count[b] > h->v.v[i].most)
                h->v.v[i].most = h->v.v[i].count[b];
}
