/*
 * Phases of the ranks, brought together by what they contain.
 *
 * The rank whose number of phases is the most common one gives the phases; those of every other
 * rank are aligned with them in order (Needleman and Wunsch), by name, main kernel and length.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "job/job.h"

/* Below this the phases of the ranks are not the same; only whole runs are compared. */
#define LEAST_CONFIDENCE 0.5
#define GAP_SCORE (-0.05)

static int64_t length(const struct rank_phase *p)
{
    return sub_ns(p->end_ns, p->start_ns);
}

/* Names of one rank are numbered where they repeat: "solve (2)". */
static bool same_name(const char *a, const char *b)
{
    const char *end_a = strstr(a, " ("), *end_b = strstr(b, " (");
    size_t na = end_a ? (size_t)(end_a - a) : strlen(a);
    size_t nb = end_b ? (size_t)(end_b - b) : strlen(b);
    return na == nb && !memcmp(a, b, na);
}

static double likeness(const struct rank_phase *a, const struct rank_phase *b)
{
    double la = (double)length(a), lb = (double)length(b);
    double longer = fmax(la, lb);
    return 0.5 * same_name(a->name, b->name) + 0.3 * str_eq(a->top_kernel, b->top_kernel) +
           0.2 * (longer > 0 ? fmin(la, lb) / longer : 1);
}

/* of[i]: the phase of b that belongs to phase i of a, or NO_INDEX. Returns the mean likeness. */
static double align(const struct job_rank *a, const struct job_rank *b, uint32_t *of,
                    struct arena *arena)
{
    size_t n = a->phases.n, m = b->phases.n, w = m + 1;
    double *score = arena_array(arena, double, (n + 1) * w);
    for (size_t i = 1; i <= n; i++)
        score[i * w] = (double)i * GAP_SCORE;
    for (size_t j = 1; j <= m; j++)
        score[j] = (double)j * GAP_SCORE;
    for (size_t i = 1; i <= n; i++)
        for (size_t j = 1; j <= m; j++) {
            double both =
                score[(i - 1) * w + j - 1] + likeness(&a->phases.v[i - 1], &b->phases.v[j - 1]);
            double skip = fmax(score[(i - 1) * w + j], score[i * w + j - 1]) + GAP_SCORE;
            score[i * w + j] = fmax(both, skip);
        }
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        of[i] = NO_INDEX;
    for (size_t i = n, j = m; i && j;) {
        double like = likeness(&a->phases.v[i - 1], &b->phases.v[j - 1]);
        if (score[i * w + j] == score[(i - 1) * w + j - 1] + like) {
            if (like >= 0.3) {
                of[i - 1] = (uint32_t)(j - 1);
                sum += like;
            }
            i--;
            j--;
        } else if (score[i * w + j] == score[(i - 1) * w + j] + GAP_SCORE) {
            i--;
        } else {
            j--;
        }
    }
    return sum / (double)(n > m ? n : m);
}

/* How often phases are counted so; the most common count. */
static size_t common_phases(const struct job *job)
{
    size_t best = 0, most = 0, largest = 0;
    struct arena *temporary = arena_scratch();
    for (size_t i = 0; i < job->ranks.n; i++)
        if (job->ranks.v[i].phases.n > largest)
            largest = job->ranks.v[i].phases.n;
    size_t *same = arena_array(temporary, size_t, largest + 1);
    for (size_t i = 0; i < job->ranks.n; i++)
        same[job->ranks.v[i].phases.n]++;
    for (size_t i = 0; i < job->ranks.n; i++) /* of equal ones that of the first rank */
        if (same[job->ranks.v[i].phases.n] > most) {
            best = job->ranks.v[i].phases.n;
            most = same[best];
        }
    arena_release(temporary);
    return best;
}

