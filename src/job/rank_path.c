/*
 * The critical path over ranks. From the end of the rank that ends last, back to the last meeting
 * at which it waited; from there it is the path of the rank that came last to it, and so on. Each
 * moment of the job belongs to one rank.
 */
#include <stdlib.h>

#include "base/sat.h"
#include "job/meetings.h"

/* A meeting at which a rank waited for another one. */
struct held {
    int64_t arrival; /* of the last, in the clock of the first rank */
    uint32_t rank, last;
};

struct walk {
    struct job *job;
    struct arena *temporary;
    int64_t *wait; /* room for a meeting */
    VEC(struct held) held;
};

static void note(void *ctx, const struct meeting *m)
{
    struct walk *w = ctx;
    if (m->op->kind == MEET_MARKER)
        return;
    size_t last = meeting_judge(w->job, m, w->wait);
    if (last == NO_INDEX)
        return;
    int64_t arrival = job_time(&w->job->ranks.v[m->rank[last]], m->v[last]->start_ns);
    for (size_t i = 0; i < m->n; i++)
        if (i != last && w->wait[i] > 0)
            vec_push(&w->held, w->temporary, ((struct held){arrival, m->rank[i], m->rank[last]}));
}

static int by_rank_and_time(const void *x, const void *y)
{
    const struct held *a = x, *b = y;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->arrival != b->arrival)
        return a->arrival < b->arrival ? -1 : 1;
    return a->last < b->last ? -1 : a->last > b->last;
}

/* The last meeting before `at` at which the rank waited, or NULL. */
static const struct held *last_held(const struct walk *w, uint32_t rank, int64_t at)
{
    const struct held *held = w->held.v;
    size_t lo = 0; /* the first that is not before */
    BISECT(lo, w->held.n, i, held[i].rank < rank || (held[i].rank == rank && held[i].arrival < at));
    return lo && held[lo - 1].rank == rank ? &held[lo - 1] : NULL;
}

static uint32_t ends_last(const struct job *job)
{
    uint32_t last = 0;
    for (uint32_t i = 1; i < job->ranks.n; i++)
        if (job_time(&job->ranks.v[i], job->ranks.v[i].end_ns) >
            job_time(&job->ranks.v[last], job->ranks.v[last].end_ns))
            last = i;
    return last;
}

static int64_t starts_first(const struct job *job)
{
    int64_t first = INT64_MAX;
    for (size_t i = 0; i < job->ranks.n; i++) {
        int64_t start = job_time(&job->ranks.v[i], job->ranks.v[i].start_ns);
        first = start < first ? start : first;
    }
    return first;
}

void job_path(struct job *job, const struct meetings *all, struct arena *temporary)
{
    struct walk w = {.job = job, .temporary = temporary};
    if (!job->ranks.n)
        return;
    w.wait = arena_array(temporary, int64_t, job->ranks.n);
    meetings_each(all, note, &w);
    if (!w.held.n)
        return;
    qsort(w.held.v, w.held.n, sizeof(*w.held.v), by_rank_and_time);
    uint32_t at = ends_last(job);
    int64_t until = job_time(&job->ranks.v[at], job->ranks.v[at].end_ns);
    for (const struct held *h; (h = last_held(&w, at, until)); at = h->last) {
        struct job_rank *r = &job->ranks.v[at];
        r->path_ns = add_ns(r->path_ns, sub_ns(until, h->arrival));
        r->path_turns++;
        until = h->arrival;
    }
    struct job_rank *r = &job->ranks.v[at];
    int64_t start = starts_first(job); /* who starts late holds the others up by that, too */
    r->path_ns = add_ns(r->path_ns, until > start ? sub_ns(until, start) : 0);
    r->path_turns++;
}
