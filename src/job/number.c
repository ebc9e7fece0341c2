/* Numbers of ranks where the traces do not say, and whether the files are one job at all. */
#include <stdlib.h>

#include "base/str.h"
#include "job/job.h"

static int by_rank(const void *x, const void *y)
{
    const struct job_rank *a = x, *b = y;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

static int by_start(const void *x, const void *y)
{
    const struct span *a = x, *b = y;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return (a->end > b->end) - (a->end < b->end);
}

/* Captures of one program one after the other on one host: passes, or runs to compare. */
static bool one_after_the_other(const struct job *job)
{
    struct arena *temporary = arena_scratch();
    struct span *v = arena_array(temporary, struct span, job->ranks.n);
    int64_t until = INT64_MIN;
    bool apart = true;
    for (size_t i = 0; i < job->ranks.n; i++) {
        apart &= str_eq(job->ranks.v[i].host, job->ranks.v[0].host);
        v[i] = (struct span){job->ranks.v[i].start_ns, job->ranks.v[i].end_ns};
    }
    qsort(v, job->ranks.n, sizeof(*v), by_start);
    for (size_t i = 0; i < job->ranks.n; i++) {
        apart &= v[i].start >= until;
        until = v[i].end > until ? v[i].end : until;
    }
    arena_release(temporary);
    return apart;
}

static size_t known(const struct job *job)
{
    size_t n = 0;
    for (size_t i = 0; i < job->ranks.n; i++)
        n += job->ranks.v[i].rank >= 0;
    return n;
}

static bool repeats(const struct job *job)
{
    for (size_t i = 1; i < job->ranks.n; i++)
        if (job->ranks.v[i].rank >= 0 && job->ranks.v[i].rank == job->ranks.v[i - 1].rank)
            return true;
    return false;
}

static void note_missing(struct job *job)
{
    int32_t most = job->ranks.v[job->ranks.n - 1].rank;
    size_t missing = (size_t)most + 1 > job->ranks.n ? (size_t)most + 1 - job->ranks.n : 0;
    if (missing)
        vec_push(&job->notes, job->arena,
                 arena_printf(job->arena,
                              "%zu of at least %d ranks %s not here: waiting for %s cannot be told "
                              "from slow communication",
                              missing, most + 1, missing == 1 ? "is" : "are",
                              missing == 1 ? "it" : "them"));
}

void job_number(struct job *job)
{
    size_t n = job->ranks.n;
    job->is_job = n > 1;
    if (n < 2)
        return;
    for (size_t i = 0; i < n; i++)
        job->ranks.v[i].order = (uint32_t)i;
    qsort(job->ranks.v, n, sizeof(*job->ranks.v), by_rank);
    if (known(job) == n && !repeats(job)) {
        note_missing(job);
        return;
    }
    if (one_after_the_other(job)) {
        job->is_job = false;
        return;
    }
    vec_push(&job->notes, job->arena,
             repeats(job)
                 ? "two traces say that they are the same rank: ranks are numbered in the "
                   "order of the files"
                 : "not every trace says which rank it is: ranks are numbered in the order "
                   "of the files");
    for (size_t i = 0; i < n; i++) {
        job->ranks.v[i].rank = (int32_t)i;
        job->ranks.v[i].rank_source = "order of the files";
    }
}
