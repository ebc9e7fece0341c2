#include <math.h>

#include "advise/measured.h"
#include "advise/rule.h"

#define HIT_PCT 50.0
#define TRAFFIC_PCT 30.0

/* At the roof of the memory the rule for that speaks. */
static double misses(const struct counter_kernel *k)
{
    bool many = k->l2_hit_pct < HIT_PCT && k->memory_pct >= TRAFFIC_PCT;
    return many && k->bound != BOUND_MEMORY ? 1 - k->l2_hit_pct / 100 : -1;
}

static bool eval(const struct analysis *a, struct finding *f)
{
    const struct counter_kernel *k = measured_worst(a, misses);
    if (!k)
        return false;
    f->advisory = true; /* counters do not tell whether there is anything to reuse */
    finding_scope_kernel(f, k->short_name);
    finding_issue(f,
                  "L2 answers only %.0f %% of the requests of %s, which uses %.0f %% of the "
                  "memory bandwidth",
                  k->l2_hit_pct, k->short_name, k->memory_pct);
    finding_because(f, "counter_kernels.l2_hit_pct", k->l2_hit_pct, HIT_PCT, IN_PERCENT,
                    "L2 hit rate %.1f %%", k->l2_hit_pct);
    finding_because(f, "counter_kernels.memory_pct", k->memory_pct, TRAFFIC_PCT, IN_PERCENT,
                    "%.0f GB/s between L2 and memory", k->fabric_gbps);
    finding_at_measured(f, k);
    finding_suggest(f, "if it reads data more than once, order the work so that L2 still has it");
    finding_action(f, "work on tiles that fit into L2, and give neighbouring work-groups "
                      "neighbouring data");
    finding_sure(f, 0.4, "the misses are measured; data that is read once misses, too");
    return true;
}

const struct rule rule_low_l2_hit = {
    .name = "low-l2-hit",
    .id = "GS-L2-001",
    .category = ABOUT_L2_CACHE,
    .title = "L2 misses much of what is asked",
    .bottleneck = BOTTLENECK_MEMORY,
    .action = ACTION_CODE,
    .needs = NEED_KERNELS | NEED_COUNTERS,
    .tuning = true,
    .goals = ON(memory),
    .gain = 0,
    .eval = eval,
    .doc =
        "Tells when a measured kernel with at least 5 % of the GPU time has an L2 hit rate below "
        "50 % and uses 30 % or more of the memory bandwidth without being bound by it. Claims "
        "nothing: counters do not tell whether the data is used more than once.",
};
