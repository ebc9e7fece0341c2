#include "advise/rule.h"
#include "base/human.h"

static bool eval(const struct analysis *a, struct finding *f)
{
    int64_t ns = ledger_ns(a, CAUSE_STARTUP);
    if (share_pct(a, ns) < 1)
        return false;
    int64_t before = 0;
    for (size_t g = 0; g < a->ledger.n_gpus; g++)
        before += a->ledger.gpus[g].first_ns - a->view.start_ns;
    char lost[HUMAN_MAX], inside[HUMAN_MAX];
    finding_claim(f, CAUSE_STARTUP, ns);
    finding_issue(f, "%s of GPU time pass in start-up; %s of it after the first work, loading or compiling "
                     "code",
                  human_time(lost, ns), human_time(inside, ns - before));
    finding_because(f, "ledger.causes.startup", share_pct(a, ns), LEAST_SHARE_PCT, "%",
                    "%.1f %% of the GPU time", share_pct(a, ns));
    finding_at_gaps(f, CAUSE_STARTUP);
    finding_suggest(f, "a one-time cost: it matters for short runs only");
    finding_action(f, "compile kernels ahead of time for this architecture; keep compilation caches");
    finding_action(f, "load data while the runtime starts");
    finding_action(f, "to judge the steady state, analyze a window: --window START:END");
    finding_sure(f, 0.9, "before the first GPU work, or inside code-loading calls");
    return true;
}

const struct rule rule_startup = {
    .name = "startup",
    .id = "ROCPD-RUNTIME-INIT-001",
    .category = "Runtime Initialization",
    .title = "start-up and code loading",
    .bottleneck = BOTTLENECK_OTHER,
    .action = ACTION_RUNTIME,
    .needs = NEED_KERNELS,
    .gain = 0.1,
    .eval = eval,
    .doc = "Fires when a good part of the window lies before the first GPU work, or in calls that load or "
           "compile code. Claims that time, with a small expected gain: it is paid once.",
};
