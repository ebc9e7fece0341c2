#include "advise/rule.h"
#include "analyze/name_groups.h"
#include "analyze/shapes.h"
#include "base/human.h"

/* A call is still warming up while it takes more than this many times the median. */
#define WARM_RATIO 2.0

/* After so many slow calls it is no warm-up but how the program is. */
enum { MOST_CALLS = 32 };

/* A kernel on one GPU. */
struct start {
    uint64_t calls;
    int64_t excess_ns;
    bool over; /* a normal call has been seen */
};

struct warm {
    const struct analysis *a;
    uint8_t *row;         /* by name group: 1 + row of the analysis, or 0 */
    struct start *starts; /* by row */
    uint32_t first;       /* row of the analysis with most excess that counts */
    int64_t excess_ns;
    uint64_t calls, kernels;
};

/* Other sizes are other work. */
static bool like_first(const struct warm *w, size_t row, uint32_t kernel)
{
    return shape_of(&w->a->view, kernel) == shape_of(&w->a->view, w->a->warmup.v[row].kernel);
}

/* The slow calls each kernel begins with on a GPU. */
static void walk_gpu(struct warm *w, const struct view_gpu *g, const struct name_groups *names)
{
    const struct analysis *a = w->a;
    size_t left = a->warmup.n;
    for (size_t i = 0; i < left; i++)
        w->starts[i] = (struct start){0};
    for (size_t i = 0; i < g->n_kernels && left; i++) {
        uint8_t row = w->row[names->of_symbol[a->trace->kernels.symbol[g->kernels[i]]]];
        struct start *s = row ? &w->starts[row - 1] : NULL;
        if (!s || s->over || !like_first(w, row - 1u, g->kernels[i]))
            continue;
        int64_t ns = kernel_ns(a, g->kernels[i]), median = a->warmup.v[row - 1].median_ns;
        s->over = (double)ns <= WARM_RATIO * (double)median;
        left -= s->over;
        s->calls += !s->over;
        s->excess_ns = add_ns(s->excess_ns, s->over ? 0 : ns - median);
    }
}

static void add_gpu(struct warm *w, const struct view_gpu *g, const struct name_groups *names)
{
    walk_gpu(w, g, names);
    for (size_t i = 0; i < w->a->warmup.n; i++) {
        const struct start *s = &w->starts[i];
        if (!s->over || !s->calls || s->calls > MOST_CALLS)
            continue;
        w->first = i < w->first ? (uint32_t)i : w->first;
        w->excess_ns = add_ns(w->excess_ns, s->excess_ns);
        w->calls += s->calls;
        w->kernels++;
    }
}

static void measure(struct warm *w)
{
    const struct analysis *a = w->a;
    struct arena *temporary = arena_scratch();
    const struct name_groups *names = &a->view.names;
    w->row = arena_array(temporary, uint8_t, names->n);
    w->starts = arena_array(temporary, struct start, a->warmup.n);
    for (size_t i = 0; i < a->warmup.n; i++) {
        uint32_t symbol = a->trace->kernels.symbol[a->warmup.v[i].kernel];
        if (a->view.kernel_class[symbol] == KERNEL_COMPUTE) /* a collective waits for late ranks */
            w->row[names->of_symbol[symbol]] = (uint8_t)(i + 1);
    }
    for (size_t g = 0; g < a->view.n_gpus; g++)
        add_gpu(w, &a->view.gpus[g], names);
    arena_release(temporary);
}

static bool eval(const struct analysis *a, struct finding *f)
{
    if (!a->warmup.n)
        return false;
    struct warm warm = {.a = a, .first = NO_INDEX};
    measure(&warm);
    if (warm.first == NO_INDEX)
        return false;
    const struct warmup_row *w = &a->warmup.v[warm.first];
    char lost[HUMAN_MAX], first[HUMAN_MAX], median[HUMAN_MAX], n[HUMAN_MAX];
    finding_claim(f, CAUSE_COMPUTE, warm.excess_ns);
    finding_scope(f, "first calls of %llu kernels", (unsigned long long)warm.kernels);
    finding_issue(f, "first calls take %s longer than later ones; %s took %s, then %s",
                  human_time(lost, warm.excess_ns), w->kernel_name,
                  human_time(first, w->first_duration_ns), human_time(median, w->median_ns));
    finding_because(f, "warmup.ratio", w->ratio, WARM_RATIO, NO_UNIT,
                    "the first call took %.1f times the median", w->ratio);
    finding_because(f, "warmup.excess_ns", (double)warm.excess_ns, 0, IN_NS,
                    "%s calls in all before the first normal one", human_count(n, warm.calls));
    finding_at_kernel(f, w->kernel, "first call of %s", w->kernel_name);
    finding_suggest(f, "leave the first steps out of measurements");
    finding_action(f, "run a few warm-up steps before the part that is timed or profiled");
    finding_action(f,
                   "profile a steady part only: profiler pause and resume, or an iteration range");
    finding_sure(f, 0.8, "the first calls are compared with the median of the others");
    return true;
}

const struct rule rule_warmup = {
    .name = "warmup",
    .id = "ROCPD-WARMUP-001",
    .category = ABOUT_WARMUP,
    .title = "first calls are much slower",
    .bottleneck = BOTTLENECK_OTHER,
    .action = ACTION_RUNTIME,
    .needs = NEED_KERNELS,
    .gain = 0.9,
    .eval = eval,
    .doc =
        "Fires when the first call of a kernel takes more than twice the median of its other "
        "calls with the same sizes (three or more). Claims the excess of all calls up to the first that takes less than "
        "that, on "
        "each GPU; where more than 32 calls or all of them are slow, it is no warm-up. "
        "Collectives are "
        "left out: they wait for late ranks.",
};
