/*
 * A job: the ranks of one parallel run, analyzed together.
 *
 * Every rank is loaded and analyzed on its own, a few at a time; only a small struct job_rank is
 * kept of each, so memory does not grow with the ranks beyond that. What needs several ranks comes
 * afterwards, from these alone: clocks, waiting, the straggler, phases, efficiencies.
 *
 *     struct job job;
 *     if (!job_load(&job, &files, &opts, &kept, arena, err)) ...
 *     if (job.ranks.n > 1) ...
 *
 * Times of a rank are in its own clock; job_time() gives them in the clock of the first one.
 * Every formula is in docs/ranks.md. Everything lives in the arena of the job.
 */
#ifndef GS_JOB_JOB_H
#define GS_JOB_JOB_H

#include "analyze/analysis.h"
#include "ingest/ingest.h"

/* What kind of meeting a call or kernel is. */
enum meet_kind {
    MEET_ALL,    /* nobody leaves before all have come: barrier, allreduce, RCCL kernels */
    MEET_ROOTED, /* one rank gives or takes: broadcast, reduce */
    MEET_PEERS,  /* waits for some others: receive, wait */
    MEET_MARKER, /* a user's range, for clocks when there is nothing better */
};

struct meet_op {
    const char *name;
    enum meet_kind kind;
    bool on_gpu;
    uint64_t count; /* all there were, also those not kept */
};

struct meet {
    int64_t start_ns, end_ns;
    uint32_t op;         /* meet_ops of the rank */
    uint32_t occurrence; /* of this operation, from 0 */
};

/* MPI operations of a rank, by name. */
struct mpi_op_row {
    int32_t rank;
    const char *name;
    uint64_t calls;
    int64_t total_ns, max_ns;
};

/* A kernel of a rank, for telling ranks apart. */
struct rank_kernel {
    const char *name, *short_name;
    uint64_t calls;
    int64_t total_ns;
    double work_items; /* mean of a call; NaN not recorded */
};

struct rank_phase {
    const char *name, *top_kernel;
    int64_t start_ns, end_ns, busy_ns, compute_ns, idle_ns, mpi_ns;
};

/* Data that goes from the device to the host, through MPI and back. */
enum staging_form { STAGING_PEERS, STAGING_COLLECTIVE, STAGING_RING, STAGING_HALO };
enum staging_reach { REACH_UNKNOWN, REACH_ONE_NODE, REACH_NODES, REACH_BOTH };

struct staging_row {
    int32_t rank; /* -1: all */
    const char *operation;
    enum staging_form form;
    enum staging_reach reach;
    const char *kind, *between; /* both for people: "ring", "one node" */
    uint64_t chains, bytes;
    int64_t copy_ns, mpi_ns; /* of the copies, and of the calls between them */
    uint32_t ranks;
};

/* Whom a rank sends to and receives from. */
struct peer_row {
    int32_t peer;
    uint64_t messages, bytes;
};

/* A collective on the GPU that waited for other ranks. */
struct gpu_wait {
    int64_t start_ns, wait_ns;
};

struct job_rank {
    uint32_t order; /* of the files */
    uint32_t part;  /* job_load(): the file it was in */
    bool kept;      /* and whether the trace of that is still there */
    int32_t rank;
    const char *rank_source, *host, *file, *command;
    const char *capture; /* which of several in the file; "": the only one */
    int64_t pid;
    uint32_t process; /* its place among those of its file */
    uint32_t place;   /* among those of its capture */
    uint32_t gpus;
    const char *gpu_name;
    int64_t start_ns, end_ns, window_ns;
    int64_t gpu_busy_ns, gpu_idle_ns, compute_ns, comm_ns, copy_ns;
    int64_t mpi_ns;      /* union of the MPI calls */
    int64_t host_ns;     /* neither GPU work nor MPI */
    int64_t useful_ns;   /* window without MPI and exposed collectives */
    int64_t wait_ns;     /* waited for others in meetings */
    int64_t caused_ns;   /* others waited while this was the last to come */
    uint64_t late;       /* meetings in which it was the last */
    int64_t path_ns;     /* of the critical path over ranks, what lies in this one */
    uint64_t path_turns; /* stretches of that */
    uint64_t kernels, copies, mpi_calls, iterations;
    int64_t iteration_ns;
    double busy_pct, clock_mhz; /* the latter NaN unless recorded */
    int64_t clock_offset_ns;    /* its clock - that of the first rank */
    double clock_drift_ppm;     /* since clock_origin_ns, a time of the first rank */
    int64_t clock_origin_ns;
    int64_t clock_residual_ns; /* -1: clocks were not compared */
    int64_t cause_ns[CAUSES];
    VEC(struct meet_op) meet_ops;
    VEC(struct meet) meets;
    uint32_t meet_stride; /* every how many-th meeting of an operation was kept */
    VEC(struct mpi_op_row) mpi_ops;
    VEC(struct rank_kernel) top;
    VEC(struct rank_phase) phases;
    VEC(struct staging_row) staging;
    VEC(struct peer_row) peers;
    VEC(struct gpu_wait) gpu_waits; /* by start; all of them, or none when too many to keep */
};

/* Of a rank that came last. */
struct late {
    int64_t cost_ns;        /* median wait of the others, summed over the meetings */
    int64_t stall_ns;       /* of it, in meetings that are far longer than usual */
    double net, net_square; /* cost where it came last, minus its own wait elsewhere */
};

enum straggler_cause {
    STRAGGLER_KERNELS, /* it computes longer */
    STRAGGLER_CLOCKS,
    STRAGGLER_COPIES,
    STRAGGLER_HOST,
    STRAGGLER_START, /* it starts later */
};

