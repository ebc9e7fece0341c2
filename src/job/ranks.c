/* The ranks of a job, as far as the trace is one of several: job/job.h has made it. */
#include "analyze/analysis.h"
#include "job/job.h"

/* Made of all ranks: whoever loads them sets a->job. */
static const void *keeper(const struct analysis *a)
{
    static const struct job none;
    return a->job ? a->job : &none;
}

const struct analysis_kind analysis_ranks = {
    .name = "ranks",
    .doc = "The ranks of a parallel job: how evenly they compute, who waits for whom, what they "
           "send by way of the host. Empty for a single process.",
    .keeper = keeper,
    .tables = ANALYSIS_TABLES(
        ROWS_IN(struct job, job_rank_fields, ranks), ROWS_IN(struct job, job_phase_fields, phases),
        ROWS_IN(struct job, staging_fields, staging), ROWS_IN(struct job, mpi_op_fields, mpi_ops)),
};
