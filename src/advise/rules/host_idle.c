#include "advise/host_words.h"
#include "base/human.h"

static bool eval(const struct analysis *a, struct finding *f)
{
    int64_t ns = ledger_ns(a, CAUSE_HOST);
    if (share_pct(a, ns) < 1)
        return false;
    char lost[HUMAN_MAX];
    finding_claim(f, CAUSE_HOST, ns);
    finding_change(f)->prefetch = true;
    struct host_time h;
    host_time_find(&h, a, CAUSE_HOST, f->arena);
    const char *most = host_words(&h, f->arena);
    finding_issue(f, "the GPU is starved for %s: the host %s", human_time(lost, ns),
                  most ? most : "makes no call into the GPU runtime");
    finding_because(f, "ledger.causes.host", share_pct(a, ns), LEAST_SHARE_PCT, IN_PERCENT,
                    "%.1f %% of the GPU time is idle while the host is busy elsewhere",
                    share_pct(a, ns));
    finding_because_host(f, &h, "ledger.causes.host");
    finding_at_gaps(f, CAUSE_HOST);
    finding_suggest(f, most ? "do it earlier, in parallel or on the GPU"
                            : "find out what the host does, and do it earlier, in parallel or on "
                              "the GPU");
    finding_action(f,
                   "prepare the next step (input, pre-processing) in another thread while the GPU "
                   "works");
    finding_action(f, "move the host's part of the loop to the GPU");
    if (2 * h.named_ns < h.all_ns)
        finding_action(f, "mark parts of the program with %s ranges, so that the gaps get names",
                       trace_is_nvidia(a->trace) ? "NVTX" : "roctx");
    finding_sure(f, 0.85, "the launching thread neither launched nor waited meanwhile");
    finding_capture_host(f, "what the host does meanwhile: call stacks");
    return true;
}

const struct rule rule_host_idle = {
    .name = "host-idle",
    .id = "ROCPD-UTILIZATION-001",
    .category = ABOUT_GPU_UTILIZATION,
    .title = "the GPU is starved by its host",
    .bottleneck = BOTTLENECK_HOST,
    .action = ACTION_CODE,
    .needs = NEED_KERNELS | NEED_API,
    .goals = ON(host),
    .cites = CITES(FACT_SYNC),
    .gain = 0.85,
    .eval = eval,
    .doc = "Fires when the GPU is idle and the thread that launches its work makes no GPU call for "
           "50 us "
           "or more, or is as long in one that neither launches nor waits. What it did is named by "
           "operators, instrumented functions, CPU samples, markers or calls of other threads, "
           "with the share of each; what nothing names stays unknown. "
           "Claims that idle time.",
};
