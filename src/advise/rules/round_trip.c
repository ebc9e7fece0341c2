#include "depend/round_trip.h"
#include "advise/rule.h"
#include "base/human.h"
#include "base/str.h"

static int64_t at_most(int64_t ns, int64_t most)
{
    return ns < most ? ns : most;
}

/* What leaves may be sent, and what comes back received: that is host-staging's. */
static bool sends(const struct analysis *a)
{
    for (size_t i = 0; i < a->api.n; i++)
        if (a->api.v[i].class == API_COMM)
            return true;
    return false;
}

static bool eval(const struct analysis *a, struct finding *f)
{
    struct round_trips r;
    struct arena *temporary = arena_scratch();
    round_trips_find(&r, &a->view, NULL, temporary);
    arena_release(temporary);
    int64_t out = at_most(r.out_ns, ledger_ns(a, CAUSE_COPY_D2H));
    int64_t in = at_most(r.in_ns, ledger_ns(a, CAUSE_COPY_H2D));
    if (!r.n || sends(a) || share_pct(a, add_ns(out, in)) < LEAST_SHARE_PCT)
        return false;
    char n[HUMAN_MAX], bytes[HUMAN_MAX], lost[HUMAN_MAX];
    finding_claim(f, CAUSE_COPY_D2H, out);
    finding_claim(f, CAUSE_COPY_H2D, in);
    finding_change(f)->stay = true;
    finding_issue(f,
                  "%s times data goes to the host and as many bytes come back at once: %s, %s in "
                  "which nothing computes",
                  human_count(n, r.n), human_bytes(bytes, r.bytes),
                  human_time(lost, add_ns(out, in)));
    finding_because(f, "breakdown.exposed_copy_ns", share_pct(a, add_ns(out, in)), LEAST_SHARE_PCT,
                    IN_PERCENT, "%.1f %% of the GPU time is spent on these copies",
                    share_pct(a, add_ns(out, in)));
    finding_at_copy(f, r.longest, "the longest of them on its way out");
    finding_suggest(f, "keep the data on the device");
    finding_action(f, "do the step in between on the GPU, and drop both copies");
    finding_action(f, "where the host must see the data, copy it once, asynchronously, into pinned "
                      "memory, and go on with what is on the device");
    finding_sure(f, 0.8,
                 "on their stream, every copy to the host is followed by one of the same size "
                 "back; that it is the same data is likely, not recorded");
    finding_capture_trace(f, "which calls copy");
    return true;
}

const struct rule rule_round_trip = {
    .name = "round-trip",
    .id = "GS-ROUNDTRIP-001",
    .category = ABOUT_MEMORY_TRANSFER,
    .title = "data goes to the host only to come back",
    .bottleneck = BOTTLENECK_TRANSFER,
    .action = ACTION_CODE,
    .needs = NEED_COPIES,
    .specific = true,
    .goals = ON(copies),
    .gain = 0.95,
    .eval = eval,
    .doc =
        "Fires when the copies of a stream between host and device (64 KiB and more, not of "
        "pinned memory) are pairs, three or more: out, and within 1 ms or the time that took, "
        "as many bytes back in. Programs that stream data through the device copy in first, and programs that call MPI may send it. "
        "Claims the exposed time of both copies; predicts the run without them and the host's "
        "work for them.",
};
