#include "advise/overview.h"

#include <math.h>

#include "advise/advise.h"
#include "base/human.h"
#include "base/sat.h"
#include "base/str.h"

static int64_t times(int64_t ns, size_t n)
{
    __int128 product = (__int128)ns * (__int128)n;
    return product > INT64_MAX ? INT64_MAX : (int64_t)product;
}

static int64_t at_least_zero(int64_t ns)
{
    return ns > 0 ? ns : 0;
}

static void measure(struct overview *o, const struct analysis *a)
{
    const struct breakdown *b = &a->breakdown;
    struct execution *e = &o->execution;
    struct timeline *t = &o->timeline;
    int64_t all = times(b->gpu_span_ns, b->gpu_count), idle = at_least_zero(all - b->busy_ns);
    const int64_t *ns = a->ledger.ns;
    int64_t api = add_ns(add_ns(ns[CAUSE_LAUNCH], ns[CAUSE_SYNC]), ns[CAUSE_ALLOC]);
    e->total_runtime_ns = b->gpu_span_ns;
    e->gpu_count = b->gpu_count;
    e->kernel_time_ns = b->kernel_ns;
    e->memcpy_time_ns = at_least_zero(b->busy_ns - b->kernel_ns);
    e->api_overhead_ns = api < idle ? api : idle;
    e->idle_time_ns = idle - e->api_overhead_ns;
    e->kernel_time_pct = percent_of((double)e->kernel_time_ns, (double)all);
    e->memcpy_time_pct = percent_of((double)e->memcpy_time_ns, (double)all);
    e->api_overhead_pct = percent_of((double)e->api_overhead_ns, (double)all);
    e->idle_time_pct = percent_of((double)e->idle_time_ns, (double)all);
    t->total_wall_ns = b->gpu_span_ns;
    t->gpu_count = b->gpu_count;
    t->true_compute_ns = b->kernel_ns;
    t->exposed_memcpy_ns = e->memcpy_time_ns;
    t->idle_ns = idle;
    t->true_compute_pct = percent_of((double)t->true_compute_ns, (double)all);
    t->exposed_memcpy_pct = percent_of((double)t->exposed_memcpy_ns, (double)all);
    t->idle_pct = percent_of((double)t->idle_ns, (double)all);
}

static void measure_regions(struct overview *o, const struct analysis *a, struct arena *arena)
{
    o->unranged_ns = at_least_zero(view_window(&a->view) - a->marker_stats.covered_ns);
    for (size_t i = 0; i < a->markers.n; i++) {
        const struct marker_row *m = &a->markers.v[i];
        struct region_row r = {.name = m->name, .depth = m->depth, .calls = m->calls};
        double wall = m->wall_ns > 0 ? (double)m->wall_ns : NAN;
        r.wall_time_ns = m->wall_ns;
        r.kernel_count = m->kernels;
        r.kernel_time_ns = m->kernel_ns;
        r.memcpy_time_ns = m->copy_ns;
        r.overhead_time_ns = at_least_zero(sub_ns(sub_ns(m->wall_ns, m->kernel_ns), m->copy_ns));
        r.kernel_pct = 100 * (double)r.kernel_time_ns / wall;
        r.memcpy_pct = 100 * (double)r.memcpy_time_ns / wall;
        r.overhead_pct = 100 * (double)r.overhead_time_ns / wall;
        vec_push(&o->regions, arena, r);
    }
}

static void measure_api(struct overview *o, const struct analysis *a)
{
    static const enum api_class not_runtime[] = {API_COMM, API_IO, API_HOST};
    for (size_t i = 0; i < a->api_classes.n; i++) {
        const struct api_class_row *r = &a->api_classes.v[i];
        bool runtime = true;
        for (size_t k = 0; k < ARRAY_LEN(not_runtime); k++)
            runtime &= r->class != not_runtime[k];
        if (runtime)
            o->api_ns = add_ns(o->api_ns, r->exclusive_ns);
        if (r->class == API_LAUNCH)
            o->launch_ns = r->exclusive_ns;
    }
    o->short_gap_ns = a->short_kernels.gap_ns;
    o->short_gap_pct =
        percent_of((double)a->short_kernels.gap_ns, (double)a->breakdown.kernel_sum_ns);
}

const char *const primary_names[] = {
    "compute", "memory_transfer", "memory_bandwidth", "latency", "mixed", "unknown", NULL};
const char *const warning_severity_names[] = {"warning", "info", NULL};

static enum primary primary_of(enum bottleneck b)
{
    switch (b) {
    case BOTTLENECK_COMPUTE:
        return PRIMARY_COMPUTE;
    case BOTTLENECK_MEMORY:
        return PRIMARY_MEMORY;
    case BOTTLENECK_TRANSFER:
        return PRIMARY_TRANSFER;
    case BOTTLENECK_OTHER:
        return PRIMARY_MIXED;
    default: /* waiting for launches, the host, other ranks, files */
        return PRIMARY_LATENCY;
    }
}

