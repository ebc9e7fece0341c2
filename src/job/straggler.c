/* Which rank the others wait for, and what it does differently. */
#include <math.h>

#include "analyze/quantile.h"
#include "base/human.h"
#include "base/str.h"
#include "job/job.h"

/* It must cause this much of all waiting, and cost the job this much of its time. */
#define LEAST_SHARE_PCT 50.0
#define LEAST_COST_PCT 1.0
#define ALWAYS_PCT 90.0

/* Chance: what a rank costs the others must stand this far out of the scatter of the meetings. */
#define LEAST_SIGMA 3.0
enum { FEW_MEETINGS = 10 };
#define LEAST_COST_OF_FEW_PCT 5.0

/* Judged by GPU time alone: runs must be about equally long, and one rank much busier. */
#define SIDE_BY_SIDE 0.9
#define LEAST_GUESS_PCT 4.0

/* All kernels that matter are slower by about the same: within this part of the difference. */
#define EVENLY 0.35
#define LEAST_SLOWER 1.02
#define CLOCK_SLOWER 0.97

/* What a rank does longer explains its cost when it is at least this part of it. */
enum { LEAST_EXPLAINED = 10 };

enum part { PART_KERNELS, PART_COPIES, PART_HOST, PARTS };

/* Time a GPU of the rank, or its host, spends on each. */
static int64_t part_of(const struct job_rank *r, enum part part)
{
    int64_t gpus = r->gpus ? r->gpus : 1;
    switch (part) {
    case PART_KERNELS:
        return r->compute_ns / gpus;
    case PART_COPIES:
        return r->copy_ns / gpus;
    default:
        return r->host_ns;
    }
}

static int64_t typical_part(const struct job *job, const struct job_rank *but, enum part part)
{
    int64_t *v = arena_array(job->arena, int64_t, job->ranks.n);
    size_t n = 0;
    for (size_t i = 0; i < job->ranks.n; i++)
        if (&job->ranks.v[i] != but)
            v[n++] = part_of(&job->ranks.v[i], part);
    return n ? select_rank(v, n, n / 2) : 0;
}

static const struct rank_kernel *same_kernel(const struct job_rank *r, const char *name)
{
    for (size_t i = 0; i < r->top.n; i++)
        if (str_eq(r->top.v[i].name, name))
            return &r->top.v[i];
    return NULL;
}

/* The straggler's kernels against those of a typical rank. */
struct kernel_view {
    double extra_calls_ns, extra_work_ns, slower_ns; /* of the difference */
    double least, most;                              /* ratio of mean durations, equal work */
    size_t kernels;                                  /* that matter */
    const char *worst, *worst_calls, *worst_work;
    double worst_ratio, worst_work_ratio;
    int64_t worst_calls_more;
};

static void look_at_kernel(struct kernel_view *v, const struct rank_kernel *k,
                           const struct rank_kernel *o, double *worst_ns)
{
    double mean = (double)k->total_ns / (double)k->calls;
    double other = o ? (double)o->total_ns / (double)o->calls : mean;
    double calls = (double)k->calls - (o ? (double)o->calls : 0);
    double common = o ? (double)(k->calls < o->calls ? k->calls : o->calls) : 0;
    if (calls > 0)
        v->extra_calls_ns += (double)calls * mean;
    if (calls > 0 && calls * mean > worst_ns[0]) {
        worst_ns[0] = calls * mean;
        v->worst_calls = k->short_name;
        v->worst_calls_more = ns_from(calls);
    }
    if (!o || other <= 0)
        return;
    double excess = (mean - other) * common;
    bool more_work = k->work_items > 1.01 * o->work_items; /* false when not known */
    *(more_work ? &v->extra_work_ns : &v->slower_ns) += (double)excess;
    if (more_work && excess > worst_ns[1]) {
        worst_ns[1] = excess;
        v->worst_work = k->short_name;
        v->worst_work_ratio = k->work_items / o->work_items;
    }
    if (excess > worst_ns[2] && !more_work) {
        worst_ns[2] = excess;
        v->worst = k->short_name;
        v->worst_ratio = mean / other;
    }
}

