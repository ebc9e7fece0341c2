#include "report/job_doc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/human.h"
#include "base/str.h"

enum { MOST_RANKS = 32 };

static const char *time_of(struct doc *d, int64_t ns)
{
    char text[HUMAN_MAX];
    return arena_strdup(d->arena, human_time(text, ns));
}

static const char *ratio(struct doc *d, double v)
{
    return isnan(v) ? "-" : arena_printf(d->arena, "%.2f", v);
}

const char *job_title(const struct job *job, struct arena *arena)
{
    const char *command = job->ranks.v[0].command;
    size_t n = strcspn(command, " ");
    const char *program = fs_basename(arena_strndup(arena, command, n));
    return arena_printf(arena, "%s%s%u ranks on %u host%s", program, *program ? ", " : "",
                        job->stats.ranks, job->stats.hosts, job->stats.hosts == 1 ? "" : "s");
}

static void waiting(struct doc *d, const struct job *job)
{
    const struct straggler *s = &job->straggler;
    if (job->has_straggler) {
        doc_callout(d, TONE_BAD, "rank %d is late: the job loses %s to it; %s", s->rank,
                    time_of(d, s->cost_ns), s->detail);
        if (s->meetings)
            doc_fact(d, "straggler", "rank %d, last at %llu of %llu meetings%s", s->rank,
                     (unsigned long long)s->late, (unsigned long long)s->meetings,
                     s->always ? ", nearly always" : "");
        if (s->meetings)
            doc_fact(d, "the others", "wait %s for it in all, %.0f %% of all waiting",
                     time_of(d, s->waited_ns), s->share_pct);
    } else if (job->stats.meetings) {
        doc_fact(d, "straggler", "none: the ranks take turns in coming last, waiting %s in all",
                 time_of(d, job->stats.wait_ns));
    } else {
        doc_fact(d, "straggler",
                 "cannot be told: no barrier, collective or message is recorded on "
                 "all ranks");
    }
}

static bool clocks_moved(const struct job *job)
{
    for (size_t i = 0; i < job->ranks.n; i++)
        if (job->ranks.v[i].clock_offset_ns)
            return true;
    return false;
}

const char *job_clocks(const struct job *job, struct arena *arena)
{
    const struct job_stats *s = &job->stats;
    bool moved = clocks_moved(job);
    char text[HUMAN_MAX];
    if (str_eq(s->aligned, "none"))
        return moved ? "nothing to compare them by: hosts are laid side by side by their start"
                     : "as recorded: nothing to compare them by";
    return arena_printf(arena, "%s on %s, %s left over", moved ? "aligned" : "agree", s->aligned,
                        human_time(text, s->clock_residual_ns));
}

static void efficiencies(struct doc *d, const struct job *job)
{
    const struct efficiencies *e = &job->efficiencies;
    if (isnan(e->parallel))
        doc_fact(d, "efficiency", "cannot be told: no communication is recorded");
    else
        doc_fact(d, "efficiency", "parallel %s = load balance %s x communication %s",
                 ratio(d, e->parallel), ratio(d, e->load_balance), ratio(d, e->communication));
    doc_fact(d, "GPUs", "device %s = load balance %s x orchestration %s", ratio(d, e->device),
             ratio(d, e->device_load_balance), ratio(d, e->orchestration));
}

static int most_first(const void *left, const void *right)
{
    int64_t x = *(const int64_t *)left, y = *(const int64_t *)right;
    return x < y ? 1 : x > y ? -1 : 0;
}

/* What a rank must have caused to be among the first half of those shown. */
static int64_t least_caused(const struct job *job, struct arena *arena)
{
    size_t n = job->ranks.n;
    if (n <= MOST_RANKS)
        return 0;
    int64_t *caused = arena_array(arena, int64_t, n);
    for (size_t i = 0; i < n; i++)
        caused[i] = job->ranks.v[i].caused_ns;
    qsort(caused, n, sizeof(*caused), most_first);
    return caused[MOST_RANKS / 2 - 1];
}

/* The rows worth a look when there are many: straggler, extremes, then the first ones. */
static bool shown(const struct job *job, size_t i, int64_t least)
{
    if (job->ranks.n <= MOST_RANKS || i < MOST_RANKS / 2)
        return true;
    const struct job_rank *r = &job->ranks.v[i];
    return r->caused_ns >= least && r->caused_ns > 0;
}

