/* The clock on the wall for the same work, and how far it repeats. */
#include <math.h>

#include "compare/compare_in.h"

#define WALL_Z 3.0           /* how many standard errors are noise */
#define MOST_NOISE 1.0       /* of the shorter run: what takes twice as long always counts */
#define LEAST_REPEATED 0.003 /* of the wall: repeated runs are not more exact than this */

static double gpus_of(const struct run_profile *p)
{
    return p->breakdown.gpu_count ? p->breakdown.gpu_count : 1;
}

/* Student's quantile for a normal one. */
static double student(double z, double freedom)
{
    double z3 = z * z * z, z5 = z3 * z * z;
    return z + (z3 + z) / (4 * freedom) + (5 * z5 + 16 * z3 + 3 * z) / (96 * freedom * freedom);
}

/* Standard error of all repetitions together, by the means of blocks; NaN: they do not say. */
static double blocks_sum_error(const struct run_profile *p)
{
    double means[PROFILE_BLOCKS], iterations = 0, ns = 0;
    size_t n = p->blocks.n < PROFILE_BLOCKS ? p->blocks.n : PROFILE_BLOCKS;
    for (size_t i = 0; i < n; i++) {
        means[i] = (double)p->blocks.v[i].ns / (double)p->blocks.v[i].iterations;
        iterations += (double)p->blocks.v[i].iterations;
        ns += (double)p->blocks.v[i].ns;
    }
    if (n < 4 || ns < 0.5 * profile_wall_ns(p))
        return NAN;
    return blocks_error(means, n) * iterations * student(WALL_Z, (double)n - 1) / WALL_Z;
}

/*
 * What happens once, in both runs: the spread of the shorter one counts, since one that took twice
 * as long is no measure of what is usual.
 */
static double once_variance(const struct comparison *c)
{
    double sum = 0;
    for (enum cause k = CAUSE_STARTUP; k <= CAUSE_TAIL; k++) {
        double least = fmin(once_ns(c->a, k), once_ns(c->b, k)) * cause_repeats(c, c->a, k);
        sum += 2 * least * least / (gpus_of(c->a) * gpus_of(c->a));
    }
    return sum;
}

/* What the durations of kernels leave open, as far as they add up to the wall. */
static double kernels_variance(const struct run_profile *p)
{
    double sum = 0, all = 0, busy = (double)p->cause_ns[CAUSE_COMPUTE] / gpus_of(p);
    for (size_t i = 0; i < p->kernels.n; i++) {
        const struct profile_kernel *k = &p->kernels.v[i];
        double error = (double)k->calls * k->error_ns * more_of(k->dependence, 1);
        sum += error * error;
        all += (double)k->total_duration_ns;
    }
    double part = all > 0 ? fmin(1, busy / all) : 0;
    return sum * part * part;
}

/*
 * The variance of a run's wall: what blocks of repetitions (or, without any, the gaps) show within
 * it, and what a run alone cannot show: the clock of the GPU and the speed of the host.
 */
static double variance_of(const struct comparison *c, const struct run_profile *p)
{
    double gpus = gpus_of(p), host = 0, gaps = 0, sum = 0, blocks = blocks_sum_error(p);
    for (enum cause k = 0; k < CAUSES; k++) {
        double spread = cause_repeats(c, p, k) * (double)p->cause_ns[k] / gpus;
        if (k == CAUSE_STARTUP || k == CAUSE_TAIL)
            continue;
        if (cause_info(k)->kind != CAUSE_IDLE)
            sum += spread * spread;
        else
            host += spread; /* one host: fast or slow in all of it */
        if (cause_info(k)->kind == CAUSE_IDLE)
            gaps += gap_variance(p, k) / (gpus * gpus);
    }
    return sum + host * host + (isnan(blocks) ? gaps + kernels_variance(p) : blocks * blocks);
}

static double figure(const struct profile_repeat *r, bool compute)
{
    return (double)(compute ? r->compute_ns : r->wall_ns);
}

/* Mean of the repeated runs, and the sum of squared distances from it, in shares of the mean. */
static double mean_of(const struct run_profile *p, bool compute, double alone, double *squares)
{
    double mean = 0;
    if (p->repeats.n < 2)
        return alone;
    for (size_t i = 0; i < p->repeats.n; i++)
        mean += figure(&p->repeats.v[i], compute) / (double)p->repeats.n;
    for (size_t i = 0; mean > 0 && i < p->repeats.n; i++) {
        double d = figure(&p->repeats.v[i], compute) / mean - 1;
        *squares += d * d;
    }
    return mean;
}

static size_t runs_of(const struct run_profile *p)
{
    return p->repeats.n > 1 ? p->repeats.n : 1;
}

/* Noise of the difference of two means, by what the runs of each differ by. */
static double repeat_noise(const struct comparison *c, double a, double b, double squares)
{
    double na = (double)runs_of(c->a), nb = (double)runs_of(c->b), freedom = na + nb - 2;
    double each = more_of(sqrt(squares / freedom), LEAST_REPEATED);
    return student(WALL_Z, freedom) * each * sqrt(a * a / na + b * b / nb);
}

/* Whether compute changed by more than it does between the runs that were given. */
static bool compute_changed(const struct comparison *c)
{
    double squares = 0, a = (double)c->a->cause_ns[CAUSE_COMPUTE] / gpus_of(c->a),
           b = (double)c->b->cause_ns[CAUSE_COMPUTE] / gpus_of(c->b);
    a = mean_of(c->a, true, a, &squares);
    b = mean_of(c->b, true, b, &squares) / c->steps;
    return fabs(b - a) > repeat_noise(c, a, b, squares);
}

void compare_wall(struct comparison *c)
{
    double alone_a = profile_wall_ns(c->a), alone_b = profile_wall_ns(c->b), squares = 0,
           change = 0;
    double a = mean_of(c->a, false, alone_a, &squares), b = mean_of(c->b, false, alone_b, &squares);
    bool scaled = fabs(c->steps - 1) > 0.01;
    for (enum cause k = 0; scaled && k < CAUSES; k++)
        change += cause_change(c, k);
    double same_b = scaled ? alone_a + change : alone_b; /* B's wall for the work of A */
    double scale = alone_b > 0 ? same_b / alone_b : 1;
    double inside = variance_of(c, c->a) + variance_of(c, c->b) * scale * scale;
    double noise = WALL_Z * sqrt(inside + once_variance(c));
    b *= scale;
    c->repeated = runs_of(c->a) + runs_of(c->b) >= 4;
    if (c->repeated) {
        noise = repeat_noise(c, a, b, squares);
        c->repeated_work = compute_changed(c);
    }
    c->wall_a_ns = ns_from(a);
    c->wall_b_ns = ns_from(b);
    c->wall_noise_ns = ns_from(fmin(noise, MOST_NOISE * fmin(a, b)));
}
