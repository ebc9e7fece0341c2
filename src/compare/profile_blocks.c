/* What a profile says about noise and about the work as a whole: blocks, markers, repeats. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/quantile.h"
#include "base/mem.h"
#include "base/str.h"
#include "compare/profile.h"

enum { LEAST_CALLS = 32, CALL_BLOCKS = 16 };

#define SURELY_DEPENDENT 1.4 /* what 16 independent blocks hardly ever show */

static double batch_error(const double *means, size_t n, double *correlation)
{
    double mean = 0, squares = 0, next = 0;
    *correlation = 0;
    if (n < 2)
        return NAN;
    for (size_t i = 0; i < n; i++)
        mean += means[i] / (double)n;
    for (size_t i = 0; i < n; i++) {
        squares += (means[i] - mean) * (means[i] - mean);
        if (i)
            next += (means[i] - mean) * (means[i - 1] - mean);
    }
    if (!(squares > 0))
        return 0;
    *correlation = next / squares + 1 / (double)n; /* its estimate is low by about 1 / n */
    return sqrt(squares / (double)(n - 1) / (double)n);
}

double blocks_error(const double *means, size_t n)
{
    double r, error = batch_error(means, n, &r);
    r = n < 4 || r < 0.3 ? 0 : r > 0.9 ? 0.9 : r;
    return error * sqrt((1 + r) / (1 - r));
}

static int64_t clamp(int64_t v, int64_t low, int64_t high)
{
    return v < low ? low : v > high ? high : v;
}

/* Of values without their outer quarters: one outlier is no dependence. */
double dependence_of(const int64_t *v, size_t n)
{
    double means[CALL_BLOCKS], mean = 0, squares = 0, correlation;
    if (n < LEAST_CALLS)
        return 1;
    struct arena *temporary = arena_scratch();
    int64_t *copy = arena_array(temporary, int64_t, n);
    memcpy(copy, v, n * sizeof(*v));
    int64_t low = select_rank(copy, n, n / 4), high = select_rank(copy, n, n - n / 4 - 1);
    for (size_t i = 0; i < n; i++)
        mean += (double)clamp(v[i], low, high) / (double)n;
    for (size_t b = 0; b < CALL_BLOCKS; b++) {
        size_t from = b * n / CALL_BLOCKS, to = (b + 1) * n / CALL_BLOCKS;
        means[b] = 0;
        for (size_t i = from; i < to; i++) {
            double d = (double)clamp(v[i], low, high) - mean;
            squares += d * d;
            means[b] += d / (double)(to - from);
        }
    }
    arena_release(temporary);
    double independent = sqrt(squares) / (double)n;
    double factor =
        independent > 0 ? batch_error(means, CALL_BLOCKS, &correlation) / independent : 1;
    return factor > SURELY_DEPENDENT ? factor : 1;
}

static void keep_blocks(struct run_profile *p, const struct analysis *a, struct arena *arena)
{
    struct arena *temporary = arena_scratch();
    int64_t *ns;
    size_t n = iterations_each(&ns, &a->view, temporary);
    size_t count = n < PROFILE_BLOCKS ? n : PROFILE_BLOCKS;
    for (size_t b = 0; b < count; b++) {
        struct profile_block block = {0};
        for (size_t i = b * n / count; i < (b + 1) * n / count; i++) {
            block.ns = add_ns(block.ns, ns[i]);
            block.iterations++;
        }
        vec_push(&p->blocks, arena, block);
    }
    p->iteration_kernels = n ? a->iterations.kernels : 0;
    arena_release(temporary);
}

