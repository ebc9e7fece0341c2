/* What the ranks amount to together. */
#include "job/job.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "job/hosts.h"

const struct job_rank *job_find(const struct job *job, int32_t rank)
{
    size_t lo = 0; /* they are by rank */
    BISECT(lo, job->ranks.n, mid, job->ranks.v[mid].rank < rank);
    return lo < job->ranks.n && job->ranks.v[lo].rank == rank ? &job->ranks.v[lo] : NULL;
}

static int by_compute(const void *x, const void *y)
{
    const struct job_rank *a = *(const struct job_rank *const *)x;
    const struct job_rank *b = *(const struct job_rank *const *)y;
    if (a->compute_ns != b->compute_ns)
        return a->compute_ns < b->compute_ns ? -1 : 1;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

static const struct job_rank *typical_of(const struct job *job, bool kept)
{
    const struct job_rank **v = arena_array(job->arena, const struct job_rank *, job->ranks.n + 1);
    size_t n = 0, worst = 0;
    for (size_t i = 1; i < job->ranks.n; i++)
        if (job->ranks.v[i].caused_ns > job->ranks.v[worst].caused_ns)
            worst = i;
    for (size_t i = 0; i < job->ranks.n; i++)
        if ((i != worst || !job->ranks.v[i].caused_ns) && (!kept || job->ranks.v[i].kept))
            v[n++] = &job->ranks.v[i];
    qsort(v, n, sizeof(*v), by_compute);
    return v[n / 2];
}

const struct job_rank *job_typical(const struct job *job)
{
    return typical_of(job, false);
}

const struct job_rank *job_stand_in(const struct job *job)
{
    const struct job_rank *kept = job->is_job ? typical_of(job, true) : NULL;
    return kept || !job->is_job ? kept : typical_of(job, false);
}

/* On one clock from the first start to the last end; otherwise of the longest rank. */
static int64_t window_of(const struct job *job)
{
    int64_t first = INT64_MAX, last = INT64_MIN, longest = 0;
    bool aligned = true;
    for (size_t i = 0; i < job->ranks.n; i++) {
        const struct job_rank *r = &job->ranks.v[i];
        int64_t start = job_time(r, r->start_ns), end = job_time(r, r->end_ns);
        first = start < first ? start : first;
        last = end > last ? end : last;
        longest = r->window_ns > longest ? r->window_ns : longest;
        aligned &= r->clock_residual_ns >= 0;
    }
    return aligned ? sub_ns(last, first) : longest;
}

static void measure(struct job *job)
{
    struct efficiencies *e = &job->efficiencies;
    double useful = 0, useful_most = 0, compute = 0, compute_most = 0, least = INFINITY, n = 0;
    bool communicates = false; /* as far as the traces show */
    double gpus = 0, window = (double)job->stats.window_ns, imbalance_sum = 0, busy_most = 0;
    for (size_t i = 0; i < job->ranks.n; i++) {
        const struct job_rank *r = &job->ranks.v[i];
        double own = r->gpus ? (double)r->compute_ns / r->gpus : 0;
        double busy = r->gpus ? (double)r->gpu_busy_ns / r->gpus : 0;
        useful += (double)r->useful_ns;
        useful_most = fmax(useful_most, (double)r->useful_ns);
        compute += (double)r->compute_ns;
        compute_most = fmax(compute_most, own);
        busy_most = fmax(busy_most, busy);
        least = fmin(least, own);
        imbalance_sum += own;
        gpus += r->gpus;
        communicates |= r->mpi_calls > 0;
        for (size_t k = 0; k < r->meet_ops.n; k++)
            communicates |= r->meet_ops.v[k].on_gpu;
        n++;
    }
    *e = (struct efficiencies){NAN, NAN, NAN, NAN, NAN, NAN};
    job->stats.imbalance = imbalance_sum > 0 ? (compute_most - least) / (imbalance_sum / n) : 0;
    if (communicates && useful_most > 0 && window > 0) {
        e->load_balance = useful / n / useful_most;
        e->communication = fmin(useful_most / window, 1);
        e->parallel = e->load_balance * e->communication;
    }
    if (gpus > 0 && compute_most > 0 && window > 0) {
        e->device = compute / gpus / window;
        e->device_load_balance = compute / gpus / compute_most;
        e->orchestration = fmin(compute_most / window, 1);
    }
}

static void count_hosts(struct job *job)
{
    struct arena *temporary = arena_scratch();
    struct host_list hosts;
    job_hosts(&hosts, job, temporary);
    job->stats.ranks = (uint32_t)job->ranks.n;
    job->stats.hosts = (uint32_t)hosts.n;
    job->stats.analyzed_rank = -1;
    for (size_t i = 0; i < job->ranks.n; i++)
        job->stats.gpus += job->ranks.v[i].gpus;
    arena_release(temporary);
}

static void add_mpi_ops(struct job *job)
{
    for (size_t i = 0; i < job->ranks.n; i++)
        for (size_t k = 0; k < job->ranks.v[i].mpi_ops.n; k++) {
            struct mpi_op_row *own = &job->ranks.v[i].mpi_ops.v[k];
            own->rank = job->ranks.v[i].rank;
            size_t s = 0;
            while (s < job->mpi_ops.n && !str_eq(job->mpi_ops.v[s].name, own->name))
                s++;
            if (s == job->mpi_ops.n) {
                vec_push(&job->mpi_ops, job->arena, *own);
                job->mpi_ops.v[s].rank = -1;
                continue;
            }
            struct mpi_op_row *all = &job->mpi_ops.v[s];
            all->calls += own->calls;
            all->total_ns = add_ns(all->total_ns, own->total_ns);
            all->max_ns = own->max_ns > all->max_ns ? own->max_ns : all->max_ns;
        }
}

static int by_total(const void *x, const void *y)
{
    const struct mpi_op_row *a = x, *b = y;
    if (a->total_ns != b->total_ns)
        return a->total_ns < b->total_ns ? 1 : -1;
    return strcmp(a->name, b->name);
}

/* Of the exposed collectives, what is waiting for later ranks. */
static void split_waiting(struct job_rank *r)
{
    int64_t wait = 0;
    for (size_t i = 0; i < r->gpu_waits.n; i++)
        wait = add_ns(wait, r->gpu_waits.v[i].wait_ns);
    wait = wait < r->cause_ns[CAUSE_COMM] ? wait : r->cause_ns[CAUSE_COMM];
    r->cause_ns[CAUSE_COMM] = sub_ns(r->cause_ns[CAUSE_COMM], wait);
    r->cause_ns[CAUSE_COMM_WAIT] = add_ns(r->cause_ns[CAUSE_COMM_WAIT], wait);
}

void job_finish(struct job *job)
{
    job_number(job);
    if (!job->is_job)
        return;
    count_hosts(job);
    job_meet(job);
    job->stats.window_ns = window_of(job);
    measure(job);
    job_find_straggler(job);
    job_align_phases(job);
    job_staging(job);
    add_mpi_ops(job);
    if (job->mpi_ops.n)
        qsort(job->mpi_ops.v, job->mpi_ops.n, sizeof(*job->mpi_ops.v), by_total);
    for (size_t i = 0; i < job->ranks.n; i++) {
        split_waiting(&job->ranks.v[i]);
        for (enum cause c = 0; c < CAUSES; c++)
            job->cause_ns[c] = add_ns(job->cause_ns[c], job->ranks.v[i].cause_ns[c]);
    }
}
