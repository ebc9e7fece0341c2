#include "advise/rule.h"
#include "base/human.h"

/* Long ranges in which the GPU does little. */
static bool eval(const struct analysis *a, struct finding *f)
{
    const struct marker_row *worst = NULL;
    for (size_t i = 0; i < a->markers.n; i++) {
        const struct marker_row *m = &a->markers.v[i];
        if (m->pct_of_window < 10 || !(m->gpu_pct <= 50)) /* or not known */
            continue;
        if (!worst || m->wall_ns - m->kernel_ns > worst->wall_ns - worst->kernel_ns)
            worst = m;
    }
    if (!worst)
        return false;
    char wall[HUMAN_MAX], gpu[HUMAN_MAX], n[HUMAN_MAX];
    f->advisory = true;
    finding_scope(f, "marker %s", worst->name);
    finding_issue(f, "range '%s' takes %s (%.0f %% of the window) but launches %s%s", worst->name,
                  human_time(wall, worst->wall_ns), worst->pct_of_window,
                  worst->kernels ? "kernels of only " : "no kernel",
                  worst->kernels ? human_time(gpu, worst->kernel_ns) : "");
    finding_because(f, "markers.gpu_pct", worst->gpu_pct, 50, IN_PERCENT,
                    "kernels launched inside last %.0f %% of the range, %s calls", worst->gpu_pct,
                    human_count(n, worst->calls));
    struct evidence e = f->evidence.v[0];
    e.text = "longest of these ranges";
    e.metric = NULL;
    e.has_range = true;
    e.start_ns = worst->longest_start_ns;
    e.end_ns = worst->longest_end_ns;
    vec_push(&f->evidence, f->arena, e);
    finding_suggest(f, "look here first: this part of the program keeps the GPU waiting");
    finding_sure(f, 0.8, "GPU work is attributed through the call that launched it");
    return true;
}

const struct rule rule_marker_standout = {
    .name = "marker-standout",
    .id = "GS-MARKER-001",
    .category = ABOUT_MARKER_RANGE,
    .title = "a marked part of the program uses little of the GPU",
    .bottleneck = BOTTLENECK_OTHER,
    .action = ACTION_CODE,
    .needs = NEED_MARKERS,
    .goals = ON(markers),
    .gain = 0,
    .eval = eval,
    .doc = "Names the marker range of at least 10 % of the window whose kernels cover least of it. "
           "Claims "
           "nothing; the idle time inside is claimed by its cause.",
};
