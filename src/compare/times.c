/* What is no kernel: copies, communication, idle time; and the time a change is measured by. */
#include <math.h>

#include "base/human.h"
#include "base/str.h"
#include "compare/compare_in.h"

#define COPY_REPEATS 0.1 /* a copy of the same size takes the same time within this */
#define IDLE_REGULAR                                                                               \
    0.1 /* gaps are regular when the noise of their sum is at most this much of it */
#define CALLS_CHANGED 0.1 /* the program changed where the number of calls did by more */

/*
 * What a cause differs by between runs of one program, as standard deviations: measured on repeats
 * of programs on one GPU, where kernels repeat within 0.3 %, and host time by as much as 20 %.
 */
#define CLOCKS_DIFFER 0.01 /* kernels and copies: clocks */
#define COMM_DIFFERS 0.03
#define ONCE_DIFFERS 0.2  /* what happens once, start-up and tail: of the shorter one */
#define ONCE_Z 3.0        /* its noise: no more of these are compared than the two */
#define HOST_DIFFERS 0.03 /* host time as regular as a clock */
#define HOST_FOLLOWS 0.7  /* of the variation of its gaps within the run, on top of that */
#define LONG_FOLLOWS                                                                               \
    0.3 /* the same of gaps of 1 ms or more: work of the host's own repeats better */
#define LONG_GAP_NS 1e6
#define HOST_MOST 0.2
#define CHANGED_LESS 3.0 /* where the program changed its calls, so much less is accident */

static const enum copy_kind copy_kinds[CAUSES] = {
    [CAUSE_COPY_H2D] = COPY_H2D, [CAUSE_COPY_D2H] = COPY_D2H, [CAUSE_COPY_P2P] = COPY_P2P,
    [CAUSE_COPY_D2D] = COPY_D2D, [CAUSE_COPY_SET] = COPY_SET,
};

static const struct copy_row *copies_of(const struct run_profile *p, enum cause cause)
{
    if (copy_kinds[cause] == COPY_UNKNOWN)
        return NULL;
    for (size_t i = 0; i < p->copies.n; i++)
        if (p->copies.v[i].kind == copy_kinds[cause])
            return &p->copies.v[i];
    return NULL;
}

static bool follows(const struct comparison *c, double a, double b)
{
    return fabs(b / c->steps - a) <= more_of(0.01 * a, 0.5);
}

/*
 * The change per step of A. Where B ran another number of steps and its counts do not follow them,
 * part of the work is done once: anything between "all once" and "all in every step" is no change.
 */
static double per_step(const struct comparison *c, double a, double b, bool follows_steps)
{
    if (follows_steps || c->steps == 1)
        return b / c->steps - a;
    double least = fmin(a, a * c->steps), most = fmax(a, a * c->steps);
    return b < least ? (b - least) / c->steps : b > most ? (b - most) / c->steps : 0;
}

static double copy_noise(const struct copy_row *r, int64_t exposed)
{
    if (!r || !r->count)
        return COPY_REPEATS * (double)exposed;
    double each = (double)r->total_duration_ns / (double)r->count;
    return more_of(COPY_REPEATS * each * sqrt((double)r->count), 0.005 * (double)exposed);
}

static const char *copy_text(const struct comparison *c, enum cause cause)
{
    static const char *const words[CAUSES] = {
        [CAUSE_COPY_H2D] = "host to device copies", [CAUSE_COPY_D2H] = "device to host copies",
        [CAUSE_COPY_P2P] = "copies between GPUs",   [CAUSE_COPY_D2D] = "copies inside the device",
        [CAUSE_COPY_SET] = "memory sets",
    };
    const struct copy_row *a = copies_of(c->a, cause), *b = copies_of(c->b, cause);
    double bytes_a = a ? (double)a->total_bytes : 0,
           bytes_b = b ? (double)b->total_bytes / c->steps : 0;
    double count_a = a ? (double)a->count : 0, count_b = b ? (double)b->count / c->steps : 0;
    double fewer = bytes_b - bytes_a;
    char size[HUMAN_MAX];
    if (fabs(fewer) > 0.01 * more_of(bytes_a, bytes_b))
        return arena_printf(c->arena, "%s: %s %s", words[cause],
                            human_bytes(size, count_from(fabs(fewer))),
                            fewer > 0 ? "more" : "less");
    if (fabs(count_b - count_a) > more_of(1, 0.01 * more_of(count_a, count_b)))
        return arena_printf(c->arena, "%s: %.0f %s", words[cause], fabs(count_b - count_a),
                            count_b > count_a ? "more" : "fewer");
    if (a && b && fabs(b->bandwidth_gbps - a->bandwidth_gbps) > 0.03 * a->bandwidth_gbps)
        return arena_printf(c->arena, "%s: %.1f GB/s instead of %.1f", words[cause],
                            b->bandwidth_gbps, a->bandwidth_gbps);
    return arena_printf(c->arena, "%s: another part hidden behind kernels", words[cause]);
}

