#include <math.h>

#include "advise/measured.h"
#include "advise/rule.h"
#include "metric/roofline.h"

#define LOW_HIT_PCT 50.0

/* Fewer bytes are less time, all of it. */
static double lost(const struct counter_kernel *k)
{
    return k->bound == BOUND_MEMORY ? 1 : -1;
}

static void say_what_to_do(struct finding *f, const struct counter_kernel *k)
{
    if (k->of == ROOF_HBM) {
        finding_suggest(f, "move fewer bytes: the memory itself cannot go much faster");
        finding_action(f, "fuse it with kernels that read what it writes");
        finding_action(f, "use smaller types, or compress what is stored");
        if (k->l2_hit_pct < LOW_HIT_PCT)
            finding_action(f, "where data is read more than once, work on tiles that fit into L2");
    } else if (k->of == ROOF_LDS) {
        finding_suggest(f, "keep values in registers instead of the LDS");
        finding_action(f,
                       "give each thread a larger tile, so that a value loaded is used more often");
    } else {
        finding_suggest(f, "ask %s for less: reuse values in registers or LDS", k->level);
        finding_action(f, "read wider, with neighbouring threads on neighbouring addresses");
    }
}

static bool eval(const struct analysis *a, struct finding *f)
{
    const struct counter_kernel *k = finding_of_measured(f, a, lost);
    if (!k)
        return false;
    finding_issue(f, "%s uses %.0f %% of the %s bandwidth: it is bound by memory", k->short_name,
                  k->level_pct, k->level);
    finding_because(f, "counter_kernels.level_pct", k->level_pct, ROOF_BOUND_PCT, IN_PERCENT, "%s",
                    k->why);
    if (!isnan(k->l2_hit_pct))
        finding_because(f, "counter_kernels.l2_hit_pct", k->l2_hit_pct, NAN, IN_PERCENT,
                        "L2 answers %.0f %% of its requests", k->l2_hit_pct);
    finding_at_measured(f, k);
    say_what_to_do(f, k);
    finding_sure_measured(f, k, 0.9);
    return true;
}

const struct rule rule_memory_bound = {
    .name = "memory-bound",
    .id = "ROCPD-MEMORY-BOUND-001",
    .category = ABOUT_MEMORY_BOUND_KERNEL,
    .title = "a kernel is bound by memory",
    .bottleneck = BOTTLENECK_MEMORY,
    .action = ACTION_ALGORITHM,
    .needs = NEED_KERNELS | NEED_COUNTERS,
    .tuning = true,
    .goals = ON(memory),
    .gain = 0.15,
    .eval = eval,
    .doc =
        "Fires when hardware counters show that a kernel with at least 5 % of the GPU time uses "
        "60 % or more of the peak bandwidth of HBM, L2, L1 or LDS, and compute units are not "
        "busier than that. Names the level. Claims the kernel's time; the expected gain is that of "
        "moving fewer bytes (0.15).",
};
