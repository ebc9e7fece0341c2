#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advise/rule.h"
#include "analyze/quantile.h"
#include "base/human.h"
#include "base/str.h"

/* A launch of a kernel counts with so many dispatches, and so much slower in the last quarter. */
enum { LEAST_CALLS = 16 };
#define SLOWER 1.1

/* Of the compute time, what must have become slower by about the same factor to blame the clock. */
#define COMMON_SHARE 0.7

/* One kernel with one grid. */
struct group {
    uint64_t key; /* symbol and launch */
    uint32_t first, n;
    double factor;
    int64_t lost_ns, total_ns;
};

struct search {
    const struct analysis *a;
    struct arena *temporary;
    struct idmap of;
    VEC(struct group) groups;
    uint32_t *rows; /* kernels rows, group after group in order of start */
    uint32_t *at;   /* by place on the GPU: the group; NO_INDEX: none */
    int64_t lost_ns, slower_ns, all_ns;
    double log_factor; /* of the slower ones, weighed by their time */
};

static uint64_t key_of(const struct trace *t, uint32_t row)
{
    return (uint64_t)t->kernels.symbol[row] << 32 | kernels_launch_at(t, row);
}

static uint32_t group_of(struct search *s, uint64_t key)
{
    uint32_t at = idmap_get(&s->of, key);
    if (at != NO_INDEX)
        return at;
    at = (uint32_t)s->groups.n;
    idmap_put(&s->of, key, at);
    vec_push(&s->groups, s->temporary, ((struct group){.key = key}));
    return at;
}

/* By GPU: the rows are in order of start there. */
static void collect(struct search *s, const struct view_gpu *g)
{
    const struct trace *t = s->a->trace;
    idmap_init(&s->of, s->temporary);
    s->groups.n = 0;
    s->at = arena_array(s->temporary, uint32_t, g->n_kernels + 1);
    for (size_t i = 0; i < g->n_kernels; i++) {
        uint32_t row = g->kernels[i];
        s->at[i] = NO_INDEX;
        if (s->a->view.kernel_class[t->kernels.symbol[row]] != KERNEL_COMPUTE)
            continue;
        s->at[i] = group_of(s, key_of(t, row));
        s->groups.v[s->at[i]].n++;
    }
    uint32_t sum = 0;
    for (size_t i = 0; i < s->groups.n; i++) {
        s->groups.v[i].first = sum;
        sum += s->groups.v[i].n;
        s->groups.v[i].n = 0;
    }
    s->rows = arena_array(s->temporary, uint32_t, sum + 1);
    for (size_t i = 0; i < g->n_kernels; i++) {
        struct group *group = s->at[i] == NO_INDEX ? NULL : &s->groups.v[s->at[i]];
        if (group)
            s->rows[group->first + group->n++] = g->kernels[i];
    }
}

/* The quantile of the durations of rows [from, to). */
static int64_t quantile_of(struct search *s, const uint32_t *rows, size_t n, unsigned pct)
{
    struct arena *temporary = arena_child(s->temporary);
    int64_t *v = arena_array(temporary, int64_t, n + 1);
    for (size_t i = 0; i < n; i++)
        v[i] = kernel_ns(s->a, rows[i]);
    int64_t out = percentile(v, n, pct);
    arena_release(temporary);
    return out;
}

/*
 * Slower at the end than at the start beyond all variation: three of four at the end are longer
 * than three of four at the start, and the second half is slower than the first. The first tenth
 * is left out: it may be warming up.
 */
static void judge_group(struct search *s, struct group *g)
{
    const uint32_t *rows = s->rows + g->first;
    for (uint32_t i = 0; i < g->n; i++)
        g->total_ns = add_ns(g->total_ns, kernel_ns(s->a, rows[i]));
    s->all_ns = add_ns(s->all_ns, g->total_ns);
    if (g->n < LEAST_CALLS)
        return;
    uint32_t skip = g->n / 10, quarter = (g->n - skip) / 4, half = (g->n - skip) / 2;
    int64_t start = quantile_of(s, rows + skip, quarter, 50);
    int64_t end = quantile_of(s, rows + g->n - quarter, quarter, 50);
    if ((double)end < SLOWER * (double)start || !start ||
        quantile_of(s, rows + g->n - quarter, quarter, 25) <=
            quantile_of(s, rows + skip, quarter, 75) ||
        quantile_of(s, rows + skip + half, half, 50) < start)
        return;
    g->factor = (double)end / (double)start;
    for (uint32_t i = skip; i < g->n; i++) {
        int64_t more = kernel_ns(s->a, rows[i]) - start;
        g->lost_ns = add_ns(g->lost_ns, more > 0 ? more : 0);
    }
    s->lost_ns = add_ns(s->lost_ns, g->lost_ns);
    s->slower_ns = add_ns(s->slower_ns, g->total_ns);
    s->log_factor += log(g->factor) * (double)g->total_ns;
}