static void mark_ledger(struct comparison *c, size_t before, enum cause k)
{
    for (size_t i = before; i < c->causes.n; i++)
        c->causes.v[i].ledger = (int)k;
}

static void copy_causes(struct comparison *c)
{
    for (enum cause k = CAUSE_COPY_H2D; k <= CAUSE_COPY_SET; k++) {
        int64_t a = c->a->cause_ns[k], b = c->b->cause_ns[k];
        const struct copy_row *ra = copies_of(c->a, k), *rb = copies_of(c->b, k);
        bool all = ra && rb && follows(c, (double)ra->count, (double)rb->count) &&
                   follows(c, (double)ra->total_bytes, (double)rb->total_bytes);
        if (!a && !b)
            continue;
        double na = copy_noise(ra, a), nb = copy_noise(rb, b) / c->steps;
        size_t before = c->causes.n;
        compare_add(c, CHANGE_COPY, per_step(c, (double)a, (double)b, all),
                    c->z * sqrt(na * na + nb * nb), true, copy_text(c, k));
        mark_ledger(c, before, k);
    }
}

/* Collectives wait for each other, so the whole spread of their durations is noise. */
static double comm_variance(const struct run_profile *p)
{
    double sum = 0;
    for (size_t i = 0; i < p->kernels.n; i++) {
        const struct profile_kernel *k = &p->kernels.v[i];
        if (k->class == KERNEL_COLLECTIVE)
            sum += (double)k->calls * k->std_dev_ns * k->std_dev_ns;
    }
    return sum;
}

static void comm_cause(struct comparison *c)
{
    double a = (double)c->a->cause_ns[CAUSE_COMM] + (double)c->a->cause_ns[CAUSE_COMM_WAIT];
    double b = (double)c->b->cause_ns[CAUSE_COMM] + (double)c->b->cause_ns[CAUSE_COMM_WAIT];
    if (!(a > 0) && !(b > 0))
        return;
    b /= c->steps;
    double noise = c->z * sqrt(comm_variance(c->a) + comm_variance(c->b) / (c->steps * c->steps));
    compare_add(c, CHANGE_COMM, b - a, more_of(noise, 0.01 * more_of(a, b)), true,
                arena_printf(c->arena, "exposed communication: %.1f %% %s",
                             a > 0 ? 100 * fabs(b / a - 1) : 100.0, b > a ? "more" : "less"));
}

/* ---- idle ---- */

double gap_variance(const struct run_profile *p, enum cause c)
{
    double n = (double)p->gap_count[c], sum = (double)p->cause_ns[c];
    double around = n > 1 ? p->gap_sq[c] - sum * sum / n : p->gap_sq[c];
    return more_of(around, 0);
}

/* Where the program itself changed what it calls, idle time that changed with it is no accident. */
static const char *changed_calls(const struct comparison *c)
{
    static const enum api_class classes[] = {API_SYNC, API_ALLOC, API_LAUNCH,
                                             API_COPY, API_COMM,  API_IO};
    for (size_t i = 0; i < ARRAY_LEN(classes); i++) {
        const struct api_class_row *a = profile_api(c->a, classes[i]),
                                   *b = profile_api(c->b, classes[i]);
        double x = a ? (double)a->calls : 0, y = b ? (double)b->calls / c->steps : 0;
        if (fabs(x - y) > more_of(8, CALLS_CHANGED * more_of(x, y)))
            return api_class_name(classes[i]);
    }
    return NULL;
}

