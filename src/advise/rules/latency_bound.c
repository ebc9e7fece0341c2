#include <math.h>

#include "advise/measured.h"
#include "advise/rule.h"
#include "metric/roofline.h"

#define LOW_OCCUPANCY_PCT 25.0

static double most_used(const struct counter_kernel *k)
{
    return fmax(k->level_pct, k->compute_pct);
}

/* What would remain at the threshold is not claimed. */
static double lost(const struct counter_kernel *k)
{
    return k->bound == BOUND_LATENCY ? fmax(1 - most_used(k) / ROOF_BOUND_PCT, 0) : -1;
}

static void say_what_to_do(struct finding *f, const struct counter_kernel *k)
{
    const struct vendor_words *w = vendor_words(f->analysis->trace);
    if (k->occupancy_pct < LOW_OCCUPANCY_PCT) {
        finding_because(f, "counter_kernels.occupancy_pct", k->occupancy_pct, LOW_OCCUPANCY_PCT,
                        IN_PERCENT,
                        "achieved occupancy %.1f %%: few %ss to switch to while one waits",
                        k->occupancy_pct, w->wave);
        finding_suggest(f, "give the GPU more %ss at once", w->wave);
        finding_action(f, "launch more and larger %ss, or several kernels side by side", w->group);
        finding_action(f, "use fewer registers and less %s where they limit occupancy", w->lds);
    } else {
        finding_suggest(
            f, "let each %s wait less: more independent work between a load and its use", w->wave);
        finding_action(f, "unroll and load ahead, so that several loads are on their way");
        finding_action(f, "look for barriers and long chains of dependent instructions");
    }
    if (!isnan(k->wait_pct))
        finding_because(f, "counter_kernels.wait_pct", k->wait_pct, NAN, IN_PERCENT,
                        "%ss wait for %.0f %% of their time", w->wave, k->wait_pct);
}

static bool eval(const struct analysis *a, struct finding *f)
{
    const struct counter_kernel *k = finding_of_measured(f, a, lost);
    if (!k)
        return false;
    finding_issue(
        f, "%s uses neither memory (%.0f %%) nor compute units (%.0f %%) to the full: it waits",
        k->short_name, k->level_pct, k->compute_pct);
    finding_because(f,
                    k->level_pct > k->compute_pct ? "counter_kernels.level_pct"
                                                  : "counter_kernels.compute_pct",
                    most_used(k), ROOF_BOUND_PCT, IN_PERCENT, "%s", k->why);
    say_what_to_do(f, k);
    finding_at_measured(f, k);
    finding_sure_measured(f, k, 0.8);
    return true;
}

const struct rule rule_latency_bound = {
    .name = "latency-bound",
    .id = "GS-LATENCY-001",
    .category = ABOUT_LATENCY_BOUND_KERNEL,
    .title = "a kernel is bound by latency",
    .bottleneck = BOTTLENECK_COMPUTE,
    .action = ACTION_CODE,
    .needs = NEED_KERNELS | NEED_COUNTERS,
    .tuning = true,
    .goals = ON(latency) | ON(instructions),
    .gain = 0.3,
    .eval = eval,
    .doc =
        "Fires when hardware counters show that a kernel with at least 5 % of the GPU time reaches "
        "60 % neither of the memory bandwidth nor of the compute units, and both were measured. "
        "Tells low achieved occupancy (below 25 %) from waves that wait. Claims the part of the "
        "kernel's time that would go if the busier of the two were at 60 %.",
};
