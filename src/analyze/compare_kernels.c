/* What changed in each kernel, and whether that is more than noise. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/compare_in.h"
#include "base/str.h"

#define LEAST_PCT 0.5 /* smaller changes of a kernel are never called significant */

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

struct delta {
    double change, variance; /* variance: with the factor of noise in it */
};

static void add_delta(struct comparison *c, struct delta *d, double calls, uint64_t calls_a,
                      uint64_t calls_b, double a, double ea, double b, double eb)
{
    double noise = factor_for(c, calls_a, calls_b) * calls * sqrt(ea * ea + eb * eb);
    d->change += calls * (b - a);
    d->variance += noise * noise;
}

static const struct profile_config *same_grid(const struct profile_kernel *k,
                                              const struct profile_config *x)
{
    const struct profile_config *found = NULL;
    for (size_t i = 0; i < k->configs.n; i++) {
        const struct profile_config *y = &k->configs.v[i];
        if (y->grid_x != x->grid_x || y->grid_y != x->grid_y || y->grid_z != x->grid_z)
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

/* Grid by grid, where both sides ran the same grids equally often: a mixture is no noise then. */
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
        add_delta(c, d, calls, x->calls, y->calls, x->typical_ns, x->error_ns, y->typical_ns,
                  y->error_ns);
    }
    return true;
}

/* B's counts follow the number of steps, or stay as they are (work done once). */
static double factor_of(const struct comparison *c, uint64_t a, uint64_t b)
{
    double with = fabs(log((double)b / c->steps / (double)a)), without = fabs(log((double)b / (double)a));
    return without < with ? 1 : c->steps;
}

static void measure_pair(struct comparison *c, struct compare_kernel *k)
{
    const struct profile_kernel *a = k->a, *b = k->b;
    struct delta d = {0, 0};
    k->factor = factor_of(c, a->calls, b->calls);
    double calls_b = (double)b->calls / k->factor, common = fmin((double)a->calls, calls_b);
    if (!by_grid(c, k, &d))
        add_delta(c, &d, common, a->calls, b->calls, a->typical_ns, a->error_ns, b->typical_ns,
                  b->error_ns);
    double extra = calls_b - (double)a->calls;
    if (as_often(calls_b, (double)a->calls))
        extra = 0;
    k->calls_change_ns = (int64_t)(extra * (extra > 0 ? b->typical_ns : a->typical_ns));
    k->change_ns = (int64_t)d.change + k->calls_change_ns;
    k->noise_ns = (int64_t)sqrt(d.variance);
    double typical = common * a->typical_ns;
    k->significant = fabs(d.change) > (double)k->noise_ns &&
                     fabs(d.change) * 100 >= LEAST_PCT * typical && typical > 0;
    k->change_pct = a->total_duration_ns ? 100 * (double)k->change_ns / ((double)a->calls * a->typical_ns) : NAN;
    k->noise_pct = typical > 0 ? 100 * (double)k->noise_ns / typical : NAN;
    k->other_work = (k->how == MATCH_NAME || k->how == MATCH_SHORT) && !isnan(a->work_items) &&
                    !isnan(b->work_items) && fabs(b->work_items - a->work_items) > 0.01 * a->work_items;
}

static void measure_role(struct comparison *c, struct compare_kernel *k)
{
    double noise = c->z * sqrt(k->noise_pct); /* compare_match() left the variance there */
    k->factor = c->steps;
    k->change_ns = (int64_t)((double)k->total_b_ns / k->factor) - k->total_a_ns;
    k->noise_ns = (int64_t)noise;
    k->significant = fabs((double)k->change_ns) > noise;
    k->change_pct = k->total_a_ns ? 100 * (double)k->change_ns / (double)k->total_a_ns : NAN;
    k->noise_pct = k->total_a_ns ? 100 * noise / (double)k->total_a_ns : NAN;
}

