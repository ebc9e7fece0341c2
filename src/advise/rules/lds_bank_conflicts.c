#include <math.h>

#include "advise/measured.h"
#include "advise/rule.h"
#include "base/str.h"

#define CONFLICT_PCT 10.0

/* On RDNA the counter is a share of the LDS's own time, which says nothing on the kernel's. */
static double lost(const struct counter_kernel *k)
{
    bool is_known = k->lds_conflict_pct >= CONFLICT_PCT && str_starts(k->arch, "gfx9");
    return is_known ? fmin(k->lds_conflict_pct / 100, 1) : -1;
}

static bool eval(const struct analysis *a, struct finding *f)
{
    const struct counter_kernel *k = finding_of_measured(f, a, lost);
    if (!k)
        return false;
    finding_issue(f, "bank conflicts stall the LDS for %.0f %% of the time of %s",
                  k->lds_conflict_pct, k->short_name);
    finding_because(f, "counter_kernels.lds_conflict_pct", k->lds_conflict_pct, CONFLICT_PCT,
                    IN_PERCENT, "LDS stalled by conflicts in %.1f %% of the CUs' active cycles",
                    k->lds_conflict_pct);
    finding_at_measured(f, k);
    finding_suggest(f, "let the lanes of a wave use different banks");
    finding_action(f, "pad rows of a tile by one element, or swizzle its columns by XOR");
    finding_action(f, "read and write the LDS in 8 or 16 bytes a lane");
    finding_sure(f, 0.75, "the stalls are measured; other waves may have hidden a part of them");
    return true;
}

const struct rule rule_lds_bank_conflicts = {
    .name = "lds-bank-conflicts",
    .id = "GS-LDS-001",
    .category = ABOUT_LDS_BANK_CONFLICTS,
    .title = "bank conflicts stall the LDS",
    .bottleneck = BOTTLENECK_COMPUTE,
    .action = ACTION_CODE,
    .needs = NEED_KERNELS | NEED_COUNTERS,
    .tuning = true,
    .specific = true,
    .goals = ON(instructions),
    .gain = 0.5,
    .eval = eval,
    .doc =
        "Fires when hardware counters show that bank conflicts stall the LDS for at least 10 % of "
        "the active time of a kernel with at least 5 % of the GPU time (gfx9 only: elsewhere the "
        "counter is no share of the kernel's time). Claims that share of the kernel's time.",
};
