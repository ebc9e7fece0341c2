/* The ranks of a job: who waits for whom, how evenly they compute, what goes through the host. */
#include <math.h>
#include <stdlib.h>

#include "base/str.h"
#include "job/job.h"
#include "report/section.h"

enum { MOST_RANKS = 32 };

static void waiting(const struct job *job, struct doc *d)
{
    const struct straggler *s = &job->straggler;
    struct arena *a = d->arena;
    if (job->has_straggler) {
        doc_callout(d, TONE_BAD, "rank %d is late: the job loses %s to it; %s", s->rank,
                    value_ns(a, s->cost_ns), s->detail);
        if (s->meetings)
            doc_fact(d, "straggler", "rank %d, last at %llu of %llu meetings%s", s->rank,
                     (unsigned long long)s->late, (unsigned long long)s->meetings,
                     s->always ? ", nearly always" : "");
        if (s->meetings)
            doc_fact(d, "the others", "wait %s for it in all, %.0f %% of all waiting",
                     value_ns(a, s->waited_ns), s->share_pct);
    } else if (job->stats.meetings)
        doc_fact(d, "straggler", "none: the ranks take turns in coming last, waiting %s in all",
                 value_ns(a, job->stats.wait_ns));
    else
        doc_fact(d, "straggler",
                 "cannot be told: no barrier, collective or message is recorded on all ranks");
}

static const char *ratio(struct arena *a, double v)
{
    return isnan(v) ? "-" : arena_printf(a, "%.2f", v);
}

static void efficiencies(const struct efficiencies *e, struct doc *d)
{
    struct arena *a = d->arena;
    if (isnan(e->parallel))
        doc_fact(d, "efficiency", "cannot be told: no communication is recorded");
    else
        doc_fact(d, "efficiency", "parallel %s = load balance %s x communication %s",
                 ratio(a, e->parallel), ratio(a, e->load_balance), ratio(a, e->communication));
    doc_fact(d, "GPUs", "device %s = load balance %s x orchestration %s", ratio(a, e->device),
             ratio(a, e->device_load_balance), ratio(a, e->orchestration));
}

static bool clocks_moved(const struct job *job)
{
    for (size_t i = 0; i < job->ranks.n; i++)
        if (job->ranks.v[i].clock_offset_ns)
            return true;
    return false;
}

static const char *clocks(const struct job *job, struct arena *a)
{
    const struct job_stats *s = &job->stats;
    bool moved = clocks_moved(job);
    if (!s->clocks_aligned)
        return moved ? "nothing to compare them by: hosts are laid side by side by their start"
                     : "as recorded: nothing to compare them by";
    return arena_printf(a, "%s on %s, %s left over", moved ? "aligned" : "agree", s->aligned,
                        value_ns(a, s->clock_residual_ns));
}

static int most_first(const void *left, const void *right)
{
    int64_t x = *(const int64_t *)left, y = *(const int64_t *)right;
    return x < y ? 1 : x > y ? -1 : 0;
}

/* The rows worth a look when there are many: the first ones, and those that make others wait. */
static const bool *worth_a_look(const struct job *job, struct arena *a)
{
    size_t n = job->ranks.n;
    if (n <= MOST_RANKS)
        return NULL;
    bool *rows = arena_array(a, bool, n);
    int64_t *caused = arena_array(a, int64_t, n);
    for (size_t i = 0; i < n; i++)
        caused[i] = job->ranks.v[i].caused_ns;
    qsort(caused, n, sizeof(*caused), most_first);
    int64_t least = caused[MOST_RANKS / 2 - 1];
    for (size_t i = 0; i < n; i++) {
        int64_t ns = job->ranks.v[i].caused_ns;
        rows[i] = i < MOST_RANKS / 2 || (ns > 0 && ns >= least);
    }
    return rows;
}

static void tables(const struct subject *s, struct doc *d)
{
    const struct job *job = s->a->job;
    struct arena *a = d->arena;
    doc_rows(d, section_result(s, "ranks"),
             &(struct rows){.caption = arena_printf(a, "compute differs by %.0f %% of the mean",
                                                    100 * job->stats.imbalance),
                            .shown = clocks_moved(job)
                                         ? "rank host gpu_idle_ns busy_pct compute_ns mpi_ns "
                                           "host_ns wait_ns late path_ns clock_offset_ns"
                                         : "rank host gpu_idle_ns busy_pct compute_ns mpi_ns "
                                           "host_ns wait_ns late path_ns",
                            .printed = worth_a_look(job, a)});
    if (job->phases.n > 1)
        doc_rows(
            d, section_result(s, "rank_phases"),
            &(struct rows){.caption = arena_printf(a, "phases that the ranks share, %.0f %% alike",
                                                   100 * job->stats.phase_confidence),
                           .shown = "phase name ranks mean_ns compute_mean_ns imbalance "
                                    "slowest mpi_mean_ns mpi_imbalance"});
    doc_rows(d, section_result(s, "staging"),
             &(struct rows){.caption = "data that goes through the host: copy out, MPI, copy in"});
    doc_rows(d, section_result(s, "mpi_operations"),
             &(struct rows){.caption = "MPI calls of all ranks", .top = s->top});
}

static bool has(const struct subject *s)
{
    return s->a->job != NULL;
}

static void build(const struct subject *s, struct doc *d)
{
    const struct job *job = s->a->job;
    waiting(job, d);
    efficiencies(&job->efficiencies, d);
    doc_fact(d, "clocks", "%s", clocks(job, d->arena));
    if (job->stats.analyzed_rank >= 0)
        doc_fact(d, "what follows", "is about rank %d; --rank N chooses another",
                 job->stats.analyzed_rank);
    for (size_t i = 0; i < job->notes.n; i++)
        doc_item(d, "%s", job->notes.v[i]);
    tables(s, d);
}

const struct section section_ranks = {"ranks", "Ranks", "Ranks", IN(REPORT_ANALYSIS), has, build};