/* Means of a series in the first and the last quarter of the GPU work; false: not recorded. */
static bool telemetry_change(const struct analysis *a, const char *word, double *before,
                             double *after)
{
    const struct trace *t = a->trace;
    double sum[2] = {0}, n[2] = {0};
    int64_t quarter = view_window(&a->view) / 4;
    for (size_t i = 0; i < t->telemetry.n; i++) {
        int64_t at = t->telemetry.time_ns[i] - a->view.start_ns;
        uint32_t series = t->telemetry.series[i];
        bool early = at >= 0 && at < quarter, late = at >= 3 * quarter && at <= 4 * quarter;
        if (series >= t->series.n || !(early || late) || !isfinite(t->telemetry.value[i]) ||
            !str_has_fold(trace_str(t, t->series.v[series].name), word))
            continue;
        sum[late] += t->telemetry.value[i];
        n[late]++;
    }
    *before = n[0] > 0 ? sum[0] / n[0] : 0;
    *after = n[1] > 0 ? sum[1] / n[1] : 0;
    return n[0] > 0 && n[1] > 0;
}

static void tell_telemetry(struct finding *f)
{
    static const char *const words[] = {"clock", "temperature", "power"};
    double before, after;
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (telemetry_change(f->analysis, words[i], &before, &after))
            finding_because(f, "telemetry.mean", after, before, NO_UNIT,
                            "%s: %.0f in the first quarter of the run, %.0f in the last", words[i],
                            before, after);
}

static void tell_worst(struct finding *f, const struct group *g)
{
    const struct trace *t = f->analysis->trace;
    uint32_t symbol = (uint32_t)(g->key >> 32);
    char lost[HUMAN_MAX];
    finding_because(f, "hotspots.total_duration_ns", g->factor, SLOWER, NO_UNIT,
                    "%s: %.2f times as long at the end, %s more in all",
                    trace_str(t, t->symbols.v[symbol].short_name), g->factor,
                    human_time(lost, g->lost_ns));
}

static void say(struct finding *f, const struct search *s, const struct group *worst)
{
    const struct trace *t = f->analysis->trace;
    bool common = (double)s->slower_ns >= COMMON_SHARE * (double)s->all_ns && s->groups.n > 1;
    double factor = exp(s->log_factor / (double)s->slower_ns);
    char lost[HUMAN_MAX];
    if (common) {
        finding_issue(f,
                      "nearly all kernels take %.2f times as long at the end of the run as at "
                      "its start: %s more",
                      factor, human_time(lost, s->lost_ns));
        finding_suggest(f, "look at clocks, power limit and cooling: one factor over all kernels "
                           "is no matter of code");
    } else {
        const char *name = trace_str(t, t->symbols.v[(uint32_t)(worst->key >> 32)].short_name);
        finding_issue(f,
                      "%s takes %.2f times as long at the end of the run as at its start: %s "
                      "more",
                      name, worst->factor, human_time(lost, s->lost_ns));
        finding_suggest(f, "find out what grows: the work of the kernel, the spread of its data, "
                           "or only the heat");
    }
    finding_action(f, "record clocks, power and temperature beside the run");
    finding_action(f, "compare steps early and late in a longer run");
    finding_sure(f, common ? 0.8 : 0.6,
                 common ? "the same launches become slower, all by about the same factor"
                        : "the same launches become slower, but not all kernels do");
}

static bool eval(const struct analysis *a, struct finding *f)
{
    struct search s = {.a = a, .temporary = arena_scratch()};
    struct group worst = {0};
    for (size_t g = 0; g < a->view.n_gpus; g++) {
        collect(&s, &a->view.gpus[g]);
        for (size_t i = 0; i < s.groups.n; i++) {
            judge_group(&s, &s.groups.v[i]);
            if (s.groups.v[i].lost_ns > worst.lost_ns)
                worst = s.groups.v[i];
        }
    }
    int64_t compute = ledger_ns(a, CAUSE_COMPUTE);
    int64_t ns = s.lost_ns < compute ? s.lost_ns : compute;
    bool fires = worst.lost_ns > 0 && share_pct(a, ns) >= LEAST_SHARE_PCT;
    if (fires) {
        finding_claim(f, CAUSE_COMPUTE, ns);
        say(f, &s, &worst);
        tell_worst(f, &worst);
        tell_telemetry(f);
    }
    arena_release(s.temporary);
    return fires;
}

const struct rule rule_slow_down = {
    .name = "slow-down",
    .id = "GS-SLOWDOWN-001",
    .category = ABOUT_GPU_UTILIZATION,
    .title = "kernels become slower over the run",
    .bottleneck = BOTTLENECK_OTHER,
    .action = ACTION_RUNTIME,
    .needs = NEED_KERNELS,
    .specific = true,
    .gain = 0.9,
    .eval = eval,
    .takes_long = true,
    .doc = "Fires when equal launches (kernel and grid, 16 dispatches or more) take at least 1.1 "
           "times as long in the last quarter of the run as in the first, beyond their variation. "
           "When kernels with 70 % of the compute time do, clocks are the likely cause: heat, the "
           "power limit, another user; telemetry is cited where recorded. Claims what they take "
           "longer than at the start.",
};
