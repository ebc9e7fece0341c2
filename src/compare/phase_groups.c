#include "compare/phase_groups.h"

#include <math.h>
#include <string.h>

#include "base/str.h"
#include "compare/compare_in.h"

/* Without the number that equal names get: "warm-up (2)". */
static size_t bare_length(const char *name)
{
    size_t n = strlen(name), at = n;
    if (n < 4 || name[n - 1] != ')')
        return n;
    for (at = n - 2; at > 1 && name[at] >= '0' && name[at] <= '9'; at--)
        ;
    return at < n - 2 && at > 1 && name[at] == '(' && name[at - 1] == ' ' ? at - 1 : n;
}

bool phase_same_name(const char *a, const char *b)
{
    size_t n = bare_length(a);
    return n == bare_length(b) && !strncmp(a, b, n);
}

static size_t row_of(const struct comparison *c, const char *name, bool in_b)
{
    for (size_t i = 0; i < c->kernels.n; i++) {
        const struct profile_kernel *k = in_b ? c->kernels.v[i].b : c->kernels.v[i].a;
        if (k && str_eq(k->name, name))
            return i;
    }
    return SIZE_MAX;
}

static void add_kernels(struct comparison *c, struct phase_group *g, const struct profile_phase *p,
                        bool in_b)
{
    for (size_t i = 0; i < p->shares.n && g->n < PHASE_KERNELS; i++) {
        size_t row = row_of(c, p->shares.v[i].name, in_b), at = 0;
        while (at < g->n && g->kernel[at] != row)
            at++;
        if (row == SIZE_MAX)
            continue;
        g->n += at == g->n;
        g->kernel[at] = row;
        g->ns[at] += (double)p->shares.v[i].ns;
        g->all_ns += (double)p->shares.v[i].ns;
    }
}

static void add_phase(struct comparison *c, struct phase_group *g, const struct profile_phase *p,
                      int64_t *longest)
{
    struct profile_phase *s = &g->sum;
    if (p->duration_ns > *longest || !g->count) {
        s->name = p->name;
        s->named_by = p->named_by;
        *longest = p->duration_ns;
    }
    s->duration_ns = add_ns(s->duration_ns, p->duration_ns);
    s->busy_ns = add_ns(s->busy_ns, p->busy_ns);
    s->compute_ns = add_ns(s->compute_ns, p->compute_ns);
    s->exposed_ns = add_ns(s->exposed_ns, p->exposed_ns);
    s->idle_ns = add_ns(s->idle_ns, p->idle_ns);
    s->kernels += p->kernels;
    s->copies += p->copies;
    for (enum cause k = 0; k < CAUSES; k++)
        s->cause_ns[k] = add_ns(s->cause_ns[k], p->cause_ns[k]);
    s->has_causes = p->has_causes && (s->has_causes || !g->count);
    if (!g->count) {
        s->iterations = p->iterations;
        s->iteration_ns = p->iteration_ns;
        g->count = 1;
        return;
    }
    s->iterations = 0; /* those of one phase are not those of several */
    g->count++;
    s->name = arena_strndup(c->arena, s->name, bare_length(s->name));
}

/* All groups of a run, by first phase and number of phases. */
struct phase_group *phase_groups(struct comparison *c, const struct run_profile *p, size_t n)
{
    struct phase_group *all = arena_array(c->arena, struct phase_group, n * PHASES_TOGETHER);
    for (size_t i = 0; i < n; i++)
        for (size_t len = 1; len <= PHASES_TOGETHER && i + len <= n; len++) {
            struct phase_group *g = &all[i * PHASES_TOGETHER + len - 1];
            int64_t longest = 0;
            g->first = i;
            for (size_t k = i; k < i + len; k++) {
                add_phase(c, g, &p->phases.v[k], &longest);
                add_kernels(c, g, &p->phases.v[k], p == c->b);
            }
        }
    return all;
}

/* The part of the kernel time that both have in common, 0 to 1; NaN where neither has kernels. */
double phase_common_share(const struct phase_group *a, const struct phase_group *b)
{
    double common = 0;
    if (!(a->all_ns > 0) || !(b->all_ns > 0))
        return (a->sum.kernels > 0) != (b->sum.kernels > 0) ? 0 : NAN;
    for (size_t i = 0; i < a->n; i++)
        for (size_t k = 0; k < b->n; k++)
            if (a->kernel[i] == b->kernel[k])
                common += fmin(a->ns[i] / a->all_ns, b->ns[k] / b->all_ns);
    return common;
}

/* Work that follows the number of steps is divided by them, what runs once is not. */
double phase_factor(const struct comparison *c, const struct profile_phase *a,
                    const struct profile_phase *b)
{
    double x = (double)a->kernels, y = (double)b->kernels / c->steps;
    return c->steps != 1 && x > 0 && fabs(y - x) <= 0.05 * x + 1 ? c->steps : 1;
}

/* How alike, 0 to 1: name, kernels, and length. Less than PHASE_LEAST_ALIKE: no pair. */
static double alike(const struct comparison *c, const struct phase_group *a,
                    const struct phase_group *b)
{
    double common = phase_common_share(a, b),
           named = phase_same_name(a->sum.name, b->sum.name) ? 1 : 0;
    double long_a = (double)a->sum.duration_ns,
           long_b = (double)b->sum.duration_ns / phase_factor(c, &a->sum, &b->sum);
    double size = more_of(long_a, long_b) > 0 ? fmin(long_a, long_b) / more_of(long_a, long_b) : 1;
    double score = isnan(common) ? 0.7 * named + 0.1 * (a->sum.named_by == b->sum.named_by)
                                 : 0.4 * named + 0.4 * common;
    return score > 0 ? score + 0.2 * size : 0;
}

/* What a pair is worth: the time it explains. Neighbours are taken together only for a gain. */
double phase_worth(const struct comparison *c, const struct phase_group *a,
                   const struct phase_group *b)
{
    double score = alike(c, a, b);
    double ns = fmin((double)a->sum.duration_ns,
                     (double)b->sum.duration_ns / phase_factor(c, &a->sum, &b->sum));
    if (score < PHASE_LEAST_ALIKE)
        return 0;
    return (ns + 1) * score * (1 - 0.01 * (double)(a->count + b->count - 2));
}
