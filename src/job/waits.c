/*
 * Meetings over the ranks: which belong together, who came last, how long the others waited.
 *
 * Where nobody leaves before all have come, the time in the call beyond the shortest one of all
 * ranks is waiting. That needs no common clock. Other calls are used only when there is none of
 * that kind: there, a rank waits from its own arrival to the last one's, on aligned clocks.
 */
#include <stdlib.h>

#include "analyze/quantile.h"
#include "job/clocks.h"
#include "job/meetings.h"

/* Less is how long a message takes. */
#define LEAST_WAIT_NS 1000

/* Hardly waiting: less than one part in so many of the longest wait. */
enum { NEARLY = 20 };

/* A stall is this many times as long as the waiting in the middle of all meetings. */
#define STALL_TIMES 5

static int64_t length(const struct meet *m)
{
    return m->end_ns - m->start_ns;
}

/* Of an even number of values, between the two in the middle; they are put into another order. */
static int64_t middle(int64_t *v, size_t n)
{
    int64_t upper = select_rank(v, n, n / 2);
    if (n % 2)
        return upper;
    int64_t lower = select_rank(v, n, n / 2 - 1);
    return lower + (upper - lower) / 2;
}

/*
 * What a late rank costs is how long the others wait, the middle one of them; where some are as
 * late as it is, the job would wait for these instead, and balance wins no more than the mean.
 */
static int64_t least(int64_t middle, int64_t mean)
{
    return mean < middle ? mean : middle;
}

/*
 * Of those that hardly wait, the one that arrives last. Communicators that meet side by side look
 * like one meeting; the ranks of one in which nobody waits hold nobody up.
 */
static size_t latest_of(const struct job *job, const struct meeting *m, const int64_t *wait,
                        int64_t hardly, size_t last)
{
    for (size_t i = 0; i < m->n; i++) {
        const struct job_rank *r = &job->ranks.v[m->rank[i]], *l = &job->ranks.v[m->rank[last]];
        if (wait[i] <= hardly && r->clock_residual_ns >= 0 && l->clock_residual_ns >= 0 &&
            job_time(r, m->v[i]->start_ns) > job_time(l, m->v[last]->start_ns))
            last = i;
    }
    return last;
}

size_t meeting_judge(const struct job *job, const struct meeting *m, int64_t *wait)
{
    size_t last = 0;
    bool all = m->op->kind == MEET_ALL;
    for (size_t i = 1; i < m->n; i++) {
        if (all ? length(m->v[i]) < length(m->v[last])
                : job_time(&job->ranks.v[m->rank[i]], m->v[i]->start_ns) >
                      job_time(&job->ranks.v[m->rank[last]], m->v[last]->start_ns))
            last = i;
    }
    int64_t latest = job_time(&job->ranks.v[m->rank[last]], m->v[last]->start_ns), most = 0;
    for (size_t i = 0; i < m->n; i++) {
        int64_t own = length(m->v[i]);
        if (all) {
            wait[i] = own - length(m->v[last]);
        } else {
            int64_t early = latest - job_time(&job->ranks.v[m->rank[i]], m->v[i]->start_ns);
            wait[i] = early < own ? early : own;
        }
        most = wait[i] > most ? wait[i] : most;
    }
    if (most < LEAST_WAIT_NS)
        return NO_INDEX;
    return all ? latest_of(job, m, wait, most / NEARLY, last) : last;
}

/* What a meeting cost, and who came last to it. */
struct cost {
    uint32_t rank; /* NO_INDEX: nobody */
    int64_t ns, all_ns;
};

struct counting {
    struct job *job;
    struct arena *temporary;
    VEC(struct cost) costs;
    int64_t *wait, *others; /* room for a meeting */
    struct late *late;      /* by rank */
    uint64_t meetings;
    bool only_all;
};

