#include "advise/rule.h"
#include "base/human.h"

static bool eval(const struct analysis *a, struct finding *f)
{
    int64_t ns = ledger_ns(a, CAUSE_UNKNOWN);
    if (share_pct(a, ns) < LEAST_SHARE_PCT)
        return false;
    bool no_calls = !a->view.n_calls;
    char lost[HUMAN_MAX];
    finding_claim(f, CAUSE_UNKNOWN, ns);
    finding_issue(f, "the GPU is idle for %s and the trace does not tell why",
                  human_time(lost, ns));
    finding_because(f, "ledger.causes.unknown", share_pct(a, ns), LEAST_SHARE_PCT, "%",
                    "%.1f %% of the GPU time is idle without a known cause", share_pct(a, ns));
    finding_at_gaps(f, CAUSE_UNKNOWN);
    finding_suggest(
        f, no_calls ? "capture the host's calls: they tell launch, wait, allocation and host "
                      "work apart"
                    : "look at what the work waits for: another stream, GPU or process");
    finding_action(f, "use asynchronous calls and several streams to keep work queued");
    finding_sure(f, 0.6,
                 no_calls ? "idle time is certain, its cause is not recorded"
                          : "the work was queued in time and waited for something else");
    finding_capture_trace(f, "why the GPU is idle");
    return true;
}

const struct rule rule_unexplained_idle = {
    .name = "unexplained-idle",
    .id = "ROCPD-UTILIZATION-001",
    .category = "GPU Utilization",
    .title = "the GPU is idle for reasons the trace does not show",
    .bottleneck = BOTTLENECK_OTHER,
    .action = ACTION_CODE,
    .needs = NEED_KERNELS,
    .gain = 0.6,
    .eval = eval,
    .doc =
        "Fires when idle time has no known cause: host calls were not recorded, or the work was "
        "queued and waited for something else. Says what to capture. Claims the unknown idle time.",
};
