#include <math.h>

#include "advise/rule.h"
#include "base/human.h"

/* No kernel takes less than about this, however small its work. */
#define FLOOR_NS 1500.0

/* How much of a device a launch configuration leaves empty, over all its calls. */
struct narrow {
    double lost_ns;
    int64_t total_ns;
    uint32_t kernel; /* one call */
};

struct search {
    const struct analysis *a;
    double beside;     /* kernels that run side by side fill the device together */
    uint64_t *groups;  /* by launch; 0: not recorded */
    struct narrow *of; /* by launch */
    double lost_ns;
};

static uint64_t groups_in(const struct launch *l)
{
    uint64_t n = 1;
    if (!l->grid[0] || !l->group[0])
        return 0;
    for (int i = 0; i < 3; i++) {
        uint64_t group = l->group[i] ? l->group[i] : 1, grid = l->grid[i] ? l->grid[i] : 1;
        if (__builtin_mul_overflow(n, (grid + group - 1) / group, &n))
            return UINT64_MAX;
    }
    return n;
}

static uint32_t units_of(const struct analysis *a, size_t slot)
{
    uint32_t gpu = a->view.gpus[slot].gpu;
    if (gpu == NO_INDEX)
        return 0;
    const struct hardware *hw = a->hardware[gpu];
    return a->trace->gpus.v[gpu].cu_count ? a->trace->gpus.v[gpu].cu_count
           : hw                           ? (uint32_t)hw->cu_count
                                          : 0;
}

static void add_gpu(struct search *s, size_t slot)
{
    const struct trace *t = s->a->trace;
    const struct view_gpu *g = &s->a->view.gpus[slot];
    double units = units_of(s->a, slot);
    for (size_t i = 0; units > 0 && i < g->n_kernels; i++) {
        uint32_t row = g->kernels[i], launch = kernels_launch_at(t, row);
        if (launch >= t->launches.n || !s->groups[launch])
            continue;
        double groups = (double)s->groups[launch] * s->beside;
        if (groups >= units || s->a->view.kernel_class[t->kernels.symbol[row]] != KERNEL_COMPUTE)
            continue;
        struct narrow *n = &s->of[launch];
        int64_t ns = kernel_ns(s->a, row);
        double left = fmax((double)ns * groups / units, FLOOR_NS);
        double lost = fmax((double)ns - left, 0) / s->beside;
        n->kernel = row;
        n->total_ns = add_ns(n->total_ns, ns);
        n->lost_ns += (double)lost;
        s->lost_ns += (double)lost;
    }
}

/* The configuration that leaves most empty, or NO_INDEX. */
static uint32_t find_narrow(struct search *s, struct arena *arena)
{
    const struct trace *t = s->a->trace;
    s->beside = s->a->breakdown.concurrency > 1 ? s->a->breakdown.concurrency : 1;
    s->groups = arena_array(arena, uint64_t, t->launches.n);
    s->of = arena_array(arena, struct narrow, t->launches.n);
    for (size_t i = 0; i < t->launches.n; i++)
        s->groups[i] = groups_in(&t->launches.v[i]);
    for (size_t g = 0; g < s->a->view.n_gpus; g++)
        add_gpu(s, g);
    uint32_t worst = NO_INDEX;
    for (size_t i = 0; i < t->launches.n; i++)
        if (s->of[i].lost_ns > (worst == NO_INDEX ? 0 : s->of[worst].lost_ns))
            worst = (uint32_t)i;
    return worst;
}

/* Waves that a unit needs to hide the latency of its instructions: two for each of its SIMDs; four
 * where they are half as wide. */
#define WAVES_BUSY 8.0
#define WARPS_BUSY 16.0

/* How much of a unit one group keeps busy. */
static double busy_share(const struct analysis *a, const struct launch *l)
{
    bool nvidia = trace_is_nvidia(a->trace);
    double threads = 1;
    for (int i = 0; i < 3; i++)
        threads *= l->group[i] ? l->group[i] : 1;
    double waves = threads / (nvidia ? 32 : 64), busy = nvidia ? WARPS_BUSY : WAVES_BUSY;
    return waves < 1 ? 1 / busy : waves < busy ? waves / busy : 1;
}

/*
 * The same work by as many groups as keep all units busy: as much shorter as it leaves empty now,
 * units without a group and units with too few waves.
 */
static void fill_device(struct finding *f, const struct search *s)
{
    const struct trace *t = s->a->trace;
    float *scale = arena_array(f->arena, float, t->launches.n + 1);
    for (size_t i = 0; i < t->launches.n; i++) {
        double total = (double)s->of[i].total_ns, lost = s->of[i].lost_ns * s->beside;
        scale[i] = 1;
        if (total > 0)
            scale[i] = (float)((1 - lost / total) * busy_share(s->a, &t->launches.v[i]));
    }
    finding_change(f)->launch_scale = scale;
    f->change->scale_doubt = SCALE_DOUBT;
}

/*
 * A last round of groups that is mostly empty. An eighth of what it stands for: groups are of
 * different length, and those of the last round have the caches and the memory to themselves.
 */
