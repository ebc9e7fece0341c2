/* The ranks of a job: who waits for whom, how evenly they compute, what goes through the host. */
#include <math.h>

#include "job/job.h"
#include "render/html_in.h"
#include "report/job_doc.h"

static void facts(struct html *h, const struct job *j)
{
    const struct straggler *s = &j->straggler;
    const struct efficiencies *e = &j->efficiencies;
    if (j->has_straggler)
        html(h, "<p><strong>Rank %d is late</strong>: the job loses %s to it; %s.</p>\n", s->rank,
             html_ns(h, s->cost_ns), s->detail);
    else
        html_raw(h, j->stats.meetings
                        ? "<p>No rank holds the others up: they take turns in coming last.</p>\n"
                        : "<p>Whether a rank holds the others up cannot be told: no barrier, "
                          "collective or message is recorded on all ranks.</p>\n");
    html_raw(h, "<ul>\n");
    if (!isnan(e->parallel))
        html(h, "<li>parallel efficiency %.2f = load balance %.2f × communication %.2f</li>\n",
             e->parallel, e->load_balance, e->communication);
    if (!isnan(e->device))
        html(h, "<li>device efficiency %.2f = load balance %.2f × orchestration %.2f</li>\n",
             e->device, e->device_load_balance, e->orchestration);
    html(h, "<li>clocks: %s</li>\n", job_clocks(j, h->arena));
    if (j->stats.analyzed_rank >= 0)
        html(h, "<li>everything else on this page is about rank %d</li>\n", j->stats.analyzed_rank);
    for (size_t i = 0; i < j->notes.n; i++)
        html(h, "<li>%s</li>\n", j->notes.v[i]);
    html_raw(h, "</ul>\n");
}

void html_job(struct html *h)
{
    const struct job *j = h->a->job;
    if (!j)
        return;
    html_chapter(h, "ranks", "Ranks", "Ranks");
    facts(h, j);
    html_table(h, &(struct html_table){.key = "ranks",
                                       .caption = "The ranks of the job",
                                       .shown = "rank host busy_pct compute_ns gpu_idle_ns mpi_ns "
                                                "host_ns wait_ns caused_ns late clock_offset_ns"});
    if (j->phases.n > 1)
        html_table(h, &(struct html_table){.key = "rank_phases",
                                           .caption = "Phases that the ranks share"});
    if (j->staging.n)
        html_table(h, &(struct html_table){.key = "staging",
                                           .caption = "Data that is sent by way of the host"});
    if (j->mpi_ops.n)
        html_table(
            h, &(struct html_table){.key = "mpi_operations", .caption = "MPI calls of all ranks"});
}
