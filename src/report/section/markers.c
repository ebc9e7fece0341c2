#include "report/section.h"

static bool has(const struct subject *s)
{
    return s->a->markers.n > 0;
}

static void build(const struct subject *s, struct doc *d)
{
    doc_chart(d, "markers");
    doc_facts(d, section_result(s, "marker_stats"), NULL);
    doc_rows(d, section_result(s, "markers"),
             &(struct rows){.shown = "name calls wall_ns max_ns kernels kernel_ns gpu_pct",
                            .never = "parent",
                            .link = "max_ns",
                            .from = "longest_start_ns",
                            .to = "longest_end_ns",
                            .depth = "depth",
                            .top = 20});
}

const struct section section_markers = {"markers",           "Markers", "Marker ranges",
                                        IN(REPORT_ANALYSIS), has,       build};
