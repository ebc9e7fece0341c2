/* docs/counter-metrics.md: every metric derived from counters, with its formula. */
#include "metric/metrics.h"
#include "render/reference.h"

static const char *const titles[] = {
    [GROUP_DEVICE] = "Use of the GPU",
    [GROUP_OCCUPANCY] = "Waves and occupancy",
    [GROUP_COMPUTE] = "Compute units",
    [GROUP_FLOPS] = "Operations",
    [GROUP_LDS] = "LDS",
    [GROUP_L1] = "Vector L1 and the memory unit",
    [GROUP_L2] = "L2",
    [GROUP_FABRIC] = "Between L2 and memory",
    [GROUP_FRONTEND] = "Scalar and instruction caches",
    [GROUP_STALLS] = "What waves do",
};

static void put_metric(struct str *out, const struct metric_def *m)
{
    str_printf(out, "\n**`%s`**, %s", m->id, m->label);
    if (m->unit)
        str_printf(out, " (%s)", unit_word(m->unit));
    str_printf(out, ", on `%s`: %s.\n\n    %s\n", metric_archs(m, out->arena), m->doc, m->formula);
    if (*m->peak)
        str_printf(out, "\nPeak: `%s`.\n", m->peak);
}

void reference_counters(struct str *out)
{
    size_t n;
    const struct metric_def *defs = metric_defs(&n);
    str_puts(
        out,
        "# Metrics derived from counters\n\n"
        "Made from the program (`gpusight --generate counters`); [counters.md](counters.md) "
        "explains how they are computed.\n\n"
        "A name is a counter, its hardware instances added up; `reduce(NAME, max)` and "
        "`NAME_max` are the largest instance; `GRBM_*` are clocks, of which the largest instance "
        "counts. `$name` is a fact about the GPU or the dispatch. `first(a, b)` is the first that "
        "can "
        "be computed: what the profiler derived itself comes before raw counters. Architectures "
        "are "
        "given by the beginnings of their names. Percentages are 0 to 100, `GB/s` are 10^9 "
        "bytes a second.\n");
    for (size_t g = 0; g < ARRAY_LEN(titles); g++) {
        str_printf(out, "\n## %s\n", titles[g]);
        for (size_t i = 0; i < n; i++)
            if (defs[i].group == g)
                put_metric(out, &defs[i]);
    }
}
