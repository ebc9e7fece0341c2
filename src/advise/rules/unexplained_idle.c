#include <math.h>
#include <string.h>

#include "advise/rule.h"
#include "base/human.h"

/* What the work behind long gaps waited for, by events or because it began as that ended. */
struct awaited {
    int64_t ns;  /* of unknown time in those gaps, up to the end of what was waited for */
    uint32_t op; /* waited for in the longest of them */
    int64_t longest_ns;
};

/* The work waited for that ended last, or NO_INDEX. */
static uint32_t last_awaited(const struct depend *d, uint32_t op)
{
    uint32_t last = NO_INDEX;
    for (size_t i = depend_first_wait(d, op); i < d->waits.n && d->waits.v[i].op == op; i++)
        if (last == NO_INDEX || op_span(d, d->waits.v[i].on).end > op_span(d, last).end)
            last = d->waits.v[i].on;
    return last;
}

static void look_at_gap(struct awaited *w, const struct analysis *a, const struct gap *gap,
                        const uint32_t *op_of)
{
    uint32_t op = gap->next_kernel == NO_INDEX ? NO_INDEX : op_of[gap->next_kernel];
    uint32_t on = op == NO_INDEX ? NO_INDEX : last_awaited(a->depend, op);
    if (on == NO_INDEX)
        return;
    int64_t until = sub_ns(view_moment(&a->view, op_span(a->depend, on).end), gap->start_ns);
    int64_t ns = until < gap->ns[CAUSE_UNKNOWN] ? until : gap->ns[CAUSE_UNKNOWN];
    if (ns <= 0)
        return;
    w->ns = add_ns(w->ns, ns);
    if (ns > w->longest_ns) {
        w->longest_ns = ns;
        w->op = on;
    }
}

static struct awaited find_awaited(const struct analysis *a)
{
    struct awaited w = {.op = NO_INDEX};
    const struct depend *d = a->depend;
    if (!d || !d->waits.n)
        return w;
    struct arena *temporary = arena_scratch();
    uint32_t *op_of = arena_array(temporary, uint32_t, a->trace->kernels.n + 1);
    memset(op_of, 0xff, (a->trace->kernels.n + 1) * sizeof(*op_of));
    for (uint32_t op = 0; op < d->n_ops; op++)
        if (!op_is_copy(d, op))
            op_of[op_row(d, op)] = op;
    for (size_t g = 0; g < a->ledger.n_gpus; g++)
        for (size_t i = 0; i < a->ledger.gpus[g].n_top; i++)
            look_at_gap(&w, a, &a->ledger.gpus[g].top[i], op_of);
    arena_release(temporary);
    return w;
}

static void tell_awaited(struct finding *f, const struct awaited *w, int64_t unknown_ns)
{
    const struct analysis *a = f->analysis;
    const struct trace *t = a->trace;
    uint32_t stream = op_stream(a->depend, w->op), row = op_row(a->depend, w->op);
    bool copy = op_is_copy(a->depend, w->op);
    int32_t gpu = stream < t->streams.n && t->streams.v[stream].gpu < t->gpus.n
                      ? t->gpus.v[t->streams.v[stream].gpu].index
                      : -1;
    char time[HUMAN_MAX];
    double pct = percent_of((double)w->ns, (double)unknown_ns);
    finding_because(f, "ledger.causes.unknown", pct, NAN, IN_PERCENT,
                    "%s of it waits for work of other streams or GPUs: most for %s on GPU %d",
                    human_time(time, w->ns),
                    copy ? "a copy" : trace_str(t, t->symbols.v[t->kernels.symbol[row]].short_name),
                    gpu);
    if (copy)
        finding_at_copy(f, row, "waited for longest");
    else
        finding_at_kernel(f, row, "waited for longest");
}

static bool eval(const struct analysis *a, struct finding *f)
{
    int64_t ns = sub_ns(ledger_ns(a, CAUSE_UNKNOWN), a->ledger.left_out_ns); /* that is known */
    if (share_pct(a, ns) < LEAST_SHARE_PCT)
        return false;
    bool no_calls = !a->view.n_calls;
    char lost[HUMAN_MAX];
    finding_claim(f, CAUSE_UNKNOWN, ns);
    struct awaited w = find_awaited(a);
    bool events = 2 * w.ns > ns;
    if (events)
        f->title = "the GPU waits for work of another stream or GPU";
    finding_issue(f,
                  events ? "the GPU is idle for %s, most of it waiting for work of another stream "
                           "or GPU"
                         : "the GPU is idle for %s and the trace does not tell why",
                  human_time(lost, ns));
    finding_because(f, "ledger.causes.unknown", share_pct(a, ns), LEAST_SHARE_PCT, IN_PERCENT,
                    "%.1f %% of the GPU time is idle without a known cause", share_pct(a, ns));
    if (w.ns)
        tell_awaited(f, &w, ns);
    finding_at_gaps(f, CAUSE_UNKNOWN);
    finding_suggest(
        f, no_calls ? "capture the host's calls: they tell launch, wait, allocation and host "
                      "work apart"
                    : "look at what the work waits for: another stream, GPU or process");
    finding_action(f, "use asynchronous calls and several streams to keep work queued");
    finding_sure(f, 0.6,
                 events     ? "the work began as that of the other stream ended"
                 : no_calls ? "idle time is certain, its cause is not recorded"
                            : "the work was queued in time and waited for something else");
    finding_capture_trace(f, "why the GPU is idle");
    return true;
}

const struct rule rule_unexplained_idle = {
    .name = "unexplained-idle",
    .id = "ROCPD-UTILIZATION-001",
    .category = ABOUT_GPU_UTILIZATION,
    .title = "the GPU is idle for reasons the trace does not show",
    .bottleneck = BOTTLENECK_OTHER,
    .action = ACTION_CODE,
    .needs = NEED_KERNELS,
    .goals = ON(timeline),
    .gain = 0.6,
    .eval = eval,
    .doc =
        "Fires when idle time has no known cause: host calls were not recorded, or the work was "
        "queued and waited for something else: which work, where events or its end say so. Says what to capture. Claims the unknown idle time.",
};