static int by_wall(const void *left, const void *right)
{
    const struct profile_marker *x = left, *y = right;
    if (x->wall_ns != y->wall_ns)
        return x->wall_ns > y->wall_ns ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void keep_markers(struct run_profile *p, const struct analysis *a, struct arena *arena)
{
    for (size_t i = 0; i < a->markers.n; i++) {
        const struct marker_row *from = &a->markers.v[i];
        size_t at = 0;
        while (at < p->markers.n && !str_eq(p->markers.v[at].name, from->name))
            at++;
        if (at == p->markers.n && at == PROFILE_MARKERS)
            continue;
        if (at == p->markers.n)
            vec_push(&p->markers, arena,
                     ((struct profile_marker){.name = arena_strdup(arena, from->name)}));
        p->markers.v[at].calls += from->calls;
        p->markers.v[at].wall_ns = add_ns(p->markers.v[at].wall_ns, from->wall_ns);
    }
    if (p->markers.n)
        qsort(p->markers.v, p->markers.n, sizeof(*p->markers.v), by_wall);
}

/* Overhead that profilers record of themselves; compiling and loading is the program's. */
static bool is_profilers(const char *name)
{
    static const char *const own[] = {"Activity Buffer Request", "Buffer Flush", "Instrumentation",
                                      "Resource"};
    for (size_t i = 0; i < ARRAY_LEN(own); i++)
        if (str_eq(name, own[i]))
            return true;
    return false;
}

static int64_t first_work(const struct analysis *a)
{
    int64_t first = a->view.end_ns;
    for (size_t g = 0; g < a->ledger.n_gpus; g++)
        if (a->ledger.gpus[g].first_ns < first)
            first = a->ledger.gpus[g].first_ns;
    return first;
}

static int64_t profiler_start(const struct analysis *a)
{
    const struct regions *r = &a->trace->regions;
    int64_t first = first_work(a), sum = 0, until = a->view.start_ns;
    for (size_t i = 0; i < r->n; i++) {
        if (r->kind[i] != REGION_OTHER || r->end_ns[i] > first || r->start_ns[i] < until ||
            !is_profilers(trace_str(a->trace, r->name[i])))
            continue;
        sum = add_ns(sum, sub_ns(r->end_ns[i], r->start_ns[i]));
        until = r->end_ns[i];
    }
    return sum;
}

void profile_blocks_make(struct run_profile *p, const struct analysis *a, struct arena *arena)
{
    keep_blocks(p, a, arena);
    keep_markers(p, a, arena);
    p->has_whole = true;
    p->profiler_ns = profiler_start(a);
}

double profile_wall_ns(const struct run_profile *p)
{
    double sum = 0, gpus = p->breakdown.gpu_count ? p->breakdown.gpu_count : 1;
    for (enum cause k = 0; k < CAUSES; k++)
        sum += (double)p->cause_ns[k];
    double wall = sum / gpus - (double)p->profiler_ns;
    return wall > 0 ? wall : 0;
}

/* ---- several runs as one ---- */

static int by_repeat(const void *left, const void *right)
{
    const struct profile_repeat *x = left, *y = right;
    if (x->wall_ns != y->wall_ns)
        return x->wall_ns < y->wall_ns ? -1 : 1;
    return strcmp(x->label, y->label);
}

static struct profile_repeat repeat_of(const struct run_profile *p)
{
    double gpus = p->breakdown.gpu_count ? p->breakdown.gpu_count : 1;
    return (struct profile_repeat){p->label, ns_from(profile_wall_ns(p)),
                                   ns_from((double)p->cause_ns[CAUSE_COMPUTE] / gpus)};
}

void profile_join(struct run_profile *out, const struct run_profile *runs, size_t n,
                  struct arena *arena)
{
    VEC(struct profile_repeat) all = {0};
    for (size_t i = 0; i < n; i++) {
        if (!runs[i].repeats.n)
            vec_push(&all, arena, repeat_of(&runs[i]));
        for (size_t k = 0; k < runs[i].repeats.n; k++)
            vec_push(&all, arena, runs[i].repeats.v[k]);
    }
    qsort(all.v, all.n, sizeof(*all.v), by_repeat);
    int64_t middle = all.v[(all.n - 1) / 2].wall_ns;
    size_t best = 0;
    for (size_t i = 1; i < n; i++) {
        double x = fabs(profile_wall_ns(&runs[i]) - (double)middle),
               y = fabs(profile_wall_ns(&runs[best]) - (double)middle);
        if (x < y || (!(x > y) && strcmp(runs[i].label, runs[best].label) < 0))
            best = i;
    }
    *out = runs[best];
    if (all.n > 1) {
        out->repeats.v = all.v;
        out->repeats.n = all.n;
        out->repeats.cap = all.cap;
        out->label = arena_printf(arena, "%s and %zu more", runs[best].label, all.n - 1);
    }
}
