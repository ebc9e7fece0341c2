/* The phases of the run, and the step that it repeats. */
#include "render/html_in.h"

void html_phases(struct html *h)
{
    const struct analysis *a = h->a;
    if (a->phases.n < 2 && !a->iterations.count)
        return;
    html_chapter(h, "phases", "Phases", "Phases");
    if (a->phases.n > 1) {
        html_chart(h, "phases");
        html_table(h, &(struct html_table){.key = "phases",
                                           .shown = "phase name duration_ns pct_of_window busy_pct "
                                                    "kernels compute_ns exposed_ns idle_ns "
                                                    "main_cause top_kernel",
                                           .moments = "start_ns end_ns",
                                           .link = "name",
                                           .from = "start_ns",
                                           .to = "end_ns"});
        html_facts(h, "phase_stats", NULL);
    }
    if (a->iterations.count) {
        html_raw(h, "<h3 id=\"iterations\">The step that repeats</h3>\n");
        html_facts(h, "iterations", "count kernels median_ns min_ns max_ns cv warmup steady_ns");
    }
}
