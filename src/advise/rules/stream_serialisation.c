#include <math.h>

#include "advise/rule.h"
#include "base/human.h"
#include "base/str.h"

/* A stream takes part with this share of its GPU's compute and this many kernels. */
#define SHARE_PCT 10.0
#define LEAST_KERNELS 4

/* What overlap can win is known when the kernels leave room for each other, or do not. */
#define GAIN_ROOM 0.8
#define GAIN_FULL 0.15

/* With a wait for an event at every other change of the stream, they may well depend. */
#define DEPENDENT_SHARE 0.5

struct stream_use {
    int64_t ns;
    int64_t room_ns; /* of kernels that leave room on the device, or may do so */
    uint64_t kernels;
};

/* By symbol: groups that a unit holds at once, by their resources; 0 where that is not known. */
static double *groups_per_unit(const struct analysis *a, struct arena *temporary)
{
    double *v = arena_array(temporary, double, a->trace->symbols.n + 1);
    for (size_t i = 0; i < a->resources.n; i++) {
        const struct resource_row *r = &a->resources.v[i];
        if (r->rounds > 0 && r->cu_count)
            v[r->symbol] = (double)r->workgroups / r->rounds / r->cu_count;
    }
    return v;
}

/* Part of the device that a kernel leaves empty; 1 where that is not known. */
static double room_beside(const struct analysis *a, const double *per_unit, uint32_t row)
{
    const struct trace *t = a->trace;
    uint32_t stream = t->kernels.stream[row], launch = kernels_launch_at(t, row);
    uint32_t gpu = t->streams.v[stream].gpu;
    uint32_t units = gpu == NO_INDEX ? 0 : t->gpus.v[gpu].cu_count;
    if (!units || launch >= t->launches.n)
        return 1;
    const struct launch *l = &t->launches.v[launch];
    double groups = 1;
    for (int i = 0; i < 3; i++)
        groups *= l->group[i] && l->grid[i] ? ceil((double)l->grid[i] / l->group[i]) : 1;
    if (!l->grid[0] || !l->group[0])
        return 1;
    double filled = groups / (units * fmax(per_unit[t->kernels.symbol[row]], 1));
    return filled < 1 ? 1 - filled : 0;
}

/* How many times the GPU goes from one stream to another, and how many waits say so. */
static double dependent_share(const struct analysis *a)
{
    const struct view *v = &a->view;
    const struct trace *t = a->trace;
    uint64_t switches = 0, waits = 0;
    for (size_t g = 0; g < v->n_gpus; g++)
        for (size_t i = 1; i < v->gpus[g].n_kernels; i++)
            switches += t->kernels.stream[v->gpus[g].kernels[i]] !=
                        t->kernels.stream[v->gpus[g].kernels[i - 1]];
    for (size_t i = 0; i < v->n_threads; i++)
        for (size_t j = 0; j < v->threads[i].n_outer; j++) {
            uint32_t call = v->threads[i].outer[j];
            waits += view_call_class(v, call) == API_EVENT &&
                     str_has(trace_str(t, t->regions.name[call]), "StreamWaitEvent");
        }
    return switches ? fmin((double)waits / (double)switches, 1) : 0;
}

/* Compute of one process that could run beside its busiest stream of a GPU. */
static int64_t hideable_in(const struct analysis *a, const struct stream_use *uses, int64_t sum,
                           uint32_t process)
{
    int64_t most = 0, room = 0, most_room = 0, rest = 0;
    for (size_t i = 0; i < a->trace->streams.n; i++) {
        if (a->trace->streams.v[i].process != process || uses[i].kernels < LEAST_KERNELS ||
            percent_of((double)uses[i].ns, (double)sum) < SHARE_PCT)
            continue;
        rest = add_ns(rest, uses[i].ns);
        room = add_ns(room, uses[i].room_ns);
        if (uses[i].ns > most) {
            most = uses[i].ns;
            most_room = uses[i].room_ns;
        }
    }
    /* No more than the kernels leave empty all together, and nothing beside one that is full. */
    int64_t others = rest - most;
    return !most_room ? 0 : others < room ? others : room;
}

