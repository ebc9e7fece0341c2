/*
 * Which kernels to look at in depth, and which of their calls: the hottest ones, past warm-up.
 */
#include <math.h>

#include "base/str.h"
#include "plan/plan_in.h"
#include "plan/quote.h"

enum {
    KERNELS_MOST = 3,
    STEADY_ITERATIONS = 3, /* of the program, that are enough to see a steady state */
    MANY_CALLS = 20,       /* more than that need no look at each */
    CALLS_WANTED = 10,
    CALLS_MOST = 1000,
    REPLAYS_MOST = 30, /* calls that Nsight Compute is to replay */
};
#define ENOUGH_PCT 80.0 /* of the kernel time */
#define LEAST_PCT 5.0

/* Calls per repetition of the program's step; 0: no steps were found. */
static uint64_t per_iteration(const struct analysis *an, const struct hotspot *h)
{
    uint64_t n = an->iterations.count;
    return n > 1 ? (h->calls + n - 1) / n : 0;
}

struct choice {
    const struct hotspot *v[KERNELS_MOST];
    size_t n;
};

/* Names of kernels as rocprofv3 writes them: it can be asked for template arguments. */
static bool names_are_amd(const struct trace *t)
{
    return t->files.n && trace_by_rocprofv3(&t->files.v[0]);
}

static bool add_piece(struct kernel_filter *f, const char *piece, struct arena *a)
{
    for (size_t i = 0; i < f->pieces.n; i++)
        if (str_eq(f->pieces.v[i], piece))
            return false;
    vec_push(&f->pieces, a, piece);
    return true;
}

/* a, or (a|b). */
static const char *alternatives(const struct words *w, struct arena *a)
{
    struct str s;
    str_init(&s, a);
    for (size_t i = 0; i < w->n; i++)
        str_printf(&s, "%s%s", i ? "|" : "", w->v[i]);
    return w->n == 1 ? s.buf : arena_printf(a, "(%s)", s.buf);
}

static void name_kernels(struct planner *pl, const struct choice *c)
{
    struct kernel_filter *f = &pl->filter;
    bool amd = pl->p->vendor != VENDOR_NVIDIA;
    struct words found = {0};
    for (size_t i = 0; i < c->n; i++) {
        const char *piece = kernel_identifier(pl->arena, c->v[i]->name);
        const char *regex =
            amd ? kernel_regex(pl->arena, c->v[i]->name, names_are_amd(pl->t)) : piece;
        if (!*regex || !*piece) {
            f->unnamed++;
            continue;
        }
        size_t before = 0;
        while (before < found.n && !str_eq(found.v[before], regex))
            before++;
        if (before == found.n)
            vec_push(&found, pl->arena, regex);
        add_piece(f, piece, pl->arena);
    }
    if (found.n)
        f->regex = alternatives(&found, pl->arena);
}

/* Calls first..last of each kernel; those before are warm-up. */
static void choose_calls(struct planner *pl, const struct choice *c)
{
    struct kernel_filter *f = &pl->filter;
    const struct iteration_stats *it = &pl->an->iterations;
    uint64_t most_per = 0, least_calls = UINT64_MAX, most_calls = 0, sum_per = 0;
    for (size_t i = 0; i < c->n; i++) {
        uint64_t per = per_iteration(pl->an, c->v[i]), calls = c->v[i]->calls;
        most_per = per > most_per ? per : most_per;
        sum_per += per;
        least_calls = calls < least_calls ? calls : least_calls;
        most_calls = calls > most_calls ? calls : most_calls;
    }
    if (most_calls <= MANY_CALLS)
        return;
    uint64_t skip = most_per ? it->warmup * most_per : 1;
    uint64_t wanted = most_per ? STEADY_ITERATIONS * most_per : CALLS_WANTED;
    if (wanted > CALLS_MOST)
        wanted = CALLS_MOST;
    if (skip + 1 >= least_calls)
        skip = 0; /* a kernel that is called less often must still be met */
    f->first = skip + 1;
    f->last = skip + wanted;
    f->skip = most_per ? it->warmup * sum_per : c->n;
    f->count = most_per ? STEADY_ITERATIONS * sum_per : CALLS_WANTED * c->n;
    if (f->count > REPLAYS_MOST)
        f->count = REPLAYS_MOST;
}

static void count_calls(struct kernel_filter *f, const struct choice *c)
{
    for (size_t i = 0; i < c->n; i++) {
        uint64_t calls = c->v[i]->calls, last = f->last && f->last < calls ? f->last : calls;
        uint64_t first = f->first ? f->first : 1;
        f->calls += last >= first ? last - first + 1 : 0;
        f->share_pct += c->v[i]->pct_of_total;
    }
}

static void choose_kernels(struct choice *c, const struct analysis *an)
{
    double share = 0;
    for (size_t i = 0; i < an->hotspots.n && c->n < KERNELS_MOST; i++) {
        const struct hotspot *h = &an->hotspots.v[i];
        if (c->n && (share >= ENOUGH_PCT || h->pct_of_total < LEAST_PCT))
            return;
        c->v[c->n++] = h;
        share += h->pct_of_total;
    }
}

void plan_find_filter(struct planner *pl)
{
    struct choice c = {0};
    const char *given = pl->q->kernel;
    if (given && *given) {
        /* A value that starts with a dash would be read as an option. */
        pl->filter.regex = *given == '-' ? arena_printf(pl->arena, "[-]%s", given + 1)
                                         : arena_strdup(pl->arena, given);
        vec_push(&pl->filter.pieces, pl->arena, pl->filter.regex);
        return;
    }
    if (!pl->an || !pl->an->hotspots.n)
        return;
    choose_kernels(&c, pl->an);
    name_kernels(pl, &c);
    if (!pl->filter.regex)
        return;
    choose_calls(pl, &c);
    count_calls(&pl->filter, &c);
}
