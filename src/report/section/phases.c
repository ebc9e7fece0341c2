/* The phases of the run, and the step that it repeats. */
#include "report/section.h"

static bool has(const struct subject *s)
{
    return s->a->phases.n > 1 || s->a->iterations.count;
}

static void build(const struct subject *s, struct doc *d)
{
    if (s->a->phases.n > 1) {
        doc_chart(d, "phases");
        doc_rows(d, section_result(s, "phases"),
                 &(struct rows){.caption = "--phase N looks at one of them",
                                .shown = "phase name start_ns duration_ns busy_pct kernels "
                                         "main_cause",
                                .link = "name",
                                .from = "start_ns",
                                .to = "end_ns"});
        doc_facts(d, section_result(s, "phase_stats"), "quality bin_ns");
    }
    if (s->a->iterations.count) {
        doc_part(d, "iterations", "The step that repeats");
        doc_facts(d, section_result(s, "iterations"),
                  "count kernels median_ns min_ns max_ns cv warmup steady_ns");
    }
}

const struct section section_phases = {"phases", "Phases", "Phases", IN(REPORT_ANALYSIS),
                                       has,      build};
