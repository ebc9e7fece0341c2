#include "advise/rule.h"

#define UNCOVERED_PCT 50.0

static bool eval(const struct analysis *a, struct finding *f)
{
    if (a->marker_stats.uncovered_pct < UNCOVERED_PCT)
        return false;
    f->advisory = true;
    finding_issue(
        f, "%.0f %% of the window lie outside of any marker range: set-up may count as idle time",
        a->marker_stats.uncovered_pct);
    finding_because(f, "marker_stats.uncovered_pct", a->marker_stats.uncovered_pct, UNCOVERED_PCT,
                    IN_PERCENT, "%.1f %% outside of marker ranges", a->marker_stats.uncovered_pct);
    finding_suggest(f, "analyze the part you mean");
    finding_action(f, "--window marker:NAME restricts the analysis to a range");
    finding_action(
        f, trace_is_nvidia(a->trace)
               ? "capture only it: nsys profile --capture-range=nvtx or cudaProfilerStart/Stop"
               : "capture only it: roctxProfilerPause and roctxProfilerResume with "
                 "rocprofv3 --selected-regions");
    finding_sure(f, 0.9, "marker ranges are recorded");
    return true;
}

const struct rule rule_profiling_scope = {
    .name = "profiling-scope",
    .id = "ROCPD-PROFILING-SC-001",
    .category = ABOUT_PROFILING_SCOPE,
    .title = "much of the window is outside of marked ranges",
    .bottleneck = BOTTLENECK_OTHER,
    .action = ACTION_RUNTIME,
    .needs = NEED_MARKERS,
    .gain = 0,
    .eval = eval,
    .doc = "Tells when more than half of the window is not covered by marker ranges, so that "
           "set-up and "
           "shutdown colour the result.",
};
