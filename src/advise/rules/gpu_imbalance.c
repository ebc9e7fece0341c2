#include "advise/rule.h"
#include "base/human.h"

#define LEAST_IMBALANCE_PCT 20.0

/* The idle time of the less busy GPUs that the busiest one's work explains, cause by cause. */
static void claim_waiting(const struct analysis *a, struct finding *f)
{
    static const enum cause causes[] = {CAUSE_TAIL,    CAUSE_COMM_WAIT, CAUSE_SYNC, CAUSE_HOST,
                                        CAUSE_UNKNOWN, CAUSE_HOST_IO,   CAUSE_COMM, CAUSE_STARTUP};
    int64_t most = 0;
    for (size_t g = 0; g < a->ledger.n_gpus; g++)
        if (a->ledger.gpus[g].ns[CAUSE_COMPUTE] > most)
            most = a->ledger.gpus[g].ns[CAUSE_COMPUTE];
    for (size_t g = 0; g < a->ledger.n_gpus; g++) {
        int64_t missing = most - a->ledger.gpus[g].ns[CAUSE_COMPUTE];
        for (size_t c = 0; c < ARRAY_LEN(causes) && missing > 0; c++) {
            int64_t ns = a->ledger.gpus[g].ns[causes[c]];
            ns = ns < missing ? ns : missing;
            finding_claim(f, causes[c], ns);
            missing = sub_ns(missing, ns);
        }
    }
}

static bool eval(const struct analysis *a, struct finding *f)
{
    const struct balance *b = &a->balance;
    if (b->gpus < 2 || b->imbalance_pct < LEAST_IMBALANCE_PCT || share_pct(a, b->lost_ns) < 1)
        return false;
    char lost[HUMAN_MAX];
    claim_waiting(a, f);
    finding_scope(f, "GPU %d against GPU %d", b->busiest, b->idlest);
    finding_issue(f, "GPU %d computes most, GPU %d least; together the others are %s short of it",
                  b->busiest, b->idlest, human_time(lost, b->lost_ns));
    finding_because(f, "balance.imbalance_pct", b->imbalance_pct, LEAST_IMBALANCE_PCT, IN_PERCENT,
                    "compute differs by %.0f %% of the mean", b->imbalance_pct);
    for (size_t i = 0; i < a->gpus.n && i < 8; i++) {
        char text[HUMAN_MAX];
        finding_because(f, "gpus.compute_ns", (double)a->gpus.v[i].compute_ns, 0, IN_NS,
                        "GPU %d computes %s", a->gpus.v[i].gpu,
                        human_time(text, a->gpus.v[i].compute_ns));
    }
    finding_suggest(f, "give every GPU the same work");
    finding_action(f,
                   "split by measured cost, not by count; or let idle GPUs take work from a queue");
    finding_action(f,
                   "check whether one GPU does extra work: output, reduction, a larger subdomain");
    finding_sure(f, 0.85, "compute time per GPU is a union of kernels");
    return true;
}

const struct rule rule_gpu_imbalance = {
    .name = "gpu-imbalance",
    .id = "GS-BALANCE-001",
    .category = ABOUT_LOAD_IMBALANCE,
    .title = "the GPUs do not share the work evenly",
    .bottleneck = BOTTLENECK_MPI_IMBALANCE,
    .action = ACTION_ALGORITHM,
    .needs = NEED_KERNELS,
    .specific = true,
    .goals = ON(mpi),
    .gain = 0.9,
    .eval = eval,
    .doc =
        "Fires when compute time differs between GPUs by 20 % of the mean or more. Claims the idle "
        "time of the less busy GPUs up to the busiest one's compute time, before rules that would "
        "explain the same waiting by a synchronisation or an exposed collective.",
};
