#include "advise/measured.h"
#include "advise/rule.h"

#define DOMINANT_PCT 50.0

static double is_open(const struct counter_kernel *k)
{
    return k->bound == BOUND_UNKNOWN ? 1 : -1;
}

static bool eval(const struct analysis *a, struct finding *f)
{
    const struct counter_kernel *k = measured_worst(a, is_open);
    const struct hotspot *top = a->hotspots.n ? &a->hotspots.v[0] : NULL;
    /* The rule for a kernel that dominates asks for the same. */
    if (!k || (top && top->name_id == k->name_id && top->pct_of_total >= DOMINANT_PCT))
        return false;
    f->advisory = true;
    finding_scope_kernel(f, k->short_name);
    finding_issue(f, "the counters of %s do not tell what binds it", k->short_name);
    finding_because(f, "counter_kernels.bound", 0, 0, NO_UNIT, "%s", k->why);
    if (*k->missing) {
        finding_suggest(f, "collect the counters that are missing");
        finding_action(f, "missing: %s", k->missing);
    } else {
        finding_suggest(f, "the counters are there, but the peaks of this GPU are not known");
    }
    finding_capture_verdict(f, k, k->slowest, k->short_name, "what binds the kernel");
    finding_sure(f, 1.0, "memory and compute must both be known before latency can be told");
    return true;
}

const struct rule rule_open_verdict = {
    .name = "open-verdict",
    .id = "GS-COUNTERS-001",
    .category = ABOUT_PERFORMANCE,
    .title = "counters leave open what binds a kernel",
    .bottleneck = BOTTLENECK_OTHER,
    .action = ACTION_RUNTIME,
    .needs = NEED_KERNELS | NEED_COUNTERS,
    .goals = ON(roofline),
    .gain = 0,
    .eval = eval,
    .doc = "Tells when a kernel with at least 5 % of the GPU time was measured, but not with all "
           "counters that a verdict needs; has the commands for those, in passes the hardware can "
           "do. Silent about the kernel that dominates: that finding has them.",
};
