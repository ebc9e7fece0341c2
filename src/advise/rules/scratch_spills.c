#include "advise/rule.h"

static bool eval(const struct analysis *a, struct finding *f)
{
    const struct resource_row *worst = NULL;
    int64_t ns = 0;
    for (size_t i = 0; i < a->resources.n; i++) {
        const struct resource_row *r = &a->resources.v[i];
        if (!r->scratch_bytes || share_pct(a, r->total_ns) < 2 ||
            a->view.kernel_class[r->symbol] != KERNEL_COMPUTE)
            continue;
        ns = add_ns(ns, r->total_ns / 8);
        if (!worst)
            worst = r;
    }
    if (!worst)
        return false;
    const char *kernel = short_name_of(a, worst);
    finding_claim(f, CAUSE_COMPUTE, ns);
    finding_scope_kernel(f, kernel);
    finding_issue(f, "%s uses %u bytes of scratch per work-item: registers spill to memory", kernel,
                  worst->scratch_bytes);
    finding_because(f, "kernel_resources.scratch_bytes", worst->scratch_bytes, 0, IN_BYTES,
                    "%u bytes of scratch, %u registers", worst->scratch_bytes, worst->vgpr);
    finding_suggest(f, "make the kernel fit into its registers");
    finding_action(f, "fewer live values: smaller unroll factors, smaller tiles, split the kernel");
    finding_action(f, "avoid arrays indexed at run time; they live in scratch");
    finding_action(f, "relax __launch_bounds__ if it forces too few registers");
    finding_sure(f, 0.6, "scratch is recorded; how much time it costs only counters can tell");
    finding_capture_kernel(f, kernel, "scratch traffic");
    return true;
}

const struct rule rule_scratch_spills = {
    .name = "scratch-spills",
    .id = "GS-SPILL-001",
    .category = ABOUT_REGISTER_SPILLS,
    .title = "registers spill to memory",
    .bottleneck = BOTTLENECK_MEMORY,
    .action = ACTION_CODE,
    .needs = NEED_KERNELS,
    .tuning = true,
    .goals = ON(memory),
    .gain = 0.25,
    .eval = eval,
    .doc = "Fires when a kernel with at least 2 % of the GPU time uses scratch (private, local) "
           "memory. "
           "Claims an eighth of its time.",
};