static void measure_single(struct comparison *c, struct compare_kernel *k)
{
    const struct profile_kernel *only = k->a ? k->a : k->b;
    k->factor = k->b ? c->steps : 1;
    double ns = (double)only->calls * only->typical_ns / k->factor;
    k->change_ns = (int64_t)(k->a ? -ns : ns);
    k->noise_ns = (int64_t)(c->z * sqrt((double)only->calls) * only->std_dev_ns / k->factor);
    k->significant = ns > (double)k->noise_ns;
    k->change_pct = k->a ? -100 : NAN;
    k->noise_pct = ns > 0 ? 100 * (double)k->noise_ns / ns : NAN;
}

static void describe(struct compare_kernel *k)
{
    k->match = compare_match_name(k->how);
    k->occupancy_a_pct = k->occupancy_b_pct = k->typical_a_ns = k->typical_b_ns = NAN;
    k->median_a_ns = k->median_b_ns = NAN;
    if (k->a) {
        k->calls_a = k->a->calls;
        k->total_a_ns = k->a->total_duration_ns;
        k->median_a_ns = (double)k->a->median_ns;
        k->typical_a_ns = k->a->typical_ns;
        k->vgpr_a = k->a->vgpr + k->a->accum_vgpr;
        k->lds_a_bytes = k->a->lds_bytes;
        k->occupancy_a_pct = k->a->occupancy_pct;
        k->grid_a = k->a->grid;
    }
    if (k->b) {
        k->calls_b = k->b->calls;
        k->total_b_ns = k->b->total_duration_ns;
        k->median_b_ns = (double)k->b->median_ns;
        k->typical_b_ns = k->b->typical_ns;
        k->vgpr_b = k->b->vgpr + k->b->accum_vgpr;
        k->lds_b_bytes = k->b->lds_bytes;
        k->occupancy_b_pct = k->b->occupancy_pct;
        k->grid_b = k->b->grid;
    }
}

static int by_change(const void *left, const void *right)
{
    const struct compare_kernel *x = left, *y = right;
    int64_t cx = llabs(x->change_ns), cy = llabs(y->change_ns);
    if (x->significant != y->significant)
        return x->significant ? -1 : 1;
    if (cx != cy)
        return cx > cy ? -1 : 1;
    int64_t tx = x->total_a_ns + x->total_b_ns, ty = y->total_a_ns + y->total_b_ns;
    if (tx != ty)
        return tx > ty ? -1 : 1;
    return strcmp(x->name ? x->name : x->name_b, y->name ? y->name : y->name_b);
}

/* ---- causes ---- */

static const char *short_of(const struct compare_kernel *k)
{
    const struct profile_kernel *p = k->a ? k->a : k->b;
    const char *name = k->name ? k->name : k->name_b;
    return p && p->short_name && *p->short_name ? p->short_name : name;
}

/* Hidden under other kernels, a change is worth less: kernels overlap `concurrency` deep. */
static void kernel_causes(struct comparison *c, const struct compare_kernel *k)
{
    enum kernel_class class = k->a ? k->a->class : k->b ? k->b->class : KERNEL_COMPUTE;
    bool counted = class == KERNEL_COMPUTE && !(k->how == MATCH_ROLE && str_eq(k->role, "Collective"));
    double scale = 1 / c->concurrency, noise = (double)k->noise_ns * scale;
    if (!counted)
        return; /* communication and copies are taken from the ledger */
    if (k->how == MATCH_NEW || k->how == MATCH_GONE) {
        bool new = k->how == MATCH_NEW;
        compare_add(c, new ? CHANGE_NEW : CHANGE_GONE, (double)k->change_ns * scale, noise, true,
                    arena_printf(c->arena, new ? "new kernel %s" : "kernel %s is gone", short_of(k)));
        return;
    }
    double own = (double)(k->change_ns - k->calls_change_ns);
    const char *what = arena_printf(c->arena, k->how == MATCH_ROLE ? "%s" : "kernel %s", short_of(k));
    if (k->how == MATCH_SIMILAR || k->how == MATCH_CALLS)
        what = arena_printf(c->arena, "%s, now %s", what, k->b->short_name);
    what = arena_printf(c->arena, "%s: %.1f %% %s", what,
                        fabs(k->how == MATCH_ROLE ? k->change_pct
                                                  : 100 * (k->b->typical_ns / k->a->typical_ns - 1)),
                        own > 0 ? "slower" : "faster");
    /* Only when significant of its own: compare_add() looks at noise, not at LEAST_PCT. */
    compare_add(c, CHANGE_KERNEL, own * scale, k->significant ? noise : more_of(noise, fabs(own) * scale),
                true, what);
    if (k->calls_change_ns)
        compare_add(c, CHANGE_CALLS, (double)k->calls_change_ns * scale, 0, true,
                    arena_printf(c->arena, "kernel %s: %.0f calls %s", short_of(k),
                                 fabs((double)k->b->calls / k->factor - (double)k->a->calls),
                                 k->calls_change_ns > 0 ? "more" : "fewer"));
}

