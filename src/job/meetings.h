/*
 * Meetings: calls or kernels of several ranks that belong together.
 *
 * The n-th occurrence of an operation on one rank belongs to the n-th on the others, provided that
 * they count it equally often: ranks with one count are a group, such as those of a communicator.
 * A rank that is alone with its count joins the largest group where its calls end together with
 * theirs when its first ones, or its last ones, are left out; otherwise it is left out.
 */
#ifndef GS_JOB_MEETINGS_H
#define GS_JOB_MEETINGS_H

#include "job/job.h"

/* One meeting. Lives only while it is shown. */
struct meeting {
    const struct shared_op *op;
    const uint32_t *rank;  /* places in job.ranks */
    const struct meet **v; /* what each of them recorded */
    size_t n;              /* at least two */
    uint32_t stands_for;   /* this many: only every so-manieth was kept */
};

/* What one rank has of an operation. */
struct op_part {
    uint32_t rank; /* place in job.ranks */
    uint64_t count;
    const struct meet *v; /* kept, in order */
    size_t n;
    int64_t ahead; /* this many of its occurrences come before the first of the group */
};

struct shared_op {
    const char *name;
    enum meet_kind kind;
    bool on_gpu;
    uint64_t count; /* of the ranks of the group; one that joined has more or fewer */
    VEC(struct op_part) parts;
};

struct meetings {
    const struct job *job;
    struct arena *arena;
    VEC(struct shared_op) ops;
    uint32_t stride;
    size_t left_out; /* meetings of all of which some rank belongs to no group */
};

void meetings_match(struct meetings *m, const struct job *job, struct arena *arena);

/* Shows them one after the other, operation by operation. */
void meetings_each(const struct meetings *m, void (*show)(void *ctx, const struct meeting *),
                   void *ctx);

/* Fills wait[], by place in the meeting, and says who came last; NO_INDEX: all came together. */
size_t meeting_judge(const struct job *job, const struct meeting *m, int64_t *wait);

/* Fills path_ns and path_turns of the ranks: rank_path.c. */
void job_path(struct job *job, const struct meetings *all, struct arena *temporary);

#endif
