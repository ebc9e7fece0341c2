/* The ranks of a job, as far as the trace is one of several: job/job.h has made it. */
#include "analyze/analysis.h"
#include "job/job.h"

static void run(struct analysis *a)
{
    (void)a; /* needs all ranks: whoever loads them sets a->job */
}

static void results(const struct analysis *a, struct results *out, struct arena *arena)
{
    static const struct job none;
    const struct job *j = a->job ? a->job : &none;
    vec_push(out, arena, ((struct result){&job_rank_fields, j->ranks.v, j->ranks.n, false}));
    vec_push(out, arena, ((struct result){&job_phase_fields, j->phases.v, j->phases.n, false}));
    vec_push(out, arena, ((struct result){&staging_fields, j->staging.v, j->staging.n, false}));
    vec_push(out, arena, ((struct result){&mpi_op_fields, j->mpi_ops.v, j->mpi_ops.n, false}));
}

const struct analysis_kind analysis_ranks = {
    .name = "ranks",
    .doc = "The ranks of a parallel job: how evenly they compute, who waits for whom, what they "
           "send by way of the host. Empty for a single process.",
    .run = run,
    .results = results,
};
