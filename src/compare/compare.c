#include "compare/compare.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "compare/compare_in.h"

#define SAME_PCT 1.0  /* of base_ns: a smaller change is none */
#define LEAST_PCT 0.1 /* of base_ns: smaller changes of copies, communication, idle are none */

const char *const compare_verdict_names[] = {
    [COMPARE_FASTER] = "faster",
    [COMPARE_SLOWER] = "slower",
    [COMPARE_SAME] = "same",
    [COMPARE_NOT_COMPARABLE] = "not_comparable",
    NULL,
};

const char *compare_verdict_name(enum compare_verdict v)
{
    return compare_verdict_names[v];
}

const char *compare_match_name(enum compare_match m)
{
    static const char *const names[] = {
        [MATCH_NAME] = "name",   [MATCH_SHORT] = "short name", [MATCH_SIMILAR] = "similar",
        [MATCH_CALLS] = "calls", [MATCH_ROLE] = "role",        [MATCH_NEW] = "new",
        [MATCH_GONE] = "gone",
    };
    return names[m];
}

const char *compare_kind_name(enum compare_kind k)
{
    static const char *const names[] = {
        [CHANGE_KERNEL] = "kernel",      [CHANGE_CALLS] = "calls",     [CHANGE_NEW] = "new_kernel",
        [CHANGE_GONE] = "gone_kernel",   [CHANGE_OVERLAP] = "overlap", [CHANGE_COPY] = "copy",
        [CHANGE_COMM] = "communication", [CHANGE_IDLE] = "idle",
    };
    return names[k];
}

/* ---- what the parts call ---- */

static const char *printed(struct arena *a, const char *fmt, va_list ap)
{
    struct str s;
    str_init(&s, a);
    str_vprintf(&s, fmt, ap);
    return s.buf;
}

void compare_say(struct comparison *c, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const char *text = printed(c->arena, fmt, ap);
    va_end(ap);
    vec_push(&c->reasons, c->arena, text);
}

void compare_note(struct comparison *c, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const char *text = printed(c->arena, fmt, ap);
    va_end(ap);
    vec_push(&c->notes, c->arena, text);
}

void compare_add(struct comparison *c, enum compare_kind kind, double change, double noise,
                 bool counted, const char *what)
{
    if (fabs(change) < 1) {
        c->still_sq += counted ? noise * noise : 0;
        return;
    }
    struct compare_cause cause = {
        .what = what,
        .kind = compare_kind_name(kind),
        .sort = kind,
        .change_ns = ns_from(change),
        .noise_ns = ns_from(noise),
        .significant = fabs(change) > noise,
        .counted = counted,
        .ledger = -1,
    };
    vec_push(&c->causes, c->arena, cause);
}

/* ---- the verdict ---- */

/*
 * Places: idle time that gives way to longer kernels (or fills in for shorter ones) is their shadow
 * and stands behind them; of causes of about equal size work stands before idle time.
 */
static void weigh(struct comparison *c)
{
    double kernels = 0;
    for (size_t i = 0; i < c->causes.n; i++)
        if (c->causes.v[i].sort == CHANGE_KERNEL && c->causes.v[i].significant)
            kernels += (double)c->causes.v[i].change_ns;
    for (size_t i = 0; i < c->causes.n; i++) {
        struct compare_cause *k = &c->causes.v[i];
        double change = (double)k->change_ns;
        bool shadow = change * kernels < 0 && fabs(change) <= 1.1 * fabs(kernels);
        k->weight = fabs(change);
        if (k->sort == CHANGE_IDLE)
            k->weight *= shadow ? 0.1 : 0.9;
        /* What is no kernel must matter for the whole. */
        if (k->sort >= CHANGE_COPY && fabs(change) * 100 < LEAST_PCT * (double)c->base_ns)
            k->significant = false;
    }
}

static int by_weight(const void *left, const void *right)
{
    const struct compare_cause *x = left, *y = right;
    bool sx = x->significant && x->counted, sy = y->significant && y->counted;
    if (sx != sy)
        return sx ? -1 : 1;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return strcmp(x->what, y->what);
}

