#include "advise/rule.h"
#include "base/human.h"

/*
 * What interrupts the work can be avoided: compile ahead of time, load before the first step. What
 * comes before the work is paid once, and what is not in the runtime's calls is not about the GPU.
 */
#define JIT_GAIN 0.9
#define LOAD_GAIN 0.08
#define SETUP_GAIN 0.01

static int64_t first_work(const struct analysis *a)
{
    int64_t first = a->view.end_ns;
    for (size_t g = 0; g < a->ledger.n_gpus; g++)
        first = a->ledger.gpus[g].first_ns < first ? a->ledger.gpus[g].first_ns : first;
    return first;
}

/* Share of the time before the first GPU work in which calls start the runtime or load code. */
static double loading_share(const struct analysis *a)
{
    const struct view *v = &a->view;
    const struct regions *r = &v->trace->regions;
    int64_t first = first_work(a), ns = 0;
    for (size_t t = 0; t < v->n_threads; t++) {
        const struct view_thread *th = &v->threads[t];
        for (size_t i = 0; i < th->n_outer && r->start_ns[th->outer[i]] < first; i++) {
            uint32_t call = th->outer[i];
            int64_t end = r->end_ns[call] < first ? r->end_ns[call] : first;
            enum api_class class = view_call_class(v, call);
            if (class == API_MODULE ||
                (class == API_LAUNCH && end - r->start_ns[call] >= LEDGER_LOAD_NS &&
                 view_first_use(v, call)))
                ns = add_ns(ns, view_clip(v, r->start_ns[call], end).end -
                                    view_clip(v, r->start_ns[call], end).start);
        }
    }
    int64_t all = sub_ns(first, v->start_ns);
    return all <= 0 ? 0 : ns >= all ? 1 : (double)ns / (double)all;
}

static bool eval(const struct analysis *a, struct finding *f)
{
    int64_t ns = ledger_ns(a, CAUSE_STARTUP);
    if (share_pct(a, ns) < 1)
        return false;
    int64_t before = 0;
    for (size_t g = 0; g < a->ledger.n_gpus; g++)
        before = add_ns(before, a->ledger.gpus[g].first_ns - a->view.start_ns);
    char lost[HUMAN_MAX], inside[HUMAN_MAX];
    f->once = share_pct(a, ns - before) < LEAST_SHARE_PCT;
    double loading = loading_share(a);
    f->gain = f->once ? LOAD_GAIN * loading + SETUP_GAIN * (1 - loading)
                      : JIT_GAIN * (double)(ns - before) / (double)ns;
    finding_claim(f, CAUSE_STARTUP, ns);
    if (ns > before)
        finding_issue(f,
                      "%s of GPU time pass in start-up; %s of it after the first work, loading or "
                      "compiling code",
                      human_time(lost, ns), human_time(inside, ns - before));
    else
        finding_issue(f, "%s of GPU time pass before the first work", human_time(lost, ns));
    finding_because(f, "ledger.causes.startup", share_pct(a, ns), LEAST_SHARE_PCT, IN_PERCENT,
                    "%.1f %% of the GPU time", share_pct(a, ns));
    finding_at_gaps(f, CAUSE_STARTUP);
    finding_suggest(f, "a one-time cost: it matters for short runs only");
    finding_action(f,
                   "compile kernels ahead of time for this architecture; keep compilation caches");
    finding_action(f, "load data while the runtime starts");
    finding_action(f, "to judge the work alone, leave out what comes before it: --window %lld..",
                   (long long)first_work(a));
    finding_sure(f, 0.9, "before the first GPU work, or inside code-loading calls");
    return true;
}

const struct rule rule_startup = {
    .name = "startup",
    .id = "ROCPD-RUNTIME-INIT-001",
    .category = ABOUT_RUNTIME_INITIALIZATION,
    .title = "start-up and code loading",
    .bottleneck = BOTTLENECK_OTHER,
    .action = ACTION_RUNTIME,
    .needs = NEED_KERNELS,
    .gain = 0.1,
    .eval = eval,
    .doc = "Fires when a good part of the window lies before the first GPU work, or in calls that "
           "load or "
           "compile code. Claims that time, with a small expected gain (0.08 inside calls that "
           "start the "
           "runtime or load code, 0.01 outside of them): it is paid once, so it is LOW at most. "
           "Code loaded or compiled between pieces of work (2 % or more) is another matter and "
           "judged like any idle time.",
};
