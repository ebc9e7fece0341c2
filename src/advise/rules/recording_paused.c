#include "advise/rule.h"
#include "base/human.h"

static bool eval(const struct analysis *a, struct finding *f)
{
    int64_t ns = a->breakdown.not_recorded_ns;
    double pct = percent_of((double)ns, (double)view_window(&a->view));
    if (pct < LEAST_SHARE_PCT)
        return false;
    char time[HUMAN_MAX];
    f->advisory = true;
    finding_issue(f, "%s were not recorded: the program paused the profiler", human_time(time, ns));
    finding_because(
        f, "breakdown.not_recorded_ns", pct, LEAST_SHARE_PCT, IN_PERCENT,
        "%.1f %% of the time from start to end lies behind a call that stops recording; "
        "all shares are of the rest",
        pct);
    finding_suggest(f, "nothing is wrong: these gaps are no idle time, and no account has them");
    finding_action(f, "analyze a part without pauses: --window START..END");
    finding_sure(f, 0.95, "the calls that stop and resume recording are in the trace");
    return true;
}

const struct rule rule_recording_paused = {
    .name = "recording-paused",
    .id = "GS-PAUSE-001",
    .category = ABOUT_PROFILING_SCOPE,
    .title = "recording was paused",
    .bottleneck = BOTTLENECK_OTHER,
    .action = ACTION_RUNTIME,
    .needs = NEED_API,
    .specific = true,
    .gain = 0,
    .eval = eval,
    .doc = "Fires when the program stopped recording (roctxProfilerPause, "
           "cudaProfilerStop, hipProfilerStop) and nothing is recorded for 2 % of the time or more "
           "behind that. It is not recorded, not idle: the window, the ledger and all shares leave "
           "it out. Claims nothing.",
};