static int64_t tails(const struct search *s, const struct resource_row **worst)
{
    int64_t ns = 0;
    for (size_t i = 0; i < s->a->resources.n; i++) {
        const struct resource_row *r = &s->a->resources.v[i];
        if (s->a->view.kernel_class[r->symbol] != KERNEL_COMPUTE || !(r->rounds > 1) ||
            r->rounds >= 4 || r->tail_efficiency_pct >= 60)
            continue;
        ns = add_ns(ns, ns_from((double)r->total_ns * (1 - r->tail_efficiency_pct / 100) / 8));
        *worst = *worst ? *worst : r;
    }
    return ns;
}

static void tell_narrow(struct finding *f, const struct search *s, uint32_t launch)
{
    const struct trace *t = s->a->trace;
    const struct vendor_words *w = vendor_words(t);
    const struct narrow *n = &s->of[launch];
    const struct launch *l = &t->launches.v[launch];
    const char *kernel = trace_str(t, t->symbols.v[t->kernels.symbol[n->kernel]].short_name);
    size_t slot = 0;
    uint32_t gpu = t->streams.v[t->kernels.stream[n->kernel]].gpu;
    while (slot + 1 < s->a->view.n_gpus && s->a->view.gpus[slot].gpu != gpu)
        slot++;
    char total[HUMAN_MAX];
    finding_scope_kernel(f, kernel);
    double units = units_of(s->a, slot);
    double empty = 100 * (1 - fmin((double)s->groups[launch] / fmax(units, 1), 1));
    finding_issue(f, "%llu %s%s on %u %ss: %.0f %% of the device is empty while %s runs (%s)",
                  (unsigned long long)s->groups[launch], w->group, human_s(s->groups[launch]),
                  units_of(s->a, slot), w->cu, empty, kernel, human_time(total, n->total_ns));
    finding_because(f, "kernel_resources.workgroups", (double)s->groups[launch],
                    units_of(s->a, slot), NO_UNIT, "grid %ux%ux%u, group %ux%ux%u: %llu %s%s",
                    l->grid[0], l->grid[1], l->grid[2], l->group[0], l->group[1], l->group[2],
                    (unsigned long long)s->groups[launch], w->group, human_s(s->groups[launch]));
    finding_at_kernel(f, n->kernel, "a call like that");
    finding_capture_kernel(f, kernel, "how the kernel uses the device");
}

static void tell_tail(struct finding *f, const struct resource_row *r)
{
    const struct vendor_words *w = vendor_words(f->analysis->trace);
    const char *kernel = short_name_of(f->analysis, r);
    finding_scope_kernel(f, kernel);
    double last = r->rounds - floor(r->rounds);
    finding_issue(f,
                  "%llu %ss fill the device %.1f times: the last round of %s leaves %.0f %% of it "
                  "empty",
                  (unsigned long long)r->workgroups, w->group, r->rounds, kernel, 100 * (1 - last));
    finding_because(f, "kernel_resources.tail_efficiency_pct", r->tail_efficiency_pct, 60,
                    IN_PERCENT, "%.1f rounds: %.0f %% of the places are used", r->rounds,
                    r->tail_efficiency_pct);
    finding_capture_kernel(f, kernel, "how the kernel uses the device");
}

static bool eval(const struct analysis *a, struct finding *f)
{
    struct search s = {.a = a};
    const struct resource_row *tail = NULL;
    struct arena *temporary = arena_scratch();
    uint32_t worst = find_narrow(&s, temporary);
    int64_t ns = add_ns(ns_from(s.lost_ns), tails(&s, &tail));
    bool fires = (worst != NO_INDEX || tail) && share_pct(a, ns) >= 1;
    if (fires) {
        const struct vendor_words *w = vendor_words(a->trace);
        finding_claim(f, CAUSE_COMPUTE, ns);
        if (worst != NO_INDEX)
            fill_device(f, &s);
        if (worst != NO_INDEX && (!tail || 2 * s.lost_ns >= (double)ns))
            tell_narrow(f, &s, worst);
        else
            tell_tail(f, tail);
        finding_suggest(f, "start at least one %s for every %s, better several", w->group, w->cu);
        finding_action(f, "give each %s less to do, or split the reduction (split-K, more blocks)",
                       w->group);
        finding_action(f, "batch several problems into one launch, or run independent kernels in "
                          "parallel");
        finding_sure(f, 0.85, "grid, group and device size are recorded");
    }
    arena_release(temporary);
    return fires;
}

const struct rule rule_small_grid = {
    .name = "small-grid",
    .id = "GS-GRID-001",
    .category = ABOUT_LAUNCH_CONFIGURATION,
    .title = "grids too small for the device",
    .bottleneck = BOTTLENECK_COMPUTE,
    .action = ACTION_LAUNCH,
    .needs = NEED_KERNELS,
    .goals = ON(occupancy),
    .gain = 0.6,
    .eval = eval,
    .doc =
        "Fires when kernels start fewer workgroups than the device has CUs (SMs), those that run "
        "side "
        "by side taken together, or when hot kernels leave the last of few rounds of groups mostly "
        "empty. Claims the part of their time that the empty units stand for, down to 1.5 us a "
        "kernel, and an eighth of it for last rounds. Predicts the same work on all units, each "
        "with waves enough to keep it busy (8, or 16 of 32 threads).",
};