static void look_at_kernels(struct kernel_view *v, const struct job_rank *r,
                            const struct job_rank *typical)
{
    double worst[3] = {0};
    int64_t all = 0;
    *v = (struct kernel_view){.least = INFINITY, .most = 0};
    for (size_t i = 0; i < r->top.n; i++)
        all = add_ns(all, r->top.v[i].total_ns);
    for (size_t i = 0; i < r->top.n; i++) {
        const struct rank_kernel *k = &r->top.v[i], *o = same_kernel(typical, k->name);
        if (!k->calls)
            continue;
        look_at_kernel(v, k, o && o->calls ? o : NULL, worst);
        if (!o || !o->calls || o->total_ns <= 0 || k->total_ns < all / 50)
            continue;
        double ratio =
            ((double)k->total_ns / (double)k->calls) / ((double)o->total_ns / (double)o->calls);
        v->least = ratio < v->least ? ratio : v->least;
        v->most = ratio > v->most ? ratio : v->most;
        v->kernels++;
    }
}

/* Every kernel is slower alike, or the recorded clock is lower. */
static bool clocks_are_slow(const struct kernel_view *v, const struct job_rank *r,
                            const struct job_rank *typical)
{
    if (v->least < LEAST_SLOWER || v->extra_work_ns > v->slower_ns)
        return false;
    if (r->clock_mhz < CLOCK_SLOWER * typical->clock_mhz) /* false when not recorded */
        return true;
    return v->kernels > 1 && v->most - v->least <= EVENLY * (v->most - 1);
}

static void set_cause(struct straggler *s, enum straggler_cause why)
{
    static const char *const words[] = {[STRAGGLER_KERNELS] = "kernel_time",
                                        [STRAGGLER_CLOCKS] = "slow_clocks",
                                        [STRAGGLER_COPIES] = "copies",
                                        [STRAGGLER_HOST] = "host",
                                        [STRAGGLER_START] = "start_up"};
    s->why = why;
    s->cause = words[why];
}

static void explain_kernels(struct job *job, struct straggler *s, const struct job_rank *r,
                            const struct job_rank *typical, const char *more)
{
    struct kernel_view v;
    look_at_kernels(&v, r, typical);
    if (clocks_are_slow(&v, r, typical)) {
        bool seen = r->clock_mhz < CLOCK_SLOWER * typical->clock_mhz;
        set_cause(s, STRAGGLER_CLOCKS);
        s->confidence = seen ? 0.95 : 0.7;
        s->detail =
            seen ? arena_printf(job->arena,
                                "its kernels take %.0f to %.0f %% longer, its clock runs at %.0f "
                                "instead of %.0f MHz",
                                100 * (v.least - 1), 100 * (v.most - 1), r->clock_mhz,
                                typical->clock_mhz)
                 : arena_printf(job->arena,
                                "all its kernels take %.0f to %.0f %% longer for the same work: "
                                "slower clocks, a capped or shared GPU",
                                100 * (v.least - 1), 100 * (v.most - 1));
        return;
    }
    set_cause(s, STRAGGLER_KERNELS);
    s->confidence = 0.9;
    if (v.extra_calls_ns >= v.slower_ns && v.extra_calls_ns >= v.extra_work_ns && v.worst_calls)
        s->detail = arena_printf(job->arena, "it computes %s longer: %lld more calls of %s", more,
                                 (long long)v.worst_calls_more, v.worst_calls);
    else if (v.extra_work_ns > v.slower_ns && v.worst_work)
        s->detail =
            arena_printf(job->arena, "it computes %s longer: %s works on %.2f times as many items",
                         more, v.worst_work, v.worst_work_ratio);
    else if (v.worst)
        s->detail = arena_printf(job->arena,
                                 "it computes %s longer: a call of %s takes %.2f times "
                                 "as long",
                                 more, v.worst, v.worst_ratio);
    else
        s->detail = arena_printf(job->arena, "it computes %s longer", more);
}

