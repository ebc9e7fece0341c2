/*
 * analyze: several traces are the ranks of one job.
 *
 * Every rank is analyzed on its own first (job/job.h). The rest of the report is about all of them
 * when they are small enough to be held together, and about one otherwise; --rank chooses.
 */
#ifndef GS_CLI_ANALYZE_JOB_H
#define GS_CLI_ANALYZE_JOB_H

#include "cli/command.h"
#include "job/job.h"

struct analyze_job {
    struct job job;
    bool used;                      /* there are several ranks */
    const uint32_t *kernel_wait_ns; /* for the view, see job_kernel_waits() */
    const struct job_rank *chosen;  /* with --rank; its trace may hold others; NULL: none */
};

/* Loads what the paths stand for. `rank`: only that one in detail; -1: as fits. */
bool analyze_job_load(struct analyze_job *j, struct cli *cli, struct trace *t,
                      const struct opt_list *paths, const char *reader, int64_t rank,
                      const struct analysis_opts *o, struct gs_error *err);

#endif
