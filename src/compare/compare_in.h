/*
 * The parts of compare(), in the order in which they run.
 */
#ifndef GS_COMPARE_COMPARE_IN_H
#define GS_COMPARE_COMPARE_IN_H

#include "compare/compare.h"

/* Pairs: fills kernels (without figures), steps, matched_pct. */
void compare_match(struct comparison *c);

enum { MAX_WORDS = 64 };

/* The words of a name, as hashes, each once. */
struct words {
    uint64_t v[MAX_WORDS];
    size_t n;
};

void split_words(struct words *w, const char *name);
double words_alike(const struct words *a, const struct words *b); /* 0 to 1 */

bool same_numbers(const char *a, const char *b);

/* Change and noise of one kernel. */
void compare_measure(struct comparison *c, struct compare_kernel *k);

/* Other calls with other grids that do as much in all: work put together, or divided. */
bool same_items(const struct compare_kernel *k);

/* Figures of the kernels, and their causes. */
void compare_kernels(struct comparison *c);

/* Copies, communication and idle time, and base_ns. */
void compare_times(struct comparison *c);

/* How a cause of the ledger changed, for the work of A, per GPU. */
double cause_change(const struct comparison *c, enum cause k);

/* The spread of a cause between runs of one program, of one run alone: its share. */
double cause_repeats(const struct comparison *c, const struct run_profile *p, enum cause k);

/* Start-up or tail of a run, without the profiler's own start, summed over GPUs. */
double once_ns(const struct run_profile *p, enum cause k);

/* Spread of the sum of gaps of a cause within a run, squared. */
double gap_variance(const struct run_profile *p, enum cause c);

/* What makes all kernels slower or faster by one factor. */
const char *factor_words(double ratio);

/* One factor over all kernels: common_ratio, clocks. */
void compare_common(struct comparison *c);

/* The clock on the wall: wall_a_ns, wall_b_ns, wall_noise_ns. */
void compare_wall(struct comparison *c);

/* What the verdict is, and its sentence. */
void compare_judge(struct comparison *c);

/*
 * Whether the runs did the same work although their kernels differ: as often the same ranges, the
 * same number of repetitions, or the same bytes copied. Says what it went by.
 */
bool compare_anchored(struct comparison *c);

/* How many times as often B went through the ranges both have; NaN: not known. */
double anchor_steps(const struct comparison *c);

/* Phases side by side, and the phase of each cause. */
void compare_ranks(struct comparison *c); /* compare_ranks.c */
void compare_phases(struct comparison *c);

/* Comparability: score, reasons, comparable. */
void compare_check(struct comparison *c);

void compare_add(struct comparison *c, enum compare_kind kind, double change, double noise,
                 bool counted, const char *what);
void compare_say(struct comparison *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void compare_note(struct comparison *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static inline double more_of(double x, double y)
{
    return x > y ? x : y;
}

#endif