static double host_repeats(const struct run_profile *p, enum cause k)
{
    double n = (double)p->gap_count[k], mean = n > 0 ? (double)p->cause_ns[k] / n : 0;
    if (!p->has_gaps || n < 4 || !(mean > 0))
        return HOST_MOST;
    double follows = mean < LONG_GAP_NS ? HOST_FOLLOWS : LONG_FOLLOWS;
    return fmin(HOST_MOST, HOST_DIFFERS + follows * sqrt(gap_variance(p, k) / n) / mean);
}

double cause_repeats(const struct comparison *c, const struct run_profile *p, enum cause k)
{
    if (k == CAUSE_COMM || k == CAUSE_COMM_WAIT)
        return COMM_DIFFERS;
    if (cause_info(k)->kind != CAUSE_IDLE)
        return CLOCKS_DIFFER;
    if (k == CAUSE_STARTUP || k == CAUSE_TAIL)
        return ONCE_DIFFERS;
    return host_repeats(p, k) / (changed_calls(c) ? CHANGED_LESS : 1);
}

/* What happens once, without the profiler's own start. */
double once_ns(const struct run_profile *p, enum cause k)
{
    double gpus = p->breakdown.gpu_count ? p->breakdown.gpu_count : 1;
    double own = k == CAUSE_STARTUP ? (double)p->profiler_ns * gpus : 0;
    return more_of((double)p->cause_ns[k] - own, 0);
}

/* The change of idle time of one cause, summed over GPUs. */
static double idle_change(const struct comparison *c, enum cause k)
{
    if (k == CAUSE_STARTUP || k == CAUSE_TAIL)
        return once_ns(c->b, k) - once_ns(c->a, k);
    return per_step(c, (double)c->a->cause_ns[k], (double)c->b->cause_ns[k],
                    follows(c, (double)c->a->gap_count[k], (double)c->b->gap_count[k]));
}

static double idle_noise(const struct comparison *c, enum cause k)
{
    double a = (double)c->a->cause_ns[k], b = (double)c->b->cause_ns[k] / c->steps;
    if (k == CAUSE_STARTUP || k == CAUSE_TAIL) {
        a = once_ns(c->a, k);
        b = once_ns(c->b, k);
    } else if (!c->a->has_gaps || !c->b->has_gaps) {
        return more_of(a, b);
    }
    double x = a * cause_repeats(c, c->a, k), y = b * cause_repeats(c, c->b, k);
    if (k == CAUSE_STARTUP || k == CAUSE_TAIL)
        return ONCE_Z * sqrt(2) * fmin(x, y);
    double inside = gap_variance(c->a, k) + gap_variance(c->b, k) / (c->steps * c->steps);
    return c->z * sqrt(x * x + y * y + inside);
}

/*
 * Idle time is part of the work that is compared where its gaps are regular, or where the program
 * itself changed what it calls. Elsewhere only the clock on the wall has it.
 */
static void decide_idle(struct comparison *c)
{
    double total = (double)profile_idle_ns(c->a) + (double)profile_idle_ns(c->b) / c->steps,
           sum = 0;
    if (!c->a->has_gaps || !c->b->has_gaps) {
        compare_say(c, "idle time has no noise: a saved analysis does not say how regular it is");
        return;
    }
    if (!profile_has(c->a, CAPABLE_API) || !profile_has(c->b, CAPABLE_API))
        return;
    for (enum cause k = CAUSE_LAUNCH; k <= CAUSE_HOST; k++)
        sum += gap_variance(c->a, k) + gap_variance(c->b, k) / (c->steps * c->steps);
    double noise = c->z * sqrt(sum);
    const char *changed = changed_calls(c);
    c->idle_counts = c->cross_vendor || noise <= IDLE_REGULAR * total || changed;
    if (!c->idle_counts && total > 0.02 * (double)c->base_ns)
        compare_note(c,
                     "idle time is irregular (noise is %.0f %% of it): only the clock on the wall "
                     "counts it",
                     100 * noise / total);
    else if (changed && noise > IDLE_REGULAR * total)
        compare_note(c,
                     "idle time is irregular, and compared because the number of %s calls changed",
                     changed);
}

