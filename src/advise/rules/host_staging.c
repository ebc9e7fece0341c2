#include "advise/rule.h"
#include "base/human.h"
#include "job/job.h"

/* The row with most time in copies. */
static const struct staging_row *worst_of(const struct job *job, int64_t *copy_ns)
{
    const struct staging_row *worst = NULL;
    *copy_ns = 0;
    for (size_t i = 0; i < job->staging.n; i++) {
        *copy_ns = add_ns(*copy_ns, job->staging.v[i].copy_ns);
        if (!worst || job->staging.v[i].copy_ns > worst->copy_ns)
            worst = &job->staging.v[i];
    }
    return worst;
}

static bool eval(const struct analysis *a, struct finding *f)
{
    int64_t copy_ns;
    const struct staging_row *row = a->job ? worst_of(a->job, &copy_ns) : NULL;
    if (!row)
        return false;
    if (a->job->stats.analyzed_rank >= 0)
        copy_ns /= a->job->stats.ranks;
    if (share_pct(a, copy_ns) < 1)
        return false;
    int64_t out = ledger_ns(a, CAUSE_COPY_D2H), in = ledger_ns(a, CAUSE_COPY_H2D);
    finding_claim(f, CAUSE_COPY_D2H, out < copy_ns / 2 ? out : copy_ns / 2);
    finding_claim(f, CAUSE_COPY_H2D, in < copy_ns / 2 ? in : copy_ns / 2);
    bool collective = row->form == STAGING_COLLECTIVE;
    char bytes[HUMAN_MAX], lost[HUMAN_MAX], chains[HUMAN_MAX];
    finding_scope(f, "%u ranks, %s, between %s", row->ranks, row->kind,
                  row->reach == REACH_ONE_NODE ? "ranks of one node" : row->between);
    finding_issue(f,
                  "%s %s goes through the host: %s times a copy to the host, the call and a copy "
                  "back, %s in all",
                  row->form == STAGING_RING   ? "a ring of"
                  : row->form == STAGING_HALO ? "a halo exchange by"
                                              : "data of",
                  row->operation, human_count(chains, row->chains), human_bytes(bytes, row->bytes));
    finding_because(f, "staging.copy_ns", (double)row->copy_ns, 0, IN_NS, "the copies take %s",
                    human_time(lost, row->copy_ns));
    if (collective) {
        finding_suggest(f, "let the collective run on the devices");
        finding_action(f, "use RCCL or NCCL, or pass device pointers to a GPU-aware MPI");
    } else {
        finding_suggest(f, "send from device memory");
        finding_action(f, "pass device pointers to a GPU-aware MPI");
        finding_action(f, row->reach == REACH_ONE_NODE
                              ? "inside a node, copy between the GPUs directly"
                              : "between nodes, make sure that the network can read device memory "
                                "(GPUDirect RDMA)");
    }
    finding_sure(f, 0.9, "each call follows a copy to the host and is followed by one back");
    return true;
}

const struct rule rule_host_staging = {
    .name = "host-staging",
    .id = "GS-STAGING-001",
    .category = ABOUT_MEMORY_TRANSFER,
    .title = "MPI data takes the way through the host",
    .bottleneck = BOTTLENECK_TRANSFER,
    .action = ACTION_CODE,
    .needs = NEED_COPIES,
    .specific = true,
    .goals = ON(mpi),
    .gain = 0.9,
    .eval = eval,
    .doc = "Needs the ranks of a job. Fires when copies to the host, MPI calls and copies back "
           "follow one another and the copies take 1 % of the GPU time or more. Claims the exposed "
           "part of these copies.",
};
