/* What following a finding's advice would win: by replay where that is possible. */
#include <assert.h>
#include <math.h>
#include <pthread.h>

#include "advise/rule.h"
#include "base/parallel.h"

struct change *finding_change(struct finding *f)
{
    if (!f->change) {
        f->change = arena_new(f->arena, struct change);
        f->change->hardware = f->analysis->hardware;
    }
    return f->change;
}

/* The factors of a finding, and the symbols that share a name: there may be many of both. */
struct kernel_scales {
    float *scale;           /* by symbol */
    uint32_t *first, *next; /* by string, by symbol: a symbol of that name + 1 */
};

static struct kernel_scales *scales_of(struct finding *f)
{
    const struct trace *t = f->analysis->trace;
    if (f->scales)
        return f->scales;
    struct kernel_scales *s = f->scales = arena_new(f->arena, struct kernel_scales);
    s->scale = arena_array(f->arena, float, t->symbols.n + 1);
    s->first = arena_array(f->arena, uint32_t, t->strings.n + 1);
    s->next = arena_array(f->arena, uint32_t, t->symbols.n + 1);
    for (uint32_t i = 0; i < t->symbols.n; i++) {
        uint32_t *first = &s->first[t->symbols.v[i].name];
        s->scale[i] = 1;
        s->next[i] = *first;
        *first = i + 1;
    }
    return s;
}

void finding_change_kernel(struct finding *f, uint32_t name_id, double factor)
{
    struct kernel_scales *s = scales_of(f);
    struct change *c = finding_change(f);
    for (uint32_t i = s->first[name_id]; i; i = s->next[i - 1])
        s->scale[i - 1] *= (float)factor;
    c->symbol_scale = s->scale;
    c->scale_doubt = SCALE_DOUBT;
}

/* ---- by replay ---- */

static double faster_pct(int64_t before, int64_t after)
{
    return after > 0 ? 100 * ((double)before / (double)after - 1) : NAN;
}

struct prediction_work {
    struct finding *f;
    struct arena *arena;
    struct prediction p;
    int64_t sides[SIDES];
    bool likely, begun[SIDES]; /* guarded by struct predictions.lock, as long as several work */
};

/* Room for replays, one a worker; the first has that of the analysis. */
struct scratch {
    struct arena *arena;
    struct replay replay;
};

/*
 * Replays are handed out one by one: first the likely ones, then what each may be at best and at
 * worst, where that matters. Who finds no likely one left begins with the others, as long as
 * somebody is still at work and some are left to go beside the one of all together.
 */
struct side_work {
    struct prediction_work *of; /* NULL: all together */
    enum side side;
};

struct predictions {
    const struct analysis *a;
    int threads;
    struct arena *temporary;
    struct prediction_work *v;
    size_t n;
    pthread_mutex_t lock;
    size_t taken, done; /* likely ones */
    size_t busy;        /* workers */
    struct side_work *sides;
    const struct change *together;
    struct prediction *after;
    struct scratch workers[PARALLEL_MAX];
};

/* Host work that one thread more does not shorten enough takes several. */
enum { WORKERS = 2 };
#define WORKER_LEAST_PCT 10.0

static struct replay *room_of(struct predictions *of, int worker)
{
    struct scratch *s = &of->workers[worker];
    if (!worker)
        return of->a->replay;
    if (!s->replay.d)
        replay_init(&s->replay, of->a->depend, s->arena);
    return &s->replay;
}

static void run_side(struct predictions *of, const struct side_work *s, int worker)
{
    s->of->sides[s->side] = predict_side(room_of(of, worker), s->of->f->change, s->side);
}

/* A side of what is known already, while others are at work; false: there is none. */
static bool take_early(struct predictions *of, struct side_work *out)
{
    size_t open = 0;
    pthread_mutex_lock(&of->lock);
    bool waits = of->taken == of->n && of->busy > 1;
    for (size_t i = SIDES * of->n; waits && i-- > 0;) {
        struct prediction_work *job = &of->v[i / SIDES];
        enum side side = (enum side)(i % SIDES);
        if (!job->likely || job->begun[side] ||
            !predict_asks(&job->p, of->a->depend, job->f->change, side))
            continue;
        *out = (struct side_work){job, side};
        open++;
    }
    bool take = open && (of->done < of->n || open > (size_t)of->threads);
    if (take)
        out->of->begun[out->side] = true;
    else
        of->busy--;
    pthread_mutex_unlock(&of->lock);
    return take;
}