static void sum_up(struct comparison *c)
{
    double change = 0, sure = 0, all = c->still_sq;
    weigh(c);
    for (size_t i = 0; i < c->causes.n; i++) {
        const struct compare_cause *k = &c->causes.v[i];
        double noise = (double)k->noise_ns * (double)k->noise_ns;
        if (!k->counted)
            continue;
        all += noise;
        if (!k->significant)
            continue;
        change += (double)k->change_ns;
        sure += noise;
    }
    c->change_ns = ns_from(change);
    c->noise_ns = ns_from(sqrt(sure > 0 || change != 0 ? sure : all));
    c->wall_change_pct = percent_of(change, (double)c->base_ns);
    c->noise_pct = percent_of((double)c->noise_ns, (double)c->base_ns);
    for (size_t i = 0; i < c->causes.n; i++)
        c->causes.v[i].change_pct =
            percent_of((double)c->causes.v[i].change_ns, (double)c->base_ns);
    if (c->causes.n)
        qsort(c->causes.v, c->causes.n, sizeof(*c->causes.v), by_weight);
    double a = (double)c->a->breakdown.window_ns, b = (double)c->b->breakdown.window_ns / c->steps;
    c->window_change_pct = a > 0 ? 100 * (b - a) / a : NAN;
}

static void judge(struct comparison *c)
{
    if (!c->comparable)
        c->verdict = COMPARE_NOT_COMPARABLE;
    else if (fabs(c->wall_change_pct) <= more_of(c->noise_pct, SAME_PCT))
        c->verdict = COMPARE_SAME;
    else
        c->verdict = c->change_ns < 0 ? COMPARE_FASTER : COMPARE_SLOWER;
}

/* The first cause; of a verdict the first that goes its way. */
static const struct compare_cause *first_cause(const struct comparison *c)
{
    for (size_t i = 0; i < c->causes.n; i++) {
        const struct compare_cause *k = &c->causes.v[i];
        if (k->significant && k->counted &&
            (c->verdict == COMPARE_SAME || (k->change_ns < 0) == (c->verdict == COMPARE_FASTER)))
            return k;
    }
    return NULL;
}

static void write_headline(struct comparison *c)
{
    const struct compare_cause *first = first_cause(c);
    const char *per = fabs(c->steps - 1) > 0.01 ? " per step" : "";
    if (c->verdict == COMPARE_NOT_COMPARABLE)
        c->headline = arena_printf(c->arena, "not comparable: %s",
                                   c->reasons.n ? c->reasons.v[0] : "no common work");
    else if (c->verdict == COMPARE_SAME && first)
        c->headline = arena_printf(c->arena, "the same%s within %.1f %%; largest change: %s", per,
                                   more_of(c->noise_pct, SAME_PCT), first->what);
    else if (c->verdict == COMPARE_SAME)
        c->headline =
            arena_printf(c->arena, "the same%s: nothing changed by more than the noise (%.1f %%)",
                         per, c->noise_pct);
    else
        c->headline = arena_printf(c->arena, "%.1f %% %s%s (noise %.1f %%); first cause: %s",
                                   fabs(c->wall_change_pct), compare_verdict_name(c->verdict), per,
                                   c->noise_pct, first ? first->what : "many small ones");
}

static bool other_vendor(const struct run_profile *a, const struct run_profile *b)
{
    const char *unknown = vendor_name(VENDOR_UNKNOWN);
    if (!a->gpus.n || !b->gpus.n)
        return false;
    const struct profile_gpu *x = &a->gpus.v[0], *y = &b->gpus.v[0];
    return !str_eq(x->vendor, y->vendor) && !str_eq(x->vendor, unknown) &&
           !str_eq(y->vendor, unknown) &&
           !(x->name && y->name && *x->name && str_eq(x->name, y->name));
}

void compare(struct comparison *c, const struct run_profile *a, const struct run_profile *b,
             struct arena *arena)
{
    *c = (struct comparison){.a = a, .b = b, .arena = arena, .steps = 1};
    c->cross_vendor = other_vendor(a, b);
    compare_match(c);
    compare_kernels(c);
    compare_check(c);
    compare_times(c);
    compare_phases(c);
    compare_ranks(c);
    sum_up(c);
    judge(c);
    write_headline(c);
}