static const char *idle_word(const struct job_rank *r, const struct job_rank *typical)
{
    static const struct {
        enum cause cause;
        const char *words;
    } words[] = {{CAUSE_HOST, "its host is busy elsewhere"},
                 {CAUSE_SYNC, "its host waits for the GPU more often"},
                 {CAUSE_LAUNCH, "its host is slower at launching"},
                 {CAUSE_ALLOC, "it allocates and frees memory"},
                 {CAUSE_HOST_IO, "its host is in the operating system"},
                 {CAUSE_STARTUP, "it starts up or loads code"}};
    int64_t most = 0;
    const char *best = "its host does something that was not recorded";
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
        int64_t more =
            sub_ns(r->cause_ns[words[i].cause] / (r->gpus ? r->gpus : 1),
                   typical->cause_ns[words[i].cause] / (typical->gpus ? typical->gpus : 1));
        if (words[i].cause == CAUSE_HOST_IO)
            more = sub_ns(more, sub_ns(r->mpi_ns, typical->mpi_ns));
        if (more > most) {
            most = more;
            best = words[i].words;
        }
    }
    return best;
}

/* How much later than the middle one of the others a rank starts; 0 when clocks do not say. */
static int64_t starts_late(const struct job *job, const struct job_rank *r)
{
    int64_t *v = arena_array(job->arena, int64_t, job->ranks.n);
    size_t n = 0;
    if (r->clock_residual_ns < 0)
        return 0;
    for (size_t i = 0; i < job->ranks.n; i++)
        if (&job->ranks.v[i] != r && job->ranks.v[i].clock_residual_ns >= 0)
            v[n++] = job_time(&job->ranks.v[i], job->ranks.v[i].start_ns);
    int64_t late = n ? sub_ns(job_time(r, r->start_ns), select_rank(v, n, n / 2)) : 0;
    return late > 0 ? late : 0;
}

/* How long a rank with one GPU is in MPI while its GPU works. */
static int64_t hidden_mpi(const struct job_rank *r)
{
    return r->gpus == 1
               ? sub_ns(add_ns(r->gpu_busy_ns, r->mpi_ns), sub_ns(r->window_ns, r->host_ns))
               : 0;
}

/*
 * Who waits in MPI while its GPU works loses less than it waits. A rank that waits for nobody
 * itself then costs the job what it does longer than the others.
 */
static void cap_cost(struct straggler *s, const struct job_rank *r, const struct job_rank *typical,
                     const int64_t *more, int64_t late)
{
    int64_t longer = late;
    for (enum part p = 0; p < PARTS; p++)
        longer = add_ns(longer, more[p] > 0 ? more[p] : 0);
    if (hidden_mpi(typical) >= s->cost_ns / 2 && r->wait_ns < s->cost_ns / LEAST_EXPLAINED &&
        longer >= s->cost_ns / LEAST_EXPLAINED && longer < s->cost_ns)
        s->cost_ns = longer;
}

static void explain(struct job *job, struct straggler *s, const struct job_rank *r)
{
    const struct job_rank *typical = job_typical(job);
    int64_t more[PARTS];
    enum part worst = PART_KERNELS;
    for (enum part p = 0; p < PARTS; p++) {
        more[p] = sub_ns(part_of(r, p), typical_part(job, r, p));
        worst = more[p] > more[worst] ? p : worst;
    }
    char text[HUMAN_MAX];
    int64_t late = starts_late(job, r);
    cap_cost(s, r, typical, more, late);
    human_time(text, more[worst]);
    s->confidence = 0.85;
    if (late > more[worst] && late >= s->cost_ns / 2) {
        set_cause(s, STRAGGLER_START);
        s->detail =
            arena_printf(job->arena, "it starts %s after the others", human_time(text, late));
    } else if (more[worst] <= 0 || more[worst] < s->cost_ns / LEAST_EXPLAINED) {
        set_cause(s, STRAGGLER_HOST);
        s->confidence = 0.5;
        s->detail = "it does nothing for longer than the others that the trace shows";
    } else if (worst == PART_KERNELS) {
        explain_kernels(job, s, r, typical, arena_strdup(job->arena, text));
    } else if (worst == PART_COPIES) {
        set_cause(s, STRAGGLER_COPIES);
        s->detail = arena_printf(job->arena, "its GPU copies %s longer without computing", text);
    } else {
        set_cause(s, STRAGGLER_HOST);
        s->detail = arena_printf(job->arena, "%s: %s more without GPU work or MPI than the others",
                                 idle_word(r, typical), text);
    }
}

