#include "advise/rule.h"
#include "base/human.h"

#define SHORT_SHARE_PCT 50.0

static bool eval(const struct analysis *a, struct finding *f)
{
    const struct short_kernels *s = &a->short_kernels;
    if (s->short_kernel_pct < SHORT_SHARE_PCT || s->short_kernel_count < 100)
        return false;
    char n[HUMAN_MAX], gap[HUMAN_MAX];
    f->advisory = true; /* what their launches cost is claimed by the launch and sync rules */
    finding_issue(f,
                  "%s kernels (%.0f %%) are shorter than %.0f µs; %s of idle time lie before them",
                  human_count(n, s->short_kernel_count), s->short_kernel_pct, s->threshold_us,
                  human_time(gap, s->gap_ns));
    finding_because(f, "short_kernels.short_kernel_pct", s->short_kernel_pct, SHORT_SHARE_PCT,
                    IN_PERCENT, "%.1f %% of all kernels, %.1f %% of the kernel time",
                    s->short_kernel_pct, s->short_pct_of_kernel_time);
    finding_suggest(f, "their own time is work; the gaps before them are what fusing can win");
    for (size_t i = 0; i < a->short_offenders.n && i < 3; i++)
        finding_action(f, "look at %s: %llu short calls of %.1f µs", a->short_offenders.v[i].name,
                       (unsigned long long)a->short_offenders.v[i].count,
                       a->short_offenders.v[i].avg_us);
    finding_sure(f, 0.9, "durations are recorded");
    return true;
}

const struct rule rule_short_kernels = {
    .name = "short-kernels",
    .id = "ROCPD-LAUNCH-EFFICIENCY-001",
    .category = ABOUT_LAUNCH_EFFICIENCY,
    .title = "most kernels are short",
    .bottleneck = BOTTLENECK_LAUNCH,
    .action = ACTION_CODE,
    .needs = NEED_KERNELS,
    .goals = ON(launch),
    .gain = 0.5,
    .eval = eval,
    .doc = "Tells how many kernels are shorter than the threshold (--short-kernel-threshold-us) "
           "and names the "
           "most frequent. Claims nothing: the idle time is claimed by the launch and sync rules.",
};
