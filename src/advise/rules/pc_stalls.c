#include <math.h>

#include "advise/rule.h"
#include "base/human.h"

/* Waves that issue nothing in this share of the samples, mostly for one reason, are held up. */
#define STALLED_PCT 60.0
#define REASON_PCT 30.0

static const struct pc_kernel_row *most_held_up(const struct analysis *a)
{
    const struct pc_kernel_row *most = NULL;
    for (size_t i = 0; i < a->pc_sampling.kernels.n; i++) {
        const struct pc_kernel_row *k = &a->pc_sampling.kernels.v[i];
        if (k->kernel && k->enough && k->top_stall && 100 - k->issued_pct >= STALLED_PCT &&
            k->top_stall_pct >= REASON_PCT && (!most || k->total_ns > most->total_ns))
            most = k;
    }
    return most;
}

static bool eval(const struct analysis *a, struct finding *f)
{
    const struct pc_kernel_row *k = most_held_up(a);
    int64_t compute = ledger_ns(a, CAUSE_COMPUTE);
    if (!k)
        return false;
    double stalled = 100 - k->issued_pct;
    int64_t ns = ns_from((double)k->total_ns * stalled * k->top_stall_pct / 1e4);
    char total[HUMAN_MAX];
    finding_claim(f, CAUSE_COMPUTE, ns < compute ? ns : compute);
    finding_scope_kernel(f, k->kernel);
    finding_issue(f,
                  "%s takes %s, and its waves issue nothing in %.0f %% of the samples: most wait "
                  "for %s",
                  k->kernel, human_time(total, k->total_ns), stalled, k->top_stall);
    finding_because(f, "pc_sampling_kernels.issued_pct", k->issued_pct, 100 - STALLED_PCT,
                    IN_PERCENT, "an instruction was issued in %.1f %% of %llu samples",
                    k->issued_pct, (unsigned long long)k->samples);
    finding_because(f, "pc_sampling_kernels.top_stall_pct", k->top_stall_pct, REASON_PCT,
                    IN_PERCENT, "%.1f %% of the others wait for %s", k->top_stall_pct,
                    k->top_stall);
    finding_suggest(f, "look at the instructions that wait, and at what they wait for");
    finding_action(f, "the table of PC samples has the instructions and lines with most of them");
    finding_action(f, "put independent work between a load and its use; use fewer barriers");
    finding_action(f, "give each SIMD more waves to switch to");
    finding_sure(f, 0.6, "waves that wait cost time only where no other wave can run meanwhile");
    return true;
}

const struct rule rule_pc_stalls = {
    .name = "pc-stalls",
    .id = "GS-PCSAMPLE-001",
    .category = ABOUT_LATENCY_BOUND_KERNEL,
    .title = "samples show waves that wait",
    .bottleneck = BOTTLENECK_COMPUTE,
    .action = ACTION_CODE,
    .needs = NEED_KERNELS,
    .tuning = true,
    .goals = ON(latency) | ON(instructions),
    .gain = 0.3,
    .eval = eval,
    .doc = "Needs PC samples that say whether an instruction was issued. Fires for the kernel with "
           "most time whose waves issue nothing in 60 % of the samples and more, 30 % of these and "
           "more for one reason. Claims that part of the kernel's time; little of it is promised, "
           "since other waves may run meanwhile.",
};
