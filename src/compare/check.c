/* Whether the runs can be compared: same work, same machine, same things recorded. */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "compare/compare_in.h"

#define OTHER_WORK_PCT 20  /* of kernel time with another grid: refused */
#define COMMON_WORK_PCT 30 /* of kernel time with a partner: less is refused */
#define CLOCK_PCT 5
#define LEAST_SCORE 0.3 /* less is refused */

static const char *ratio_words(struct comparison *c, double ratio)
{
    static const struct {
        double ratio;
        const char *words;
    } known[] = {{0.25, "a quarter of"},      {0.5, "half"},
                 {0.75, "three quarters of"}, {2, "twice"},
                 {3, "three times"},          {4, "four times"},
                 {1.0 / 3, "a third of"},     {0.125, "an eighth of"},
                 {8, "eight times"}};
    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        if (fabs(ratio / known[i].ratio - 1) < 0.02)
            return known[i].words;
    return arena_printf(c->arena, "%.2f times", ratio);
}

/* Percent of the kernel time spent in kernels whose work differs, with a sentence for the first. */
static double check_grids(struct comparison *c)
{
    const struct compare_kernel *worst = NULL;
    double all_a = 0, all_b = 0, a = 0, b = 0;
    for (size_t i = 0; i < c->kernels.n; i++) {
        const struct compare_kernel *k = &c->kernels.v[i];
        all_a += (double)k->total_a_ns;
        all_b += (double)k->total_b_ns;
        if (!k->other_work)
            continue;
        a += (double)k->total_a_ns;
        b += (double)k->total_b_ns;
        if (!worst || k->total_a_ns > worst->total_a_ns)
            worst = k;
    }
    if (!worst)
        return 0;
    double ratio = worst->b->work_items / worst->a->work_items;
    if (worst->grid_a && worst->grid_b && strcmp(worst->grid_a, worst->grid_b) != 0)
        compare_say(c, "kernel %s ran %s work-items instead of %s: B did %s the work",
                    worst->a->short_name, worst->grid_b, worst->grid_a, ratio_words(c, ratio));
    else
        compare_say(c, "kernel %s ran %.0f work-items a call instead of %.0f: B did %s the work",
                    worst->a->short_name, worst->b->work_items, worst->a->work_items,
                    ratio_words(c, ratio));
    return 100 * more_of(all_a > 0 ? a / all_a : 0, all_b > 0 ? b / all_b : 0);
}

static double check_calls(struct comparison *c)
{
    double other = 0, all = 0;
    const struct compare_kernel *worst = NULL;
    for (size_t i = 0; i < c->kernels.n; i++) {
        const struct compare_kernel *k = &c->kernels.v[i];
        all += (double)k->total_a_ns;
        if (!k->a || !k->b || !k->calls_change_ns)
            continue;
        other += (double)k->total_a_ns;
        if (!worst || k->total_a_ns > worst->total_a_ns)
            worst = k;
    }
    if (fabs(c->steps - 1) > 0.01)
        compare_say(c, "B ran %.4g times as many steps: all its totals are divided by that",
                    c->steps);
    if (!worst || other < 0.01 * all)
        return 0;
    compare_say(c, "kernel %s ran %llu times instead of %llu%s", worst->a->short_name,
                (unsigned long long)worst->calls_b, (unsigned long long)worst->calls_a,
                fabs(c->steps - 1) > 0.01 ? ", which the number of steps does not explain" : "");
    return other / all;
}

static const char *gpu_of(const struct run_profile *p)
{
    return p->gpus.n && p->gpus.v[0].name && *p->gpus.v[0].name ? p->gpus.v[0].name : "unknown";
}

