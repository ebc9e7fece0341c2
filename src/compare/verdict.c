/* The verdict: the clock on the wall where it can tell, else the sum of what surely changed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "compare/compare_in.h"

#define SAME_PCT 1.0  /* of the wall: a smaller change is none */
#define LEAST_PCT 0.1 /* of the wall: smaller changes of copies, communication are none */
#define IDLE_PCT 2.0  /* of the wall: the same of idle time, which hosts vary by */

static double gpus_of(const struct comparison *c)
{
    return c->a->breakdown.gpu_count ? c->a->breakdown.gpu_count : 1;
}

/*
 * Places: idle time that gives way to longer kernels (or fills in for shorter ones) is their shadow
 * and stands behind them; of causes of about equal size work stands before idle time.
 */
static void weigh(struct comparison *c)
{
    double kernels = 0, wall = (double)c->wall_a_ns * gpus_of(c);
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
        double least = k->sort == CHANGE_IDLE ? IDLE_PCT * wall : LEAST_PCT * (double)c->base_ns;
        if (k->sort >= CHANGE_COPY && fabs(change) * 100 < least)
            k->significant = false;
        if (c->clocks && k->sort == CHANGE_KERNEL)
            k->counted = false;
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
    double change = 0, sure = 0, all = c->still_sq, gpus = gpus_of(c);
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
    c->change_ns = ns_from(change / gpus);
    c->noise_ns = ns_from(sqrt(sure > 0 || change != 0 ? sure : all) / gpus);
    c->base_ns = ns_from((double)c->base_ns / gpus);
}

static bool beyond(int64_t base, double change, double noise)
{
    return fabs(change) > more_of(noise, SAME_PCT / 100 * (double)base);
}

/*
 * The clock on the wall is what counts, and decides where it can tell. Where it cannot (a change of
 * 3 % in a kernel among idle time that varies by 20 %), the parts that surely changed decide, as
 * long as the clock does not contradict them.
 */
static void judge(struct comparison *c)
{
    double wall = (double)c->wall_b_ns - (double)c->wall_a_ns, noise = (double)c->wall_noise_ns;
    double work = (double)c->change_ns;
    bool sure = beyond(c->base_ns, work, (double)c->noise_ns);
    c->by_wall = beyond(c->wall_a_ns, wall, noise);
    if (c->by_wall) {
        c->base_ns = c->wall_a_ns;
        c->change_ns = ns_from(wall);
        c->noise_ns = c->wall_noise_ns;
        for (size_t i = 0; i < c->causes.n; i++)
            c->causes.v[i].counted = true;
    } else if (sure && (fabs(work - wall) > noise || (c->repeated && !c->repeated_work))) {
        compare_note(c, "parts of the work took %s, but the clock on the wall does not show it",
                     work < 0 ? "less time" : "longer");
        sure = false;
        c->change_ns = 0;
    }
    if (!sure && !c->change_ns) { /* then the clock says what can be told */
        c->base_ns = c->wall_a_ns;
        c->noise_ns = c->wall_noise_ns;
    }
    for (size_t i = 0; i < c->causes.n; i++) {
        struct compare_cause *k = &c->causes.v[i];
        double whole = (double)(k->counted ? c->base_ns : c->wall_a_ns) * gpus_of(c);
        k->change_pct = percent_of((double)k->change_ns, whole);
    }
    c->wall_change_pct = percent_of((double)c->change_ns, (double)c->base_ns);
    c->noise_pct = percent_of((double)c->noise_ns, (double)c->base_ns);
    if (!c->comparable)
        c->verdict = COMPARE_NOT_COMPARABLE;
    else if (!c->by_wall && !sure)
        c->verdict = COMPARE_SAME;
    else
        c->verdict = c->change_ns < 0 ? COMPARE_FASTER : COMPARE_SLOWER;
    double a = (double)c->a->breakdown.window_ns, b = (double)c->b->breakdown.window_ns / c->steps;
    c->window_change_pct = a > 0 ? 100 * (b - a) / a : NAN;
}

/* ---- its sentence ---- */

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

