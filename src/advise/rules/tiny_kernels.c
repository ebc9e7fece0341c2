#include <math.h>

#include "advise/rule.h"
#include "base/human.h"

/* A kernel that runs about as long as a launch takes cannot hide the next launch. */
#define SHORT_MEDIAN_NS 50000.0

/* A step with fewer kernels is no graph of its own: several steps are recorded as one. */
#define GRAPH_LEAST 32

static bool eval(const struct analysis *a, struct finding *f)
{
    int64_t ns = ledger_ns(a, CAUSE_LAUNCH);
    if (share_pct(a, ns) < 1)
        return false;
    char lost[HUMAN_MAX], mean[HUMAN_MAX], n[HUMAN_MAX];
    double mean_ns = (double)a->breakdown.kernel_sum_ns / (double)a->view.n_kernels;
    human_time(lost, ns);
    human_time(mean, ns_from(mean_ns));
    finding_claim(f, CAUSE_LAUNCH, ns);
    struct change *c = finding_change(f);
    c->graph = true;
    if (a->iterations.count > 1 && a->iterations.kernels >= GRAPH_LEAST)
        c->graph_nodes = a->iterations.kernels;
    finding_issue(f, "the GPU waits %s for launches; %s kernels of %s on average", lost,
                  human_count(n, a->view.n_kernels), mean);
    finding_because(f, "ledger.causes.launch", share_pct(a, ns), LEAST_SHARE_PCT, "%",
                    "%.1f %% of the GPU time is idle between launches", share_pct(a, ns));
    finding_because(f, "breakdown.kernel_sum_ns", mean_ns, SHORT_MEDIAN_NS, "ns",
                    "a kernel takes %s on average", mean);
    if (a->launches.linked) {
        char call[HUMAN_MAX];
        finding_because(f, "launch_latency.mean_call_ns", a->launches.mean_call_ns, NAN, "ns",
                        "a launching call takes %s on average",
                        human_time(call, ns_from(a->launches.mean_call_ns)));
    }
    finding_at_gaps(f, CAUSE_LAUNCH);
    const struct vendor_words *w = vendor_words(a->trace);
    finding_suggest(f, "launch less often or ahead of time");
    finding_action(f, "fuse neighbouring kernels so that each does more work");
    finding_action(f, "record the repeating sequence as a %s and launch it as one", w->graph);
    finding_action(f, "batch small problems into one launch");
    finding_sure(f, mean_ns < SHORT_MEDIAN_NS ? 0.9 : 0.7,
                 "gaps are attributed through the call that launched the next kernel");
    finding_capture_host(f, "what the host does between launches");
    return true;
}

const struct rule rule_tiny_kernels = {
    .name = "tiny-kernels",
    .id = "ROCPD-LAUNCH-001",
    .category = "Launch Overhead",
    .title = "launch-bound: kernels too small for their launches",
    .bottleneck = BOTTLENECK_LAUNCH,
    .action = ACTION_CODE,
    .needs = NEED_KERNELS | NEED_API,
    .gain = 0.8,
    .eval = eval,
    .doc = "Fires when the ledger shows idle time in which the host was launching: the kernels are "
           "over before the next one can arrive. Fusing kernels, batching or graphs make fewer, "
           "larger launches. Claims the launch-bound idle time.",
};
