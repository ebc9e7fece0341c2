/* Kernels of a profile that was read, made harmless and whole. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/profile_doc.h"

static double within(double v, double otherwise)
{
    return v >= 0 && v <= 9e18 ? v : otherwise;
}

/* Buckets that rise and count something; anything else, and there are none. */
static void check_durations(struct profile_buckets *b)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < b->n; i++) {
        const struct profile_bucket *v = &b->v[i];
        bool rises = v->bucket < PROFILE_BUCKETS && (!i || v->bucket > v[-1].bucket);
        if (!rises || !v->count || v->count > (uint64_t)1e15 ||
            (sum += v->count) > (uint64_t)1e15) {
            *b = (struct profile_buckets){0};
            return;
        }
    }
}

/* Documents come from strangers: whatever cannot be is made harmless, so no formula meets it. */
static bool is_sound(struct profile_kernel *k)
{
    if (!k->calls || k->calls > (uint64_t)1e15 || k->total_duration_ns < 0 || k->median_ns < 0)
        return false;
    k->avg_duration_ns = within(k->avg_duration_ns, (double)k->median_ns);
    k->typical_ns = within(k->typical_ns, (double)k->median_ns);
    k->std_dev_ns = within(k->std_dev_ns, k->avg_duration_ns);
    k->error_ns = within(k->error_ns, k->typical_ns);
    k->work_items = within(k->work_items, NAN);
    k->dependence = k->dependence >= 1 && k->dependence < 1e6 ? k->dependence : 1;
    check_durations(&k->durations);
    for (size_t i = 0; i < k->configs.n; i++) {
        struct profile_config *c = &k->configs.v[i];
        if (!c->calls || c->calls > k->calls || c->total_ns < 0)
            k->many_configs = true;
        c->std_dev_ns = within(c->std_dev_ns, 0);
        c->typical_ns = within(c->typical_ns, 0);
        c->error_ns = within(c->error_ns, 0);
    }
    return true;
}

static void keep_sound(struct run_profile *p)
{
    size_t n = 0;
    for (size_t i = 0; i < p->kernels.n; i++)
        if (is_sound(&p->kernels.v[i]))
            p->kernels.v[n++] = p->kernels.v[i];
    p->kernels.n = n;
    for (enum cause c = 0; c < CAUSES; c++) {
        p->cause_ns[c] = p->cause_ns[c] < 0 ? 0 : p->cause_ns[c];
        p->gap_sq[c] = p->gap_sq[c] >= 0 ? p->gap_sq[c] : 0;
    }
}

static void finish_kernel(struct profile_kernel *k)
{
    enum kernel_role role = kernel_role_of(k->name ? k->name : "");
    k->name = k->name ? k->name : "";
    k->short_name = k->short_name ? k->short_name : k->name;
    k->category = role;
    k->class = role == ROLE_COLLECTIVE ? KERNEL_COLLECTIVE
               : strncmp(k->name, "__amd_rocclr_copy", strlen("__amd_rocclr_copy")) == 0
                   ? KERNEL_BLIT
                   : KERNEL_COMPUTE;
}

/* The hotspots of an analysis have no figures of their middle half. */
static void take_hotspots(struct profile_doc *d, struct arena *arena)
{
    for (size_t i = 0; i < d->hotspots.n; i++) {
        struct profile_kernel *k = &d->hotspots.v[i];
        k->work_items = k->occupancy_pct = NAN;
        k->typical_ns = (double)k->median_ns;
        /* The median's standard error for normal durations; outliers make it larger, not smaller.
         */
        k->error_ns = k->calls ? 1.2533 * k->std_dev_ns / sqrt((double)k->calls) : 0;
        k->by_median = true;
        if (k->calls < 4) { /* the middle half of so few are all */
            k->typical_ns = k->avg_duration_ns;
            k->error_ns = k->typical_ns / 20;
        }
        vec_push(&d->p.kernels, arena, *k);
    }
}

static double items_of(const char *grid)
{
    char *end;
    double x = strtod(grid, &end), y = *end == 'x' ? strtod(end + 1, &end) : 0;
    double z = *end == 'x' ? strtod(end + 1, &end) : 0;
    return x > 0 && y > 0 && z > 0 ? x * y * z : NAN;
}

static void join_resources(struct profile_doc *d)
{
    for (size_t i = 0; i < d->resources.n; i++) {
        const struct resource_row *from = &d->resources.v[i];
        for (size_t n = 0; from->name && n < d->p.kernels.n; n++) {
            struct profile_kernel *k = &d->p.kernels.v[n];
            if (!k->name || strcmp(k->name, from->name) != 0)
                continue;
            profile_resources(k, from);
            k->grid = from->grid;
            k->block = from->block;
            if (from->configurations == 1 && from->grid)
                k->work_items = items_of(from->grid);
        }
    }
}

void profile_finish_kernels(struct profile_doc *d, struct arena *arena)
{
    take_hotspots(d, arena);
    join_resources(d);
    keep_sound(&d->p);
    for (size_t i = 0; i < d->p.kernels.n; i++)
        finish_kernel(&d->p.kernels.v[i]);
}