static void count(void *ctx, const struct meeting *m)
{
    struct counting *c = ctx;
    if (m->op->kind == MEET_MARKER || (c->only_all && m->op->kind != MEET_ALL))
        return;
    c->meetings += m->stands_for;
    size_t last = meeting_judge(c->job, m, c->wait);
    if (last == NO_INDEX) {
        vec_push(&c->costs, c->temporary, ((struct cost){.rank = NO_INDEX}));
        return;
    }
    int64_t sum = 0;
    size_t others = 0;
    for (size_t i = 0; i < m->n; i++) {
        struct job_rank *r = &c->job->ranks.v[m->rank[i]];
        r->wait_ns = add_ns(r->wait_ns, mul_ns(c->wait[i], m->stands_for));
        sum = add_ns(sum, c->wait[i]);
        if (m->op->on_gpu && m->stands_for == 1 && c->wait[i] > 0)
            vec_push(&r->gpu_waits, c->job->arena,
                     ((struct gpu_wait){m->v[i]->start_ns, c->wait[i]}));
        if (i != last)
            c->others[others++] = c->wait[i];
    }
    struct job_rank *r = &c->job->ranks.v[m->rank[last]];
    r->caused_ns = add_ns(r->caused_ns, mul_ns(sum, m->stands_for));
    r->late += m->stands_for;
    struct late *late = &c->late[m->rank[last]];
    int64_t cost = least(middle(c->others, others), sum / (int64_t)others);
    late->cost_ns = add_ns(late->cost_ns, mul_ns(cost, m->stands_for));
    vec_push(&c->costs, c->temporary,
             ((struct cost){m->rank[last], cost, mul_ns(cost, m->stands_for)}));
    for (size_t i = 0; i < m->n; i++) {
        double net = i == last ? (double)cost : -(double)c->wait[i];
        c->late[m->rank[i]].net += net * m->stands_for;
        c->late[m->rank[i]].net_square += net * net * m->stands_for;
    }
}

static int by_cost(const void *x, const void *y)
{
    const struct cost *a = x, *b = y;
    return (a->ns > b->ns) - (a->ns < b->ns);
}

/* Sums up for each rank what it cost in meetings that are out of the ordinary. */
static void find_stalls(struct counting *c)
{
    size_t n = c->costs.n;
    if (!n)
        return;
    qsort(c->costs.v, n, sizeof(*c->costs.v), by_cost);
    int64_t usual = c->costs.v[n / 2].ns;
    for (size_t i = n; i-- && c->costs.v[i].ns / STALL_TIMES > usual;) {
        struct late *late = &c->late[c->costs.v[i].rank];
        late->stall_ns = add_ns(late->stall_ns, c->costs.v[i].all_ns);
    }
}

static void note_kind(void *ctx, const struct meeting *m)
{
    uint64_t *of_all = ctx;
    *of_all += m->op->kind == MEET_ALL;
}

void job_meet(struct job *job)
{
    size_t n = job->ranks.n;
    uint64_t of_all = 0;
    struct arena *temporary = arena_scratch();
    struct meetings all;
    meetings_match(&all, job, temporary);
    if (all.left_out)
        vec_push(&job->notes, job->arena,
                 "a rank makes a collective call more or less often than the others: it is left "
                 "out of these meetings");
    job_align_clocks(job, &all, temporary);
    meetings_each(&all, note_kind, &of_all);
    struct counting c = {.job = job, .temporary = temporary, .only_all = of_all > 0};
    c.wait = arena_array(temporary, int64_t, n);
    c.others = arena_array(temporary, int64_t, n);
    c.late = arena_array(job->arena, struct late, n);
    meetings_each(&all, count, &c);
    find_stalls(&c);
    job_path(job, &all, temporary);
    job->late = c.late;
    job->stats.meetings = c.meetings;
    for (size_t i = 0; i < n; i++)
        job->stats.wait_ns = add_ns(job->stats.wait_ns, job->ranks.v[i].wait_ns);
    arena_release(temporary);
}
