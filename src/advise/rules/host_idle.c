#include "advise/rule.h"
#include "base/human.h"

static bool eval(const struct analysis *a, struct finding *f)
{
    int64_t ns = ledger_ns(a, CAUSE_HOST);
    if (share_pct(a, ns) < 1)
        return false;
    char lost[HUMAN_MAX];
    finding_claim(f, CAUSE_HOST, ns);
    finding_change(f)->prefetch = true;
    finding_issue(f, "the GPU is starved for %s: the host makes no call into the GPU runtime",
                  human_time(lost, ns));
    finding_because(f, "ledger.causes.host", share_pct(a, ns), LEAST_SHARE_PCT, "%",
                    "%.1f %% of the GPU time is idle while the host is busy elsewhere",
                    share_pct(a, ns));
    finding_at_gaps(f, CAUSE_HOST);
    finding_suggest(f, "find out what the host does, and do it earlier, in parallel or on the GPU");
    finding_action(f,
                   "prepare the next step (input, pre-processing) in another thread while the GPU "
                   "works");
    finding_action(f, "move the host's part of the loop to the GPU");
    finding_action(f, "mark parts of the program with %s ranges, so that the gaps get names",
                   trace_is_nvidia(a->trace) ? "NVTX" : "roctx");
    finding_sure(f, 0.85, "the launching thread was outside of any recorded call");
    finding_capture_host(f, "what the host does meanwhile: call stacks");
    return true;
}

const struct rule rule_host_idle = {
    .name = "host-idle",
    .id = "ROCPD-UTILIZATION-001",
    .category = "GPU Utilization",
    .title = "the GPU is starved by its host",
    .bottleneck = BOTTLENECK_HOST,
    .action = ACTION_CODE,
    .needs = NEED_KERNELS | NEED_API,
    .gain = 0.85,
    .eval = eval,
    .doc = "Fires when the GPU is idle and the thread that launches its work makes no GPU call for "
           "50 us "
           "or more: it computes, reads files or waits for something that is not in the trace. "
           "Claims that idle time.",
};
