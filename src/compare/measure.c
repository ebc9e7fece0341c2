/* What changed in a kernel, and how much of that may be noise. */
#include <math.h>

#include "compare/compare_in.h"

#define SAME_ITEMS 0.02 /* work-items of all calls together: of A's */
#define DIVIDED 1.1     /* the time of a call changes by more, against the number of work-items */
#define LEAST_PCT 0.5   /* smaller changes of a kernel are never called significant */

/* Degrees of freedom of an interquartile mean. */
static double freedom(uint64_t calls)
{
    return (double)(calls - 2 * (calls / 4)) - 1;
}

/* Student's quantile in place of the normal one: few calls need a larger factor. */
static double factor_for(const struct comparison *c, uint64_t calls_a, uint64_t calls_b)
{
    double f = freedom(calls_a) + freedom(calls_b);
    if (calls_a < 4 || calls_b < 4 || f < 1)
        return c->z;
    return c->z * (1 + (c->z * c->z + 1) / (4 * f));
}

/* Durations of one kernel, or of one grid of it, in one run. */
struct sample {
    uint64_t calls;
    double mean, deviation, typical, error;
    bool by_median; /* typical is the median: nothing to hold against another run */
};

struct delta {
    double change, whole; /* whole: of A */
    double variance;      /* with the factor of noise in it */
};

static struct sample sample_of_kernel(const struct profile_kernel *k)
{
    double more = k->dependence > 1 ? k->dependence : 1, spread = k->std_dev_ns,
           error = k->error_ns;
    return (struct sample){k->calls,      k->avg_duration_ns, spread * more,
                           k->typical_ns, error * more,       k->by_median};
}

static struct sample sample_of_config(const struct profile_config *k,
                                      const struct profile_kernel *of)
{
    double more = of->dependence > 1 ? of->dependence : 1, spread = k->std_dev_ns;
    double error = k->error_ns;
    return (struct sample){k->calls,      k->calls ? (double)k->total_ns / (double)k->calls : 0,
                           spread * more, k->typical_ns,
                           error * more,  false};
}

/*
 * The difference of the means, or of the means of the middle halves: whichever is more exact. The
 * former wins where durations have no outliers, the latter where they have. What the more exact one
 * does not see the other may: a quarter of the calls that all got slower are no outliers.
 */
static void add_delta(struct comparison *c, struct delta *d, double calls, struct sample a,
                      struct sample b)
{
    double z = factor_for(c, a.calls, b.calls);
    double error[2] = {INFINITY, sqrt(a.error * a.error + b.error * b.error)};
    double change[2] = {b.mean - a.mean, b.typical - a.typical}, whole[2] = {a.mean, a.typical};
    if (a.calls >= 4 && b.calls >= 4)
        error[0] = sqrt(a.deviation * a.deviation / (double)(a.calls - 1) +
                        b.deviation * b.deviation / (double)(b.calls - 1));
    if ((a.by_median || b.by_median) && isfinite(error[0]))
        error[1] = INFINITY; /* of two humps the median is one, the middle half lies between */
    int use = error[0] < error[1] ? 0 : 1;
    if (fabs(change[use]) <= z * error[use] && fabs(change[!use]) > z * error[!use])
        use = !use;
    d->change += calls * change[use];
    d->whole += calls * whole[use];
    d->variance += z * calls * error[use] * (z * calls * error[use]);
}

static const struct profile_config *same_grid(const struct profile_kernel *k,
                                              const struct profile_config *x)
{
    const struct profile_config *found = NULL;
    for (size_t i = 0; i < k->configs.n; i++) {
        const struct profile_config *y = &k->configs.v[i];
        if (y->gpu != x->gpu || y->grid_x != x->grid_x || y->grid_y != x->grid_y ||
            y->grid_z != x->grid_z)
            continue;
        if (found)
            return NULL; /* several work-groups for one grid: not clear which */
        found = y;
    }
    return found;
}

static bool as_often(double a, double b)
{
    return fabs(a - b) <= more_of(0.01 * more_of(a, b), 1);
}

/*
 * Grid by grid and GPU by GPU, where both sides ran the same ones equally often: a mixture of small
 * and large, or of slow and fast devices, is no noise then.
 */
static bool by_grid(struct comparison *c, const struct compare_kernel *k, struct delta *d)
{
    if (k->a->many_configs || k->b->many_configs || k->a->configs.n < 2 ||
        k->a->configs.n != k->b->configs.n)
        return false;
    for (size_t i = 0; i < k->a->configs.n; i++) {
        const struct profile_config *x = &k->a->configs.v[i], *y = same_grid(k->b, x);
        if (!y || !same_grid(k->a, x) || !as_often((double)x->calls, (double)y->calls / k->factor))
            return false;
    }
    for (size_t i = 0; i < k->a->configs.n; i++) {
        const struct profile_config *x = &k->a->configs.v[i], *y = same_grid(k->b, x);
        double calls = fmin((double)x->calls, (double)y->calls / k->factor);
        add_delta(c, d, calls, sample_of_config(x, k->a), sample_of_config(y, k->b));
    }
    return true;
}

