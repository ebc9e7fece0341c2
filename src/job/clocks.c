#include "job/clocks.h"

#include <math.h>
#include <stdlib.h>

#include "base/human.h"
#include "base/str.h"
#include "job/hosts.h"

enum { MOST_POINTS = 1 << 14, SLOPE_POINTS = 192, LEAST_POINTS = 3 };
enum { MOST_OF_ALL = 1 << 22 }; /* of all ranks together */

/* Ranks of one host share its clock; this much between them is how they leave a call. */
#define SAME_CLOCK_NS 1000000

/* This far apart they are not of one run. */
#define OTHER_RUN_NS 10000000000

/* A drift is taken when it makes the residual this much smaller. */
#define DRIFT_HELPS 0.7

/* A moment that two ranks share: on the clock of the first, and how far the other's is ahead. */
struct point {
    int64_t at;
    double ahead;
};

struct points {
    VEC(struct point) v;
};

struct collecting {
    struct job *job;
    enum meet_kind kind;
    struct points *of_rank;
    uint64_t seen;
    uint32_t stride;
    const char *name; /* of the only operation; NULL: several */
    bool several;
    struct arena *arena;
};

static void collect(void *ctx, const struct meeting *m)
{
    struct collecting *c = ctx;
    if (m->op->kind != c->kind || m->rank[0] != 0)
        return;
    c->several |= c->name && !str_eq(c->name, m->op->name);
    c->name = m->op->name;
    if (c->seen++ % c->stride)
        return;
    for (size_t i = 1; i < m->n; i++)
        vec_push(
            &c->of_rank[m->rank[i]].v, c->arena,
            ((struct point){m->v[0]->end_ns, (double)sub_ns(m->v[i]->end_ns, m->v[0]->end_ns)}));
}