/* Processes share a GPU by taking turns, so only streams of one process count together. */
static int64_t hideable_on(const struct analysis *a, const struct view_gpu *g,
                           const double *per_unit, struct stream_use *uses)
{
    const struct kernels *k = &a->trace->kernels;
    int64_t sum = 0, ns = 0;
    for (size_t i = 0; i < a->trace->streams.n; i++)
        uses[i] = (struct stream_use){0};
    for (size_t i = 0; i < g->n_kernels; i++) {
        uint32_t row = g->kernels[i];
        if (a->view.kernel_class[k->symbol[row]] != KERNEL_COMPUTE)
            continue; /* collectives and copies that do not overlap are other rules' */
        struct stream_use *u = &uses[k->stream[row]];
        int64_t length = kernel_ns(a, row);
        u->ns = add_ns(u->ns, length);
        u->room_ns = add_ns(u->room_ns, ns_from((double)length * room_beside(a, per_unit, row)));
        u->kernels++;
        sum = add_ns(sum, length);
    }
    for (uint32_t p = 0; p < a->trace->processes.n; p++)
        ns = add_ns(ns, hideable_in(a, uses, sum, p));
    return ns;
}

static int64_t hideable(const struct analysis *a)
{
    struct arena *temporary = arena_scratch();
    struct stream_use *uses = arena_array(temporary, struct stream_use, a->trace->streams.n);
    const double *per_unit = groups_per_unit(a, temporary);
    int64_t ns = 0;
    for (size_t g = 0; g < a->view.n_gpus; g++)
        ns = add_ns(ns, hideable_on(a, &a->view.gpus[g], per_unit, uses));
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
    bool depend = dependent_share(a) >= DEPENDENT_SHARE;
    finding_claim(f, CAUSE_COMPUTE, ns);
    if (depend)
        f->no_promise = true; /* what needs another's result cannot run beside it */
    else if (!isnan(filled(a)))
        finding_change(f)->streams = s->busiest_gpu_streams;
    finding_issue(f,
                  depend ? "%u streams are used but never run at the same time: events make them "
                           "wait for each other; where the work does not depend, %s could overlap"
                         : "%u streams are used but never run at the same time; %s could overlap",
                  s->busiest_gpu_streams, human_time(lost, ns));
    finding_because(f, "stream_stats.overlap_pct", s->overlap_pct, 1, IN_PERCENT,
                    "%.1f %% of what could overlap does", s->overlap_pct);
    for (size_t i = 0; i < a->streams.n && i < 4; i++) {
        char busy[HUMAN_MAX];
        finding_because(f, "streams.busy_ns", (double)a->streams.v[i].busy_ns, 0, IN_NS,
                        "stream %lld on GPU %d is busy %s", (long long)a->streams.v[i].stream,
                        a->streams.v[i].gpu, human_time(busy, a->streams.v[i].busy_ns));
    }
    finding_suggest(f, "remove what makes the streams wait for each other");
    finding_action(
        f, "avoid the default stream and blocking calls between launches on different streams");
    if (depend)
        finding_action(f, "check which of the events between the streams are needed: work that "
                          "needs another's result cannot run beside it");
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
    .category = ABOUT_GPU_UTILIZATION,
    .title = "several streams never overlap",
    .bottleneck = BOTTLENECK_SYNC,
    .action = ACTION_CODE,
    .needs = NEED_KERNELS,
    .specific = true,
    .gain = 0.45,
    .eval = eval,
    .doc =
        "Fires when a GPU's compute is spread over streams, each with at least 10 % of it, and "
        "they never run at the same time. Claims the compute time of all but the busiest stream "
        "of each process and GPU, as far as the kernels leave room on the device: what overlap "
        "could hide at best. Where events make the streams wait for each other it promises nothing: "
        "work that needs another's result cannot run beside it, and whether it does is not in the "
        "trace. The expected gain is 0.8 where the "
        "hottest kernel leaves room on the device and 0.15 where it fills it.",
};
