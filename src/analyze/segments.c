#include "analyze/segments.h"

#include <math.h>
#include <string.h>

#include "analyze/name_groups.h"

enum {
    MOST_BINS = 512,
    LEAST_BINS = 16,
    KERNELS_PER_BIN = 16, /* a bin must see some of everything that repeats */
    TOP_NAMES = 20,
    WORD_OTHER = TOP_NAMES,
    WORD_COPY,
    WORD_IDLE,
    SIDE = 6,        /* bins to the left and right that are compared */
    CANDIDATES = 60, /* boundaries considered at most */
};

/* Segments more alike than this are one; a segment must explain this share to be worth having. */
#define ALIKE 0.10
#define ELBOW 0.01
/* Boundaries closer to each other, or to an end, than this many bins are one. */
#define NEAR_BINS 3

struct state {
    const struct view *v;
    struct arena *arena;
    struct name_groups names;
    uint8_t *word_of; /* by name group */
    double (*bin)[SEGMENT_WORDS];
    int64_t (
        *whole)[SEGMENT_WORDS]; /* how many more cover all of this bin than of the one before */
    size_t n_bins;
    int64_t width;
};

static double jsd(const double *p, const double *q)
{
    double sum = 0;
    for (int i = 0; i < SEGMENT_WORDS; i++) {
        double m = (p[i] + q[i]) / 2;
        if (p[i] > 0)
            sum += p[i] / 2 * log2(p[i] / m);
        if (q[i] > 0)
            sum += q[i] / 2 * log2(q[i] / m);
    }
    return sum < 0 ? 0 : sum;
}

/* The names that take most time get words of their own. */
static void choose_words(struct state *s)
{
    const struct kernels *k = &s->v->trace->kernels;
    int64_t *total = arena_array(s->arena, int64_t, s->names.n + 1);
    s->word_of = arena_array(s->arena, uint8_t, s->names.n + 1);
    memset(s->word_of, WORD_OTHER, s->names.n + 1);
    const uint32_t *rows = kernel_rows(s->v, s->arena);
    for (size_t i = 0; i < s->v->n_kernels; i++) {
        struct span span = view_clip(s->v, k->start_ns[rows[i]], k->end_ns[rows[i]]);
        uint32_t group = s->names.of_symbol[k->symbol[rows[i]]];
        total[group] = add_ns(total[group], span.end - span.start);
    }
    for (uint8_t word = 0; word < TOP_NAMES; word++) {
        size_t best = s->names.n;
        for (size_t g = 0; g < s->names.n; g++)
            if (s->word_of[g] == WORD_OTHER && total[g] > 0 &&
                (best == s->names.n || total[g] > total[best]))
                best = g;
        if (best == s->names.n)
            return;
        s->word_of[best] = word;
    }
}

/* A long one costs no more than a short one: many may be as long as the trace. */
static void add_to_bins(struct state *s, int64_t start, int64_t end, int word)
{
    struct span span = view_clip(s->v, start, end);
    if (span.start >= span.end)
        return;
    int64_t from = span.start - s->v->start_ns, to = span.end - s->v->start_ns;
    size_t b = (size_t)(from / s->width), last = (size_t)((to - 1) / s->width);
    if (b >= s->n_bins || last >= s->n_bins)
        return;
    if (b == last) {
        s->bin[b][word] += (double)(to - from);
        return;
    }
    s->bin[b][word] += (double)(mul_ns((int64_t)(b + 1), s->width) - from);
    s->bin[last][word] += (double)(to - mul_ns((int64_t)last, s->width));
    s->whole[b + 1][word]++;
    s->whole[last][word]--;
}

static void add_whole(struct state *s)
{
    int64_t covering[SEGMENT_WORDS] = {0};
    for (size_t b = 0; b < s->n_bins; b++)
        for (int w = 0; w < SEGMENT_WORDS; w++) {
            covering[w] += s->whole[b][w];
            s->bin[b][w] += (double)covering[w] * (double)s->width;
        }
}

static void fill_bins(struct state *s)
{
    const struct kernels *k = &s->v->trace->kernels;
    const struct copies *c = &s->v->trace->copies;
    for (size_t g = 0; g < s->v->n_gpus; g++) {
        const struct view_gpu *gpu = &s->v->gpus[g];
        for (size_t i = 0; i < gpu->n_kernels; i++) {
            uint32_t row = gpu->kernels[i];
            add_to_bins(s, k->start_ns[row], k->end_ns[row],
                        s->word_of[s->names.of_symbol[k->symbol[row]]]);
        }
        for (size_t i = 0; i < gpu->n_copies; i++)
            add_to_bins(s, c->start_ns[gpu->copies[i]], c->end_ns[gpu->copies[i]], WORD_COPY);
    }
    add_whole(s);
    double whole = (double)s->width * (double)s->v->n_gpus;
    for (size_t b = 0; b < s->n_bins; b++) {
        double sum = 0;
        for (int w = 0; w < WORD_IDLE; w++)
            sum += s->bin[b][w];
        s->bin[b][WORD_IDLE] = sum < whole ? whole - sum : 0;
        sum += s->bin[b][WORD_IDLE];
        for (int w = 0; w < SEGMENT_WORDS && sum > 0; w++)
            s->bin[b][w] /= sum;
    }
}

