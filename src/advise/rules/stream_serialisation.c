#include <math.h>

#include "advise/rule.h"
#include "base/human.h"

/* A stream takes part with this share of its GPU's compute and this many kernels. */
#define SHARE_PCT 10.0
#define LEAST_KERNELS 4

/* What overlap can win is known when the kernels leave room for each other, or do not. */
#define GAIN_ROOM 0.8
#define GAIN_FULL 0.15

struct stream_use {
    int64_t ns;
    uint64_t kernels;
};

/* Compute that could run beside the busiest stream of a GPU. */
static int64_t hideable_on(const struct analysis *a, const struct view_gpu *g,
                           struct stream_use *uses)
{
    const struct kernels *k = &a->trace->kernels;
    int64_t most = 0, sum = 0, rest = 0;
    for (size_t i = 0; i < a->trace->streams.n; i++)
        uses[i] = (struct stream_use){0};
    for (size_t i = 0; i < g->n_kernels; i++) {
        uint32_t row = g->kernels[i];
        if (a->view.kernel_class[k->symbol[row]] != KERNEL_COMPUTE)
            continue; /* collectives and copies that do not overlap are other rules' */
        int64_t ns = kernel_ns(a, row);
        uses[k->stream[row]].ns = add_ns(uses[k->stream[row]].ns, ns);
        uses[k->stream[row]].kernels++;
        sum = add_ns(sum, ns);
    }
    for (size_t i = 0; i < a->trace->streams.n; i++) {
        if (uses[i].kernels < LEAST_KERNELS ||
            percent_of((double)uses[i].ns, (double)sum) < SHARE_PCT)
            continue;
        rest = add_ns(rest, uses[i].ns);
        most = uses[i].ns > most ? uses[i].ns : most;
    }
    return rest - most;
}

static int64_t hideable(const struct analysis *a)
{
    struct arena *temporary = arena_scratch();
    struct stream_use *uses = arena_array(temporary, struct stream_use, a->trace->streams.n);
    int64_t ns = 0;
    for (size_t g = 0; g < a->view.n_gpus; g++)
        ns = add_ns(ns, hideable_on(a, &a->view.gpus[g], uses));
    arena_release(temporary);
    return ns < ledger_ns(a, CAUSE_COMPUTE) ? ns : ledger_ns(a, CAUSE_COMPUTE);
}

/* How much of the device the kernel with most time fills; NaN where it is not known. */
static double filled(const struct analysis *a)
{
    for (size_t i = 0; i < a->resources.n; i++) {
        const struct resource_row *r = &a->resources.v[i];
        if (a->view.kernel_class[r->symbol] == KERNEL_COMPUTE)
            return !isnan(r->rounds) ? r->rounds
                   : r->cu_count && r->workgroups < r->cu_count
                       ? (double)r->workgroups / r->cu_count
                       : NAN;
    }
    return NAN;
}

static void judge_room(const struct analysis *a, struct finding *f)
{
    double rounds = filled(a);
    if (isnan(rounds)) {
        finding_sure(f, 0.6, "streams never overlap; whether the kernels leave room is not known");
    } else if (rounds >= 1) {
        f->gain = GAIN_FULL;
        finding_sure(f, 0.5, "streams never overlap, but a kernel fills the device on its own");
    } else {
        f->gain = GAIN_ROOM;
        finding_sure(f, 0.8, "streams never overlap, and a kernel fills %.0f %% of the device",
                     100 * rounds);
    }
}

static bool eval(const struct analysis *a, struct finding *f)
{
    const struct stream_stats *s = &a->stream_stats;
    if (!s->serialised)
        return false;
    int64_t ns = hideable(a);
    if (share_pct(a, ns) < LEAST_SHARE_PCT)
        return false;
    char lost[HUMAN_MAX];
    finding_claim(f, CAUSE_COMPUTE, ns);
    if (!isnan(filled(a)))
        finding_change(f)->streams = s->busiest_gpu_streams;
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
    finding_action(
        f, "avoid the default stream and blocking calls between launches on different streams");
    finding_action(f,
                   "check that kernels leave room: a grid that fills the device runs alone anyway");
    finding_action(f,
                   trace_is_nvidia(a->trace)
                       ? "check CUDA_LAUNCH_BLOCKING and CUDA_DEVICE_MAX_CONNECTIONS"
                       : "check GPU_MAX_HW_QUEUES, AMD_SERIALIZE_KERNEL and HIP_LAUNCH_BLOCKING");
    judge_room(a, f);
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
    .specific = true,
    .gain = 0.45,
    .eval = eval,
    .doc =
        "Fires when a GPU's compute is spread over streams, each with at least 10 % of it, and "
        "they "
        "never run at the same time. Claims the compute time of all but the busiest stream of each "
        "GPU: what overlap could hide at best. The expected gain is 0.8 where the hottest kernel "
        "leaves room on the device and 0.15 where it fills it.",
};
