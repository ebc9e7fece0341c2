#include "advise/beside.h"
#include "advise/rule.h"
#include "att/att.h"
#include "base/human.h"

/* The kernel of the trace with most time that a thread trace has something to say of. */
static const struct att_kernel *most_time(const struct finding *f, const struct hotspot **of)
{
    const struct att *t = f->beside ? f->beside->att : NULL;
    const struct att_kernel *most = NULL;
    for (size_t i = 0; t && i < t->kernels.n; i++) {
        const struct att_kernel *k = &t->kernels.v[i];
        const struct hotspot *h = k->findings.n ? att_hotspot(f->analysis, k) : NULL;
        if (!h || (most && h->total_duration_ns <= (*of)->total_duration_ns))
            continue;
        most = k;
        *of = h;
    }
    return most;
}

static bool eval(const struct analysis *a, struct finding *f)
{
    enum { TOLD = 3 };
    const struct hotspot *h = NULL;
    const struct att_kernel *k = most_time(f, &h);
    if (!k)
        return false;
    const struct att_finding *first = &k->findings.v[0];
    int64_t ns = ns_from((double)h->total_duration_ns * first->pct_of_time / 100);
    int64_t compute = ledger_ns(a, CAUSE_COMPUTE);
    char total[HUMAN_MAX];
    finding_claim(f, CAUSE_COMPUTE, ns < compute ? ns : compute);
    finding_scope_kernel(f, k->short_name);
    finding_issue(f, "%s takes %s; its instructions say: %s, %s", k->short_name,
                  human_time(total, h->total_duration_ns), first->title, first->text);
    for (size_t i = 0; i < k->findings.n && i < TOLD; i++) {
        const struct att_finding *e = &k->findings.v[i];
        finding_because(f, "thread_trace.kernels.stall_classes.pct_of_time", e->pct_of_time, 0,
                        IN_PERCENT, "thread trace: %s, %s", e->title, e->text);
        finding_action(f, "%s", e->advice);
    }
    finding_suggest(f, "tune the instructions that take the time of the waves");
    finding_sure(f, 0.7,
                 "of a few waves, each instruction was timed; that others are alike is "
                 "likely");
    return true;
}

const struct rule rule_thread_trace = {
    .name = "thread-trace",
    .id = "GS-THREADTRACE-001",
    .category = ABOUT_LATENCY_BOUND_KERNEL,
    .title = "a thread trace shows where waves lose their time",
    .bottleneck = BOTTLENECK_COMPUTE,
    .action = ACTION_CODE,
    .needs = NEED_KERNELS,
    .tuning = true,
    .goals = ON(latency) | ON(instructions),
    .gain = 0.3,
    .eval = eval,
    .doc =
        "Needs a thread trace beside the trace. Fires for the kernel with most time of which the "
        "thread trace says something (docs/thread-trace.md), and claims the part of its time "
        "that the first statement is about.",
};