static void mean_of(const struct state *s, size_t from, size_t to, double *out)
{
    memset(out, 0, SEGMENT_WORDS * sizeof(*out));
    for (size_t b = from; b < to; b++)
        for (int w = 0; w < SEGMENT_WORDS; w++)
            out[w] += s->bin[b][w];
    for (int w = 0; w < SEGMENT_WORDS && to > from; w++)
        out[w] /= (double)(to - from);
}

/* Bins where the two sides differ most: local maxima, strongest first, not too near each other. */
static size_t find_candidates(const struct state *s, size_t *cut)
{
    double *score = arena_array(s->arena, double, s->n_bins + 1);
    for (size_t b = 1; b < s->n_bins; b++) {
        double left[SEGMENT_WORDS], right[SEGMENT_WORDS];
        size_t side = SIDE;
        side = b < side ? b : side;
        side = s->n_bins - b < side ? s->n_bins - b : side;
        mean_of(s, b - side, b, left);
        mean_of(s, b, b + side, right);
        score[b] = jsd(left, right);
    }
    size_t n = 0;
    while (n < CANDIDATES) {
        size_t best = 0;
        for (size_t b = 1; b < s->n_bins; b++)
            if (score[b] > score[best])
                best = b;
        if (!best || score[best] < ALIKE / 2)
            break;
        cut[n++] = best;
        for (size_t b = best > NEAR_BINS ? best - NEAR_BINS : 0;
             b <= best + NEAR_BINS && b < s->n_bins; b++)
            score[b] = 0;
    }
    for (size_t i = 1; i < n; i++) /* by time */
        for (size_t j = i; j > 0 && cut[j] < cut[j - 1]; j--) {
            size_t swap = cut[j];
            cut[j] = cut[j - 1];
            cut[j - 1] = swap;
        }
    return n;
}

/* Pieces between candidates; neighbours that are alike are joined until none are. */
static size_t make_pieces(const struct state *s, size_t *edge)
{
    edge[0] = 0;
    size_t n = find_candidates(s, edge + 1) + 1;
    edge[n] = s->n_bins;
    for (bool joined = true; joined && n > 1;) {
        joined = false;
        for (size_t i = 0; i + 1 < n; i++) {
            double left[SEGMENT_WORDS], right[SEGMENT_WORDS];
            mean_of(s, edge[i], edge[i + 1], left);
            mean_of(s, edge[i + 1], edge[i + 2], right);
            if (jsd(left, right) >= ALIKE)
                continue;
            memmove(&edge[i + 1], &edge[i + 2], (n - i - 1) * sizeof(*edge));
            n--;
            joined = true;
        }
    }
    return n;
}

/* What it costs to call pieces a..b one segment. */
static double cost_of(const struct state *s, const size_t *edge, size_t a, size_t b)
{
    double whole[SEGMENT_WORDS], piece[SEGMENT_WORDS], sum = 0;
    mean_of(s, edge[a], edge[b + 1], whole);
    for (size_t i = a; i <= b; i++) {
        mean_of(s, edge[i], edge[i + 1], piece);
        sum += (double)(edge[i + 1] - edge[i]) * jsd(piece, whole);
    }
    return sum;
}

/* Best division of n pieces into each number of segments; returns the number chosen. */
static size_t choose_segments(const struct state *s, const size_t *edge, size_t n, size_t most,
                              size_t *first_piece, double *quality)
{
    size_t top = most < n ? most : n;
    double *cost = arena_array(s->arena, double, n *n);
    double *dp = arena_array(s->arena, double, (top + 1) * n);
    size_t *from = arena_array(s->arena, size_t, (top + 1) * n);
    for (size_t a = 0; a < n; a++)
        for (size_t b = a; b < n; b++)
            cost[a * n + b] = a == b ? 0 : cost_of(s, edge, a, b);
    for (size_t i = 0; i < n; i++)
        dp[n + i] = cost[i];
    for (size_t k = 2; k <= top; k++) {
        for (size_t i = k - 1; i < n; i++) {
            dp[k * n + i] = INFINITY;
            for (size_t m = k - 1; m <= i; m++) {
                double c = dp[(k - 1) * n + m - 1] + cost[m * n + i];
                if (c < dp[k * n + i]) {
                    dp[k * n + i] = c;
                    from[k * n + i] = m;
                }
            }
        }
    }
    double range = dp[n + n - 1] - dp[top * n + n - 1];
    size_t best = 1;
    for (size_t k = 2; k <= top && range > 0; k++)
        if ((dp[(k - 1) * n + n - 1] - dp[k * n + n - 1]) / range >= ELBOW)
            best = k;
    *quality = dp[n + n - 1] > 0 ? 1 - dp[best * n + n - 1] / dp[n + n - 1] : 1;
    for (size_t k = best, last = n - 1; k >= 1; k--) {
        first_piece[k - 1] = k == 1 ? 0 : from[k * n + last];
        last = first_piece[k - 1] ? first_piece[k - 1] - 1 : 0;
    }
    return best;
}

