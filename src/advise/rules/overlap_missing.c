#include "advise/copy_split.h"
#include "base/human.h"

/* Before the first kernel and after the last one only finer chunks would give something to hide
 * behind. */
#define LOOP_GAIN 0.9
#define EDGE_GAIN 0.1

static bool eval(const struct analysis *a, struct finding *f)
{
    struct copy_split s;
    copy_split(&s, a);
    if (share_pct(a, s.hideable_ns) < 1)
        return false;
    char lost[HUMAN_MAX], all[HUMAN_MAX];
    double hidden = percent_of((double)(a->breakdown.copy_ns - a->breakdown.exposed_copy_ns),
                               (double)a->breakdown.copy_ns);
    double edge = (double)s.edge_ns / (double)s.exposed_ns;
    f->gain = LOOP_GAIN * (1 - edge) + EDGE_GAIN * edge;
    claim_copies(f, s.hideable_ns);
    finding_change(f)->overlap = true;
    f->shares = true;
    if (edge > 0.5) {
        f->title = "copies before and after all compute hide behind nothing";
        finding_issue(
            f,
            "%s of copies run while nothing computes, most of it before the first kernel or "
            "after the last one: only in pieces could they hide behind compute",
            human_time(lost, s.hideable_ns));
    } else {
        finding_issue(
            f, "%s of copies run while nothing computes; they could hide behind %s of compute",
            human_time(lost, s.hideable_ns), human_time(all, ledger_ns(a, CAUSE_COMPUTE)));
    }
    finding_because(f, "breakdown.exposed_copy_ns", share_pct(a, s.exposed_ns), LEAST_SHARE_PCT,
                    IN_PERCENT, "%.1f %% of the GPU time is exposed copies",
                    share_pct(a, s.exposed_ns));
    finding_because(f, "breakdown.copy_ns", hidden, 50, IN_PERCENT,
                    "%.0f %% of copy time overlaps kernels", hidden);
    for (size_t i = 0; i < a->copies.n; i++)
        if (a->copies.v[i].exposed_ns)
            finding_at_copy(f, a->copies.v[i].slowest, "slowest large copy, %s",
                            copy_directions[a->copies.v[i].kind]);
    const struct vendor_words *w = vendor_words(a->trace);
    finding_suggest(f, "copy the next piece while the current one computes");
    finding_action(f, "use %s from pinned memory (%s) on a second stream", w->async_copy,
                   w->pinned_alloc);
    finding_action(f, "split the work into chunks and double-buffer them");
    finding_sure(f, 0.85,
                 edge > 0.5 ? "nothing computes before the first kernel and after the last"
                            : "there is more compute than exposed copy time to hide behind");
    finding_capture_trace(f, "which calls copy");
    return true;
}

const struct rule rule_overlap_missing = {
    .name = "overlap-missing",
    .id = "ROCPD-MEMCPY-001",
    .category = ABOUT_MEMORY_TRANSFER,
    .title = "copies and compute take turns instead of overlapping",
    .bottleneck = BOTTLENECK_TRANSFER,
    .action = ACTION_CODE,
    .needs = NEED_COPIES | NEED_KERNELS,
    .goals = ON(timeline),
    .cites = CITES(FACT_COPY),
    .gain = LOOP_GAIN,
    .eval = eval,
    .doc =
        "Fires when copies are exposed although there is enough compute to hide them behind. "
        "Asynchronous copies on their own stream, from pinned memory, overlap with kernels. "
        "Claims the exposed copy time that is not due to slow copies, up to the compute time. The "
        "expected gain is small (0.1) for copies before the first and after the last kernel.",
};
