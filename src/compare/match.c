/* Which kernel of B is which kernel of A. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "compare/compare_in.h"

enum {
    MAX_LEFT = 400,   /* kernels without a partner that are looked at, most time first */
    SIMILAR_PCT = 60, /* of the words */
    COMMON_PCT = 90,  /* of the time must agree on another number of steps */
};

#define SLICES_ALIKE 0.03 /* captures of one length differ by less */

struct pairing {
    struct comparison *c;
    struct arena *arena;
    bool *used_a, *used_b;
};

static void pair(struct pairing *p, size_t a, size_t b, enum compare_match how)
{
    const struct profile_kernel *x = &p->c->a->kernels.v[a], *y = &p->c->b->kernels.v[b];
    struct compare_kernel row = {
        .name = x->name, .name_b = y->name, .role = x->category, .how = how, .a = x, .b = y};
    p->used_a[a] = p->used_b[b] = true;
    vec_push(&p->c->kernels, p->c->arena, row);
}

static void match_texts(struct pairing *p, enum compare_match how)
{
    const struct run_profile *a = p->c->a, *b = p->c->b;
    struct idmap of_text;
    idmap_init(&of_text, p->arena);
    for (size_t i = b->kernels.n; i-- > 0;) { /* the one with most time stays */
        const char *s = how == MATCH_NAME ? b->kernels.v[i].name : b->kernels.v[i].short_name;
        if (!p->used_b[i] && s)
            idmap_put(&of_text, hash_bytes(s, strlen(s)), (uint32_t)i);
    }
    for (size_t i = 0; i < a->kernels.n; i++) {
        const char *s = how == MATCH_NAME ? a->kernels.v[i].name : a->kernels.v[i].short_name;
        if (p->used_a[i] || !s)
            continue;
        uint32_t j = idmap_get(&of_text, hash_bytes(s, strlen(s)));
        if (j == NO_INDEX || p->used_b[j] ||
            !str_eq(s, how == MATCH_NAME ? b->kernels.v[j].name : b->kernels.v[j].short_name))
            continue;
        pair(p, i, j, how);
    }
}

static bool about(double x, double y)
{
    return fabs(x - y) <= more_of(0.01 * more_of(x, y), 1);
}

static double weight_up_to(const struct comparison *c, double ratio)
{
    double sum = 0;
    for (size_t i = 0; i < c->kernels.n; i++) {
        const struct compare_kernel *k = &c->kernels.v[i];
        if ((double)k->b->calls / (double)k->a->calls <= ratio)
            sum += (double)k->a->total_duration_ns;
    }
    return sum;
}

/*
 * Two captures of the same length cut steps in pieces, so that their kernels agree on the number of
 * steps only roughly: the middle of what they say is taken, where nearly all are near it.
 */
static void equal_slices(struct comparison *c, double paired)
{
    double a = profile_wall_ns(c->a), b = profile_wall_ns(c->b), near = 0, ratio = INFINITY;
    if (fabs(a - b) > SLICES_ALIKE * a)
        return;
    for (size_t i = 0; i < c->kernels.n && i < 64; i++) {
        const struct compare_kernel *k = &c->kernels.v[i];
        double r = (double)k->b->calls / (double)k->a->calls;
        if (r < ratio && weight_up_to(c, r) >= paired / 2)
            ratio = r; /* the smallest that half of the time does not exceed */
    }
    for (size_t i = 0; i < c->kernels.n; i++) {
        const struct compare_kernel *k = &c->kernels.v[i];
        double r = (double)k->b->calls / (double)k->a->calls,
               cut = 2 / fmin((double)k->a->calls, (double)k->b->calls);
        if (fabs(r / ratio - 1) <= more_of(0.02, cut))
            near += (double)k->a->total_duration_ns;
    }
    if (near * 100 >= paired * COMMON_PCT && fabs(ratio - 1) > 0.01)
        c->steps = ratio;
}

/* B's calls of a kernel for one of A's; 1 where fewer, larger calls (or more, smaller ones) do as
 * much in all. */
static double calls_ratio(const struct compare_kernel *k)
{
    double ratio = (double)k->b->calls / (double)k->a->calls;
    return same_items(k) ? 1 : ratio;
}

