/*
 * The files of a job spread over the processes of a team (team/team.h): each analyzes some, the
 * root gets a struct job_rank for every rank and makes the job of them, as it does of its own. What
 * a file gives does not depend on who analyzes it, so neither does the job.
 */
#ifndef GS_JOB_SPREAD_H
#define GS_JOB_SPREAD_H

#include "base/pack.h"
#include "ingest/remote.h"
#include "job/job.h"

/* What one file gives. */
struct job_part {
    struct arena *arena; /* of the ranks in it */
    struct arena *kept;  /* of the trace, should it stay; NULL: it does not */
    struct trace *trace; /* that stays, or NULL */
    bool candidate;      /* to be looked at in detail */
    VEC(struct job_rank) ranks;
    struct gs_error err;
    bool ok;
};

/* The files in order of size. */
struct job_file {
    uint64_t bytes;
    uint32_t file;
};
const struct job_file *job_by_size(const struct ingest_files *files, struct arena *arena);

/* Fills the parts of the files whose numbers are in `which`, in this process: job_load.c. */
void job_load_parts(struct job_part *parts, const struct ingest_files *files, const uint32_t *which,
                    size_t n, const struct job_opts *o, const struct job_kept *kept);

/* The same for all files, each in one of the processes that see it, candidates in the root. Only there. */
bool job_spread(struct job_part *parts, const struct ingest_files *files, const struct job_opts *o,
                const struct job_kept *kept, struct arena *arena, struct gs_error *err);

/* How many threads this process works with for the root, and where it keeps what it has loaded. */
void job_spread_options(int threads, const char *cache);

void rank_pack(struct pack *p, struct job_rank *r); /* rank_pack.c */

/* One that takes no more room than it needs. */
struct job_rank rank_copy(struct job_rank *r, struct arena *arena);

extern const struct team_kind job_ranks_kind;

#endif
