/* What the host spent its time with: calls, launches, allocations. */
#include "report/section.h"

static bool has(const struct subject *s)
{
    return s->a->api.n > 0;
}

static void build(const struct subject *s, struct doc *d)
{
    doc_chart(d, "api");
    doc_rows(d, section_result(s, "api_calls"),
             &(struct rows){.shown = "name class calls exclusive_ns avg_ns max_ns pct_of_window",
                            .never = "longest",
                            .top = s->top,
                            .most = 2000});
    doc_part(d, "api-classes", "By what they do");
    doc_rows(d, section_result(s, "api_classes"), &(struct rows){.top = s->top});
    if (s->a->launches.linked) {
        doc_part(d, "launches", "From the launch to the kernel");
        doc_facts(d, section_result(s, "launch_latency"), NULL);
    }
    doc_part(d, "allocations", "Allocations");
    doc_facts(d, section_result(s, "allocations"), NULL);
}

const struct section section_host = {"host", "Host calls", "Host calls", IN(REPORT_ANALYSIS),
                                     has,    build};
