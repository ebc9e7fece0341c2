/*
 * Compare: did the change help? A pure function of two runs.
 *
 * First comes whether they can be compared at all, then a verdict with its noise, then what moved,
 * largest first. Every formula is in docs/compare.md. "A" is the run before, "B" the one after;
 * changes are B - A, so a negative one is a gain.
 *
 *     struct comparison c;
 *     compare(&c, &before, &after, arena);
 *     puts(c.headline);
 *
 * Texts point into the profiles or the arena; both must outlive the comparison.
 */
#ifndef GS_COMPARE_COMPARE_H
#define GS_COMPARE_COMPARE_H

#include "compare/profile.h"

enum compare_verdict { COMPARE_FASTER, COMPARE_SLOWER, COMPARE_SAME, COMPARE_NOT_COMPARABLE };

enum compare_match {
    MATCH_NAME,    /* the same full name */
    MATCH_SHORT,   /* the same name for tables: other template arguments or parameters */
    MATCH_SIMILAR, /* most words of the name are the same */
    MATCH_CALLS,   /* nothing else is left that runs as often: taken as a replacement */
    MATCH_ROLE,    /* all that is left of one role, as one row */
    MATCH_NEW,     /* only in B */
    MATCH_GONE,    /* only in A */
};

/* A kernel of A and its partner in B, or a role. Counts and times of B are per A's steps. */
struct compare_kernel {
    const char *name, *name_b, *match; /* name or name_b is NULL for new and gone ones */
    enum kernel_role role;
    const char *title; /* short; "old → new" when renamed */
    enum compare_match how;
    const struct profile_kernel *a, *b; /* NULL: none, or a role */
    uint64_t calls_a, calls_b;          /* as recorded */
    int64_t total_a_ns, total_b_ns;     /* as recorded */
    double median_a_ns, median_b_ns;
    double typical_a_ns, typical_b_ns;
    int64_t change_ns; /* of the calls both have, and of calls that came or went */
    double change_pct; /* of A's time in it */
    double own_pct;    /* change of a call, in percent */
    double noise_pct;  /* of the same */
    int64_t noise_ns;
    int64_t calls_change_ns; /* the part of change_ns from calls that came or went */
    double factor;           /* B's counts are divided by this: steps */
    bool significant;
    bool other_work; /* same kernel, other grid: times of a call cannot be compared */
    uint32_t vgpr_a, vgpr_b, lds_a_bytes, lds_b_bytes;
    double occupancy_a_pct, occupancy_b_pct;
    const char *grid_a, *grid_b;
};

/* A rank of both jobs, by its number. */
struct compare_rank {
    int32_t rank;
    const char *host_a, *host_b;     /* NULL: only in the other job */
    double window_a_ns, window_b_ns; /* as recorded; NaN: none */
    int64_t change_ns;               /* B per A's steps - A, as all below */
    double change_pct;               /* of A's window */
    int64_t compute_change_ns, copy_change_ns, comm_change_ns, mpi_change_ns, host_change_ns,
        idle_change_ns, wait_change_ns;
    const char *mostly; /* what changed most; NULL: only in one job */
};

enum compare_kind {
    CHANGE_KERNEL,
    CHANGE_CALLS,
    CHANGE_NEW,
    CHANGE_GONE,
    CHANGE_OVERLAP,
    CHANGE_COPY,
    CHANGE_COMM,
    CHANGE_IDLE,
};

struct compare_cause {
    const char *what; /* a sentence without a full stop */
    const char *kind; /* "kernel", ... */
    enum compare_kind sort;
    int64_t change_ns, noise_ns;
    double change_pct; /* of base_ns */
    bool significant;
    bool counted;                        /* in change_ns of the comparison when significant */
    double weight;                       /* for its place */
    const char *phase;                   /* that holds nearly all of it; NULL: none does */
    const struct compare_kernel *kernel; /* it is about; NULL: none */
    int ledger;                          /* cause of the ledger it is about; -1: none */
};

/* A phase of A and its partner in B; figures of B are per A's steps where it follows them. */
struct compare_phase {
    int32_t phase_a, phase_b;    /* numbers of the first, from 1; -1: none */
    uint32_t joined_a, joined_b; /* neighbours taken together, to fit the other run */
    const char *name, *name_b, *match;
    const char *title; /* both names where they differ; new, gone, or how many are joined */
    double duration_a_ns, duration_b_ns; /* as recorded; NaN: none */
    int64_t change_ns;
    double change_pct; /* of A's duration */
    int64_t compute_change_ns, exposed_change_ns, idle_change_ns;
    const char *cause; /* of the ledger, that changed most; NULL: not known */
    int64_t cause_change_ns;
    uint64_t iterations_a, iterations_b;
    double iteration_a_ns, iteration_b_ns; /* NaN: none found */
    const struct profile_phase *a, *b;     /* NULL: none */
    double factor;                         /* B is divided by this */
};

/* A time or a count on both sides. */
struct compare_row {
    const char *key, *label;
    int64_t a, b;      /* as recorded */
    int64_t change;    /* b per A's steps - a */
    double change_pct; /* of a; NaN where a is 0 */
    int64_t noise;     /* smaller changes mean nothing; 0: not known */
};

struct compare_rows {
    struct compare_row *v;
    size_t n, cap;
};

struct comparison {
    const struct run_profile *a, *b;
    struct arena *arena;
    bool comparable;
    double score;              /* 0 to 1 */
    VEC(const char *) reasons; /* what differs, most important first */
    VEC(const char *) notes;   /* registers, occupancy, what was assumed */
    enum compare_verdict verdict;
    const char *headline;
    double steps;       /* B ran this many times as many as A; 1: as many */
    double z;           /* how many standard errors are noise */
    double concurrency; /* A's: summed compute kernel time / compute of the ledger, at least 1 */
    bool cross_vendor;
    bool idle_counts;    /* both say how idle time came about */
    bool by_wall;        /* the clock on the wall decided, not the sum of what changed */
    bool clocks;         /* the kernels changed as clocks do: the wall decides, not their sum */
    double common_ratio; /* all kernels took this many times as long; NaN: not one factor */
    int64_t wall_a_ns, wall_b_ns; /* the clock on the wall; B's for the work of A */
    int64_t wall_noise_ns;        /* of their difference */
    bool repeated;                /* that noise comes from repeated runs */
    bool repeated_work;           /* and compute changed by more than it does between them */
    int64_t base_ns, change_ns, noise_ns;
    double still_sq;                   /* noise of what did not change at all, squared and summed */
    double wall_change_pct, noise_pct; /* of base_ns, which is A's time on the wall */
    double window_change_pct;          /* of the windows as they are; normalised by steps */
    double matched_pct;                /* of A's kernel time has a partner in B */
    VEC(struct compare_kernel) kernels; /* largest change first */
    VEC(struct compare_cause) causes;
    VEC(struct compare_phase) phases;        /* in order of time */
    VEC(struct compare_rank) ranks;          /* by number */
    struct compare_rows ledger, api, copies; /* ns, calls, bytes */
};

extern const struct fields compare_kernel_fields, compare_cause_fields, compare_row_fields,
    compare_phase_fields, compare_rank_fields, compare_fields;

void compare(struct comparison *c, const struct run_profile *a, const struct run_profile *b,
             struct arena *arena);

extern const char *const compare_verdict_names[];         /* by value, NULL at the end */
const char *compare_verdict_name(enum compare_verdict v); /* "not_comparable" */
const char *compare_match_name(enum compare_match m);

#endif