static void ranks(struct doc *d, const struct job *job)
{
    size_t n = 0;
    int64_t least = least_caused(job, d->arena);
    for (size_t i = 0; i < job->ranks.n; i++)
        n += shown(job, i, least);
    struct block *b = doc_table(
        d, n < job->ranks.n
               ? arena_printf(d->arena, "%zu of %zu ranks; --format json has all", n, job->ranks.n)
               : arena_printf(d->arena, "compute differs by %.0f %% of the mean",
                              100 * job->stats.imbalance));
    static const char *const titles[] = {"rank", "host",      "GPU busy", "compute", "idle",
                                         "MPI",  "host time", "waits",    "late",    "clock"};
    bool clocks_differ = clocks_moved(job);
    for (size_t i = 0; i < sizeof(titles) / sizeof(*titles) - !clocks_differ; i++)
        doc_column(b, titles[i], i == 1 ? COLUMN_TEXT : COLUMN_NUMBER);
    for (size_t i = 0; i < job->ranks.n; i++) {
        const struct job_rank *r = &job->ranks.v[i];
        if (!shown(job, i, least))
            continue;
        char text[HUMAN_MAX];
        doc_cell(b, "%d%s", r->rank,
                 job->has_straggler && job->straggler.rank == r->rank ? " *" : "");
        doc_cell(b, "%s", r->host);
        doc_cell(b, "%s", human_pct(text, r->busy_pct));
        doc_cell(b, "%s", time_of(d, r->compute_ns));
        doc_cell(b, "%s", time_of(d, r->gpu_idle_ns));
        doc_cell(b, "%s", r->mpi_calls ? time_of(d, r->mpi_ns) : "-");
        doc_cell(b, "%s", time_of(d, r->host_ns));
        doc_cell(b, "%s", job->stats.meetings ? time_of(d, r->wait_ns) : "-");
        if (job->stats.meetings)
            doc_cell(b, "%llu", (unsigned long long)r->late);
        else
            doc_cell(b, "-");
        if (clocks_differ)
            doc_cell(b, "%s", r->clock_residual_ns < 0 ? "-" : time_of(d, r->clock_offset_ns));
    }
}

static void phases(struct doc *d, const struct job *job)
{
    if (job->phases.n < 2)
        return;
    struct block *b = doc_table(d, arena_printf(d->arena, "phases of the ranks, %.0f %% alike",
                                                100 * job->stats.phase_confidence));
    static const char *const titles[] = {"#",         "phase",   "ranks", "length",       "compute",
                                         "imbalance", "slowest", "MPI",   "MPI imbalance"};
    for (size_t i = 0; i < sizeof(titles) / sizeof(*titles); i++)
        doc_column(b, titles[i], i == 1 ? COLUMN_TEXT : COLUMN_NUMBER);
    for (size_t i = 0; i < job->phases.n; i++) {
        const struct job_phase *p = &job->phases.v[i];
        doc_cell(b, "%u", p->phase);
        doc_cell(b, "%s", p->name);
        doc_cell(b, "%u", p->ranks);
        doc_cell(b, "%s", time_of(d, p->mean_ns));
        doc_cell(b, "%s", time_of(d, p->compute_mean_ns));
        doc_cell(b, "%s", ratio(d, p->imbalance));
        if (isnan(p->imbalance))
            doc_cell(b, "-");
        else
            doc_cell(b, "%d", p->slowest);
        doc_cell(b, "%s", time_of(d, p->mpi_mean_ns));
        doc_cell(b, "%s", ratio(d, p->mpi_imbalance));
    }
}

static void staging(struct doc *d, const struct job *job)
{
    if (!job->staging.n)
        return;
    struct block *b = doc_table(d, "data that goes through the host: copy out, MPI, copy in");
    static const char *const titles[] = {"call",   "kind",  "between", "ranks",
                                         "chains", "bytes", "copies",  "MPI"};
    for (size_t i = 0; i < sizeof(titles) / sizeof(*titles); i++)
        doc_column(b, titles[i], i < 3 ? COLUMN_KEEP : COLUMN_NUMBER);
    for (size_t i = 0; i < job->staging.n; i++) {
        const struct staging_row *r = &job->staging.v[i];
        char text[HUMAN_MAX];
        doc_cell(b, "%s", r->operation);
        doc_cell(b, "%s", r->kind);
        doc_cell(b, "%s", r->between);
        doc_cell(b, "%u", r->ranks);
        doc_cell(b, "%s", human_count(text, r->chains));
        doc_cell(b, "%s", human_bytes(text, r->bytes));
        doc_cell(b, "%s", time_of(d, r->copy_ns));
        doc_cell(b, "%s", time_of(d, r->mpi_ns));
    }
}

void job_section(struct doc *d, const struct job *job)
{
    doc_heading(d, 2, "Ranks");
    waiting(d, job);
    efficiencies(d, job);
    doc_fact(d, "clocks", "%s", job_clocks(job, d->arena));
    if (job->stats.analyzed_rank >= 0)
        doc_fact(d, "what follows", "is about rank %d; --rank N chooses another",
                 job->stats.analyzed_rank);
    for (size_t i = 0; i < job->notes.n; i++)
        doc_item(d, "%s", job->notes.v[i]);
    ranks(d, job);
    phases(d, job);
    staging(d, job);
}