static void resource_note(struct comparison *c, const struct compare_kernel *k)
{
    if (!k->a || !k->b || c->cross_vendor || k->a->total_duration_ns * 100 < c->a->breakdown.kernel_sum_ns)
        return;
    struct str s;
    str_init(&s, c->arena);
    if (k->vgpr_a != k->vgpr_b && k->vgpr_a && k->vgpr_b)
        str_printf(&s, ", registers %u to %u", k->vgpr_a, k->vgpr_b);
    if (k->lds_a_bytes != k->lds_b_bytes)
        str_printf(&s, ", LDS %u to %u bytes", k->lds_a_bytes, k->lds_b_bytes);
    if (k->a->scratch_bytes != k->b->scratch_bytes)
        str_printf(&s, ", scratch %u to %u bytes", k->a->scratch_bytes, k->b->scratch_bytes);
    if (fabs(k->occupancy_a_pct - k->occupancy_b_pct) >= 1)
        str_printf(&s, ", occupancy %.0f to %.0f %%", k->occupancy_a_pct, k->occupancy_b_pct);
    if (s.len)
        compare_note(c, "%s: %s", short_of(k), s.buf + 2);
}

static double compute_sum(const struct run_profile *p)
{
    double sum = 0;
    for (size_t i = 0; i < p->kernels.n; i++)
        if (p->kernels.v[i].class == KERNEL_COMPUTE)
            sum += (double)p->kernels.v[i].total_duration_ns;
    return sum;
}

static double concurrency_of(const struct run_profile *p)
{
    double compute = (double)p->cause_ns[CAUSE_COMPUTE];
    return compute > 0 ? more_of(1, compute_sum(p) / compute) : 1;
}

/* Kernels that now run side by side, or no longer do. */
static void overlap_cause(struct comparison *c)
{
    double before = c->concurrency, after = concurrency_of(c->b);
    if (fabs(after - before) <= 0.05 * before)
        return;
    double sum = compute_sum(c->b) / c->steps, change = sum / after - sum / before;
    compare_add(c, CHANGE_OVERLAP, change, 0.05 * (double)c->a->cause_ns[CAUSE_COMPUTE], true,
                arena_printf(c->arena, "kernels overlap %s: %.2f deep instead of %.2f",
                             after > before ? "more" : "less", after, before));
}

void compare_kernels(struct comparison *c)
{
    c->concurrency = concurrency_of(c->a);
    c->z = sqrt(9 + 2 * log(more_of(1, (double)c->kernels.n)));
    for (size_t i = 0; i < c->kernels.n; i++) {
        struct compare_kernel *k = &c->kernels.v[i];
        if (k->how == MATCH_ROLE)
            measure_role(c, k);
        else if (k->a && k->b)
            measure_pair(c, k);
        else
            measure_single(c, k);
        describe(k);
    }
    if (c->kernels.n)
        qsort(c->kernels.v, c->kernels.n, sizeof(*c->kernels.v), by_change);
    for (size_t i = 0; i < c->kernels.n; i++) {
        kernel_causes(c, &c->kernels.v[i]);
        resource_note(c, &c->kernels.v[i]);
    }
    overlap_cause(c);
}
