#include "report/chart/chart.h"
#include "report/section.h"

static bool has(const struct subject *s)
{
    return chart_concurrency.has(s->a);
}

static void build(const struct subject *s, struct doc *d)
{
    doc_chart(d, "concurrency");
    doc_facts(d, section_result(s, "concurrency_stats"), "most alone_ns alone_pct");
    doc_rows(d, section_result(s, "concurrency"), &(struct rows){.top = 16});
}

const struct section section_concurrency = {"concurrency",       "At once", "Kernels at once",
                                            IN(REPORT_ANALYSIS), has,       build};