static int by_value(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

static double median(double *v, size_t n)
{
    if (!n)
        return 0;
    qsort(v, n, sizeof(*v), by_value);
    return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

/* The median of |ahead - (offset + slope x (at - origin))|, and the offset that goes with a slope.
 */
static double fit_offset(const struct points *p, double slope, int64_t origin, double *offset,
                         double *room)
{
    for (size_t i = 0; i < p->v.n; i++)
        room[i] = p->v.v[i].ahead - slope * (double)(p->v.v[i].at - origin);
    *offset = median(room, p->v.n);
    for (size_t i = 0; i < p->v.n; i++)
        room[i] = fabs(p->v.v[i].ahead - slope * (double)(p->v.v[i].at - origin) - *offset);
    return median(room, p->v.n);
}

/* Median of the slopes between pairs of points that lie far enough apart. */
static double fit_slope(const struct points *p, struct arena *arena)
{
    size_t step = p->v.n / SLOPE_POINTS + 1, n = 0;
    size_t taken = p->v.n / step + 1;
    double *slopes = arena_array(arena, double, taken *taken);
    for (size_t i = 0; i < p->v.n; i += step)
        for (size_t j = i + step; j < p->v.n; j += step) {
            double apart = (double)(p->v.v[j].at - p->v.v[i].at);
            if (fabs(apart) > 0)
                slopes[n++] = (p->v.v[j].ahead - p->v.v[i].ahead) / apart;
        }
    return median(slopes, n);
}

static int by_time(const void *x, const void *y)
{
    const struct point *a = x, *b = y;
    return (a->at > b->at) - (a->at < b->at);
}

static void fit(struct job *job, struct job_rank *r, struct points *p, struct arena *arena)
{
    const struct job_rank *first = &job->ranks.v[0];
    if (!p->v.n)
        return;
    qsort(p->v.v, p->v.n, sizeof(*p->v.v), by_time);
    double *room = arena_array(arena, double, p->v.n);
    double flat, drifting, slope = p->v.n >= 8 ? fit_slope(p, arena) : 0;
    double rest = fit_offset(p, 0, first->start_ns, &flat, room);
    double rest_drifting = fit_offset(p, slope, first->start_ns, &drifting, room);
    bool drifts = slope != 0 && fabs(slope) < 1e-3 && rest_drifting < DRIFT_HELPS * rest;
    r->clock_offset_ns = ns_from(round(drifts ? drifting : flat));
    r->clock_drift_ppm = drifts ? slope * 1e6 : 0;
    r->clock_origin_ns = first->start_ns;
    r->clock_residual_ns = ns_from(round(drifts ? rest_drifting : rest));
}

/*
 * Ranks of a host have one clock: that of its first rank with a fit that is near enough. Only those
 * that follow nobody can be followed.
 */
static void share_by_host(struct job *job, const struct host_list *hosts, struct arena *temporary)
{
    struct points_of {
        VEC(uint32_t) ranks;
    } *leaders = arena_array(temporary, struct points_of, hosts->n);
    for (uint32_t i = 0; i < job->ranks.n; i++) {
        struct job_rank *r = &job->ranks.v[i];
        struct points_of *own = &leaders[hosts->of_rank[i]];
        size_t k = 0;
        for (; *r->host && k < own->ranks.n; k++) {
            const struct job_rank *other = &job->ranks.v[own->ranks.v[k]];
            int64_t apart = sub_ns(r->clock_offset_ns, other->clock_offset_ns);
            if (apart > SAME_CLOCK_NS || apart < -SAME_CLOCK_NS)
                continue;
            r->clock_offset_ns = other->clock_offset_ns;
            r->clock_drift_ppm = other->clock_drift_ppm;
            r->clock_origin_ns = other->clock_origin_ns;
            break;
        }
        if (k == own->ranks.n)
            vec_push(&own->ranks, temporary, i);
    }
}

/* Ranks of one host that ran at one time differ by how they leave a call, not by hours. */
static void note_apart(struct job *job, const struct host_list *hosts, struct arena *temporary)
{
    char text[HUMAN_MAX];
    int64_t most = 0;
    struct span *reach = arena_array(temporary, struct span, hosts->n);
    for (size_t i = 0; i < hosts->n; i++)
        reach[i] = (struct span){INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < job->ranks.n; i++) {
        struct span *s = &reach[hosts->of_rank[i]];
        int64_t own = job->ranks.v[i].clock_offset_ns;
        s->start = own < s->start ? own : s->start;
        s->end = own > s->end ? own : s->end;
    }
    for (size_t i = 0; i < hosts->n; i++) {
        int64_t apart = *hosts->name[i] ? sub_ns(reach[i].end, reach[i].start) : 0;
        most = apart > most ? apart : most;
    }
    if (most >= OTHER_RUN_NS)
        vec_push(&job->notes, job->arena,
                 arena_printf(job->arena,
                              "ranks of one host were captured %s apart: they are laid side by "
                              "side, and may be of different runs",
                              human_time(text, most)));
}

int64_t job_time(const struct job_rank *r, int64_t ns)
{
    int64_t since = sub_ns(sub_ns(ns, r->clock_offset_ns), r->clock_origin_ns);
    double drift = r->clock_drift_ppm == 0 ? 0 : r->clock_drift_ppm * 1e-6 * (double)since;
    return sub_ns(sub_ns(ns, r->clock_offset_ns), ns_from(round(drift)));
}

/* True when at least half of the ranks have points enough. */
static bool enough(const struct collecting *c, size_t least)
{
    size_t n = 0;
    for (size_t i = 1; i < c->job->ranks.n; i++)
        n += c->of_rank[i].v.n >= least;
    return n && 2 * n >= c->job->ranks.n - 1;
}

/*
 * Nothing to compare clocks by. Ranks of a job run at one time: hosts whose times do not even
 * overlap start together as far as one can tell, rather than seconds of idling apart.
 */
static void lay_side_by_side(struct job *job, const struct host_list *hosts,
                             struct arena *temporary)
{
    struct span *of = arena_array(temporary, struct span, hosts->n);
    for (size_t i = 0; i < hosts->n; i++)
        of[i] = (struct span){INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < job->ranks.n; i++) {
        struct span *s = &of[hosts->of_rank[i]];
        const struct job_rank *r = &job->ranks.v[i];
        s->start = r->start_ns < s->start ? r->start_ns : s->start;
        s->end = r->end_ns > s->end ? r->end_ns : s->end;
    }
    for (size_t i = 1; i < job->ranks.n; i++) {
        struct span first = of[0], own = of[hosts->of_rank[i]];
        if (own.start > first.end || own.end < first.start)
            job->ranks.v[i].clock_offset_ns = sub_ns(own.start, first.start);
    }
}

void job_align_clocks(struct job *job, const struct meetings *all, struct arena *temporary)
{
    static const struct {
        enum meet_kind kind;
        size_t least;
        const char *what;
    } tries[] = {{MEET_ALL, 1, "collectives"},
                 {MEET_PEERS, LEAST_POINTS, "messages"},
                 {MEET_ROOTED, LEAST_POINTS, "rooted collectives"},
                 {MEET_MARKER, LEAST_POINTS, "markers"}};
    struct host_list hosts;
    struct arena *own = arena_child(temporary);
    job_hosts(&hosts, job, temporary);
    job->stats.aligned = "none";
    job->stats.clock_residual_ns = -1;
    for (size_t k = 0; k < ARRAY_LEN(tries); k++) {
        struct collecting c = {.job = job, .kind = tries[k].kind, .arena = temporary, .stride = 1};
        uint64_t meetings = 0;
        for (size_t i = 0; i < all->ops.n; i++)
            if (all->ops.v[i].kind == c.kind && all->ops.v[i].parts.n > 1)
                meetings += all->ops.v[i].count / all->stride + 1;
        uint64_t most = MOST_OF_ALL / job->ranks.n;
        c.stride = (uint32_t)(meetings / (most < MOST_POINTS ? most + 1 : MOST_POINTS) + 1);
        c.of_rank = arena_array(temporary, struct points, job->ranks.n);
        meetings_each(all, collect, &c);
        if (!enough(&c, tries[k].least))
            continue;
        job->ranks.v[0].clock_residual_ns = 0;
        for (size_t i = 1; i < job->ranks.n; i++) {
            struct job_rank *r = &job->ranks.v[i];
            fit(job, r, &c.of_rank[i], own);
            arena_release(own);
            if (r->clock_residual_ns > job->stats.clock_residual_ns)
                job->stats.clock_residual_ns = r->clock_residual_ns;
        }
        share_by_host(job, &hosts, temporary);
        note_apart(job, &hosts, temporary);
        job->stats.clocks_aligned = true;
        job->stats.aligned =
            c.several || !c.name ? tries[k].what : arena_strdup(job->arena, c.name);
        return;
    }
    lay_side_by_side(job, &hosts, temporary);
}
