#include "advise/rule.h"
#include "base/human.h"

static int64_t hideable(const struct analysis *a)
{
    int64_t most = 0, sum = 0;
    for (size_t i = 0; i < a->streams.n; i++) {
        if (!a->streams.v[i].kernels)
            continue; /* copies that do not overlap are another rule's */
        sum += a->streams.v[i].busy_ns;
        if (a->streams.v[i].busy_ns > most)
            most = a->streams.v[i].busy_ns;
    }
    return sum - most;
}

static bool eval(const struct analysis *a, struct finding *f)
{
    const struct stream_stats *s = &a->stream_stats;
    if (!s->serialised)
        return false;
    int64_t ns = hideable(a);
    if (ns > ledger_ns(a, CAUSE_COMPUTE))
        ns = ledger_ns(a, CAUSE_COMPUTE);
    if (share_pct(a, ns) < LEAST_SHARE_PCT)
        return false;
    char lost[HUMAN_MAX];
    finding_claim(f, CAUSE_COMPUTE, ns);
    finding_issue(f, "%u streams are used but never run at the same time; %s could overlap",
                  s->busiest_gpu_streams, human_time(lost, ns));
    finding_because(f, "stream_stats.overlap_pct", s->overlap_pct, 1, "%",
                    "%.1f %% of what could overlap does", s->overlap_pct);
    for (size_t i = 0; i < a->streams.n && i < 4; i++) {
        char busy[HUMAN_MAX];
        finding_because(f, "streams.busy_ns", (double)a->streams.v[i].busy_ns, 0, "ns",
                        "stream %lld on GPU %d is busy %s", (long long)a->streams.v[i].stream,
                        a->streams.v[i].gpu, human_time(busy, a->streams.v[i].busy_ns));
    }
    finding_suggest(f, "remove what makes the streams wait for each other");
    finding_action(f, "avoid the default stream and blocking calls between launches on different streams");
    finding_action(f, "check that kernels leave room: a grid that fills the device runs alone anyway");
    finding_action(f, trace_is_nvidia(a->trace)
                          ? "check CUDA_LAUNCH_BLOCKING and CUDA_DEVICE_MAX_CONNECTIONS"
                          : "check GPU_MAX_HW_QUEUES, AMD_SERIALIZE_KERNEL and HIP_LAUNCH_BLOCKING");
    finding_sure(f, 0.7, "streams never overlap; whether the kernels leave room is not known for sure");
    return true;
}

const struct rule rule_stream_serialisation = {
    .name = "stream-serialisation",
    .id = "GS-STREAM-001",
    .category = "GPU Utilization",
    .title = "several streams never overlap",
    .bottleneck = BOTTLENECK_SYNC,
    .action = ACTION_CODE,
    .needs = NEED_KERNELS,
    .gain = 0.45,
    .eval = eval,
    .doc = "Fires when a GPU's work is spread over streams, each with at least 10 % of it, and they never "
           "run at the same time. Claims the compute time of all but the busiest stream: what overlap "
           "could hide at best.",
};
