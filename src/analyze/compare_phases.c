/* Phases of both runs side by side: paired in order, by name and by the kernels in them. */
#include <math.h>
#include <string.h>

#include "analyze/compare_in.h"
#include "base/str.h"

#define LEAST_ALIKE 0.35 /* less alike phases are no pair */
#define ALONE 0.15       /* of its length: what a phase without a partner costs */
#define ALONE_PIECE 0.9  /* the same when its neighbour has the same name */
#define MOST_OF_IT 0.8   /* of a change is in one phase: it is named */

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

static bool same_name(const char *a, const char *b)
{
    size_t n = bare_length(a);
    return n == bare_length(b) && !strncmp(a, b, n);
}

enum { MOST = PROFILE_PHASES, TOGETHER = 4, MIXED = TOGETHER * PROFILE_SHARES };

/*
 * One phase, or up to TOGETHER neighbours taken as one: noise may divide one run where it does not
 * divide the other. Kernels are known by their row in the comparison, so renamed ones are the same.
 */
struct group {
    struct profile_phase sum;
    size_t first, count;
    size_t kernel[MIXED];
    double ns[MIXED], all_ns;
    size_t n;
};

static size_t row_of(const struct comparison *c, const char *name, bool in_b)
{
    for (size_t i = 0; i < c->kernels.n; i++) {
        const struct profile_kernel *k = in_b ? c->kernels.v[i].b : c->kernels.v[i].a;
        if (k && str_eq(k->name, name))
            return i;
    }
    return SIZE_MAX;
}

