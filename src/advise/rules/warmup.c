#include "advise/rule.h"
#include "base/human.h"

static bool eval(const struct analysis *a, struct finding *f)
{
    int64_t ns = 0;
    for (size_t i = 0; i < a->warmup.n; i++)
        ns += a->warmup.v[i].excess_ns;
    if (!a->warmup.n)
        return false;
    const struct warmup_row *w = &a->warmup.v[0];
    char lost[HUMAN_MAX], first[HUMAN_MAX], median[HUMAN_MAX];
    finding_claim(f, CAUSE_COMPUTE, ns);
    finding_scope(f, "first calls of %zu kernels", a->warmup.n);
    finding_issue(f, "first calls take %s longer than later ones; %s took %s, then %s", human_time(lost, ns),
                  w->kernel_name, human_time(first, w->first_duration_ns),
                  human_time(median, w->median_ns));
    finding_because(f, "warmup.ratio", w->ratio, 2, "", "the first call took %.1f times the median",
                    w->ratio);
    finding_at_kernel(f, w->kernel, "first call of %s", w->kernel_name);
    finding_suggest(f, "leave the first steps out of measurements");
    finding_action(f, "run a few warm-up steps before the part that is timed or profiled");
    finding_action(f, "profile a steady part only: profiler pause and resume, or an iteration range");
    finding_sure(f, 0.8, "the first call is compared with the median of the others");
    return true;
}

const struct rule rule_warmup = {
    .name = "warmup",
    .id = "ROCPD-WARMUP-001",
    .category = "Warmup",
    .title = "first calls are much slower",
    .bottleneck = BOTTLENECK_OTHER,
    .action = ACTION_RUNTIME,
    .needs = NEED_KERNELS,
    .gain = 0.9,
    .eval = eval,
    .doc = "Fires when the first call of a kernel takes more than twice the median of its other calls (three "
           "calls or more). Claims the excess.",
};