/* First kernel of a GPU that starts at or after a time. */
static size_t first_from(const struct state *s, const struct view_gpu *gpu, int64_t time)
{
    const int64_t *start_ns = s->v->trace->kernels.start_ns;
    size_t lo = 0;
    BISECT(lo, gpu->n_kernels, mid, start_ns[gpu->kernels[mid]] < time);
    return lo;
}

/* Time by name on one side of a boundary, as shares. */
static void shares_between(const struct state *s, const struct view_gpu *gpu, int64_t from,
                           int64_t to, double *share)
{
    const struct kernels *k = &s->v->trace->kernels;
    double sum = 0;
    memset(share, 0, s->names.n * sizeof(*share));
    for (size_t i = first_from(s, gpu, from);
         i < gpu->n_kernels && k->start_ns[gpu->kernels[i]] < to; i++) {
        uint32_t row = gpu->kernels[i];
        double ns = (double)sub_ns(k->end_ns[row], k->start_ns[row]);
        share[s->names.of_symbol[k->symbol[row]]] += ns;
        sum += ns;
    }
    for (size_t n = 0; n < s->names.n && sum > 0; n++)
        share[n] /= sum;
}

/*
 * The kernel start near a boundary that separates both sides best: every kernel before it speaks
 * for the left side as far as its name is more usual there than on the right.
 */
static int64_t snap(const struct state *s, const struct segment *l, const struct segment *r)
{
    const struct kernels *k = &s->v->trace->kernels;
    const struct view_gpu *gpu = &s->v->gpus[0];
    int64_t at = r->start_ns, snapped = at;
    int64_t lo = sub_ns(at, mul_ns(2, s->width)), hi = add_ns(at, mul_ns(2, s->width));
    double *left = arena_array(s->arena, double, s->names.n + 1);
    double *right = arena_array(s->arena, double, s->names.n + 1);
    shares_between(s, gpu, l->start_ns, lo > l->start_ns ? lo : at, left);
    shares_between(s, gpu, hi < r->end_ns ? hi : at, r->end_ns, right);
    double sum = 0, least = INFINITY;
    for (size_t i = first_from(s, gpu, lo);
         i < gpu->n_kernels && k->start_ns[gpu->kernels[i]] <= hi; i++) {
        uint32_t row = gpu->kernels[i], name = s->names.of_symbol[k->symbol[row]];
        if (sum < least) {
            least = sum;
            snapped = k->start_ns[row];
        }
        sum += (double)sub_ns(k->end_ns[row], k->start_ns[row]) * (right[name] - left[name]);
    }
    return sum < least ? at : snapped;
}

static void place_boundaries(const struct state *s, struct segments *out)
{
    for (size_t i = 1; i < out->n; i++) {
        struct segment *l = &out->v[i - 1], *r = &out->v[i];
        bool idle_side = l->share[WORD_IDLE] > 0.98 || r->share[WORD_IDLE] > 0.98;
        int64_t at = idle_side ? r->start_ns : snap(s, l, r);
        if (at <= l->start_ns || at >= r->end_ns)
            continue;
        l->end_ns = r->start_ns = at;
    }
}

void segments_find(struct segments *out, const struct view *v, size_t most, struct arena *a)
{
    *out = (struct segments){.n = 1, .quality = 1};
    out->v[0] = (struct segment){.start_ns = v->start_ns, .end_ns = v->end_ns};
    int64_t window = view_window(v);
    if (most > MOST_SEGMENTS)
        most = MOST_SEGMENTS;
    size_t bins = (v->n_kernels + v->n_copies) / KERNELS_PER_BIN;
    bins = bins > MOST_BINS ? MOST_BINS : bins < LEAST_BINS ? LEAST_BINS : bins;
    if (most < 2 || window < MOST_BINS || window > INT64_MAX / 4 || !v->n_gpus)
        return;
    struct state s = {.v = v, .arena = a, .n_bins = bins, .width = window / (int64_t)bins + 1};
    s.names = v->names;
    choose_words(&s);
    s.bin = arena_calloc(a, s.n_bins, sizeof(*s.bin));
    s.whole = arena_calloc(a, s.n_bins, sizeof(*s.whole));
    fill_bins(&s);
    size_t edge[CANDIDATES + 2], first[MOST_SEGMENTS];
    size_t n = make_pieces(&s, edge);
    out->n = choose_segments(&s, edge, n, most, first, &out->quality);
    out->bin_ns = s.width;
    for (size_t i = 0; i < out->n; i++) {
        size_t from = edge[first[i]], to = i + 1 < out->n ? edge[first[i + 1]] : s.n_bins;
        struct segment *g = &out->v[i];
        g->start_ns = add_ns(v->start_ns, mul_ns((int64_t)from, s.width));
        g->end_ns = i + 1 < out->n ? add_ns(v->start_ns, mul_ns((int64_t)to, s.width)) : v->end_ns;
        mean_of(&s, from, to, g->share);
    }
    place_boundaries(&s, out);
}
