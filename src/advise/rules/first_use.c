#include "advise/rule.h"
#include "base/human.h"

/* Shorter gaps are not worth telling apart. */
#define LEAST_GAP_NS 1000000

/* A gap before a later dispatch of the same kernel this much shorter is another matter. */
enum { MUCH_SHORTER = 4, LEAST_CALLS = 3 };

static uint32_t name_of(const struct trace *t, uint32_t kernel)
{
    return t->symbols.v[t->kernels.symbol[kernel]].name;
}

static int64_t length(const struct gap *g)
{
    return g->end_ns - g->start_ns;
}

/* Whether gaps like that come before later dispatches of the kernel, too: steady starvation. */
static bool comes_again(const struct analysis *a, const struct ledger_gpu *l, const struct gap *gap)
{
    const struct trace *t = a->trace;
    uint32_t name = name_of(t, gap->next_kernel);
    uint64_t calls = 0;
    for (size_t i = 0; i < a->hotspots.n; i++)
        if (a->hotspots.v[i].name_id == name)
            calls = a->hotspots.v[i].calls;
    if (calls < LEAST_CALLS) /* nothing to hold it against */
        return true;
    for (size_t i = 0; i < l->n_top; i++)
        if (l->top[i].next_kernel != NO_INDEX && l->top[i].next_kernel != gap->next_kernel &&
            name_of(t, l->top[i].next_kernel) == name &&
            MUCH_SHORTER * length(&l->top[i]) > length(gap))
            return true;
    /* Only the longest are kept: shorter ones may be long enough and not in the list. */
    return l->n_top == TOP_GAPS && MUCH_SHORTER * length(&l->top[TOP_GAPS - 1]) > length(gap);
}

static bool eval(const struct analysis *a, struct finding *f)
{
    int64_t ns = 0, longest = 0;
    uint64_t count = 0;
    uint32_t kernel = NO_INDEX;
    for (size_t g = 0; g < a->ledger.n_gpus; g++) {
        const struct ledger_gpu *l = &a->ledger.gpus[g];
        for (size_t i = 0; i < l->n_top; i++) {
            const struct gap *gap = &l->top[i];
            int64_t host = gap->ns[CAUSE_HOST];
            if (gap->next_kernel == NO_INDEX || length(gap) < LEAST_GAP_NS ||
                2 * host < length(gap) || !view_first_kernel(&a->view, gap->next_kernel) ||
                comes_again(a, l, gap))
                continue;
            ns = add_ns(ns, host);
            count++;
            if (host > longest) {
                longest = host;
                kernel = gap->next_kernel;
            }
        }
    }
    if (!count || share_pct(a, ns) < 1)
        return false;
    char lost[HUMAN_MAX], n[HUMAN_MAX];
    const char *name =
        trace_str(a->trace, a->trace->symbols.v[a->trace->kernels.symbol[kernel]].short_name);
    f->once = true;
    finding_claim(f, CAUSE_HOST, ns);
    finding_issue(f,
                  "%s gap%s of %s in all end%s with the first dispatch of a kernel, most before "
                  "%s: compiling, loading or choosing, once a run",
                  human_count(n, count), human_s(count), human_time(lost, ns),
                  count == 1 ? "s" : "", name);
    finding_because(f, "ledger.causes.host", share_pct(a, ns), LEAST_SHARE_PCT, IN_PERCENT,
                    "%.1f %% of the GPU time; later dispatches wait less than a quarter of that",
                    share_pct(a, ns));
    finding_at_kernel(f, kernel, "the first dispatch of %s", name);
    finding_suggest(f, "warm up before what is measured, and keep what was compiled or chosen");
    finding_action(f, "compile ahead of time; keep the caches of compiler and autotuner");
    finding_action(f, "run one step of every shape before the first one that counts");
    finding_sure(f, 0.75, "long gaps come before first dispatches only");
    return true;
}

const struct rule rule_first_use = {
    .name = "first-use",
    .id = "GS-FIRSTUSE-001",
    .category = ABOUT_RUNTIME_INITIALIZATION,
    .title = "first use of kernels interrupts the run",
    .bottleneck = BOTTLENECK_HOST,
    .action = ACTION_RUNTIME,
    .needs = NEED_KERNELS | NEED_API,
    .specific = true,
    .goals = ON(host),
    .gain = 0.9,
    .eval = eval,
    .doc = "Fires when gaps of 1 ms or more, in which the host is busy outside of the runtime, end "
           "with the first dispatch of a kernel, and later dispatches of it do not wait like that: "
           "just-in-time compilation, loading, autotuning, wherever it lies in the run. It is paid "
           "once and told apart from a host that starves the GPU steadily. Claims the host's part "
           "of those gaps.",
};