static void classify(struct overview *o, const struct analysis *a, const struct advice *advice)
{
    const struct finding *top = advice->findings.n ? advice->findings.v[0] : NULL;
    double compute =
        percent_of((double)a->ledger.ns[CAUSE_COMPUTE], (double)a->breakdown.gpu_time_ns);
    o->compute_pct = compute;
    if (!a->view.n_kernels && !a->view.n_copies) {
        o->bottleneck = PRIMARY_UNKNOWN;
    } else if (top && top->priority != PRIORITY_INFO) {
        o->bottleneck = primary_of(top->bottleneck);
        o->confidence = top->confidence;
    } else { /* nothing stands out: as sure as the GPU is busy computing */
        o->bottleneck = compute >= 50 ? PRIMARY_COMPUTE : PRIMARY_MIXED;
        o->confidence = compute >= 50 ? compute / 100 : 1 - compute / 100;
    }
}

static void say(struct overview *o, const struct analysis *a, const struct advice *advice,
                struct arena *arena)
{
    enum { MOST = 3 };
    char x[HUMAN_MAX], y[HUMAN_MAX];
    o->assessment = arena_printf(arena, "%s; %s GPU time in %s kernel%s of %zu name%s on %u GPU%s",
                                 advice->verdict.headline, human_time(x, a->breakdown.kernel_ns),
                                 human_count(y, a->view.n_kernels), human_s(a->view.n_kernels),
                                 a->hotspots.n, human_s(a->hotspots.n), a->breakdown.gpu_count,
                                 human_s(a->breakdown.gpu_count));
    for (size_t i = 0; i < advice->findings.n && i < MOST; i++) {
        const struct finding *f = advice->findings.v[i];
        if (f->priority == PRIORITY_INFO)
            break;
        vec_push(&o->key_findings, arena,
                 arena_printf(arena, "%s: %s of the GPU time", f->title,
                              human_pct(x, f->runtime_fraction_pct)));
    }
    if (a->hotspots.n)
        vec_push(&o->key_findings, arena,
                 arena_printf(arena, "%s of the kernel time is in '%s'",
                              human_pct(x, a->hotspots.v[0].pct_of_total),
                              a->hotspots.v[0].short_name));
    vec_push(
        &o->key_findings, arena,
        arena_printf(arena, "the GPU is busy %s of the time", human_pct(x, a->breakdown.busy_pct)));
}

static void warn(struct overview *o, const struct analysis *a, struct arena *arena)
{
    for (size_t i = 0; i < a->quality.reasons.n; i++) {
        const struct quality_reason *q = &a->quality.reasons.v[i];
        const char *text =
            *q->affects ? arena_printf(arena, "%s; affects %s", q->text, q->affects) : q->text;
        vec_push(&o->warnings, arena, ((struct warning){WARNING_SERIOUS, text, NULL}));
    }
    for (size_t i = 0; i < a->capabilities.n; i++) {
        const struct capability *c = &a->capabilities.v[i];
        if (!c->wanted)
            continue;
        bool vital = c->id == CAPABLE_KERNELS || c->id == CAPABLE_API;
        struct warning w = {vital ? WARNING_SERIOUS : WARNING_INFO,
                            arena_printf(arena, "not in this trace: %s", c->lacking),
                            *c->command ? c->command : NULL};
        vec_push(&o->warnings, arena, w);
    }
}

const char *finding_impact(const struct finding *f, struct arena *arena)
{
    char time[HUMAN_MAX], share[HUMAN_MAX], low[HUMAN_MAX], high[HUMAN_MAX];
    if (!f->claimed_ns)
        return "no time is claimed";
    human_time(time, f->claimed_ns);
    human_pct(share, f->runtime_fraction_pct);
    if (f->predicted_by == PREDICTED_REPLAY) {
        human_time(low, f->recorded_ns);
        return arena_printf(arena, "%s, %s of the GPU time: %s instead of %s, %.2f times as fast",
                            time, share, human_time(high, f->predicted_ns), low,
                            f->predicted_speedup);
    }
    human_pct(low, f->speedup_lower_pct);
    if (isnan(f->speedup_upper_pct))
        return arena_printf(arena,
                            "%s, %s of the GPU time: half of it gone makes the run %s faster", time,
                            share, low);
    return arena_printf(
        arena, "%s, %s of the GPU time: half of it gone makes the run %s faster, all of it %s",
        time, share, low, human_pct(high, f->speedup_upper_pct));
}

void overview_make(struct overview *o, const struct analysis *a, const struct advice *advice,
                   struct arena *arena)
{
    const struct trace *t = a->trace;
    *o = (struct overview){.tier = t->counters.n ? 2 : t->pc_samples.n ? 3 : 1};
    o->profiling_mode = t->counters.n     ? "sys_trace_with_counters"
                        : t->pc_samples.n ? "pc_sampling"
                                          : "sys_trace_only";
    measure(o, a);
    measure_regions(o, a, arena);
    measure_api(o, a);
    classify(o, a, advice);
    say(o, a, advice, arena);
    warn(o, a, arena);
}
