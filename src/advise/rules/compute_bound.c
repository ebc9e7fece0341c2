#include <math.h>

#include "advise/measured.h"
#include "advise/rule.h"
#include "metric/roofline.h"

/* What is left to the peak. */
static double lost(const struct counter_kernel *k)
{
    return k->bound == BOUND_COMPUTE ? fmax(1 - k->compute_pct / 100, 0) : -1;
}

static bool eval(const struct analysis *a, struct finding *f)
{
    const struct counter_kernel *k = measured_worst(a, lost);
    if (!k)
        return false;
    bool matrix = k->mfma_util_pct >= ROOF_BOUND_PCT;
    finding_claim_measured(f, k, lost(k));
    finding_scope_kernel(f, k->short_name);
    finding_issue(f, "%s keeps the compute units %.0f %% busy: it is bound by compute",
                  k->short_name, k->compute_pct);
    finding_because(f, "counter_kernels.compute_pct", k->compute_pct, ROOF_BOUND_PCT, IN_PERCENT,
                    "%s", k->why);
    finding_at_measured(f, k);
    if (matrix) {
        finding_suggest(f, "it is near what the matrix units can do; only fewer or cheaper "
                           "operations make it faster");
        finding_action(f, "use a type with a higher rate where the numbers allow it");
    } else {
        finding_suggest(f, "issue fewer instructions for the same result");
        if (k->mfma_util_pct < 1)
            finding_action(f, "where it multiplies matrices, use the matrix units: they are idle");
        finding_action(f, "use packed or narrower types, and move index arithmetic out of loops");
    }
    finding_action(f, "do less: an algorithm with fewer operations, or results that are kept");
    finding_sure_measured(f, k, 0.9);
    return true;
}

const struct rule rule_compute_bound = {
    .name = "compute-bound",
    .id = "ROCPD-COMPUTE-BOUND-001",
    .category = ABOUT_COMPUTE_BOUND_KERNEL,
    .title = "a kernel is bound by compute",
    .bottleneck = BOTTLENECK_COMPUTE,
    .action = ACTION_ALGORITHM,
    .needs = NEED_KERNELS | NEED_COUNTERS,
    .tuning = true,
    .goals = ON(compute) | ON(instructions),
    .gain = 0.3,
    .eval = eval,
    .doc =
        "Fires when hardware counters show that a kernel with at least 5 % of the GPU time keeps "
        "vector or matrix units busy for 60 % of the time or more, or reaches 60 % of the peak of "
        "its number types, and no level of memory is used more. Claims what is left to the peak.",
};
