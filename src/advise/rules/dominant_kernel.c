#include <math.h>

#include "advise/measured.h"
#include "advise/rule.h"
#include "base/human.h"

#define DOMINANT_PCT 50.0

/* The only kernel there is dominates by necessity. */
#define ONLY_GAIN 0.03

static void say_what_to_do(const struct analysis *a, struct finding *f, const struct hotspot *h)
{
    const struct counter_kernel *k = measured_kernel(a, h->name_id);
    if (k && k->bound != BOUND_UNKNOWN) {
        finding_suggest(f, "tune this kernel first; counters say that %s binds it",
                        bound_label(k->bound));
        finding_because(f, "counter_kernels.bound", k->compute_pct, NAN, IN_PERCENT, "%s", k->why);
        finding_sure(f, 0.8,
                     "its share is exact, what binds it is measured; how much can be won "
                     "is not known");
        return;
    }
    finding_suggest(
        f, "tune this kernel first; counters tell whether compute, memory or latency limits it");
    finding_action(f, "find out what limits it before changing anything");
    finding_action(f, "compare it with what a tuned library reaches for the same operation");
    finding_sure(f, 0.8, "its share is exact; how much can be won is not known without counters");
    finding_capture_kernel(f, h->short_name, "what limits the kernel");
    finding_capture_verdict(f, k, h->slowest, h->short_name, "memory traffic and use of the units");
}

static bool eval(const struct analysis *a, struct finding *f)
{
    if (!a->hotspots.n)
        return false;
    const struct hotspot *h = &a->hotspots.v[0];
    if (h->pct_of_total < DOMINANT_PCT || a->view.kernel_class[h->symbol] != KERNEL_COMPUTE)
        return false;
    char total[HUMAN_MAX];
    if (a->hotspots.n == 1)
        f->gain = ONLY_GAIN;
    finding_claim(f, CAUSE_COMPUTE, h->total_duration_ns);
    f->no_promise = true;
    finding_scope_kernel(f, h->short_name);
    finding_issue(f, "%s takes %.0f %% of the kernel time (%s)", h->short_name, h->pct_of_total,
                  human_time(total, h->total_duration_ns));
    finding_because(f, "hotspots.pct_of_total", h->pct_of_total, DOMINANT_PCT, IN_PERCENT,
                    "%.1f %% of the summed kernel time", h->pct_of_total);
    finding_at_kernel(f, h->slowest, "longest call");
    say_what_to_do(a, f, h);
    return true;
}

const struct rule rule_dominant_kernel = {
    .name = "dominant-kernel",
    .id = "ROCPD-HOTSPOT-001",
    .category = ABOUT_KERNEL_HOTSPOT,
    .title = "one kernel dominates",
    .bottleneck = BOTTLENECK_COMPUTE,
    .action = ACTION_CODE,
    .needs = NEED_KERNELS,
    .tuning = true,
    .goals = ON(roofline) | ON(compute),
    .gain = 0.05,
    .eval = eval,
    .doc =
        "Fires when one kernel takes more than half of the kernel time. Says nothing on "
        "compute- or "
        "memory-bound without counters. Claims the kernel's time; the expected gain is small "
        "because "
        "it is not known (0.05, or 0.03 when there is no other kernel), and nothing is promised.",
};
