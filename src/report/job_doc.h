/*
 * The ranks of a job as a part of the analysis report.
 */
#ifndef GS_REPORT_JOB_DOC_H
#define GS_REPORT_JOB_DOC_H

#include "job/job.h"
#include "report/doc.h"

/* "8 ranks on 2 hosts" and the program. */
const char *job_title(const struct job *job, struct arena *arena);

/* Appends: who waits for whom, ranks, efficiencies, phases, staging. */
void job_section(struct doc *d, const struct job *job);

/* How the clocks of the ranks stand to each other, in words. */
const char *job_clocks(const struct job *job, struct arena *arena);

#endif
