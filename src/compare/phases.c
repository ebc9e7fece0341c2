/* Phases of both runs side by side: paired in order, by name and by the kernels in them. */
#include <math.h>

#include "base/str.h"
#include "compare/compare_in.h"
#include "compare/phase_groups.h"

#define ALONE 0.15      /* of its length: what a phase without a partner costs */
#define ALONE_PIECE 0.9 /* the same when its neighbour has the same name */
#define MOST_OF_IT 0.8  /* of a change is in one phase: it is named */

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

static const char *match_of(const struct phase_group *a, const struct phase_group *b)
{
    return !a                                              ? "new"
           : !b                                            ? "gone"
           : phase_same_name(a->sum.name, b->sum.name)     ? "name"
           : phase_common_share(a, b) >= PHASE_LEAST_ALIKE ? "kernels"
                                                           : "order";
}

static const char *title_of(const struct comparison *c, const struct compare_phase *p)
{
    if (!p->a || !p->b)
        return arena_printf(c->arena, "%s (%s)", p->name, p->match);
    const char *title = phase_same_name(p->name, p->name_b)
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

static void add_pair(struct comparison *c, const struct phase_group *a, const struct phase_group *b)
{
    static const struct profile_phase none = {.name = ""};
    const struct profile_phase *x = a ? &a->sum : &none, *y = b ? &b->sum : &none;
    struct compare_phase p = {.a = a ? x : NULL, .b = b ? y : NULL, .factor = 1};
    if (a && b)
        p.factor = phase_factor(c, x, y);
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
    const struct phase_group *a, *b;
    struct choice best[PROFILE_PHASES + 1][PROFILE_PHASES + 1];
};

/* What it costs to leave a phase alone: more where it is a piece of its neighbour. */
static double alone(const struct run_profile *p, size_t n, size_t i)
{
    const struct profile_phase *v = p->phases.v;
    bool piece = (i && phase_same_name(v[i].name, v[i - 1].name)) ||
                 (i + 1 < n && phase_same_name(v[i].name, v[i + 1].name));
    return (piece ? ALONE_PIECE : ALONE) * (double)v[i].duration_ns;
}

/* From phase i of A and k of B on: the best of pairs and phases left alone. */
static struct choice best_from(const struct pairing *p, size_t i, size_t k)
{
    struct choice best = {p->best[i + 1][k].worth - alone(p->c->a, p->n, i), 1, 0};
    double other = p->best[i][k + 1].worth - alone(p->c->b, p->m, k);
    if (other > best.worth)
        best = (struct choice){other, 0, 1};
    for (size_t x = 1; x <= PHASES_TOGETHER && i + x <= p->n; x++)
        for (size_t y = 1; y <= PHASES_TOGETHER && k + y <= p->m; y++) {
            double pair = phase_worth(p->c, &p->a[i * PHASES_TOGETHER + x - 1],
                                      &p->b[k * PHASES_TOGETHER + y - 1]);
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
    p->n = c->a->phases.n < PROFILE_PHASES ? c->a->phases.n : PROFILE_PHASES;
    p->m = c->b->phases.n < PROFILE_PHASES ? c->b->phases.n : PROFILE_PHASES;
    p->a = phase_groups(c, c->a, p->n);
    p->b = phase_groups(c, c->b, p->m);
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
        add_pair(c, next.a ? &p->a[i * PHASES_TOGETHER + next.a - 1] : NULL,
                 next.b ? &p->b[k * PHASES_TOGETHER + next.b - 1] : NULL);
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
