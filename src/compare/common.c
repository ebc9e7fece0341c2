/* One factor over all kernels: clocks, not code. */
#include <math.h>

#include "compare/compare_in.h"

#define LEAST_SHARE 0.02     /* of the kernel time: smaller kernels say nothing */
#define ALIKE 0.25           /* of the common change: kernels do not all follow the clock exactly */
#define CLOCKS_REPEAT 0.0425 /* 3 x sqrt(2) x 1 %: what clocks do from run to run */
#define LEAST_RATIO 0.002
#define MOST_CLOCK 1.6 /* no clock of one GPU changes the time of kernels by more, as a rule */

static bool counts(const struct compare_kernel *k, double all)
{
    return k->a && k->b && k->a->class == KERNEL_COMPUTE && !k->other_work &&
           (k->how == MATCH_NAME || k->how == MATCH_SHORT) && isfinite(k->own_pct) &&
           k->own_pct > -100 && (double)k->total_a_ns >= LEAST_SHARE * all;
}

const char *factor_words(double ratio)
{
    return ratio > MOST_CLOCK || ratio < 1 / MOST_CLOCK
               ? "another GPU, clock or size of the problem, not one change of code"
               : "clocks, not code";
}

void compare_common(struct comparison *c)
{
    double all = 0, weight = 0, sum = 0, squares = 0;
    size_t n = 0;
    c->common_ratio = NAN;
    for (size_t i = 0; i < c->kernels.n; i++)
        if (c->kernels.v[i].a && c->kernels.v[i].a->class == KERNEL_COMPUTE)
            all += (double)c->kernels.v[i].total_a_ns;
    for (size_t i = 0; i < c->kernels.n; i++) {
        const struct compare_kernel *k = &c->kernels.v[i];
        if (!counts(k, all))
            continue;
        sum += (double)k->total_a_ns * log1p(k->own_pct / 100);
        weight += (double)k->total_a_ns;
        squares += (double)k->noise_ns * (double)k->noise_ns;
        n++;
    }
    if (!n || weight < 0.8 * all)
        return;
    double ratio = exp(sum / weight), shift = fabs(ratio - 1), most = 0;
    if (shift < LEAST_RATIO || shift * weight < sqrt(squares))
        return;
    bool together = n > 1; /* surely: none of them stayed or went the other way */
    for (size_t i = 0; i < c->kernels.n; i++) {
        const struct compare_kernel *k = &c->kernels.v[i];
        if (!counts(k, all))
            continue;
        double own = 1 + k->own_pct / 100, noise = k->noise_pct / 100;
        if (fabs(own - ratio) > more_of(noise, ALIKE * shift))
            return;
        together = together && fabs(own - ratio) <= more_of(fmin(noise, shift / 2), ALIKE * shift);
        most = more_of(most, fabs(own - 1));
    }
    /* One kernel alone cannot tell clocks from code; a change no clock makes is its own. */
    c->clocks = together || most <= CLOCKS_REPEAT * (1 + ALIKE);
    if (!c->clocks)
        return;
    c->common_ratio = ratio;
    if (n < 2)
        compare_note(c, "the kernels take %.3g times as long, which clocks may do from run to run",
                     ratio);
    else
        compare_note(c, "all kernels take %.3g times as long, by one factor: %s", ratio,
                     factor_words(ratio));
}
