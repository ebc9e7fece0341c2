#include "advise/rule.h"
#include "base/human.h"
#include "base/str.h"

/* With calls inside it counted: the one the program makes, not what the runtime does in it. */
static const struct api_row *busiest_sync(const struct analysis *a)
{
    const struct api_row *most = NULL;
    for (size_t i = 0; i < a->api.n; i++) {
        const struct api_row *r = &a->api.v[i];
        bool waits = r->class == API_SYNC || r->class == API_COPY;
        if (waits && (!most || r->total_ns > most->total_ns))
            most = r;
    }
    return most;
}

static bool eval(const struct analysis *a, struct finding *f)
{
    int64_t ns = ledger_ns(a, CAUSE_SYNC);
    if (share_pct(a, ns) < 1)
        return false;
    char lost[HUMAN_MAX], n[HUMAN_MAX];
    const struct api_row *call = busiest_sync(a);
    finding_claim(f, CAUSE_SYNC, ns);
    finding_change(f)->remove[REMOVE_SYNC] = true;
    finding_issue(f,
                  "the GPU runs dry for %s because the host waits for it before launching more%s%s",
                  human_time(lost, ns), call ? "; most in " : "", call ? call->name : "");
    finding_because(f, "ledger.causes.sync", share_pct(a, ns), LEAST_SHARE_PCT, IN_PERCENT,
                    "%.1f %% of the GPU time is idle after a synchronisation", share_pct(a, ns));
    finding_because(f, "launch_latency.after_sync_pct", a->launches.after_sync_pct, 50, IN_PERCENT,
                    "%.0f %% of launches follow a synchronisation with at most one launch between",
                    a->launches.after_sync_pct);
    if (call)
        finding_at_call(f, call->longest, "%s called %s times; this is the longest", call->name,
                        human_count(n, call->calls));
    finding_at_gaps(f, CAUSE_SYNC);
    const struct vendor_words *w = vendor_words(a->trace);
    finding_suggest(f, "wait only where the host needs a result");
    finding_action(
        f, "remove synchronisations inside loops; order work by streams and events instead");
    finding_action(f, "replace device-wide waits by %s on the stream that matters", w->sync);
    finding_action(f, "queue the next step before waiting for the last one (double buffering)");
    finding_sure(f, 0.9, "the host was inside a waiting call when the GPU ran dry");
    finding_capture_host(f, "which code waits");
    return true;
}

const struct rule rule_sync_stall = {
    .name = "sync-stall",
    .id = "ROCPD-API-001",
    .category = ABOUT_API_OVERHEAD,
    .title = "the host waits for the GPU and leaves it idle",
    .bottleneck = BOTTLENECK_SYNC,
    .action = ACTION_CODE,
    .needs = NEED_KERNELS | NEED_API,
    .goals = ON(host),
    .cites = CITES(FACT_SYNC) | CITES(FACT_COPY),
    .gain = 0.85,
    .eval = eval,
    .doc = "Fires when the GPU runs dry while the host is blocked in a synchronising call (or a "
           "blocking copy): nothing was queued because the host was waiting. Claims the idle time "
           "from then until the next work starts. Stretches in which the host did something else "
           "count "
           "as far as the work waited for could have hidden them (at least 50 us), and not at all "
           "when longer than 250 us.",
};
