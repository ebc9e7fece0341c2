#include "advise/rule.h"
#include "base/human.h"
#include "base/str.h"

static bool eval(const struct analysis *a, struct finding *f)
{
    const struct hotspot *blit = NULL;
    int64_t ns = 0;
    uint64_t calls = 0;
    for (size_t i = 0; i < a->hotspots.n; i++) {
        const struct hotspot *h = &a->hotspots.v[i];
        if (a->view.kernel_class[h->symbol] != KERNEL_BLIT &&
            !str_starts(h->name, "__amd_rocclr_fill"))
            continue;
        ns = add_ns(ns, h->total_duration_ns);
        calls += h->calls;
        if (!blit)
            blit = h;
    }
    if (!blit || share_pct(a, ns) < 1)
        return false;
    char lost[HUMAN_MAX], n[HUMAN_MAX];
    int64_t exposed = ledger_ns(a, CAUSE_COPY_D2D);
    finding_claim(f, CAUSE_COPY_D2D, ns < exposed ? ns : exposed);
    finding_issue(f, "the runtime copies and fills with %s kernels of its own, %s in all",
                  human_count(n, calls), human_time(lost, ns));
    finding_because(f, "hotspots.total_duration_ns", (double)ns, 0, IN_NS, "%s in %s", lost,
                    blit->name);
    finding_at_kernel(f, blit->slowest, "longest call of %s", blit->name);
    finding_suggest(f, "avoid copies inside the device and from pageable memory");
    finding_action(f, "write results where they are needed instead of copying them afterwards");
    finding_action(f, "pinned host memory lets the copy engines work instead of kernels");
    finding_sure(f, 0.8, "these kernels belong to the runtime, not to the program");
    return true;
}

const struct rule rule_blit_kernels = {
    .name = "blit-kernels",
    .id = "GS-BLIT-001",
    .category = ABOUT_MEMORY_TRANSFER,
    .title = "copies done by kernels",
    .bottleneck = BOTTLENECK_MEMORY,
    .action = ACTION_CODE,
    .needs = NEED_KERNELS,
    .gain = 0.7,
    .eval = eval,
    .doc = "Fires when the runtime's own copy and fill kernels take 1 % of the GPU time or more. "
           "Claims what of "
           "it is exposed.",
};