/*
 * Without recorded meetings: ranks that run side by side equally long, one of which keeps its GPU
 * at work longer. That they wait for it is likely, not certain.
 */
static void guess_straggler(struct job *job)
{
    size_t worst = 0;
    int64_t longest = 0, shortest = INT64_MAX, *work, waited = 0;
    work = arena_array(job->arena, int64_t, 2 * job->ranks.n);
    for (size_t i = 0; i < job->ranks.n; i++) {
        const struct job_rank *r = &job->ranks.v[i];
        longest = r->window_ns > longest ? r->window_ns : longest;
        shortest = r->window_ns < shortest ? r->window_ns : shortest;
        work[i] = add_ns(part_of(r, PART_KERNELS), part_of(r, PART_COPIES));
        worst = work[i] > work[worst] ? i : worst;
    }
    int64_t *others = work + job->ranks.n;
    size_t n = 0;
    for (size_t i = 0; i < job->ranks.n; i++) {
        if (i == worst)
            continue;
        others[n++] = work[i];
        waited = add_ns(waited, work[worst] - work[i]);
    }
    int64_t cost = work[worst] - select_rank(others, n, n / 2), mean = waited / (int64_t)n;
    cost = mean < cost ? mean : cost; /* as in meetings */
    if ((double)shortest < SIDE_BY_SIDE * (double)longest ||
        percent_of((double)cost, (double)longest) < LEAST_GUESS_PCT)
        return;
    job->has_straggler = true;
    job->straggler = (struct straggler){.rank = job->ranks.v[worst].rank,
                                        .cost_ns = cost,
                                        .waited_ns = waited,
                                        .late_pct = NAN,
                                        .share_pct = NAN};
    explain(job, &job->straggler, &job->ranks.v[worst]);
    job->straggler.confidence = 0.5;
    vec_push(
        &job->notes, job->arena,
        "no barrier, collective or message is recorded on all ranks: the late one is judged by "
        "GPU time alone");
}

/*
 * Ranks that are equally fast but scatter also come last now and then, one of two in half of the
 * meetings. A straggler either costs the others more than it waits for them, by more than chance
 * explains, or it holds them up a few times for far longer than usual.
 */
static bool more_than_chance(const struct job *job, const struct late *late)
{
    double n = (double)job->stats.meetings, window = (double)job->stats.window_ns;
    double mean = late->net / n, variance = late->net_square / n - mean * mean;
    double least = n < FEW_MEETINGS ? LEAST_COST_OF_FEW_PCT : LEAST_COST_PCT;
    bool often =
        percent_of(late->net, window) >= least && mean >= LEAST_SIGMA * sqrt(fmax(variance, 0) / n);
    bool stalls = percent_of((double)late->stall_ns, window) >= LEAST_COST_PCT &&
                  late->stall_ns >= late->cost_ns / 2;
    return often || stalls;
}

void job_find_straggler(struct job *job)
{
    size_t worst = 0;
    int64_t all = 0;
    if (!job->stats.meetings) {
        guess_straggler(job);
        return;
    }
    for (size_t i = 0; i < job->ranks.n; i++) {
        all = add_ns(all, job->ranks.v[i].caused_ns);
        if (job->ranks.v[i].caused_ns > job->ranks.v[worst].caused_ns)
            worst = i;
    }
    if (!all || !job->late)
        return;
    const struct job_rank *r = &job->ranks.v[worst];
    struct straggler *s = &job->straggler;
    *s = (struct straggler){.rank = r->rank,
                            .cost_ns = job->late[worst].cost_ns,
                            .waited_ns = r->caused_ns,
                            .late = r->late,
                            .meetings = job->stats.meetings};
    s->share_pct = percent_of((double)r->caused_ns, (double)all);
    s->late_pct = percent_of((double)r->late, (double)job->stats.meetings);
    s->always = s->late_pct >= ALWAYS_PCT;
    if (s->share_pct < LEAST_SHARE_PCT ||
        percent_of((double)s->cost_ns, (double)job->stats.window_ns) < LEAST_COST_PCT ||
        !more_than_chance(job, &job->late[worst]))
        return;
    job->has_straggler = true;
    explain(job, s, r);
}
