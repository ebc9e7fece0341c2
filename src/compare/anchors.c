/* The same work behind other kernels: what else both runs have in common. */
#include <math.h>

#include "base/str.h"
#include "compare/compare_in.h"

#define COPIED_ALIKE 0.01
#define REPEATED_ALIKE 0.05    /* a repetition at either end may not be seen as one */
#define LEAST_COPIED 1048576.0 /* bytes: fewer say nothing about the work */

static const struct profile_marker *marker_of(const struct run_profile *p, const char *name)
{
    for (size_t i = 0; i < p->markers.n; i++)
        if (str_eq(p->markers.v[i].name, name))
            return &p->markers.v[i];
    return NULL;
}

static uint64_t iterations_of(const struct run_profile *p)
{
    uint64_t n = 0;
    for (size_t i = 0; i < p->blocks.n; i++)
        n += p->blocks.v[i].iterations;
    return n;
}

double anchor_steps(const struct comparison *c)
{
    double most = 0, best = NAN, all = 0;
    for (size_t i = 0; i < c->a->markers.n; i++) {
        const struct profile_marker *x = &c->a->markers.v[i], *y = marker_of(c->b, x->name);
        double share = 0;
        all += (double)x->wall_ns;
        if (!y || !x->calls || !y->calls)
            continue;
        double ratio = (double)y->calls / (double)x->calls;
        for (size_t k = 0; k < c->a->markers.n; k++) {
            const struct profile_marker *u = &c->a->markers.v[k], *v = marker_of(c->b, u->name);
            if (v && u->calls && fabs((double)v->calls / (double)u->calls - ratio) <= 0.01 * ratio)
                share += (double)u->wall_ns;
        }
        if (share > most) {
            most = share;
            best = ratio;
        }
    }
    return most >= all / 2 ? best : NAN;
}

static double copied(const struct run_profile *p, enum copy_kind kind)
{
    for (size_t i = 0; i < p->copies.n; i++)
        if (p->copies.v[i].kind == kind)
            return (double)p->copies.v[i].total_bytes;
    return 0;
}

static bool same_bytes(const struct comparison *c)
{
    double a = copied(c->a, COPY_H2D) + copied(c->a, COPY_D2H),
           b = (copied(c->b, COPY_H2D) + copied(c->b, COPY_D2H)) / c->steps;
    return a >= LEAST_COPIED && fabs(a - b) <= COPIED_ALIKE * a;
}

bool compare_anchored(struct comparison *c)
{
    uint64_t a = iterations_of(c->a), b = iterations_of(c->b);
    double steps = anchor_steps(c);
    const char *by = NULL;
    if (isfinite(steps) && fabs(steps - c->steps) <= 0.01 * steps)
        by = "the ranges in them are the same";
    else if (a && b && c->steps == 1 && fabs((double)a - (double)b) <= REPEATED_ALIKE * (double)a)
        by = arena_printf(c->arena, "both repeat it %llu times", (unsigned long long)b);
    else if (same_bytes(c))
        by = "both copy as many bytes";
    if (!by)
        return false;
    compare_say(c,
                "other kernels (%.0f %% of A's kernel time is in kernels of B): taken as the same "
                "work, since %s",
                c->matched_pct, by);
    return true;
}
