#include "advise/rule.h"
#include "base/human.h"

static bool eval(const struct analysis *a, struct finding *f)
{
    const struct collective_stats *c = &a->collectives;
    int64_t ns = add_ns(ledger_ns(a, CAUSE_COMM), ledger_ns(a, CAUSE_COMM_WAIT));
    if (share_pct(a, ns) < LEAST_SHARE_PCT)
        return false; /* as good as hidden */
    char lost[HUMAN_MAX];
    finding_claim(f, CAUSE_COMM, ledger_ns(a, CAUSE_COMM));
    finding_claim(f, CAUSE_COMM_WAIT, ledger_ns(a, CAUSE_COMM_WAIT));
    finding_issue(f, "collectives run %s while nothing computes; %.0f %% of their time is hidden",
                  human_time(lost, ns), c->hidden_pct);
    finding_because(f, "collectives.exposed_pct", share_pct(a, ns), LEAST_SHARE_PCT, IN_PERCENT,
                    "%.1f %% of the GPU time is exposed communication", share_pct(a, ns));
    finding_because(f, "collectives.hidden_pct", c->hidden_pct, 70, IN_PERCENT,
                    "%.0f %% of collective time overlaps compute", c->hidden_pct);
    finding_suggest(f, "start collectives earlier and let them run beside compute");
    finding_action(f, "overlap: reduce each bucket as soon as it is ready, on a stream of its own");
    finding_action(f, "fewer, larger collectives; or a smaller type for what is sent");
    finding_action(f, "check for a late rank: a collective lasts until the last one arrives");
    finding_sure(f, 0.85,
                 "collective kernels are known by name; waiting for a late rank is included");
    finding_capture_trace(f, "which calls start the collectives");
    return true;
}

const struct rule rule_exposed_comm = {
    .name = "exposed-comm",
    .id = "GS-COMM-001",
    .category = ABOUT_COMMUNICATION,
    .title = "communication is not hidden behind compute",
    .bottleneck = BOTTLENECK_MPI_LATENCY,
    .action = ACTION_ALGORITHM,
    .needs = NEED_KERNELS,
    .goals = ON(communication),
    .cites = CITES(FACT_MPI) | CITES(FACT_COLLECTIVE),
    .gain = 0.8,
    .eval = eval,
    .doc =
        "Fires when collective kernels (RCCL, NCCL) run while no compute kernel does. Collectives "
        "that are covered by compute cost nothing and are not reported, nor are less than 2 % of "
        "the "
        "GPU time. Claims the exposed time.",
};
