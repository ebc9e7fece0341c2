#include "advise/rule.h"
#include "base/human.h"

static bool eval(const struct analysis *a, struct finding *f)
{
    int64_t ns = ledger_ns(a, CAUSE_ALLOC);
    if (share_pct(a, ns) < 0.5)
        return false;
    char lost[HUMAN_MAX], n[HUMAN_MAX], api[HUMAN_MAX];
    const struct allocation_stats *s = &a->allocations;
    finding_claim(f, CAUSE_ALLOC, ns);
    finding_change(f)->remove[REMOVE_ALLOCATION] = true;
    finding_issue(f,
                  "the GPU idles %s while the host allocates and frees; %s such call%s between the "
                  "first and last kernel",
                  human_time(lost, ns), human_count(n, s->in_loop), s->in_loop == 1 ? "" : "s");
    finding_because(f, "ledger.causes.allocation", share_pct(a, ns), LEAST_SHARE_PCT, "%",
                    "%.1f %% of the GPU time is idle during allocation", share_pct(a, ns));
    finding_because(f, "allocations.per_kernel", s->per_kernel, 0.1, "",
                    "%.2f allocating calls per kernel", s->per_kernel);
    finding_because(f, "allocations.api_ns", (double)s->api_ns, 0, "ns",
                    "the host spends %s in them%s%s", human_time(api, s->api_ns),
                    s->top_call ? ", most in " : "", s->top_call ? s->top_call : "");
    finding_at_gaps(f, CAUSE_ALLOC);
    finding_suggest(f, "allocate once and reuse");
    finding_action(f, "move allocations out of the loop; keep scratch buffers for the whole run");
    finding_action(f, "use a memory pool or %s: freeing normally waits for the device",
                   vendor_words(a->trace)->malloc_async);
    finding_sure(f, 0.9, "the launching thread was inside allocation calls during these gaps");
    return true;
}

const struct rule rule_allocation_churn = {
    .name = "allocation-churn",
    .id = "GS-ALLOC-001",
    .category = "API Overhead",
    .title = "memory is allocated and freed while the GPU waits",
    .bottleneck = BOTTLENECK_SYNC,
    .action = ACTION_CODE,
    .needs = NEED_API,
    .gain = 0.95,
    .eval = eval,
    .doc =
        "Fires when the ledger shows idle GPU time in which the launching thread was allocating or "
        "freeing memory. Both are slow and freeing waits for the device. Claims that idle time.",
};