/* How many steps B ran for each of A's: agreed on by nearly all of the time, or 1. */
static void find_steps(struct comparison *c)
{
    double best = 1, most = 0, all = 0, paired = 0;
    for (size_t i = 0; i < c->a->kernels.n; i++)
        all += (double)c->a->kernels.v[i].total_duration_ns;
    for (size_t i = 0; i < c->kernels.n; i++)
        paired += (double)c->kernels.v[i].a->total_duration_ns;
    if (paired < all / 2) {
        double steps = anchor_steps(c);
        c->steps = isfinite(steps) && fabs(steps - 1) > 0.01 ? steps : 1;
        return;
    }
    for (size_t i = 0; i < c->kernels.n && i < 64; i++) {
        const struct compare_kernel *k = &c->kernels.v[i];
        double ratio = calls_ratio(k), share = 0;
        for (size_t j = 0; j < c->kernels.n; j++) {
            const struct compare_kernel *other = &c->kernels.v[j];
            if (about((double)other->a->calls * ratio,
                      (double)other->a->calls * calls_ratio(other)))
                share += (double)other->a->total_duration_ns;
        }
        if (share > most) {
            most = share;
            best = ratio;
        }
    }
    if (most * 100 >= paired * COMMON_PCT && fabs(best - 1) > 0.01)
        c->steps = best;
    else if (most * 100 < paired * COMMON_PCT)
        equal_slices(c, paired);
}

struct candidate {
    double score;
    uint32_t a, b;
};

static int by_score(const void *left, const void *right)
{
    const struct candidate *x = left, *y = right;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return x->a != y->a ? (x->a < y->a ? -1 : 1) : x->b < y->b ? -1 : x->b > y->b;
}

typedef VEC(uint32_t) rows;

static void left_over(struct pairing *p, const struct run_profile *r, const bool *used, rows *out)
{
    for (size_t i = 0; i < r->kernels.n && out->n < MAX_LEFT; i++)
        if (!used[i])
            vec_push(out, p->arena, (uint32_t)i);
}

static struct words *words_of(struct pairing *p, const struct run_profile *r, const rows *left)
{
    struct words *w = arena_array(p->arena, struct words, left->n);
    for (size_t i = 0; i < left->n; i++) {
        const char *name = r->kernels.v[left->v[i]].name;
        split_words(&w[i], str_starts(name, "void ") ? name + 5 : name);
    }
    return w;
}

/* Alike in name, of one class, run about as often: the most alike first. */
static void match_similar(struct pairing *p)
{
    const struct run_profile *a = p->c->a, *b = p->c->b;
    rows left_a = {0}, left_b = {0};
    VEC(struct candidate) list = {0};
    left_over(p, a, p->used_a, &left_a);
    left_over(p, b, p->used_b, &left_b);
    struct words *wa = words_of(p, a, &left_a), *wb = words_of(p, b, &left_b);
    for (size_t i = 0; i < left_a.n; i++)
        for (size_t j = 0; j < left_b.n; j++) {
            const struct profile_kernel *x = &a->kernels.v[left_a.v[i]];
            const struct profile_kernel *y = &b->kernels.v[left_b.v[j]];
            double alike = words_alike(&wa[i], &wb[j]);
            double calls = (double)y->calls / p->c->steps / (double)x->calls;
            calls = calls > 1 ? 1 / calls : calls;
            if (alike * 100 < SIMILAR_PCT || x->class != y->class || calls < 0.5)
                continue;
            struct candidate one = {alike + 0.2 * calls, left_a.v[i], left_b.v[j]};
            vec_push(&list, p->arena, one);
        }
    if (list.n)
        qsort(list.v, list.n, sizeof(*list.v), by_score);
    for (size_t i = 0; i < list.n; i++)
        if (!p->used_a[list.v[i].a] && !p->used_b[list.v[i].b])
            pair(p, list.v[i].a, list.v[i].b, MATCH_SIMILAR);
}