static void find_likely(struct predictions *of, struct prediction_work *job, int worker)
{
    struct change *c = job->f->change;
    struct replay *r = room_of(of, worker);
    predict_likely(&job->p, r, c, job->arena);
    if (c->prefetch && faster_pct(job->p.recorded_ns, job->p.predicted_ns) < WORKER_LEAST_PCT) {
        c->workers = WORKERS;
        predict_likely(&job->p, r, c, job->arena);
    }
}

static void predict_one(void *ctx, size_t i, int worker)
{
    struct predictions *of = ctx;
    struct side_work side;
    pthread_mutex_lock(&of->lock);
    of->taken++;
    of->busy++;
    pthread_mutex_unlock(&of->lock);
    find_likely(of, &of->v[i], worker);
    pthread_mutex_lock(&of->lock);
    of->done++;
    of->v[i].likely = true;
    pthread_mutex_unlock(&of->lock);
    while (take_early(of, &side))
        run_side(of, &side, worker);
}

static void predict_other(void *ctx, size_t i, int worker)
{
    struct predictions *of = ctx;
    const struct side_work *s = &of->sides[i];
    if (s->of)
        run_side(of, s, worker);
    else
        predict(of->after, room_of(of, worker), of->together, false, NULL);
}

/* Where several rules share the same time, each promises no more than its part. */
static void keep_to_claim(const struct finding *f, struct prediction *p)
{
    int64_t gpus = f->analysis->breakdown.gpu_count ? f->analysis->breakdown.gpu_count : 1;
    int64_t least = p->recorded_ns - f->claimed_ns / gpus;
    /* The good side stays: the time may be won by this one alone. */
    if (p->predicted_ns < least)
        p->predicted_ns = least;
    if (p->high_ns < least)
        p->high_ns = least;
    p->speedup = p->predicted_ns > 0 ? (double)p->recorded_ns / (double)p->predicted_ns : NAN;
}

static void take(struct finding *f, struct prediction *p)
{
    if (f->shares)
        keep_to_claim(f, p);
    if (p->predicted_ns > p->recorded_ns) { /* nobody keeps what makes it slower */
        p->predicted_ns = p->high_ns = p->recorded_ns;
        p->low_ns = p->low_ns < p->recorded_ns ? p->low_ns : p->recorded_ns;
        p->speedup = 1;
    }
    f->predicted_by = PREDICTED_REPLAY;
    f->recorded_ns = p->recorded_ns;
    f->predicted_ns = p->predicted_ns;
    f->predicted_low_ns = p->low_ns;
    f->predicted_high_ns = p->high_ns;
    f->predicted_speedup = p->speedup;
    f->next_limit = path_info(p->next)->label;
    f->predicted_why = p->reasons;
    f->speedup_lower_pct = faster_pct(p->recorded_ns, p->high_ns);
    f->speedup_upper_pct = faster_pct(p->recorded_ns, p->low_ns);
    /* Nobody is placed by more than what it was granted and may win of that: the rest is another
     * finding's, too. */
    if (p->recorded_ns > 0)
        f->win_pct = fmin(100 * (1 - (double)p->predicted_ns / (double)p->recorded_ns), f->win_pct);
}

struct predictions *findings_likely(struct finding *const *v, size_t n, int workers,
                                    struct arena *temporary)
{
    struct predictions *of = arena_new(temporary, struct predictions);
    *of = (struct predictions){
        .threads = workers, .temporary = temporary, .lock = PTHREAD_MUTEX_INITIALIZER};
    of->v = arena_array(temporary, struct prediction_work, n + 1);
    for (size_t i = 0; i < n; i++) {
        if (!v[i]->change || !v[i]->analysis->depend ||
            v[i]->runtime_fraction_pct < LEAST_SHARE_PCT)
            continue;
        assert(!of->a || of->a == v[i]->analysis);
        of->a = v[i]->analysis;
        of->v[of->n].arena = arena_child(v[i]->arena);
        of->v[of->n++].f = v[i];
    }
    for (int w = 0; w < PARALLEL_MAX; w++)
        of->workers[w].arena = arena_child(temporary);
    parallel_for(workers, of->n, predict_one, of);
    for (size_t i = 0; i < of->n; i++) {
        struct prediction p = of->v[i].p;
        take(of->v[i].f, &p);
    }
    return of;
}

