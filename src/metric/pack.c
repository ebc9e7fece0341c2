#include "metric/pack.h"

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum { NOWHERE = -1 };

struct packing {
    const struct pack_counter *counters;
    size_t n, n_passes;
    int *pass_of; /* by counter */
    bool *copies; /* [counter x passes + pass]: counted there as well */
    struct arena *arena;
};

static bool in_pass(const struct packing *p, size_t counter, size_t pass)
{
    return p->pass_of[counter] == (int)pass ||
           (p->copies && p->copies[counter * p->n_passes + pass]);
}

static int used(const struct packing *p, size_t pass, const char *block)
{
    int slots = 0;
    for (size_t i = 0; i < p->n; i++)
        if (in_pass(p, i, pass) && str_eq(p->counters[i].block, block))
            slots += p->counters[i].slots;
    return slots;
}

static bool fits(const struct packing *p, size_t pass, size_t counter)
{
    const struct pack_counter *c = &p->counters[counter];
    return used(p, pass, c->block) + c->slots <= c->limit;
}

static bool possible(const struct pack_counter *c)
{
    return c->slots > 0 && c->slots <= c->limit;
}

size_t pack_least(const struct pack_counter *counters, size_t n)
{
    size_t most = 0;
    for (size_t i = 0; i < n; i++) {
        int slots = 0;
        if (!possible(&counters[i]))
            continue;
        for (size_t k = 0; k < n; k++)
            if (possible(&counters[k]) && str_eq(counters[k].block, counters[i].block))
                slots += counters[k].slots;
        size_t passes = (size_t)((slots + counters[i].limit - 1) / counters[i].limit);
        if (passes > most)
            most = passes;
    }
    return most;
}

/*
 * With one slot each, a block that is full in every pass would have more counters than the lower
 * bound allows: there is always room. Counters of several slots may leave holes: then one more.
 */
static void place(struct packing *p, size_t counter)
{
    size_t pass = 0;
    if (p->pass_of[counter] != NOWHERE || !possible(&p->counters[counter]))
        return;
    while (pass < p->n_passes && !fits(p, pass, counter))
        pass++;
    if (pass == p->n_passes)
        p->n_passes++;
    p->pass_of[counter] = (int)pass;
}

/* Puts what fits of a group into one pass; says how many of it are there then. */
static size_t put_together(struct packing *p, const struct pack_group *g, size_t pass)
{
    size_t there = 0;
    for (size_t i = 0; i < g->n; i++) {
        size_t c = g->v[i];
        if (p->pass_of[c] == NOWHERE && possible(&p->counters[c]) && fits(p, pass, c))
            p->pass_of[c] = (int)pass;
        there += p->pass_of[c] == (int)pass;
    }
    return there;
}

static size_t would_be(struct packing *p, const struct pack_group *g, size_t pass)
{
    int *before = arena_array(p->arena, int, g->n);
    for (size_t i = 0; i < g->n; i++)
        before[i] = p->pass_of[g->v[i]];
    size_t there = put_together(p, g, pass);
    for (size_t i = 0; i < g->n; i++)
        p->pass_of[g->v[i]] = before[i];
    return there;
}

static void place_group(struct packing *p, const struct pack_group *g)
{
    size_t best = 0, most = 0;
    for (size_t pass = 0; pass < p->n_passes; pass++) {
        size_t there = would_be(p, g, pass);
        if (there > most) {
            most = there;
            best = pass;
        }
    }
    if (most)
        put_together(p, g, best);
    for (size_t i = 0; i < g->n; i++)
        place(p, g->v[i]);
}

/* Counters of a divided group that a pass lacks; SIZE_MAX where there is no room for them. */
static size_t lacking(struct packing *p, const struct pack_group *g, size_t pass, bool put)
{
    size_t n = 0, at = 0;
    size_t *added = arena_array(p->arena, size_t, g->n + 1);
    for (; at < g->n; at++) {
        size_t c = g->v[at];
        if (in_pass(p, c, pass) || !possible(&p->counters[c]))
            continue;
        if (!fits(p, pass, c))
            break;
        p->copies[c * p->n_passes + pass] = true;
        added[n++] = c;
    }
    for (size_t i = 0; (at < g->n || !put) && i < n; i++)
        p->copies[added[i] * p->n_passes + pass] = false;
    return at < g->n ? SIZE_MAX : n;
}

/*
 * A group whose counters went to different passes is made whole where its missing ones fit as well:
 * to count the clock twice costs nothing, and a ratio within one run is worth more.
 */
static void complete(struct packing *p, const struct pack_group *g)
{
    size_t best = 0, least = SIZE_MAX;
    for (size_t pass = 0; pass < p->n_passes; pass++) {
        size_t n = lacking(p, g, pass, false);
        if (n < least) {
            least = n;
            best = pass;
        }
    }
    if (least != SIZE_MAX && least > 0)
        lacking(p, g, best, true);
}

static size_t largest_group(const struct pack_group *groups, size_t n)
{
    size_t most = 0;
    for (size_t i = 0; i < n; i++)
        most = groups[i].n > most ? groups[i].n : most;
    return most;
}

void pack(struct passes *out, const struct pack_counter *counters, size_t n,
          const struct pack_group *groups, size_t n_groups, struct arena *a)
{
    struct packing p = {.counters = counters, .n = n, .n_passes = pack_least(counters, n)};
    p.arena = a;
    p.pass_of = arena_array(a, int, n);
    for (size_t i = 0; i < n; i++)
        p.pass_of[i] = NOWHERE;
    for (int slots = 64; slots > 1; slots--) /* large ones first, while there are no holes */
        for (size_t i = 0; i < n; i++)
            if (counters[i].slots == slots)
                place(&p, i);
    for (size_t size = largest_group(groups, n_groups); size > 0; size--)
        for (size_t g = 0; g < n_groups; g++)
            if (groups[g].n == size)
                place_group(&p, &groups[g]);
    for (size_t i = 0; i < n; i++)
        place(&p, i);
    p.copies = arena_array(a, bool, n *p.n_passes + 1);
    for (size_t g = 0; g < n_groups; g++)
        complete(&p, &groups[g]);
    for (size_t pass = 0; pass < p.n_passes; pass++) {
        struct pass made = {0};
        for (size_t i = 0; i < n; i++)
            if (in_pass(&p, i, pass))
                vec_push(&made.counters, a, counters[i].name);
        if (made.counters.n)
            vec_push(out, a, made);
    }
}
