#include "advise/rule.h"
#include "base/human.h"
#include "base/str.h"

static const struct api_row *longest_of(const struct analysis *a, enum api_class class)
{
    for (size_t i = 0; i < a->api.n; i++)
        if (str_eq(a->api.v[i].class, api_class_name(class)))
            return &a->api.v[i];
    return NULL;
}

static bool eval(const struct analysis *a, struct finding *f)
{
    int64_t ns = ledger_ns(a, CAUSE_HOST_IO);
    if (share_pct(a, ns) < 1)
        return false;
    const struct api_row *mpi = longest_of(a, API_COMM), *io = longest_of(a, API_IO);
    bool is_mpi = mpi && (!io || mpi->exclusive_ns >= io->exclusive_ns);
    const struct api_row *call = is_mpi ? mpi : io;
    char lost[HUMAN_MAX];
    finding_claim(f, CAUSE_HOST_IO, ns);
    f->bottleneck = is_mpi ? BOTTLENECK_MPI_LATENCY : BOTTLENECK_IO;
    finding_issue(f, "the GPU idles %s while the host is in %s%s%s", human_time(lost, ns),
                  is_mpi ? "MPI" : "the operating system", call ? ", most in " : "",
                  call ? call->name : "");
    finding_because(f, "ledger.causes.host_io", share_pct(a, ns), LEAST_SHARE_PCT, "%",
                    "%.1f %% of the GPU time", share_pct(a, ns));
    if (call)
        finding_at_call(f, call->longest, "longest call of %s", call->name);
    finding_at_gaps(f, CAUSE_HOST_IO);
    finding_suggest(f, is_mpi ? "overlap communication with compute" : "take I/O out of the way");
    if (is_mpi) {
        finding_action(f, "post non-blocking operations early and complete them late");
        finding_action(
            f, "pass device pointers to a GPU-aware MPI instead of staging through the host");
        finding_action(f, "check which rank arrives late: analyze all ranks together");
    } else {
        finding_action(f, "read and write in another thread, ahead of or behind the compute");
    }
    finding_sure(f, 0.85, "the launching thread was inside these calls during the gaps");
    return true;
}

const struct rule rule_host_io = {
    .name = "host-io",
    .id = "GS-HOSTIO-001",
    .category = "GPU Utilization",
    .title = "the GPU waits for MPI or I/O on the host",
    .bottleneck = BOTTLENECK_MPI_LATENCY,
    .action = ACTION_ALGORITHM,
    .needs = NEED_KERNELS | NEED_API,
    .gain = 0.7,
    .eval = eval,
    .doc = "Fires when the GPU is idle while the launching thread is inside MPI or the operating "
           "system. "
           "Claims that idle time.",
};