/* B's counts follow the number of steps, or stay as they are (work done once). */
static double factor_of(const struct comparison *c, uint64_t a, uint64_t b)
{
    double with = fabs(log((double)b / c->steps / (double)a)),
           without = fabs(log((double)b / (double)a));
    return without < with ? 1 : c->steps;
}

/* A call of it does the same work when its grid is the same. A renamed one may use other tiles. */
static bool same_kernel(const struct compare_kernel *k)
{
    return k->how == MATCH_NAME || k->how == MATCH_SHORT ||
           (k->how == MATCH_SIMILAR && same_numbers(k->name, k->name_b));
}

bool same_items(const struct compare_kernel *k)
{
    double a = k->a->work_items * (double)k->a->calls, b = k->b->work_items * (double)k->b->calls;
    return k->a->calls != k->b->calls && fabs(b - a) <= SAME_ITEMS * a; /* false for NaN */
}

/*
 * Another grid is other work, unless all calls together do as much, or it goes the other way: more work-items in clearly less time
 * (or fewer in more) are the same work, divided in another way.
 */
static bool other_grid(struct comparison *c, const struct compare_kernel *k)
{
    double a = k->a->work_items, b = k->b->work_items,
           ratio = k->a->typical_ns > 0 ? k->b->typical_ns / k->a->typical_ns : 1;
    if (isnan(a) || isnan(b) || fabs(b - a) <= 0.01 * a)
        return false;
    if (same_items(k))
        return false;
    bool divided = b > a ? ratio < 1 / DIVIDED : ratio > DIVIDED;
    if (divided && (double)k->a->total_duration_ns > 0.01 * (double)c->a->breakdown.kernel_sum_ns)
        compare_note(c,
                     "kernel %s ran %.0f work-items a call instead of %.0f, in %s time: taken as "
                     "the same work, divided in another way",
                     k->a->short_name, b, a, b > a ? "less" : "more");
    return !divided;
}

static void measure_pair(struct comparison *c, struct compare_kernel *k)
{
    const struct profile_kernel *a = k->a, *b = k->b;
    struct delta d = {0};
    k->factor = factor_of(c, a->calls, b->calls);
    double calls_b = (double)b->calls / k->factor, common = fmin((double)a->calls, calls_b);
    if (!by_grid(c, k, &d))
        add_delta(c, &d, common, sample_of_kernel(a), sample_of_kernel(b));
    double extra = calls_b - (double)a->calls;
    /* Between "all once" and "all in every step": the number of steps explains it. */
    bool between = c->steps != 1 && ((double)b->calls - (double)a->calls) *
                                            ((double)b->calls - (double)a->calls * c->steps) <=
                                        0;
    if (between || as_often(calls_b, (double)a->calls))
        extra = 0;
    k->calls_change_ns = ns_from(extra * (extra > 0 ? b->typical_ns : a->typical_ns));
    k->change_ns = ns_from(d.change + (double)k->calls_change_ns);
    k->noise_ns = ns_from(sqrt(d.variance));
    k->significant = fabs(d.change) > (double)k->noise_ns &&
                     fabs(d.change) * 100 >= LEAST_PCT * d.whole && d.whole > 0;
    k->own_pct = d.whole > 0 ? 100 * d.change / d.whole : NAN;
    k->noise_pct = d.whole > 0 ? 100 * (double)k->noise_ns / d.whole : NAN;
    k->change_pct = common > 0 && d.whole > 0
                        ? 100 * (double)k->change_ns / (d.whole * (double)a->calls / common)
                        : NAN;
    k->other_work = same_kernel(k) && other_grid(c, k);
}

static void measure_role(struct comparison *c, struct compare_kernel *k)
{
    double noise = c->z * sqrt(k->noise_pct); /* compare_match() left the variance there */
    k->factor = c->steps;
    k->change_ns = ns_from((double)k->total_b_ns / k->factor - (double)k->total_a_ns);
    k->noise_ns = ns_from(noise);
    k->significant = fabs((double)k->change_ns) > noise;
    k->change_pct = k->total_a_ns ? 100 * (double)k->change_ns / (double)k->total_a_ns : NAN;
    k->noise_pct = k->total_a_ns ? 100 * noise / (double)k->total_a_ns : NAN;
}

static void measure_single(struct comparison *c, struct compare_kernel *k)
{
    const struct profile_kernel *only = k->a ? k->a : k->b;
    k->factor = k->b ? c->steps : 1;
    double ns = (double)only->calls * only->typical_ns / k->factor;
    k->change_ns = ns_from(k->a ? -ns : ns);
    k->noise_ns = ns_from(c->z * sqrt((double)only->calls) * only->std_dev_ns / k->factor);
    k->significant = ns > (double)k->noise_ns;
    k->change_pct = k->a ? -100 : NAN;
    k->noise_pct = ns > 0 ? 100 * (double)k->noise_ns / ns : NAN;
}

void compare_measure(struct comparison *c, struct compare_kernel *k)
{
    if (k->how == MATCH_ROLE)
        measure_role(c, k);
    else if (k->a && k->b)
        measure_pair(c, k);
    else
        measure_single(c, k);
}
