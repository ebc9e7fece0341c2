#include "advise/measured.h"
#include "advise/rule.h"

#define LOW_OCCUPANCY_PCT 25.0

/* Counters that show busy units or memory say that occupancy is not what limits the kernel. */
static bool is_cleared(const struct analysis *a, const struct resource_row *r)
{
    const struct counter_kernel *k = measured_kernel(a, a->trace->symbols.v[r->symbol].name);
    return k && (k->bound == BOUND_COMPUTE || k->bound == BOUND_MEMORY);
}

/* Matrix kernels are made to run with few waves: without counters that is no fault of theirs. */
static bool is_by_design(const struct analysis *a, const struct resource_row *r)
{
    enum kernel_role role = (enum kernel_role)a->view.role[r->symbol];
    return (role == ROLE_GEMM || role == ROLE_CONV || role == ROLE_ATTENTION) &&
           !measured_kernel(a, a->trace->symbols.v[r->symbol].name);
}

static bool eval(const struct analysis *a, struct finding *f)
{
    const struct resource_row *worst = NULL;
    int64_t ns = 0;
    for (size_t i = 0; i < a->resources.n; i++) {
        const struct resource_row *r = &a->resources.v[i];
        if (a->view.kernel_class[r->symbol] != KERNEL_COMPUTE ||
            !(r->occupancy_pct < LOW_OCCUPANCY_PCT) || share_pct(a, r->total_ns) < 5 ||
            is_cleared(a, r) || is_by_design(a, r))
            continue;
        ns = add_ns(ns,
                    r->total_ns / 8); /* higher occupancy hides latency; it does not remove work */
        if (!worst)
            worst = r;
    }
    if (!worst)
        return false;
    const struct vendor_words *w = vendor_words(a->trace);
    const char *kernel = short_name_of(a, worst);
    finding_claim(f, CAUSE_COMPUTE, ns);
    finding_scope_kernel(f, kernel);
    finding_issue(f, "%s can have %u of %u %ss per %s at once, limited by %s", kernel,
                  worst->waves_per_cu, worst->max_waves_per_cu, w->wave, w->cu, worst->limiter);
    finding_because(f, "kernel_resources.occupancy_pct", worst->occupancy_pct, LOW_OCCUPANCY_PCT,
                    IN_PERCENT, "theoretical occupancy %.0f %%: %s", worst->occupancy_pct,
                    worst->arithmetic);
    finding_suggest(f, "use less of the limiting resource, if the kernel waits for memory");
    finding_action(f, "limit registers with __launch_bounds__, or split the kernel");
    finding_action(f, "use less %s per %s, or smaller tiles", w->lds, w->group);
    finding_sure(f, 0.5,
                 "occupancy is theoretical; whether it limits this kernel only counters can tell");
    finding_capture_kernel(f, kernel, "achieved occupancy and what the kernel waits for");
    return true;
}

const struct rule rule_low_occupancy = {
    .name = "low-occupancy",
    .id = "ROCPD-OCCUPANCY-001",
    .category = ABOUT_LOW_OCCUPANCY,
    .title = "few waves fit at once",
    .bottleneck = BOTTLENECK_COMPUTE,
    .action = ACTION_LAUNCH,
    .needs = NEED_KERNELS,
    .tuning = true,
    .goals = ON(occupancy),
    .gain = 0.2,
    .eval = eval,
    .doc =
        "Fires when a kernel with at least 5 % of the GPU time has a theoretical occupancy below "
        "25 %, unless counters show that compute or memory binds it. Matrix kernels are made to run "
        "like that and are left out, as long as no counters were recorded. "
        "Names the limiting resource with the arithmetic. Claims an eighth of the kernel's time.",
};