static void idle_causes(struct comparison *c)
{
    for (enum cause k = CAUSE_LAUNCH; k < CAUSES; k++) {
        double a = (double)c->a->cause_ns[k], b = (double)c->b->cause_ns[k],
               change = idle_change(c, k);
        bool counted = c->idle_counts && k <= CAUSE_HOST; /* the clock counts the others */
        if (!(a > 0) && !(b > 0))
            continue;
        if (counted)
            c->base_ns = add_ns(c->base_ns, ns_from(a));
        size_t before = c->causes.n;
        compare_add(
            c, CHANGE_IDLE, change, more_of(idle_noise(c, k), 0.01 * more_of(a, b / c->steps)),
            counted,
            arena_printf(c->arena, "%s: %s", cause_info(k)->label, change > 0 ? "more" : "less"));
        mark_ledger(c, before, k);
    }
}

double cause_change(const struct comparison *c, enum cause k)
{
    double a = (double)c->a->cause_ns[k], b = (double)c->b->cause_ns[k],
           gpus = c->a->breakdown.gpu_count ? c->a->breakdown.gpu_count : 1;
    const struct copy_row *ra = copies_of(c->a, k), *rb = copies_of(c->b, k);
    if (cause_info(k)->kind == CAUSE_IDLE)
        return idle_change(c, k) / gpus;
    if (k >= CAUSE_COPY_H2D && k <= CAUSE_COPY_SET)
        return per_step(c, a, b,
                        ra && rb && follows(c, (double)ra->count, (double)rb->count) &&
                            follows(c, (double)ra->total_bytes, (double)rb->total_bytes)) /
               gpus;
    return (b / c->steps - a) / gpus;
}

static void add_row(struct comparison *c, struct compare_rows *out, const char *key,
                    const char *label, int64_t a, int64_t b, double noise)
{
    double change = (double)b / c->steps - (double)a;
    struct compare_row row = {
        key, label, a, b, ns_from(change), a ? 100 * change / (double)a : NAN, ns_from(noise)};
    vec_push(out, c->arena, row);
}

static double noise_of(const struct comparison *c, enum cause k)
{
    double sum = 0;
    if (cause_info(k)->kind == CAUSE_IDLE)
        return idle_noise(c, k);
    if (k == CAUSE_COMM || k == CAUSE_COMM_WAIT)
        return c->z * sqrt(comm_variance(c->a) + comm_variance(c->b));
    if (k >= CAUSE_COPY_H2D && k <= CAUSE_COPY_SET) {
        double a = copy_noise(copies_of(c->a, k), c->a->cause_ns[k]);
        double b = copy_noise(copies_of(c->b, k), c->b->cause_ns[k]);
        return c->z * sqrt(a * a + b * b);
    }
    for (size_t i = 0; k == CAUSE_COMPUTE && i < c->kernels.n; i++)
        sum += (double)c->kernels.v[i].noise_ns * (double)c->kernels.v[i].noise_ns;
    return sqrt(sum) / c->concurrency;
}

static void make_rows(struct comparison *c)
{
    for (enum cause k = 0; k < CAUSES; k++)
        if (c->a->cause_ns[k] || c->b->cause_ns[k])
            add_row(c, &c->ledger, cause_info(k)->key, cause_info(k)->label, c->a->cause_ns[k],
                    c->b->cause_ns[k], noise_of(c, k));
    for (enum api_class k = 0; k < API_CLASSES; k++) {
        const struct api_class_row *a = profile_api(c->a, k);
        const struct api_class_row *b = profile_api(c->b, k);
        if (a || b)
            add_row(c, &c->api, api_class_name(k), "calls", a ? (int64_t)a->calls : 0,
                    b ? (int64_t)b->calls : 0, 0);
    }
    for (enum cause k = CAUSE_COPY_H2D; k <= CAUSE_COPY_SET; k++) {
        const struct copy_row *a = copies_of(c->a, k), *b = copies_of(c->b, k);
        if (a || b)
            add_row(c, &c->copies, cause_info(k)->key, copy_directions[copy_kinds[k]],
                    a ? (int64_t)a->total_bytes : 0, b ? (int64_t)b->total_bytes : 0, 0);
    }
}

void compare_times(struct comparison *c)
{
    for (enum cause k = CAUSE_COMPUTE; k <= CAUSE_COPY_SET; k++)
        c->base_ns = add_ns(c->base_ns, c->a->cause_ns[k]);
    copy_causes(c);
    comm_cause(c);
    decide_idle(c);
    idle_causes(c);
    make_rows(c);
}