/* Of the ranks with that many phases, the one that is most like the others; a few are tried. */
static size_t reference(const struct job *job)
{
    enum { CANDIDATES = 8, COMPARED = 16 };
    size_t n = job->ranks.n, count = common_phases(job), best = NO_INDEX, tried = 0;
    double most = -1;
    struct arena *temporary = arena_scratch();
    for (size_t i = 0; i < n && tried < CANDIDATES; i++) {
        const struct job_rank *r = &job->ranks.v[i];
        if (r->phases.n != count)
            continue;
        double like = 0;
        uint32_t *of = arena_array(temporary, uint32_t, count + 1);
        for (size_t k = 0; k < n; k += n / COMPARED + 1)
            if (k != i)
                like += align(r, &job->ranks.v[k], of, temporary);
        tried++;
        if (like > most) {
            most = like;
            best = i;
        }
    }
    arena_release(temporary);
    return best;
}

static double spread(double most, double least, double mean)
{
    return mean > 0 ? (most - least) / mean : NAN;
}

/* One phase over the ranks; of[rank] is its place there. */
static struct job_phase gather(const struct job *job, const char *name, size_t number,
                               uint32_t *const *of, size_t place)
{
    struct job_phase p = {.phase = (uint32_t)number, .name = name, .slowest = -1, .most_mpi = -1};
    double total = 0, compute = 0, mpi = 0, mpi_max = 0, mpi_min = INFINITY;
    for (size_t r = 0; r < job->ranks.n; r++) {
        const struct job_rank *rank = &job->ranks.v[r];
        if (of[r][place] == NO_INDEX)
            continue;
        const struct rank_phase *x = &rank->phases.v[of[r][place]];
        int64_t mine = x->compute_ns / (rank->gpus ? rank->gpus : 1);
        if (!p.ranks || mine > p.compute_max_ns) {
            p.compute_max_ns = mine;
            p.slowest = rank->rank;
        }
        if (!p.ranks || mine < p.compute_min_ns)
            p.compute_min_ns = mine;
        if (!p.ranks || (double)x->mpi_ns > mpi_max) {
            mpi_max = (double)x->mpi_ns;
            p.most_mpi = rank->rank;
        }
        mpi_min = fmin(mpi_min, (double)x->mpi_ns);
        total += (double)length(x);
        compute += (double)mine;
        mpi += (double)x->mpi_ns;
        p.ranks++;
    }
    double n = p.ranks ? p.ranks : 1;
    p.mean_ns = ns_from(total / n);
    p.compute_mean_ns = ns_from(compute / n);
    p.mpi_mean_ns = ns_from(mpi / n);
    p.imbalance = spread((double)p.compute_max_ns, (double)p.compute_min_ns, compute / n);
    p.mpi_imbalance = spread(mpi_max, mpi_min, mpi / n);
    if (isnan(p.mpi_imbalance))
        p.most_mpi = -1;
    return p;
}

void job_align_phases(struct job *job)
{
    struct arena *arena = job->arena;
    size_t base = reference(job);
    const struct job_rank *ref = &job->ranks.v[base];
    if (ref->phases.n < 1 || job->ranks.n < 2)
        return;
    struct arena *temporary = arena_scratch(), *room = arena_child(temporary);
    uint32_t **of = arena_array(temporary, uint32_t *, job->ranks.n);
    double confidence = 0;
    for (size_t r = 0; r < job->ranks.n; r++) {
        of[r] = arena_array(temporary, uint32_t, ref->phases.n);
        double like = align(ref, &job->ranks.v[r], of[r], room);
        confidence += r == base ? 0 : like;
        arena_release(room);
    }
    confidence /= (double)(job->ranks.n - 1);
    if (confidence < LEAST_CONFIDENCE) {
        arena_release(temporary);
        vec_push(&job->notes, arena,
                 "the ranks do not go through the same phases: only whole runs are compared");
        return;
    }
    job->stats.phase_confidence = confidence;
    for (size_t i = 0; i < ref->phases.n; i++)
        vec_push(&job->phases, arena, gather(job, ref->phases.v[i].name, i + 1, of, i));
    arena_release(temporary);
}
