#include <math.h>

#include "advise/rule.h"
#include "base/human.h"
#include "depend/fuse.h"

/* Of the time lost to launches, what the launches of the optimizer stand for. */
static int64_t launch_part(const struct analysis *a, const struct fusable *s)
{
    double share = (double)s->kernels / (double)a->view.n_kernels;
    return ns_from((double)ledger_ns(a, CAUSE_LAUNCH) * (share < 1 ? share : 1));
}

static bool eval(const struct analysis *a, struct finding *f)
{
    struct fusable s;
    struct arena *temporary = arena_scratch();
    fuse_find(&s, &a->view, FUSE_OPTIMIZER, NULL, false, temporary);
    arena_release(temporary);
    if (!s.steps)
        return false;
    int64_t launch = launch_part(a, &s), compute = ledger_ns(a, CAUSE_COMPUTE);
    compute = s.saved_ns < compute ? s.saved_ns : compute;
    if (share_pct(a, add_ns(launch, compute)) < LEAST_SHARE_PCT)
        return false;
    char n[HUMAN_MAX], lost[HUMAN_MAX], mean[HUMAN_MAX];
    finding_claim(f, CAUSE_LAUNCH, launch);
    finding_claim(f, CAUSE_COMPUTE, compute);
    finding_change(f)->fuse = FUSE_OPTIMIZER;
    finding_issue(f,
                  "an optimizer step launches %s kernels of %s on average, one tensor at a time; "
                  "that costs %s",
                  human_count(n, s.kernels / s.steps), human_time(mean, s.ns / (int64_t)s.kernels),
                  human_time(lost, add_ns(launch, compute)));
    finding_because(f, "ledger.causes.launch", share_pct(a, launch), LEAST_SHARE_PCT, IN_PERCENT,
                    "%.1f %% of the GPU time is idle between its launches, by their number",
                    share_pct(a, launch));
    finding_because(f, "hotspots.calls", (double)s.kernels, NAN, NO_UNIT,
                    "%s kernels under %llu names in %llu steps", human_count(n, s.kernels),
                    (unsigned long long)s.names, (unsigned long long)s.steps);
    finding_at_kernel(f, s.longest.first, "one of them");
    finding_suggest(f, "let one kernel update many tensors");
    finding_action(f, "ask for the fused optimizer (PyTorch: fused=True, or foreach=True)");
    finding_action(f, "or use one that gathers the tensors (Apex, multi-tensor apply)");
    finding_sure(f, 0.85, "the kernels were launched inside ranges that name the optimizer");
    return true;
}

const struct rule rule_optimizer_loop = {
    .name = "optimizer-loop",
    .id = "GS-OPTIM-001",
    .category = ABOUT_LAUNCH_OVERHEAD,
    .title = "the optimizer updates one tensor at a time",
    .bottleneck = BOTTLENECK_LAUNCH,
    .action = ACTION_CODE,
    .needs = NEED_KERNELS | NEED_API | NEED_MARKERS,
    .specific = true,
    .goals = ON(launch) | ON(host),
    .gain = 0.9,
    .eval = eval,
    .doc = "Fires when ranges that name an optimizer hold 16 kernels and more each. Claims their "
           "part of the launch-bound idle time, and the kernel time that fusing saves. Predicts "
           "one launch for every two tensors and three kernels' worth of time for each tensor.",
};
