#include "analyze/iterations.h"

#include <math.h>

#include "analyze/name_groups.h"
#include "analyze/quantile.h"

enum { LEAST_REPEATS = 3, MOST_CANDIDATES = 16, LONGEST = 2000000 };

#define LEAST_MATCH 0.95

struct sequence {
    const struct view *v;
    const struct view_gpu *gpu;
    uint32_t *name; /* of each kernel in order of start */
    size_t n;
};

static bool read_sequence(struct sequence *q, const struct view *v, struct name_groups *names,
                          struct arena *a)
{
    for (size_t g = 0; g < v->n_gpus; g++)
        if (!q->gpu || v->gpus[g].n_kernels > q->gpu->n_kernels)
            q->gpu = &v->gpus[g];
    if (!q->gpu || q->gpu->n_kernels < LEAST_REPEATS)
        return false;
    q->v = v;
    q->n = q->gpu->n_kernels < LONGEST ? q->gpu->n_kernels : LONGEST;
    q->name = arena_array(a, uint32_t, q->n);
    *names = v->names;
    for (size_t i = 0; i < q->n; i++)
        q->name[i] = names->of_symbol[v->trace->kernels.symbol[q->gpu->kernels[i]]];
    return true;
}

/* How often a kernel is followed by itself p places later, from `from` on. */
static double match(const struct sequence *q, size_t p, size_t from)
{
    size_t same = 0;
    for (size_t i = from; i + p < q->n; i++)
        same += q->name[i] == q->name[i + p];
    return q->n > from + p ? (double)same / (double)(q->n - from - p) : 0;
}

/*
 * Distances worth trying: between neighbouring occurrences of the names, as they come in the middle
 * of the run, shortest first.
 */
static size_t distances(const struct sequence *q, size_t n_names, size_t *out, struct arena *a)
{
    size_t *last = arena_array(a, size_t, n_names + 1); /* place + 1 */
    size_t n = 0, middle = q->n / 2, end = q->n;
    for (size_t i = middle; i < end; i++) {
        size_t *l = &last[q->name[i]];
        size_t d = *l ? i + 1 - *l : 0;
        *l = i + 1;
        bool known = !d || d * LEAST_REPEATS > q->n;
        for (size_t k = 0; k < n && !known; k++)
            known = out[k] == d;
        if (known)
            continue;
        size_t at = n < MOST_CANDIDATES ? n++ : n;
        while (at > 0 && out[at - 1] > d) {
            if (at < MOST_CANDIDATES)
                out[at] = out[at - 1];
            at--;
        }
        if (at < MOST_CANDIDATES)
            out[at] = d;
        if (i - middle > 100000 && n == MOST_CANDIDATES)
            break;
    }
    return n;
}

/* Where the pattern begins: what comes before is set-up. */
static size_t pattern_start(const struct sequence *q, size_t p)
{
    size_t start = q->n > p ? q->n - p : 0, misses = 0;
    for (size_t i = start; i-- > 0;) {
        if (q->name[i] == q->name[i + p]) {
            start = i;
            misses = 0;
        } else if (++misses > p / 20 + 1) {
            break;
        }
    }
    return start;
}

/* Start of repetition i, from 0; of the one behind the last: where the last ends. */
static int64_t start_of(const struct sequence *q, size_t p, size_t from, size_t i)
{
    const struct kernels *k = &q->v->trace->kernels;
    size_t at = from + i * p;
    return at < q->n ? k->start_ns[q->gpu->kernels[at]] : k->end_ns[q->gpu->kernels[q->n - 1]];
}

static void measure(struct iteration_stats *s, const struct sequence *q, size_t p, size_t from,
                    struct arena *a)
{
    size_t n = (q->n - from) / p;
    int64_t *ns = arena_array(a, int64_t, n + 1), *copy = arena_array(a, int64_t, n + 1);
    for (size_t i = 0; i < n; i++) {
        ns[i] = copy[i] = sub_ns(start_of(q, p, from, i + 1), start_of(q, p, from, i));
    }
    s->count = n;
    s->kernels = p;
    s->start_ns = start_of(q, p, from, 0);
    s->end_ns = start_of(q, p, from, n);
    s->median_ns = percentile(copy, n, 50);
    s->min_ns = INT64_MAX;
    while (s->warmup < n && (double)ns[s->warmup] > 1.5 * (double)s->median_ns)
        s->warmup++;
    double mean = 0, square = 0;
    for (size_t i = s->warmup; i < n; i++) {
        s->min_ns = ns[i] < s->min_ns ? ns[i] : s->min_ns;
        s->max_ns = ns[i] > s->max_ns ? ns[i] : s->max_ns;
        s->steady_ns = add_ns(s->steady_ns, ns[i]);
        mean += (double)ns[i] / (double)(n - s->warmup);
    }
    for (size_t i = s->warmup; i < n; i++)
        square += ((double)ns[i] - mean) * ((double)ns[i] - mean) / (double)(n - s->warmup);
    s->cv = mean > 0 ? sqrt(square) / mean : 0;
    if (s->min_ns == INT64_MAX)
        s->min_ns = 0;
}

struct pattern {
    size_t length, from; /* kernels; length 0: there is none */
    double match;
};

/*
 * The shortest distance at which the sequence repeats. A run of one kernel repeats at distance one,
 * which says nothing: the step must hold at least two different kernels, or all be one kernel.
 */
static struct pattern find_pattern(struct sequence *q, const struct view *v, struct arena *a)
{
    struct name_groups names;
    size_t candidate[MOST_CANDIDATES];
    if (!read_sequence(q, v, &names, a))
        return (struct pattern){0};
    size_t n = distances(q, names.n, candidate, a);
    for (size_t i = 0; i < n; i++) {
        size_t from = pattern_start(q, candidate[i]);
        double m = match(q, candidate[i], from);
        bool covers = (q->n - from) * 2 > q->n;
        if (m >= LEAST_MATCH && covers && (q->n - from) / candidate[i] >= LEAST_REPEATS)
            return (struct pattern){candidate[i], from, m};
    }
    return (struct pattern){0};
}

void iterations_find(struct iteration_stats *s, const struct view *v, struct arena *a)
{
    *s = (struct iteration_stats){0};
    struct sequence q = {0};
    struct pattern p = find_pattern(&q, v, a);
    if (!p.length)
        return;
    s->match_pct = 100 * p.match;
    measure(s, &q, p.length, p.from, a);
}

uint64_t iterations_span(struct span *out, const struct view *v, uint64_t first, uint64_t last,
                         struct arena *a)
{
    struct sequence q = {0};
    struct pattern p = find_pattern(&q, v, a);
    uint64_t n = p.length ? (q.n - p.from) / p.length : 0;
    if (first < 1 || last < first || last > n)
        return n;
    out->start = start_of(&q, p.length, p.from, (size_t)first - 1);
    out->end = start_of(&q, p.length, p.from, (size_t)last);
    return n;
}
