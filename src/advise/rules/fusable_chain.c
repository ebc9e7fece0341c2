#include <math.h>

#include "advise/rule.h"
#include "base/human.h"
#include "base/sat.h"
#include "depend/fuse.h"

static double rate_of(const struct analysis *a, uint32_t row)
{
    uint32_t gpu = a->trace->streams.v[a->trace->kernels.stream[row]].gpu;
    const struct hardware *hw = gpu == NO_INDEX ? NULL : a->hardware[gpu];
    return hw && !hw->generic ? hw->mem_gbps : NAN;
}

static bool eval(const struct analysis *a, struct finding *f)
{
    struct fusable s;
    struct arena *temporary = arena_scratch();
    fuse_find(&s, &a->view, FUSE_CHAINS, NULL, false, temporary);
    arena_release(temporary);
    int64_t compute = ledger_ns(a, CAUSE_COMPUTE);
    int64_t ns = s.saved_ns < compute ? s.saved_ns : compute;
    if (!s.groups || share_pct(a, ns) < LEAST_SHARE_PCT)
        return false;
    char lost[HUMAN_MAX], n[HUMAN_MAX], bytes[HUMAN_MAX];
    const struct trace *t = a->trace;
    double saved_traffic = s.moving_ns * rate_of(a, s.longest.first);
    finding_claim(f, CAUSE_COMPUTE, ns);
    finding_change(f)->fuse = FUSE_CHAINS;
    finding_issue(f,
                  "%s short elementwise kernels run in chains of %.0f on average: what each writes "
                  "the next one reads again, %s that one kernel would not need",
                  human_count(n, s.kernels), (double)s.kernels / (double)s.groups,
                  human_time(lost, ns));
    finding_because(f, "hotspots.calls", (double)s.groups, NAN, NO_UNIT,
                    "%s chains; the longest has %u kernels, from %s to %s",
                    human_count(n, s.groups), s.longest.n,
                    trace_str(t, t->symbols.v[t->kernels.symbol[s.longest.first]].short_name),
                    trace_str(t, t->symbols.v[t->kernels.symbol[s.longest.last]].short_name));
    if (isfinite(saved_traffic))
        finding_because(f, "hotspots.total_duration_ns", saved_traffic, NAN, IN_B,
                        "fused they move up to %s less, at the rate of this memory",
                        human_bytes(bytes, count_from(saved_traffic)));
    finding_at_kernel(f, s.longest.first, "begin of the longest chain");
    finding_suggest(f,
                    "fuse them: one kernel that keeps the values between the steps in registers");
    finding_action(f, "let a compiler do it (torch.compile, XLA), or write one kernel by hand");
    finding_action(f, "put them behind the matrix product before them, as its epilogue");
    finding_sure(f, 0.6,
                 "by name they work on one element each, on the same grid, in a row; that "
                 "they use each other's results is likely, not recorded");
    return true;
}

const struct rule rule_fusable_chain = {
    .name = "fusable-chain",
    .id = "GS-FUSE-001",
    .category = ABOUT_LAUNCH_OVERHEAD,
    .title = "chains of short kernels that could be one",
    .bottleneck = BOTTLENECK_MEMORY,
    .action = ACTION_CODE,
    .needs = NEED_KERNELS,
    .tuning = true,
    .goals = ON(memory),
    .gain = 0.6,
    .eval = eval,
    .doc =
        "Fires when three or more elementwise kernels (by their names, two or more) of 3 to 500 us follow "
        "each other on a stream, within 20 us and with the same grid. They are bound by memory: "
        "fused, the values between the steps stay in registers. Chains of more than 8 are taken "
        "as several. Claims the time of all but one n-th of each chain of n, and says how many "
        "bytes that is at most.",
};