static double check_gpus(struct comparison *c)
{
    double off = 0;
    if (c->cross_vendor) {
        compare_say(c, "GPUs of different vendors (%s, %s): kernels are compared by role",
                    gpu_of(c->a), gpu_of(c->b));
        off += 0.3;
    } else if (!str_eq(gpu_of(c->a), gpu_of(c->b))) {
        compare_say(c, "different GPUs: %s and %s", gpu_of(c->a), gpu_of(c->b));
        off += 0.2;
    }
    if (c->a->breakdown.gpu_count != c->b->breakdown.gpu_count) {
        compare_say(c, "B ran on %u GPUs, A on %u: times are summed over GPUs",
                    c->b->breakdown.gpu_count, c->a->breakdown.gpu_count);
        off += 0.2;
    }
    return off;
}

static double clock_of(const struct run_profile *p)
{
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < p->telemetry.n; i++) {
        const struct telemetry_row *r = &p->telemetry.v[i];
        if (!r->series || !r->points || str_has_fold(r->series, "mem") ||
            !str_has_fold(r->series, "cl"))
            continue;
        if (!str_has_fold(r->series, "clock") && !str_has_fold(r->series, "clk"))
            continue;
        sum += r->mean;
        n++;
    }
    return n ? sum / (double)n : NAN;
}

static double check_clocks(struct comparison *c)
{
    double a = clock_of(c->a), b = clock_of(c->b);
    if (isnan(a) || isnan(b) || fabs(b - a) * 100 <= CLOCK_PCT * a)
        return 0;
    compare_say(c, "the clock was %.0f instead of %.0f on average: kernels differ by that alone", b,
                a);
    return 0.1;
}

static bool calls_copies(const struct run_profile *p)
{
    const struct api_class_row *copy = profile_api(p, API_COPY),
                               *async = profile_api(p, API_COPY_ASYNC);
    return (copy && copy->calls) || (async && async->calls);
}

static double check_data(struct comparison *c)
{
    double off = 0;
    static const enum capability_id needed[] = {CAPABLE_API, CAPABLE_LINKS, CAPABLE_RESOURCES};
    for (size_t i = 0; i < ARRAY_LEN(needed); i++) {
        bool a = profile_has(c->a, needed[i]), b = profile_has(c->b, needed[i]);
        if (a == b)
            continue;
        compare_say(c, "only %s records '%s'", a ? "A" : "B", capability_key(needed[i]));
        off += 0.1;
    }
    for (int side = 0; side < 2; side++) {
        const struct run_profile *with = side ? c->b : c->a, *without = side ? c->a : c->b;
        if (!with->copies.n || without->copies.n || !calls_copies(without))
            continue;
        compare_say(c, "%s calls copies and records none: copies cannot be compared",
                    side ? "A" : "B");
        off += 0.2;
    }
    for (size_t i = 0; i < c->a->missing.n; i++)
        compare_say(c, "A is a saved analysis without %s", c->a->missing.v[i]);
    for (size_t i = 0; i < c->b->missing.n; i++)
        compare_say(c, "B is a saved analysis without %s", c->b->missing.v[i]);
    return off;
}

void compare_check(struct comparison *c)
{
    double score = 1, grids = c->cross_vendor ? 0 : check_grids(c);
    c->comparable = grids <= OTHER_WORK_PCT;
    score -= grids / 100;
    if (!c->a->kernels.n != !c->b->kernels.n) {
        compare_say(c, "only %s ran kernels", c->a->kernels.n ? "A" : "B");
        c->comparable = false;
        score = 0;
    } else if (!c->cross_vendor && c->a->kernels.n && c->matched_pct < COMMON_WORK_PCT &&
               !compare_anchored(c)) {
        compare_say(c, "only %.0f %% of A's kernel time is in kernels that B runs, too",
                    c->matched_pct);
        c->comparable = false;
    }
    if (!c->cross_vendor)
        score -= 0.5 * (1 - c->matched_pct / 100) + 0.5 * check_calls(c);
    score -= check_gpus(c) + check_clocks(c) + check_data(c);
    if (fabs(c->steps - 1) > 0.01)
        score -= 0.1;
    if (c->comparable && score < LEAST_SCORE) {
        compare_say(c, "too much differs between the runs");
        c->comparable = false;
    }
    if (!c->comparable && score > LEAST_SCORE)
        score = LEAST_SCORE;
    c->score = score < 0 ? 0 : score;
}
