/*
 * A run in brief: what it takes to compare it with another, without its trace.
 *
 * Made from an analysis, or read from a small JSON document (compare/profile_write.h). What a saved
 * document does not hold is said in `missing`, never a silent zero.
 *
 *     struct run_profile p;
 *     profile_make(&p, &analysis, "before", arena);
 *
 * Everything is copied into the arena, so the trace can be released afterwards.
 *
 * Durations of a kernel are summed up twice: by their mean, and by the mean of their middle half
 * (`typical_ns`), which outliers do not move and which is steadier than the median. The standard
 * error of the latter comes from the winsorised deviation (Tukey and McLaughlin). compare() takes
 * whichever is more exact, see docs/compare.md.
 */
#ifndef GS_COMPARE_PROFILE_H
#define GS_COMPARE_PROFILE_H

#include "analyze/analysis.h"

/* Work of one kernel with one grid and group on one GPU. */
struct profile_config {
    uint32_t gpu; /* place among the GPUs of the run */
    uint32_t grid_x, grid_y, grid_z, group_x, group_y, group_z;
    uint64_t calls;
    int64_t total_ns;
    double std_dev_ns, typical_ns, error_ns;
};

enum { PROFILE_CONFIGS = 64 }; /* kept per kernel, those with most time */

/*
 * Durations on a fixed scale, so that two runs can be laid over each other: 32 steps an octave,
 * each 2.2 % wider than the one before.
 */
struct profile_bucket {
    uint32_t bucket;
    uint64_t count;
};

enum {
    PROFILE_DURATIONS = 64, /* kernels that have them, those with most time */
    PROFILE_OCTAVE = 32,
    PROFILE_BUCKETS = 1 + 64 * PROFILE_OCTAVE
};

struct profile_buckets {
    struct profile_bucket *v; /* rising */
    size_t n, cap;
};

uint32_t profile_bucket_of(int64_t ns);
int64_t profile_bucket_start(uint32_t bucket); /* the shortest duration in it */

/* Of durations that rise. */
void profile_buckets_make(struct profile_buckets *b, const int64_t *v, size_t n,
                          struct arena *arena);

struct profile_kernel {
    const char *name, *short_name; /* as in struct hotspot */
    enum kernel_role category;
    enum kernel_class class;
    uint64_t calls;
    int64_t total_duration_ns;
    double avg_duration_ns, std_dev_ns;
    int64_t median_ns, mad_ns, p95_ns;
    double typical_ns; /* interquartile mean */
    double error_ns;   /* its standard error, were its calls independent */
    double dependence; /* errors are this many times larger, since they are not; 0: not known */
    bool by_median;    /* read from an analysis: the last two are of the median */
    double work_items; /* mean of a call; NaN not recorded */
    uint32_t vgpr, accum_vgpr, lds_bytes, scratch_bytes; /* of the configuration with most time */
    const char *grid, *block;                            /* the same; NULL not recorded */
    double occupancy_pct;                                /* NaN not known */
    bool many_configs; /* more than PROFILE_CONFIGS: only the pooled figures can be used */
    VEC(struct profile_config) configs;
    struct profile_buckets durations; /* none: not kept */
};

/* A phase of the run (struct phase_row), with the kernels that make it what it is. */
struct profile_share {
    const char *name; /* of a kernel */
    int64_t ns;
};

enum {
    PROFILE_PHASES = 32, /* at most */
    PROFILE_SOUGHT = 12, /* as 'analyze' looks for */
    PROFILE_SHARES = 8
};

struct profile_phase {
    const char *name;
    enum phase_naming named_by;
    int64_t duration_ns, busy_ns;
    int64_t compute_ns, exposed_ns, idle_ns;
    uint64_t kernels, copies, iterations;
    int64_t iteration_ns;
    int64_t cause_ns[CAUSES];
    bool has_causes;
    VEC(struct profile_share) shares; /* most time first */
};

/* A rank of a job; keys and meanings as in the table "ranks" (job/job.h). */
struct profile_rank {
    int32_t rank;
    const char *host;
    int64_t window_ns, compute_ns, gpu_idle_ns, copy_ns, comm_ns, mpi_ns, host_ns, wait_ns,
        caused_ns;
};

