#include <math.h>

#include "advise/copy_split.h"
#include "base/human.h"

static bool eval(const struct analysis *a, struct finding *f)
{
    struct copy_split s;
    copy_split(&s, a);
    if (share_pct(a, s.bound_ns) < 1)
        return false;
    char lost[HUMAN_MAX], compute[HUMAN_MAX];
    claim_copies(f, s.bound_ns);
    bool both = share_pct(a, s.both_ns) >= LEAST_SHARE_PCT;
    finding_change(f)->overlap = true;
    if (both)
        f->change->link_hope = 0.5; /* all overlaps; at best half of the bytes do */
    else
        f->change->link = 0.5;
    f->shares = true;
    finding_issue(f, "copies over the host link take %s while nothing computes; compute takes %s%s",
                  human_time(lost, s.bound_ns), human_time(compute, ledger_ns(a, CAUSE_COMPUTE)),
                  both ? "; both directions take turns" : "");
    finding_because(f, "breakdown.exposed_copy_ns", share_pct(a, s.exposed_ns), LEAST_SHARE_PCT,
                    IN_PERCENT, "%.1f %% of the GPU time is exposed copies",
                    share_pct(a, s.exposed_ns));
    for (size_t i = 0; i < a->copies.n; i++) {
        const struct copy_row *c = &a->copies.v[i];
        char bytes[HUMAN_MAX];
        if (c->kind == COPY_D2D || c->kind == COPY_SET ||
            100 * (double)c->exposed_ns < (double)s.exposed_ns) /* next to nothing of it */
            continue;
        if (!isnan(c->bandwidth_gbps))
            finding_because(f, "copies.bandwidth_gbps", c->bandwidth_gbps, c->link_gbps, IN_GBPS,
                            "%s: %s at %.1f GB/s", copy_directions[c->kind],
                            human_bytes(bytes, c->total_bytes), c->bandwidth_gbps);
        finding_at_copy(f, c->slowest, "slowest large copy, %s", copy_directions[c->kind]);
    }
    if (both) {
        finding_because(f, "breakdown.exposed_copy_ns", share_pct(a, s.both_ns), LEAST_SHARE_PCT,
                        IN_PERCENT, "%s of them could run beside copies in the other direction",
                        human_time(lost, s.both_ns));
        finding_suggest(f, "overlap the two directions and the compute, and move less data");
        finding_action(f,
                       "use three streams with pinned memory: copy the next piece in and the last "
                       "one out while one computes");
    } else {
        finding_suggest(f, "move less data, or keep it on the GPU");
    }
    finding_action(
        f, "keep arrays resident on the device between steps instead of copying them back and "
           "forth");
    finding_action(f, "copy only what changed, or a smaller type");
    finding_action(f, "do the work on the side where the data is");
    finding_sure(f, 0.9,
                 s.full ? "copies follow each other without a pause"
                        : "copies outlast compute even at the speed they reach");
    finding_capture_trace(f, "which calls copy");
    return true;
}

const struct rule rule_transfer_bound = {
    .name = "transfer-bound",
    .id = "ROCPD-MEMCPY-001",
    .category = ABOUT_MEMORY_TRANSFER,
    .title = "transfer-bound: copies take longer than the work",
    .bottleneck = BOTTLENECK_TRANSFER,
    .action = ACTION_ALGORITHM,
    .needs = NEED_COPIES,
    .goals = ON(copies),
    .cites = CITES(FACT_COPY),
    .gain = 0.9,
    .eval = eval,
    .doc =
        "Fires when exposed copies between host and device (or GPUs) outlast compute so far that "
        "overlap could not hide them (compute below 40 % of the copies), or when copies in one "
        "direction are under way 95 % of the time. The cure is to move less, "
        "and, where copies go both ways, to let the two directions run at once: a link carries "
        "both. "
        "Claims the exposed "
        "copy time that is not due to slow copies. What it predicts is overlap, where copies go "
        "both ways, and otherwise half of the bytes.",
};
