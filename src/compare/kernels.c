/* The kernels of both runs, and what changed in them as causes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "compare/compare_in.h"

static const char *title_of(const struct comparison *c, const struct compare_kernel *k)
{
    const char *a = k->a ? k->a->short_name : k->name, *b = k->b ? k->b->short_name : k->name_b;
    if (k->how == MATCH_ROLE)
        return a ? a : b;
    if (k->how == MATCH_NEW || k->how == MATCH_GONE)
        return arena_printf(c->arena, "%s (%s)", a ? a : b, k->how == MATCH_NEW ? "new" : "gone");
    return str_eq(a, b) ? a : arena_printf(c->arena, "%s → %s", a, b);
}

static void describe(const struct comparison *c, struct compare_kernel *k)
{
    k->match = compare_match_name(k->how);
    k->title = title_of(c, k);
    k->occupancy_a_pct = k->occupancy_b_pct = k->typical_a_ns = k->typical_b_ns = NAN;
    k->median_a_ns = k->median_b_ns = NAN;
#define TAKE(side)                                                                                 \
    if (k->side) {                                                                                 \
        k->calls_##side = k->side->calls;                                                          \
        k->total_##side##_ns = k->side->total_duration_ns;                                         \
        k->median_##side##_ns = (double)k->side->median_ns;                                        \
        k->typical_##side##_ns = k->side->typical_ns;                                              \
        k->vgpr_##side = k->side->vgpr + k->side->accum_vgpr;                                      \
        k->lds_##side##_bytes = k->side->lds_bytes;                                                \
        k->occupancy_##side##_pct = k->side->occupancy_pct;                                        \
        k->grid_##side = k->side->grid;                                                            \
    }
    TAKE(a)
    TAKE(b)
#undef TAKE
}

static int by_change(const void *left, const void *right)
{
    const struct compare_kernel *x = left, *y = right;
    int64_t cx = llabs(x->change_ns), cy = llabs(y->change_ns);
    if (x->significant != y->significant)
        return x->significant ? -1 : 1;
    if (cx != cy)
        return cx > cy ? -1 : 1;
    int64_t tx = add_ns(x->total_a_ns, x->total_b_ns), ty = add_ns(y->total_a_ns, y->total_b_ns);
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
    bool counted = class == KERNEL_COMPUTE && !(k->how == MATCH_ROLE && k->role == ROLE_COLLECTIVE);
    double scale = 1 / c->concurrency, noise = (double)k->noise_ns * scale;
    if (!counted)
        return; /* communication and copies are taken from the ledger */
    if (k->how == MATCH_NEW || k->how == MATCH_GONE) {
        bool new = k->how == MATCH_NEW;
        compare_add(
            c, new ? CHANGE_NEW : CHANGE_GONE, (double)k->change_ns * scale, noise, true,
            arena_printf(c->arena, new ? "new kernel %s" : "kernel %s is gone", short_of(k)));
        return;
    }
    double own = (double)(k->change_ns - k->calls_change_ns);
    const char *what =
        arena_printf(c->arena, k->how == MATCH_ROLE ? "%s" : "kernel %s", short_of(k));
    if (k->how == MATCH_SIMILAR || k->how == MATCH_CALLS)
        what = arena_printf(c->arena, "%s, now %s", what, k->b->short_name);
    what = arena_printf(c->arena, "%s: %.1f %% %s", what,
                        fabs(k->how == MATCH_ROLE ? k->change_pct : k->own_pct),
                        own > 0 ? "slower" : "faster");
    /* Only when significant of its own: compare_add() looks at noise, not at LEAST_PCT. */
    compare_add(c, CHANGE_KERNEL, own * scale,
                k->significant ? noise : more_of(noise, fabs(own) * scale), true, what);
    if (k->calls_change_ns)
        compare_add(c, CHANGE_CALLS, (double)k->calls_change_ns * scale, 0, true,
                    arena_printf(c->arena, "kernel %s: %.0f calls %s", short_of(k),
                                 fabs((double)k->b->calls / k->factor - (double)k->a->calls),
                                 k->calls_change_ns > 0 ? "more" : "fewer"));
}

static void resource_note(struct comparison *c, const struct compare_kernel *k)
{
    if (!k->a || !k->b || c->cross_vendor ||
        k->a->total_duration_ns < c->a->breakdown.kernel_sum_ns / 100)
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
    c->z = sqrt(9 + 2 * log(2 * more_of(1, (double)c->kernels.n)));
    for (size_t i = 0; i < c->kernels.n; i++) {
        struct compare_kernel *k = &c->kernels.v[i];
        compare_measure(c, k);
        describe(c, k);
    }
    if (c->kernels.n)
        qsort(c->kernels.v, c->kernels.n, sizeof(*c->kernels.v), by_change);
    for (size_t i = 0; i < c->kernels.n; i++) {
        size_t before = c->causes.n;
        kernel_causes(c, &c->kernels.v[i]);
        for (size_t n = before; n < c->causes.n; n++)
            c->causes.v[n].kernel = &c->kernels.v[i];
        resource_note(c, &c->kernels.v[i]);
    }
    overlap_cause(c);
}
