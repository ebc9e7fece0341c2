#include "advise/rule.h"
#include "base/human.h"

/* Kernels whose groups do not even give every CU one. */
static bool eval(const struct analysis *a, struct finding *f)
{
    int64_t ns = 0, tail = 0;
    const struct resource_row *worst = NULL;
    double beside = a->breakdown.concurrency > 1 ? a->breakdown.concurrency : 1;
    for (size_t i = 0; i < a->resources.n; i++) {
        const struct resource_row *r = &a->resources.v[i];
        if (!r->cu_count || !r->workgroups ||
            a->view.kernel_class[r->symbol] != KERNEL_COMPUTE)
            continue;
        /* Kernels that run side by side fill the device together. */
        double groups = (double)r->workgroups * beside;
        if (groups < r->cu_count) {
            ns += (int64_t)((double)r->total_ns / beside * (1 - groups / r->cu_count));
            if (!worst || r->total_ns > worst->total_ns)
                worst = r;
        } else if (r->rounds > 1 && r->rounds < 4 && r->tail_efficiency_pct < 60) {
            tail += (int64_t)((double)r->total_ns * (1 - r->tail_efficiency_pct / 100) / 2);
            if (!worst)
                worst = r;
        }
    }
    if (!worst || share_pct(a, ns + tail) < 1)
        return false;
    const struct vendor_words *w = vendor_words(a->trace);
    char total[HUMAN_MAX];
    const char *kernel = short_name_of(a, worst);
    finding_claim(f, CAUSE_COMPUTE, ns + tail);
    finding_scope(f, "kernel %s", kernel);
    finding_issue(f, "%llu %ss on %u %ss: most of the device is empty while %s runs (%s)",
                  (unsigned long long)worst->workgroups, w->group, worst->cu_count, w->cu, kernel,
                  human_time(total, worst->total_ns));
    finding_because(f, "kernel_resources.workgroups", (double)worst->workgroups, worst->cu_count, "",
                    "grid %s, group %s: %llu %ss", worst->grid, worst->block,
                    (unsigned long long)worst->workgroups, w->group);
    if (worst->workgroups >= worst->cu_count)
        finding_because(f, "kernel_resources.tail_efficiency_pct", worst->tail_efficiency_pct, 60, "%",
                        "%.1f rounds, the last one mostly empty", worst->rounds);
    finding_suggest(f, "start at least one %s for every %s, better several", w->group, w->cu);
    finding_action(f, "give each %s less to do, or split the reduction (split-K, more blocks)", w->group);
    finding_action(f, "batch several problems into one launch, or run independent kernels in parallel");
    finding_sure(f, 0.85, "grid, group and device size are recorded");
    finding_capture_kernel(f, kernel, "how the kernel uses the device");
    return true;
}

const struct rule rule_small_grid = {
    .name = "small-grid",
    .id = "GS-GRID-001",
    .category = "Launch Configuration",
    .title = "grids too small for the device",
    .bottleneck = BOTTLENECK_COMPUTE,
    .action = ACTION_LAUNCH,
    .needs = NEED_KERNELS,
    .gain = 0.6,
    .eval = eval,
    .doc = "Fires when hot kernels start fewer workgroups than the device has CUs (SMs), or leave the last "
           "round of groups mostly empty. Claims the part of their time that the empty units stand for.",
};
