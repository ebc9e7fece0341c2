#include <math.h>

#include "advise/rule.h"
#include "base/human.h"
#include "base/str.h"

/* A kernel that runs about as long as a launch takes cannot hide the next launch. */
#define SHORT_MEDIAN_NS 50000.0

/* A step with fewer kernels is no graph of its own: several steps are recorded as one. */
#define GRAPH_LEAST 32

/* Graphs whose launches are what the GPU waits for: most launching time is in such calls. */
enum { GRAPHS_LEAST = 4 };

static const struct api_row *slow_graphs(const struct analysis *a)
{
    const struct api_row *graph = NULL;
    int64_t all = 0;
    for (size_t i = 0; i < a->api.n; i++) {
        const struct api_row *r = &a->api.v[i];
        if (r->class != API_LAUNCH)
            continue;
        all = add_ns(all, r->exclusive_ns);
        if (str_has(r->name, "GraphLaunch") && (!graph || r->exclusive_ns > graph->exclusive_ns))
            graph = r;
    }
    return graph && graph->calls >= GRAPHS_LEAST && 2 * (double)graph->exclusive_ns > (double)all
               ? graph
               : NULL;
}

/* A graph is one launch already: what is left to win is not in the trace. */
static void tell_graphs(const struct analysis *a, struct finding *f, const struct api_row *graph,
                        int64_t ns)
{
    char lost[HUMAN_MAX], n[HUMAN_MAX], each[HUMAN_MAX], call[HUMAN_MAX];
    f->title = "launch-bound: launching graphs keeps the GPU waiting";
    f->no_promise = true;
    finding_issue(f, "the GPU waits %s for launches; %s launches of graphs take %s each",
                  human_time(lost, ns), human_count(n, graph->calls),
                  human_time(each, ns_from(graph->avg_ns)));
    finding_because(f, "ledger.causes.launch", share_pct(a, ns), LEAST_SHARE_PCT, IN_PERCENT,
                    "%.1f %% of the GPU time is idle between launches", share_pct(a, ns));
    finding_because(f, "api.avg_ns", graph->avg_ns, NAN, IN_NS, "%s takes %s on average",
                    graph->name, human_time(call, ns_from(graph->avg_ns)));
    finding_at_call(f, graph->longest, "the longest launch of a graph");
    finding_at_gaps(f, CAUSE_LAUNCH);
    finding_suggest(f, "make each launch cheaper, or launch ahead of time");
    finding_action(f,
                   "see whether the profiler makes it slow: measure once without, or trace graphs "
                   "as a whole and not node by node");
    finding_action(f, "launch the next graph before the last one has ended; upload it ahead");
    finding_action(f, "make graphs once and update them, instead of making them again");
    finding_sure(f, 0.8, "most launching time is inside launches of graphs");
}

static bool eval(const struct analysis *a, struct finding *f)
{
    int64_t ns = ledger_ns(a, CAUSE_LAUNCH);
    if (share_pct(a, ns) < 1)
        return false;
    char lost[HUMAN_MAX], mean[HUMAN_MAX], n[HUMAN_MAX];
    double mean_ns = (double)a->breakdown.kernel_sum_ns / (double)a->view.n_kernels;
    human_time(lost, ns);
    human_time(mean, ns_from(mean_ns));
    finding_claim(f, CAUSE_LAUNCH, ns);
    const struct api_row *graph = slow_graphs(a);
    if (graph) {
        tell_graphs(a, f, graph, ns);
        return true;
    }
    struct change *c = finding_change(f);
    c->graph = true;
    if (a->iterations.count > 1 && a->iterations.kernels >= GRAPH_LEAST)
        c->graph_nodes = a->iterations.kernels;
    finding_issue(f, "the GPU waits %s for launches; %s kernels of %s on average", lost,
                  human_count(n, a->view.n_kernels), mean);
    finding_because(f, "ledger.causes.launch", share_pct(a, ns), LEAST_SHARE_PCT, IN_PERCENT,
                    "%.1f %% of the GPU time is idle between launches", share_pct(a, ns));
    finding_because(f, "breakdown.kernel_sum_ns", mean_ns, SHORT_MEDIAN_NS, IN_NS,
                    "a kernel takes %s on average", mean);
    if (a->launches.linked) {
        char call[HUMAN_MAX];
        finding_because(f, "launch_latency.mean_call_ns", a->launches.mean_call_ns, NAN, IN_NS,
                        "a launching call takes %s on average",
                        human_time(call, ns_from(a->launches.mean_call_ns)));
    }
    finding_at_gaps(f, CAUSE_LAUNCH);
    const struct vendor_words *w = vendor_words(a->trace);
    finding_suggest(f, "launch less often or ahead of time");
    finding_action(f, "fuse neighbouring kernels so that each does more work");
    finding_action(f, "record the repeating sequence as a %s and launch it as one", w->graph);
    finding_action(f, "batch small problems into one launch");
    finding_sure(f, mean_ns < SHORT_MEDIAN_NS ? 0.9 : 0.7,
                 "gaps are attributed through the call that launched the next kernel");
    finding_capture_host(f, "what the host does between launches");
    return true;
}

const struct rule rule_tiny_kernels = {
    .name = "tiny-kernels",
    .id = "ROCPD-LAUNCH-001",
    .category = ABOUT_LAUNCH_OVERHEAD,
    .title = "launch-bound: kernels too small for their launches",
    .bottleneck = BOTTLENECK_LAUNCH,
    .action = ACTION_CODE,
    .needs = NEED_KERNELS | NEED_API,
    .goals = ON(launch) | ON(host),
    .gain = 0.8,
    .eval = eval,
    .doc = "Fires when the ledger shows idle time in which the host was launching: the kernels are "
           "over before the next one can arrive. Fusing kernels, batching or graphs make fewer, "
           "larger launches. Where graphs are launched already and their launches are what takes "
           "long, it says so and promises nothing. Claims the launch-bound idle time.",
};