/* The largest that is left on both sides, when it is large and runs exactly as often. */
static void match_replaced(struct pairing *p)
{
    const struct run_profile *a = p->c->a, *b = p->c->b;
    size_t i = 0, j = 0;
    while (i < a->kernels.n && p->used_a[i])
        i++;
    while (j < b->kernels.n && p->used_b[j])
        j++;
    if (i == a->kernels.n || j == b->kernels.n)
        return;
    const struct profile_kernel *x = &a->kernels.v[i], *y = &b->kernels.v[j];
    if (x->calls < 2 || x->calls != y->calls || x->class != y->class ||
        (double)x->total_duration_ns < 0.2 * (double)a->breakdown.kernel_sum_ns ||
        (double)y->total_duration_ns < 0.2 * (double)b->breakdown.kernel_sum_ns)
        return;
    pair(p, i, j, MATCH_CALLS);
    compare_note(p->c, "'%s' is taken to replace '%s': both ran %llu times", y->short_name,
                 x->short_name, (unsigned long long)x->calls);
}

/* ---- what is left ---- */

static struct compare_kernel *role_row(struct comparison *c, enum kernel_role role)
{
    for (size_t i = 0; i < c->kernels.n; i++)
        if (c->kernels.v[i].how == MATCH_ROLE && c->kernels.v[i].role == role)
            return &c->kernels.v[i];
    const char *name = arena_printf(c->arena, "%s kernels", kernel_role_labels[role]);
    struct compare_kernel row = {.name = name, .name_b = name, .role = role, .how = MATCH_ROLE};
    vec_push(&c->kernels, c->arena, row);
    return &c->kernels.v[c->kernels.n - 1];
}

static bool role_left(const struct run_profile *r, const bool *used, enum kernel_role role)
{
    for (size_t i = 0; i < r->kernels.n; i++)
        if (!used[i] && r->kernels.v[i].category == role)
            return true;
    return false;
}

static void put_rest(struct pairing *p, const struct run_profile *r, const bool *used,
                     const struct run_profile *other, const bool *used_other, bool is_a)
{
    struct comparison *c = p->c;
    for (size_t i = 0; i < r->kernels.n; i++) {
        const struct profile_kernel *k = &r->kernels.v[i];
        if (used[i])
            continue;
        bool shared = c->cross_vendor ||
                      (k->category != ROLE_OTHER && role_left(other, used_other, k->category));
        if (!shared) {
            struct compare_kernel row = {.name = is_a ? k->name : NULL,
                                         .name_b = is_a ? NULL : k->name,
                                         .role = k->category,
                                         .how = is_a ? MATCH_GONE : MATCH_NEW,
                                         .a = is_a ? k : NULL,
                                         .b = is_a ? NULL : k};
            vec_push(&c->kernels, c->arena, row);
            continue;
        }
        struct compare_kernel *row = role_row(c, k->category);
        double squares = (double)k->calls * k->std_dev_ns * k->std_dev_ns;
        row->noise_pct += squares; /* holds the variance until compare_kernels() */
        *(is_a ? &row->calls_a : &row->calls_b) += k->calls;
        int64_t *total_ns = is_a ? &row->total_a_ns : &row->total_b_ns;
        *total_ns = add_ns(*total_ns, k->total_duration_ns);
    }
}

static void measure_match(struct comparison *c)
{
    double matched = 0, all = 0;
    for (size_t i = 0; i < c->a->kernels.n; i++)
        all += (double)c->a->kernels.v[i].total_duration_ns;
    for (size_t i = 0; i < c->kernels.n; i++)
        if (c->kernels.v[i].a && c->kernels.v[i].b)
            matched += (double)c->kernels.v[i].a->total_duration_ns;
    c->matched_pct = all > 0 ? 100 * matched / all : 100;
}

void compare_match(struct comparison *c)
{
    struct pairing p = {.c = c};
    p.arena = arena_scratch();
    p.used_a = arena_array(p.arena, bool, c->a->kernels.n + 1);
    p.used_b = arena_array(p.arena, bool, c->b->kernels.n + 1);
    if (!c->cross_vendor) {
        match_texts(&p, MATCH_NAME);
        match_texts(&p, MATCH_SHORT);
        find_steps(c);
        match_similar(&p);
        match_replaced(&p);
    }
    measure_match(c);
    bool *before = arena_array(p.arena, bool, c->b->kernels.n + 1);
    memcpy(before, p.used_b, (c->b->kernels.n + 1) * sizeof(*before));
    put_rest(&p, c->a, p.used_a, c->b, before, true);
    put_rest(&p, c->b, p.used_b, c->a, p.used_a, false);
    arena_release(p.arena);
}
