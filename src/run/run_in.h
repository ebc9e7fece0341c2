/* The stages of a run, for the files of this room. */
#ifndef GS_RUN_RUN_IN_H
#define GS_RUN_RUN_IN_H

#include "run/run.h"

struct run_call {
    const struct run_opts *o;
    struct run *r;
    struct analysis_opts analysis;
    const uint32_t *kernel_wait_ns; /* for the view, see job_kernel_waits() */
    const struct job_rank *chosen;  /* with a rank; its trace may hold others; NULL: none */
    struct gs_error *err;
};

/* load.c: the traces, as a job where they are one. */
bool run_load(struct run_call *c);
/* part.c: what of it is looked at, before the analysis and, for parts it finds, after. */
bool run_choose(struct run_call *c);
bool run_narrow(struct run_call *c);
/* beside.c: source and thread traces. */
bool run_read_source(struct run_call *c);
bool run_read_att(struct run_call *c);
bool run_att_instead(struct run_call *c); /* the error says that there is no trace */
void run_att_beside(struct run_call *c);

#endif