struct straggler {
    int32_t rank;
    enum straggler_cause why;
    const char *cause;  /* the same for people: "kernel_time", "slow_clocks", ... */
    const char *detail; /* a sentence without a full stop */
    int64_t cost_ns;    /* by which the job is longer: median wait of the others, summed */
    int64_t waited_ns;  /* all time the others waited for it */
    uint64_t late, meetings;
    double late_pct;
    double share_pct;  /* of all waiting in the job */
    bool always;       /* late in nine of ten meetings */
    double confidence; /* 0 to 1 */
};

/* A phase on all ranks. */
struct job_phase {
    uint32_t phase;
    const char *name;
    uint32_t ranks; /* that have it */
    int64_t mean_ns, compute_mean_ns, compute_min_ns, compute_max_ns, mpi_mean_ns;
    double imbalance, mpi_imbalance; /* (max - min) / mean; NaN when the mean is 0 */
    int32_t slowest;                 /* rank with most compute */
    int32_t most_mpi;                /* rank with most MPI */
};

struct efficiencies {
    double parallel, load_balance, communication; /* of the hosts' useful time */
    double device, device_load_balance, orchestration;
};

struct job_stats {
    uint32_t ranks, hosts, gpus;
    int64_t window_ns; /* of the longest rank, or of all on one clock */
    double imbalance;  /* of compute: (max - min) / mean */
    uint64_t meetings; /* matched over the ranks */
    int64_t wait_ns;   /* summed over ranks */
    bool clocks_aligned;
    const char *aligned; /* what the clocks were aligned on, or "none" */
    int64_t clock_residual_ns;
    double phase_confidence; /* of the phases' alignment; 0: not aligned */
    int32_t analyzed_rank;   /* that the rest of the report is about; -1: all */
};

struct job {
    struct arena *arena;
    VEC(struct job_rank) ranks; /* by rank */
    VEC(const char *) notes;    /* what is odd: missing ranks, numbers made up, ... */
    struct job_stats stats;
    struct late *late; /* by place in ranks */
    bool has_straggler;
    struct straggler straggler;
    struct efficiencies efficiencies;
    VEC(struct job_phase) phases;
    VEC(struct staging_row) staging;
    VEC(struct mpi_op_row) mpi_ops; /* of all ranks */
    int64_t cause_ns[CAUSES];
    bool is_job; /* the files are ranks of one run, not several captures of it */
};

struct job_opts {
    struct analysis_opts analysis; /* for every rank */
    enum reader_mode reader;
    int threads;
    struct progress *progress;
    const char *cache; /* folder of loaded traces; NULL: none */
};

/*
 * Traces that stay when the ranks are made of them, since one of these is looked at in detail: which,
 * is known only when all have been read. So those stay that may be it: of the rank asked for, or
 * else two files in the middle by size, of which one at least is no straggler's.
 */
struct job_kept {
    struct arena *arena;   /* owns them */
    int64_t rank;          /* asked for; -1: the one that stands for the others */
    bool all;              /* they are small: all of them stay */
    struct trace **traces; /* out: by file; NULL: gone */
};

/* Loads and analyzes every file on its own, once, and makes the job of what is in them. */
bool job_load(struct job *job, const struct ingest_files *files, const struct job_opts *o,
              struct job_kept *kept, struct arena *arena, struct gs_error *err);

/* The same for a trace that is loaded already: a file with several processes, or all files. */
void job_of_trace(struct job *job, const struct trace *t, const struct job_opts *o,
                  struct arena *arena);

/* A time of a rank in the clock of the first rank. */
int64_t job_time(const struct job_rank *r, int64_t ns);

/*
 * How long each kernel of a trace with these ranks waits for others, by row, for the view of its
 * analysis; NULL when none does. Before job_shift().
 */
uint32_t *job_kernel_waits(const struct job *job, const struct trace *t, struct arena *arena);

/* Brings all times of a trace with several ranks to the clock of the first one. */
void job_shift(const struct job *job, struct trace *t);

/* The rank that stands for the others: not the straggler, in the middle by compute time. */
const struct job_rank *job_typical(const struct job *job);
/* The same of those whose traces are kept; of all where none is, NULL where they are no job. */
const struct job_rank *job_stand_in(const struct job *job);
const struct job_rank *job_find(const struct job *job, int32_t rank);

/* ---- the steps, in order ---- */
void rank_take(struct job_rank *r, const struct analysis *a, uint32_t process,
               struct arena *arena);         /* rank_take.c */
double rank_clock(const struct analysis *a); /* mean of the GPU clocks in its telemetry, or NaN */
void rank_meets(struct job_rank *r, const struct analysis *a, uint32_t process,
                struct arena *arena);            /* meets.c */
bool rank_thin(struct job_rank *r, size_t most); /* keeps fewer meetings; false: it has few */
void rank_staging(struct job_rank *r, const struct analysis *a, uint32_t process,
                  struct arena *arena); /* staging.c */
bool rank_owns(const struct trace *t, uint32_t thread, uint32_t process);
void job_number(struct job *job);         /* number.c */
void job_meet(struct job *job);           /* waits.c, clocks.c */
void job_find_straggler(struct job *job); /* straggler.c */
void job_align_phases(struct job *job);   /* job_phases.c */
void job_staging(struct job *job);        /* staging.c */
void job_finish(struct job *job);         /* job.c */

extern const struct fields job_rank_fields, job_phase_fields, straggler_fields, efficiency_fields,
    staging_fields, mpi_op_fields, job_stats_fields;

#endif