static const char *times_of(const struct comparison *c, double before, double after)
{
    char a[HUMAN_MAX], b[HUMAN_MAX];
    return arena_printf(c->arena, "%s instead of %s", human_time(b, ns_from(after)),
                        human_time(a, ns_from(before)));
}

static const char *wall_times(const struct comparison *c)
{
    return times_of(c, (double)c->wall_a_ns, (double)c->wall_b_ns);
}

static double wall_noise_pct(const struct comparison *c)
{
    return percent_of((double)c->wall_noise_ns, (double)c->wall_a_ns);
}

/* The clock moved, by less than its noise. */
static bool moved_in_noise(const struct comparison *c)
{
    return !c->by_wall && fabs((double)c->wall_b_ns - (double)c->wall_a_ns) * 100 >
                              SAME_PCT * (double)c->wall_a_ns;
}

static bool cannot_tell(const struct comparison *c)
{
    return moved_in_noise(c) && !c->repeated;
}

static const char *same_text(const struct comparison *c, const char *per)
{
    const struct compare_cause *first = first_cause(c);
    if (moved_in_noise(c))
        return arena_printf(c->arena, "the same%s as far as %s can tell: %s (noise %.1f %%)%s%s",
                            per, c->repeated ? "these runs" : "one run of each", wall_times(c),
                            wall_noise_pct(c), first ? "; largest change: " : "",
                            first ? first->what : "");
    if (first)
        return arena_printf(c->arena, "the same%s within %.1f %%: %s; largest change: %s", per,
                            more_of(c->noise_pct, SAME_PCT), wall_times(c), first->what);
    return arena_printf(c->arena,
                        "the same%s: %s, nothing changed by more than the noise (%.1f %%)", per,
                        wall_times(c), wall_noise_pct(c));
}

/* Why: the first cause; one factor over all kernels is no cause in the code. */
static const char *why(const struct comparison *c)
{
    const struct compare_cause *first = first_cause(c);
    if (!first)
        return "first cause: many small ones";
    if (!isnan(c->common_ratio) && (c->common_ratio > 1) == (c->change_ns > 0) &&
        first->sort == CHANGE_KERNEL)
        return arena_printf(c->arena, "all kernels take %.3g times as long: %s", c->common_ratio,
                            factor_words(c->common_ratio));
    return arena_printf(c->arena, "first cause: %s", first->what);
}

static void write_headline(struct comparison *c)
{
    const char *per = fabs(c->steps - 1) > 0.01 ? " for the same work" : "";
    if (c->verdict == COMPARE_NOT_COMPARABLE)
        c->headline = arena_printf(c->arena, "not comparable: %s",
                                   c->reasons.n ? c->reasons.v[0] : "no common work");
    else if (c->verdict == COMPARE_SAME)
        c->headline = same_text(c, per);
    else
        c->headline = arena_printf(
            c->arena, "%s%.1f %% %s%s: %s (noise %.1f %%); %s", c->by_wall ? "" : "work ",
            fabs(c->wall_change_pct), compare_verdict_name(c->verdict), per,
            times_of(c, (double)c->base_ns, (double)c->base_ns + (double)c->change_ns),
            c->noise_pct, why(c));
}

/* What the clock says where it did not decide, and what it would take to tell. */
static void note_wall(struct comparison *c)
{
    if (c->by_wall || !c->comparable)
        return;
    if (c->verdict != COMPARE_SAME)
        compare_note(c, "on the clock: %s, within its noise (%.1f %%)", wall_times(c),
                     wall_noise_pct(c));
    if (cannot_tell(c))
        compare_note(c,
                     "one run of each cannot tell a change of %.1f %% on the clock; repeat them: "
                     "gpusight compare A1 A2 A3 -- B1 B2 B3",
                     100 * fabs((double)c->wall_b_ns / (double)c->wall_a_ns - 1));
}

void compare_judge(struct comparison *c)
{
    sum_up(c);
    judge(c);
    if (c->causes.n)
        qsort(c->causes.v, c->causes.n, sizeof(*c->causes.v), by_weight);
    write_headline(c);
    note_wall(c);
}
