#include "advise/rule.h"
#include "base/human.h"

static bool eval(const struct analysis *a, struct finding *f)
{
    int64_t ns = a->ledger.paused_ns;
    if (share_pct(a, ns) < LEAST_SHARE_PCT)
        return false;
    char time[HUMAN_MAX];
    finding_claim(f, CAUSE_UNKNOWN, ns);
    finding_issue(f, "%s of GPU time were not recorded: the program paused the profiler",
                  human_time(time, ns));
    finding_because(f, "ledger.causes.unknown", share_pct(a, ns), LEAST_SHARE_PCT, "%",
                    "%.1f %% of the GPU time lies behind a call that stops recording",
                    share_pct(a, ns));
    finding_at_gaps(f, CAUSE_UNKNOWN);
    finding_suggest(f, "nothing is wrong: do not take these gaps for idle time");
    finding_action(f, "analyze a part without pauses: --window START..END");
    finding_sure(f, 0.95, "the calls that stop and resume recording are in the trace");
    return true;
}

const struct rule rule_recording_paused = {
    .name = "recording-paused",
    .id = "GS-PAUSE-001",
    .category = "Profiling Scope",
    .title = "recording was paused",
    .bottleneck = BOTTLENECK_OTHER,
    .action = ACTION_RUNTIME,
    .needs = NEED_API,
    .specific = true,
    .gain = 0,
    .eval = eval,
    .doc = "Fires when the thread that launches stopped recording (roctxProfilerPause, "
           "cudaProfilerStop, hipProfilerStop) and gaps of 2 % or more lie behind that. They are "
           "not recorded, not idle: no cause is looked for, nothing can be won, and the verdict "
           "leaves them out. Claims that time.",
};
