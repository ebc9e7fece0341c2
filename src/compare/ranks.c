/* Ranks of two jobs side by side, by their numbers. */
#include <math.h>

#include "base/hash.h"
#include "base/human.h"
#include "compare/compare_in.h"

/* Of ranks with the same number the first counts. */
static void index_ranks(struct idmap *by_rank, const struct run_profile *p, struct arena *arena)
{
    idmap_init(by_rank, arena);
    for (size_t i = p->ranks.n; i-- > 0;)
        idmap_put(by_rank, (uint32_t)p->ranks.v[i].rank, (uint32_t)i);
}

static const struct profile_rank *find(const struct run_profile *p, const struct idmap *by_rank,
                                       int32_t rank)
{
    uint32_t i = idmap_get(by_rank, (uint32_t)rank);
    return i == NO_INDEX ? NULL : &p->ranks.v[i];
}

/* What the rank does longer or shorter than before, most of all; waiting is in MPI or collectives.
 */
static const char *mover(const struct compare_rank *r)
{
    const struct {
        const char *what;
        int64_t ns;
    } parts[] = {{"compute", r->compute_change_ns},
                 {"copies", r->copy_change_ns},
                 {"collectives", r->comm_change_ns},
                 {"MPI", r->mpi_change_ns},
                 {"host", r->host_change_ns}};
    size_t most = 0;
    for (size_t i = 1; i < ARRAY_LEN(parts); i++)
        if (fabs((double)parts[i].ns) > fabs((double)parts[most].ns))
            most = i;
    return parts[most].ns ? parts[most].what : NULL;
}

static void add_rank(struct comparison *c, int32_t rank, const struct profile_rank *a,
                     const struct profile_rank *b)
{
    static const struct profile_rank none;
    struct compare_rank r = {.rank = rank,
                             .host_a = a ? a->host : NULL,
                             .host_b = b ? b->host : NULL,
                             .window_a_ns = a ? (double)a->window_ns : NAN,
                             .window_b_ns = b ? (double)b->window_ns : NAN,
                             .change_pct = NAN};
    const struct profile_rank *x = a ? a : &none, *y = b ? b : &none;
    double steps = c->steps > 0 ? c->steps : 1;
#define CHANGE(member) ns_from((double)y->member / steps - (double)x->member)
    r.change_ns = CHANGE(window_ns);
    r.compute_change_ns = CHANGE(compute_ns);
    r.copy_change_ns = CHANGE(copy_ns);
    r.comm_change_ns = CHANGE(comm_ns);
    r.mpi_change_ns = CHANGE(mpi_ns);
    r.host_change_ns = CHANGE(host_ns);
    r.idle_change_ns = CHANGE(gpu_idle_ns);
    r.wait_change_ns = CHANGE(wait_ns);
#undef CHANGE
    if (a && b) {
        r.mostly = mover(&r);
        if (a->window_ns > 0)
            r.change_pct = 100 * (double)r.change_ns / (double)a->window_ns;
    }
    vec_push(&c->ranks, c->arena, r);
}

/* Below this share of the windows waiting changes from run to run. */
#define LEAST_WAIT 0.02

/*
 * What one rank computes longer all others wait: the job slows down by more than its GPUs compute.
 */
static void note_waiting(struct comparison *c)
{
    double wait = 0, window = 0, longest_a = 0, longest_b = 0, steps = c->steps > 0 ? c->steps : 1;
    char text[HUMAN_MAX];
    if (c->a->ranks.n < 2 || c->b->ranks.n < 2)
        return;
    for (size_t i = 0; i < c->a->ranks.n; i++) {
        wait -= (double)c->a->ranks.v[i].wait_ns;
        window += (double)c->a->ranks.v[i].window_ns;
        longest_a = fmax(longest_a, (double)c->a->ranks.v[i].window_ns);
    }
    for (size_t i = 0; i < c->b->ranks.n; i++) {
        wait += (double)c->b->ranks.v[i].wait_ns / steps;
        longest_b = fmax(longest_b, (double)c->b->ranks.v[i].window_ns / steps);
    }
    if (fabs(wait) < LEAST_WAIT * window || !(longest_a > 0))
        return;
    compare_note(c,
                 "the ranks wait %s %s for one another: the window of the job changes by %+.1f %%",
                 human_time(text, ns_from(fabs(wait))), wait > 0 ? "longer" : "less",
                 100 * (longest_b / longest_a - 1));
}

void compare_ranks(struct comparison *c)
{
    struct idmap of_a, of_b;
    index_ranks(&of_a, c->a, c->arena);
    index_ranks(&of_b, c->b, c->arena);
    for (size_t i = 0; i < c->a->ranks.n; i++) {
        const struct profile_rank *a = &c->a->ranks.v[i];
        add_rank(c, a->rank, a, find(c->b, &of_b, a->rank));
    }
    for (size_t i = 0; i < c->b->ranks.n; i++)
        if (!find(c->a, &of_a, c->b->ranks.v[i].rank))
            add_rank(c, c->b->ranks.v[i].rank, NULL, &c->b->ranks.v[i]);
    if (c->a->ranks.n != c->b->ranks.n && c->a->ranks.n && c->b->ranks.n)
        vec_push(
            &c->notes, c->arena,
            arena_printf(c->arena, "A ran on %zu ranks, B on %zu", c->a->ranks.n, c->b->ranks.n));
    note_waiting(c);
}