/*
 * The repetitions of the program, in blocks of neighbours: what is slow drifts or comes in bursts,
 * so that the means of blocks say more about noise than single repetitions do.
 */
enum { PROFILE_BLOCKS = 32, PROFILE_MARKERS = 64 };

struct profile_block {
    uint64_t iterations;
    int64_t ns;
};

/* A range of the user's, all of one name together. */
struct profile_marker {
    const char *name;
    uint64_t calls;
    int64_t wall_ns;
};

/* One of several runs that a profile stands for, in figures that do not depend on the others. */
struct profile_repeat {
    const char *label;
    int64_t wall_ns, compute_ns;
};

struct profile_gpu {
    const char *name, *arch;
    enum vendor vendor;
    uint32_t cu_count, clock_mhz;
};

struct profile_capability {
    const char *key;
    bool present;
};

struct run_profile {
    const char *label;
    VEC(const char *) files;
    VEC(struct profile_gpu) gpus;
    struct breakdown breakdown;
    struct launch_stats launches;
    struct allocation_stats allocations;
    struct collective_stats collectives;
    int64_t start_ns; /* of the window, in the trace's clock */
    int64_t cause_ns[CAUSES];
    double gap_sq[CAUSES];
    uint64_t gap_count[CAUSES];
    bool has_gaps;                      /* the last two are known */
    VEC(struct profile_kernel) kernels; /* most time first */
    VEC(struct copy_row) copies;
    VEC(struct api_class_row) api_classes;
    VEC(struct telemetry_row) telemetry;
    VEC(struct profile_capability) capabilities;
    VEC(struct profile_phase) phases;   /* in order of time */
    VEC(struct profile_rank) ranks;     /* of a job; none for a single process */
    bool has_whole;                     /* what follows was looked for */
    int64_t profiler_ns;                /* the profiler's own start, before the first work */
    uint64_t iteration_kernels;         /* in a repetition; 0: none found */
    VEC(struct profile_block) blocks;   /* in order of time */
    VEC(struct profile_marker) markers; /* most time first */
    VEC(struct profile_repeat) repeats; /* all runs, this one too; none: it is the only one */
    VEC(const char *) missing;          /* what the document it was read from lacks */
};

extern const struct fields profile_kernel_fields, profile_phase_fields, profile_rank_fields,
    profile_block_fields, profile_marker_fields, profile_repeat_fields;

void profile_make(struct run_profile *p, const struct analysis *a, const char *label,
                  struct arena *arena);

/* Its parts: p->kernels, p->phases; blocks, markers and the profiler's own time. */
void profile_resources(struct profile_kernel *k, const struct resource_row *r);
void profile_kernels_make(struct run_profile *p, const struct analysis *a, struct arena *arena);
void profile_blocks_make(struct run_profile *p, const struct analysis *a, struct arena *arena);
void profile_phases_make(struct run_profile *p, const struct analysis *a, struct arena *arena);

/*
 * The interquartile mean of v (put into another order) and its standard error. With fewer than
 * four values the error is a twentieth of the value: nothing better is known.
 */
void typical_of(int64_t *v, size_t n, double *typical, double *error);

/* How much larger the error of a mean of v, in order of time, is than that of independent values.
 */
double dependence_of(const int64_t *v, size_t n);

/*
 * The standard error of the mean of n block means, and what neighbours have in common: blocks that
 * follow each other closely say less than as many independent ones.
 */
double blocks_error(const double *means, size_t n);

/* The clock on the wall from the first to the last event, without the profiler's own start. */
double profile_wall_ns(const struct run_profile *p);

/*
 * Several runs of one program as one: the run in the middle, with the times of all. The order of
 * the runs does not matter.
 */
void profile_join(struct run_profile *out, const struct run_profile *runs, size_t n,
                  struct arena *arena);

bool profile_has(const struct run_profile *p, enum capability_id capability);
const struct api_class_row *profile_api(const struct run_profile *p, enum api_class class);
int64_t
profile_idle_ns(const struct run_profile *p); /* all idle causes but start-up, tail, unknown */

#endif
