/*
 * The hosts of a job, numbered in the order of its ranks, so that what goes by host costs the same
 * for each rank, however many there are.
 */
#ifndef GS_JOB_HOSTS_H
#define GS_JOB_HOSTS_H

#include "job/job.h"

struct host_list {
    const char **name; /* by host; "" for ranks that do not say */
    uint32_t *of_rank; /* by place in job.ranks */
    size_t n;
};

void job_hosts(struct host_list *h, const struct job *job, struct arena *arena);

#endif
