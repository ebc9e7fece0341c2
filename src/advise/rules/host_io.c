#include "advise/host_words.h"
#include "base/human.h"

/* Whether the calls in these gaps are more of MPI than of the operating system. */
static bool mostly_mpi(const struct host_time *h)
{
    int64_t mpi = 0, io = 0;
    for (size_t i = 0; i < h->parts.n; i++) {
        int64_t *to = h->parts.v[i].class == API_COMM ? &mpi : &io;
        *to = add_ns(*to, h->parts.v[i].ns);
    }
    return mpi >= io;
}

static bool eval(const struct analysis *a, struct finding *f)
{
    int64_t ns = ledger_ns(a, CAUSE_HOST_IO);
    if (share_pct(a, ns) < 1)
        return false;
    struct host_time h;
    host_time_find(&h, a, CAUSE_HOST_IO, f->arena);
    bool is_mpi = mostly_mpi(&h);
    const struct host_part *call = NULL;
    for (size_t i = 0; i < h.parts.n && !call; i++)
        if ((h.parts.v[i].class == API_COMM) == is_mpi)
            call = &h.parts.v[i];
    char lost[HUMAN_MAX];
    finding_claim(f, CAUSE_HOST_IO, ns);
    f->bottleneck = is_mpi ? BOTTLENECK_MPI_LATENCY : BOTTLENECK_IO;
    finding_issue(f, "the GPU idles %s while the host is in %s%s%s", human_time(lost, ns),
                  is_mpi ? "MPI" : "the operating system", call ? ", most in " : "",
                  call ? call->name : "");
    finding_because(f, "ledger.causes.host_io", share_pct(a, ns), LEAST_SHARE_PCT, IN_PERCENT,
                    "%.1f %% of the GPU time", share_pct(a, ns));
    finding_because_host(f, &h, "ledger.causes.host_io");
    if (call)
        finding_at_call(f, call->call, "%s, the call with the longest part in a gap", call->name);
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
    .category = ABOUT_GPU_UTILIZATION,
    .title = "the GPU waits for MPI or I/O on the host",
    .bottleneck = BOTTLENECK_MPI_LATENCY,
    .action = ACTION_ALGORITHM,
    .needs = NEED_KERNELS | NEED_API,
    .goals = ON(io),
    .gain = 0.7,
    .eval = eval,
    .doc = "Fires when the GPU is idle while the launching thread is inside MPI or the operating "
           "system. "
           "Claims that idle time.",
};
