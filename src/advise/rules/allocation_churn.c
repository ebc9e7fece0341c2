#include <math.h>

#include "advise/rule.h"
#include "base/human.h"

/* Streams and events that are made and given back in the loop. */
static void tell_creation(const struct analysis *a, struct finding *f, int64_t ns)
{
    const struct allocation_stats *s = &a->allocations;
    char lost[HUMAN_MAX], n[HUMAN_MAX], api[HUMAN_MAX];
    f->title = "streams or events are made while the GPU waits";
    finding_issue(
        f,
        "the GPU idles %s while the host makes and gives back streams and events; %s slow "
        "call%s between the first and last kernel, the longest %s",
        human_time(lost, ns), human_count(n, s->created), human_s(s->created), s->top_created);
    finding_because(f, "ledger.causes.allocation", share_pct(a, ns), LEAST_SHARE_PCT, IN_PERCENT,
                    "%.1f %% of the GPU time is idle during such calls and allocation",
                    share_pct(a, ns));
    finding_because(f, "api.total_ns", (double)s->created_ns, NAN, IN_NS,
                    "the host spends %s in these calls", human_time(api, s->created_ns));
    finding_suggest(f, "make streams and events once and reuse them");
    finding_action(f, "create them before the loop and keep them for the whole run");
}

static void tell_allocation(const struct analysis *a, struct finding *f, int64_t ns)
{
    const struct allocation_stats *s = &a->allocations;
    char lost[HUMAN_MAX], n[HUMAN_MAX], api[HUMAN_MAX];
    if (s->in_loop)
        finding_issue(f,
                      "the GPU idles %s while the host allocates and frees; %s such call%s between "
                      "the first and last kernel",
                      human_time(lost, ns), human_count(n, s->in_loop), human_s(s->in_loop));
    else
        finding_issue(
            f,
            "the GPU idles %s while the host allocates and frees, before the first kernel "
            "or after the last one",
            human_time(lost, ns));
    finding_because(f, "ledger.causes.allocation", share_pct(a, ns), LEAST_SHARE_PCT, IN_PERCENT,
                    "%.1f %% of the GPU time is idle during allocation", share_pct(a, ns));
    finding_because(f, "allocations.per_kernel", s->per_kernel, 0.1, NO_UNIT,
                    "%.2f allocating calls per kernel", s->per_kernel);
    finding_because(f, "allocations.api_ns", (double)s->api_ns, 0, IN_NS,
                    "the host spends %s in them%s%s", human_time(api, s->api_ns),
                    s->top_call ? ", most in " : "", s->top_call ? s->top_call : "");
    finding_suggest(f, "allocate once and reuse");
    finding_action(f, "move allocations out of the loop; keep scratch buffers for the whole run");
    finding_action(f, "use a memory pool or %s: freeing normally waits for the device",
                   vendor_words(a->trace)->malloc_async);
}

static bool eval(const struct analysis *a, struct finding *f)
{
    int64_t ns = ledger_ns(a, CAUSE_ALLOC);
    const struct allocation_stats *s = &a->allocations;
    if (share_pct(a, ns) < 0.5)
        return false;
    finding_claim(f, CAUSE_ALLOC, ns);
    finding_change(f)->remove[REMOVE_ALLOCATION] = true;
    if (s->top_created && s->created_ns > s->in_loop_ns)
        tell_creation(a, f, ns);
    else
        tell_allocation(a, f, ns);
    finding_at_gaps(f, CAUSE_ALLOC);
    finding_sure(f, 0.9, "the launching thread was inside such calls during these gaps");
    return true;
}

const struct rule rule_allocation_churn = {
    .name = "allocation-churn",
    .id = "GS-ALLOC-001",
    .category = ABOUT_API_OVERHEAD,
    .title = "memory is allocated and freed while the GPU waits",
    .bottleneck = BOTTLENECK_SYNC,
    .action = ACTION_CODE,
    .needs = NEED_API,
    .goals = ON(allocations),
    .cites = CITES(FACT_ALLOC) | CITES(FACT_FREE),
    .gain = 0.95,
    .eval = eval,
    .doc =
        "Fires when the ledger shows idle GPU time in which the launching thread was allocating or "
        "freeing memory, or making and giving back streams and events (where most of it is that, "
        "the finding says so). All of it is slow and freeing waits for the device. Claims that idle "
        "time.",
};
