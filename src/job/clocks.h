/*
 * Clocks of several hosts, brought to that of the first rank.
 *
 * Hosts keep their own time, seconds apart and drifting by some millionths. Who leaves a barrier or
 * an allreduce leaves with the others, so the ends of such meetings are one moment on all clocks.
 * The offset is the median difference, the drift the median slope (Theil and Sen); what is left
 * over is the residual, and it is printed.
 */
#ifndef GS_JOB_CLOCKS_H
#define GS_JOB_CLOCKS_H

#include "job/meetings.h"

void job_align_clocks(struct job *job, const struct meetings *all, struct arena *temporary);

#endif
