#include "advise/rule.h"
#include "base/human.h"
#include "job/job.h"

/* What the ranks in the report wait, as far as the ledger shows it. */
static int64_t waiting_here(const struct job *job)
{
    const struct job_rank *one = job_find(job, job->stats.analyzed_rank);
    if (one)
        return one->wait_ns;
    return job->straggler.waited_ns;
}

/* What the late rank does longer, where that is part of the ledger. */
static void claim_work(const struct analysis *a, struct finding *f, int64_t ns)
{
    static const enum cause copies[] = {CAUSE_COPY_H2D, CAUSE_COPY_D2H, CAUSE_COPY_P2P,
                                        CAUSE_COPY_D2D},
                            kernels[] = {CAUSE_COMPUTE};
    enum straggler_cause why = a->job->straggler.why;
    bool of_copies = why == STRAGGLER_COPIES;
    if (!of_copies && why != STRAGGLER_KERNELS && why != STRAGGLER_CLOCKS)
        return;
    for (size_t i = 0; i < (of_copies ? ARRAY_LEN(copies) : 1) && ns > 0; i++) {
        enum cause c = of_copies ? copies[i] : kernels[i];
        int64_t have = ledger_ns(a, c);
        have = have < ns ? have : ns;
        finding_claim(f, c, have);
        ns = sub_ns(ns, have);
    }
}

/* Waiting shows as time in MPI, or inside a collective on the GPU. */
static void claim(const struct analysis *a, struct finding *f, int64_t ns)
{
    static const enum cause causes[] = {CAUSE_COMM_WAIT, CAUSE_HOST_IO, CAUSE_COMM,   CAUSE_SYNC,
                                        CAUSE_HOST,      CAUSE_UNKNOWN, CAUSE_STARTUP};
    int64_t claimed = 0, gpus = a->job->stats.ranks ? a->job->stats.gpus / a->job->stats.ranks : 1;
    ns = gpus > 1 ? mul_ns(ns, gpus) : ns;
    for (size_t i = 0; i < ARRAY_LEN(causes) && ns > 0; i++) {
        int64_t have = ledger_ns(a, causes[i]);
        have = have < ns ? have : ns;
        finding_claim(f, causes[i], have);
        claimed = add_ns(claimed, have);
        ns = sub_ns(ns, have);
    }
    /* Where ranks share GPUs, or this is the late one, they work while others wait. */
    const struct straggler *s = &a->job->straggler;
    bool late_one = a->job->stats.analyzed_rank == s->rank;
    bool shared = a->job->stats.analyzed_rank < 0 && a->opts.view.gpu < 0 &&
                  a->view.n_gpus < a->job->stats.gpus;
    if (late_one || shared)
        claim_work(a, f, s->cost_ns - claimed);
}

static void advise_on(struct finding *f, enum straggler_cause why)
{
    if (why == STRAGGLER_KERNELS) {
        finding_suggest(f, "give the late rank less work, or make what it computes more cheap");
        finding_action(f,
                       "split by measured cost instead of by count: the tables show by how much");
        finding_action(f, "check what is special about it: boundary conditions, output, root of a "
                          "reduction");
    } else if (why == STRAGGLER_CLOCKS) {
        finding_suggest(f, "look at the GPU of the late rank");
        finding_action(f, "compare power cap, temperature and clocks of its GPU with the others'");
        finding_action(f, "check that no other process runs on it, and run the job without that "
                          "node to be sure");
    } else if (why == STRAGGLER_COPIES) {
        finding_suggest(f, "take the copies of the late rank out of the way");
        finding_action(f, "check its binding: a GPU far from its NUMA node or a shared link copies "
                          "slowly");
        finding_action(f, "overlap copies with compute, or keep the data on the device");
    } else if (why == STRAGGLER_START) {
        finding_suggest(f, "let all ranks start together");
        finding_action(f, "look at what it does before its first event: loading of libraries, "
                          "input, the launcher, a slow file system on its node");
    } else {
        finding_suggest(f, "find out what the host of the late rank does");
        finding_action(f, "check its core binding and what else runs on its node");
        finding_action(f, "let all ranks share what only it does: input, output, bookkeeping");
    }
}

static bool eval(const struct analysis *a, struct finding *f)
{
    if (!a->job || !a->job->has_straggler)
        return false;
    const struct straggler *s = &a->job->straggler;
    if (!s->meetings && a->balance.gpus > 1 && a->balance.imbalance_pct >= 20)
        return false; /* judged by GPU time alone: gpu-imbalance says as much */
    char cost[HUMAN_MAX], waited[HUMAN_MAX];
    claim(a, f, waiting_here(a->job));
    finding_scope(f, "rank %d on %s", s->rank, job_find(a->job, s->rank)->host);
    if (s->meetings)
        finding_issue(f, "rank %d comes last to %llu of %llu meetings and costs the job %s: %s",
                      s->rank, (unsigned long long)s->late, (unsigned long long)s->meetings,
                      human_time(cost, s->cost_ns), s->detail);
    else
        finding_issue(f, "rank %d keeps its GPU at work %s longer than the others: %s", s->rank,
                      human_time(cost, s->cost_ns), s->detail);
    if (s->meetings) {
        finding_because(f, "straggler.share_pct", s->share_pct, 50, IN_PERCENT,
                        "it causes %.0f %% of all waiting, %s over all ranks", s->share_pct,
                        human_time(waited, s->waited_ns));
        finding_because(f, "straggler.late_pct", s->late_pct, 0, IN_PERCENT,
                        "it is last %.0f %% of the time", s->late_pct);
    }
    const struct job_rank *late = job_find(a->job, s->rank), *other = job_typical(a->job);
    char own[HUMAN_MAX], theirs[HUMAN_MAX];
    finding_because(f, "ranks.compute_ns", (double)late->compute_ns, (double)other->compute_ns,
                    IN_NS, "rank %d computes %s, rank %d %s", late->rank,
                    human_time(own, late->compute_ns), other->rank,
                    human_time(theirs, other->compute_ns));
    advise_on(f, s->why);
    finding_sure(f, s->confidence, "%s",
                 s->meetings ? "waiting is the time in a meeting beyond the shortest of all ranks; "
                               "the cause is what it does longer than the others"
                             : "no meeting is recorded: that the others wait for it is likely");
    return true;
}

const struct rule rule_straggler = {
    .name = "straggler",
    .id = "GS-STRAGGLER-001",
    .category = ABOUT_LOAD_IMBALANCE,
    .title = "one rank holds the others up",
    .bottleneck = BOTTLENECK_MPI_IMBALANCE,
    .action = ACTION_ALGORITHM,
    .needs = NEED_NOTHING,
    .specific = true,
    .goals = ON(mpi) | ON(power),
    .gain = 0.95,
    .eval = eval,
    .doc = "Needs all ranks of a job. Fires when one rank causes at least half of all waiting in "
           "barriers and collectives and costs the job 1 % of its time or more; without recorded "
           "meetings, when one keeps its GPU at work 4 % of the time longer than the others. "
           "Claims the time the others wait, before rules that would blame MPI or the collective "
           "itself.",
};