void findings_predict(struct predictions *of, const struct change *together,
                      struct prediction *after)
{
    size_t n_sides = 0;
    of->together = together;
    of->after = after;
    of->sides = arena_array(of->temporary, struct side_work, SIDES * of->n + 1);
    if (together) /* much is changed there: the longest one first */
        of->sides[n_sides++] = (struct side_work){0};
    for (size_t i = 0; i < SIDES * of->n; i++) {
        struct prediction_work *job = &of->v[i / SIDES];
        enum side side = (enum side)(i % SIDES);
        if (!job->begun[side] && predict_asks(&job->p, of->a->depend, job->f->change, side))
            of->sides[n_sides++] = (struct side_work){job, side};
    }
    parallel_for(of->threads, n_sides, predict_other, of);
    for (size_t i = 0; i < of->n; i++) {
        struct prediction_work *job = &of->v[i];
        predict_end(&job->p, of->a->depend, job->f->change, job->sides);
        take(job->f, &job->p);
    }
}

/* ---- by share ---- */

/* Of the time from first to last work: what may be won of the claim, and half of that. */
void finding_by_share(struct finding *f)
{
    const struct analysis *a = f->analysis;
    const struct breakdown *b = &a->breakdown;
    int64_t recorded = a->depend ? depend_span(a->depend) : b->gpu_span_ns;
    double share = (double)f->claimed_ns / ((double)recorded * b->gpu_count);
    if (!(share > 0) || recorded <= 0)
        return;
    share = fmin(share, 1);
    f->predicted_by = PREDICTED_AMDAHL;
    f->recorded_ns = recorded;
    f->predicted_ns = ns_from((double)recorded * (1 - share * f->gain));
    f->predicted_low_ns = f->predicted_ns;
    f->predicted_high_ns = ns_from((double)recorded * (1 - share * f->gain / 2));
    f->predicted_speedup = f->predicted_ns > 0 ? (double)recorded / (double)f->predicted_ns : NAN;
    f->predicted_why = "by the share of the time it claims: all or half of what may be won of it";
}

/* ---- several at once ---- */

static float *product(const float *x, const float *y, size_t n, struct arena *arena)
{
    float *out = arena_array(arena, float, n + 1);
    for (size_t i = 0; i < n; i++)
        out[i] = (x ? x[i] : 1.0f) * (y ? y[i] : 1.0f);
    return out;
}

static void add_change(struct change *to, const struct change *from, const struct trace *t,
                       struct arena *arena)
{
    for (int r = 0; r < REMOVALS; r++)
        to->remove[r] |= from->remove[r];
    to->keep_results |= from->keep_results;
    to->graph |= from->graph;
    to->graph_nodes = from->graph_nodes ? from->graph_nodes : to->graph_nodes;
    to->overlap |= from->overlap;
    to->merge_copies |= from->merge_copies;
    to->fuse |= from->fuse;
    to->stay |= from->stay;
    to->pinned |= from->pinned;
    to->link_hope = from->link_hope > 0 ? from->link_hope : to->link_hope;
    to->link = from->link > 0 ? from->link : to->link;
    to->prefetch |= from->prefetch;
    to->workers = from->workers > to->workers ? from->workers : to->workers;
    to->scale_doubt = from->scale_doubt > to->scale_doubt ? from->scale_doubt : to->scale_doubt;
    to->scale_hope = from->scale_hope > to->scale_hope ? from->scale_hope : to->scale_hope;
    to->rank_typical |= from->rank_typical;
    to->streams = from->streams > to->streams ? from->streams : to->streams;
    if (from->launch_scale)
        to->launch_scale = product(to->launch_scale, from->launch_scale, t->launches.n, arena);
    if (from->symbol_scale)
        to->symbol_scale = product(to->symbol_scale, from->symbol_scale, t->symbols.n, arena);
}

const struct change *findings_together(struct finding *const *v, size_t n, struct arena *arena)
{
    struct change *all = NULL;
    for (size_t i = 0; i < n; i++) {
        if (!v[i]->change)
            continue;
        if (!all) {
            all = arena_new(arena, struct change);
            all->hardware = v[i]->analysis->hardware;
        }
        add_change(all, v[i]->change, v[i]->analysis->trace, arena);
    }
    if (all && all->launch_scale)
        all->streams = 0; /* kernels that fill the device leave no room beside them */
    return all;
}