static void add_kernels(struct comparison *c, struct group *g, const struct profile_phase *p,
                        bool in_b)
{
    for (size_t i = 0; i < p->shares.n && g->n < MIXED; i++) {
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

static void add_phase(struct comparison *c, struct group *g, const struct profile_phase *p,
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
static struct group *groups_of(struct comparison *c, const struct run_profile *p, size_t n)
{
    struct group *all = arena_array(c->arena, struct group, n * TOGETHER);
    for (size_t i = 0; i < n; i++)
        for (size_t len = 1; len <= TOGETHER && i + len <= n; len++) {
            struct group *g = &all[i * TOGETHER + len - 1];
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
static double common_share(const struct group *a, const struct group *b)
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
static double factor_of(const struct comparison *c, const struct profile_phase *a,
                        const struct profile_phase *b)
{
    double x = (double)a->kernels, y = (double)b->kernels / c->steps;
    return c->steps != 1 && x > 0 && fabs(y - x) <= 0.05 * x + 1 ? c->steps : 1;
}

/* How alike, 0 to 1: name, kernels, and length. Less than LEAST_ALIKE: no pair. */
static double alike(const struct comparison *c, const struct group *a, const struct group *b)
{
    double common = common_share(a, b), named = same_name(a->sum.name, b->sum.name) ? 1 : 0;
    double long_a = (double)a->sum.duration_ns,
           long_b = (double)b->sum.duration_ns / factor_of(c, &a->sum, &b->sum);
    double size = more_of(long_a, long_b) > 0 ? fmin(long_a, long_b) / more_of(long_a, long_b) : 1;
    double score = isnan(common) ? 0.7 * named + 0.1 * str_eq(a->sum.named_by, b->sum.named_by)
                                 : 0.4 * named + 0.4 * common;
    return score > 0 ? score + 0.2 * size : 0;
}

/* What a pair is worth: the time it explains. Neighbours are taken together only for a gain. */
static double worth(const struct comparison *c, const struct group *a, const struct group *b)
{
    double score = alike(c, a, b);
    double ns = fmin((double)a->sum.duration_ns,
                     (double)b->sum.duration_ns / factor_of(c, &a->sum, &b->sum));
    if (score < LEAST_ALIKE)
        return 0;
    return (ns + 1) * score * (1 - 0.01 * (double)(a->count + b->count - 2));
}

static void find_mover(struct compare_phase *p)
{
    double most = 0;
    if ((p->a && !p->a->has_causes) || (p->b && !p->b->has_causes))
        return;
    for (enum cause k = 0; k < CAUSES; k++) {
        double change = (p->b ? (double)p->b->cause_ns[k] / p->factor : 0) -
                        (p->a ? (double)p->a->cause_ns[k] : 0);
        if (fabs(change) <= fabs(most))
            continue;
        most = change;
        p->cause = cause_info(k)->label;
        p->cause_change_ns = ns_from(change);
    }
}

static int64_t change_of(const struct compare_phase *p, int64_t a, int64_t b)
{
    return ns_from((double)b / p->factor - (double)a);
}

static const char *match_of(const struct group *a, const struct group *b)
{
    return !a                                    ? "new"
           : !b                                  ? "gone"
           : same_name(a->sum.name, b->sum.name) ? "name"
           : common_share(a, b) >= LEAST_ALIKE   ? "kernels"
                                                 : "order";
}

static const char *title_of(const struct comparison *c, const struct compare_phase *p)
{
    if (!p->a || !p->b)
        return arena_printf(c->arena, "%s (%s)", p->name, p->match);
    const char *title = same_name(p->name, p->name_b)
                            ? p->name
                            : arena_printf(c->arena, "%s → %s", p->name, p->name_b);
    if (p->joined_a > 1 && p->joined_b > 1)
        return arena_printf(c->arena, "%s (%u of A, %u of B)", title, p->joined_a, p->joined_b);
    if (p->joined_a > 1)
        return arena_printf(c->arena, "%s (%u of A)", title, p->joined_a);
    if (p->joined_b > 1)
        return arena_printf(c->arena, "%s (%u of B)", title, p->joined_b);
    return title;
}

static void add_pair(struct comparison *c, const struct group *a, const struct group *b)
{
    static const struct profile_phase none = {.name = ""};
    const struct profile_phase *x = a ? &a->sum : &none, *y = b ? &b->sum : &none;
    struct compare_phase p = {.a = a ? x : NULL, .b = b ? y : NULL, .factor = 1};
    if (a && b)
        p.factor = factor_of(c, x, y);
    p.phase_a = a ? (int32_t)a->first + 1 : -1;
    p.phase_b = b ? (int32_t)b->first + 1 : -1;
    p.joined_a = a ? (uint32_t)a->count : 0;
    p.joined_b = b ? (uint32_t)b->count : 0;
    p.name = a ? x->name : y->name;
    p.name_b = b ? y->name : NULL;
    p.match = match_of(a, b);
    p.title = title_of(c, &p);
    p.duration_a_ns = a ? (double)x->duration_ns : NAN;
    p.duration_b_ns = b ? (double)y->duration_ns : NAN;
    p.change_ns = change_of(&p, x->duration_ns, y->duration_ns);
    p.change_pct = x->duration_ns > 0 ? 100 * (double)p.change_ns / (double)x->duration_ns : NAN;
    p.compute_change_ns = change_of(&p, x->compute_ns, y->compute_ns);
    p.exposed_change_ns = change_of(&p, x->exposed_ns, y->exposed_ns);
    p.idle_change_ns = change_of(&p, x->idle_ns, y->idle_ns);
    p.iterations_a = x->iterations;
    p.iterations_b = y->iterations;
    p.iteration_a_ns = x->iterations ? (double)x->iteration_ns : NAN;
    p.iteration_b_ns = y->iterations ? (double)y->iteration_ns : NAN;
    find_mover(&p);
    vec_push(&c->phases, c->arena, p);
}

struct choice {
    double worth; /* from here to the end */
    size_t a, b;  /* phases taken together on each side; 0: left alone */
};

struct pairing {
    struct comparison *c;
    size_t n, m; /* phases of A and B */
    const struct group *a, *b;
    struct choice best[MOST + 1][MOST + 1];
};

/* What it costs to leave a phase alone: more where it is a piece of its neighbour. */
static double alone(const struct run_profile *p, size_t n, size_t i)
{
    const struct profile_phase *v = p->phases.v;
    bool piece = (i && same_name(v[i].name, v[i - 1].name)) ||
                 (i + 1 < n && same_name(v[i].name, v[i + 1].name));
    return (piece ? ALONE_PIECE : ALONE) * (double)v[i].duration_ns;
}

/* From phase i of A and k of B on: the best of pairs and phases left alone. */
static struct choice best_from(const struct pairing *p, size_t i, size_t k)
{
    struct choice best = {p->best[i + 1][k].worth - alone(p->c->a, p->n, i), 1, 0};
    double other = p->best[i][k + 1].worth - alone(p->c->b, p->m, k);
    if (other > best.worth)
        best = (struct choice){other, 0, 1};
    for (size_t x = 1; x <= TOGETHER && i + x <= p->n; x++)
        for (size_t y = 1; y <= TOGETHER && k + y <= p->m; y++) {
            double pair = worth(p->c, &p->a[i * TOGETHER + x - 1], &p->b[k * TOGETHER + y - 1]);
            if (pair > 0 && pair + p->best[i + x][k + y].worth > best.worth)
                best = (struct choice){pair + p->best[i + x][k + y].worth, x, y};
        }
    return best;
}

/* The pairs in order that explain most; what is left over stands where it ran. */
static void pair_up(struct comparison *c)
{
    struct pairing *p = arena_new(c->arena, struct pairing);
    p->c = c;
    p->n = c->a->phases.n < MOST ? c->a->phases.n : MOST;
    p->m = c->b->phases.n < MOST ? c->b->phases.n : MOST;
    p->a = groups_of(c, c->a, p->n);
    p->b = groups_of(c, c->b, p->m);
    if (p->n == 1 && p->m == 1) {
        add_pair(c, p->a, p->b); /* nothing else could be meant */
        return;
    }
    for (size_t i = p->n; i-- > 0;)
        p->best[i][p->m].worth = p->best[i + 1][p->m].worth - alone(c->a, p->n, i);
    for (size_t k = p->m; k-- > 0;)
        p->best[p->n][k].worth = p->best[p->n][k + 1].worth - alone(c->b, p->m, k);
    for (size_t i = p->n; i-- > 0;)
        for (size_t k = p->m; k-- > 0;)
            p->best[i][k] = best_from(p, i, k);
    for (size_t i = 0, k = 0; i < p->n || k < p->m;) {
        struct choice next = {0, i < p->n, i >= p->n};
        if (i < p->n && k < p->m)
            next = p->best[i][k];
        add_pair(c, next.a ? &p->a[i * TOGETHER + next.a - 1] : NULL,
                 next.b ? &p->b[k * TOGETHER + next.b - 1] : NULL);
        i += next.a;
        k += next.b;
    }
}

/* ---- the phase of a cause ---- */

/* The phase that holds nearly all of a kernel; NULL where it is in several, or not known. */
static const char *phase_of_kernel(const struct run_profile *p, const struct profile_kernel *k)
{
    double most = 0, all = 0;
    const char *name = NULL;
    for (size_t i = 0; i < p->phases.n; i++)
        for (size_t s = 0; s < p->phases.v[i].shares.n; s++) {
            double ns = (double)p->phases.v[i].shares.v[s].ns;
            if (!str_eq(p->phases.v[i].shares.v[s].name, k->name))
                continue;
            all += ns;
            name = ns > most ? p->phases.v[i].name : name;
            most = more_of(most, ns);
        }
    bool seen = all >= MOST_OF_IT * (double)k->total_duration_ns;
    return seen && most >= MOST_OF_IT * all ? name : NULL;
}

static const char *phase_of_ledger(const struct comparison *c, const struct compare_cause *cause)
{
    double most = 0;
    const char *name = NULL;
    for (size_t i = 0; i < c->phases.n; i++) {
        const struct compare_phase *p = &c->phases.v[i];
        if ((p->a && !p->a->has_causes) || (p->b && !p->b->has_causes))
            return NULL;
        double change = (p->b ? (double)p->b->cause_ns[cause->ledger] / p->factor : 0) -
                        (p->a ? (double)p->a->cause_ns[cause->ledger] : 0);
        if (change * (double)cause->change_ns <= 0 || fabs(change) <= most)
            continue;
        most = fabs(change);
        name = p->name;
    }
    return most >= MOST_OF_IT * fabs((double)cause->change_ns) ? name : NULL;
}

void compare_phases(struct comparison *c)
{
    pair_up(c);
    if (c->a->phases.n < 2 || c->b->phases.n < 2)
        return;
    for (size_t i = 0; i < c->causes.n; i++) {
        struct compare_cause *k = &c->causes.v[i];
        if (k->kernel && k->kernel->a)
            k->phase = phase_of_kernel(c->a, k->kernel->a);
        else if (k->kernel && k->kernel->b)
            k->phase = phase_of_kernel(c->b, k->kernel->b);
        else if (k->ledger >= 0)
            k->phase = phase_of_ledger(c, k);
    }
}
