#include "report/chart/chart.h"
#include "report/section.h"

static bool has(const struct subject *s)
{
    return chart_gaps.has(s->a);
}

static void build(const struct subject *s, struct doc *d)
{
    doc_chart(d, "gaps");
    doc_rows(d, section_result(s, "idle_gaps"), &(struct rows){.top = 0});
    doc_part(d, "long-gaps", "The longest");
    doc_rows(d, section_result(s, "long_gaps"),
             &(struct rows){.shown = "start_ns duration_ns gpu main_cause next_kernel",
                            .names = "next_kernel",
                            .link = "duration_ns",
                            .from = "start_ns",
                            .to = "end_ns",
                            .top = 5});
}

const struct section section_gaps = {"gaps", "Gaps", "Idle gaps between work", IN(REPORT_ANALYSIS),
                                     has,    build};
