#include "report/section.h"

static bool has(const struct subject *s)
{
    return s->a->copies.n > 0;
}

static void build(const struct subject *s, struct doc *d)
{
    const struct analysis *a = s->a;
    const struct copies *c = &a->trace->copies;
    doc_chart(d, "copies");
    doc_rows(d, section_result(s, "copies"),
             &(struct rows){.shown = "direction count total_bytes total_duration_ns "
                                     "bandwidth_gbps efficiency_pct exposed_ns",
                            .never = "slowest"});
    for (size_t i = 0; i < a->copies.n; i++) {
        uint32_t row = a->copies.v[i].slowest;
        if (row == NO_INDEX)
            continue;
        doc_item(d, "slowest large copy, %s", copy_directions[a->copies.v[i].kind]);
        doc_jump(d, c->start_ns[row], c->end_ns[row], "copy", copies_id_at(a->trace, row));
    }
    if (!a->copy_sizes.n)
        return;
    doc_part(d, "copy-sizes", "By size");
    doc_chart(d, "copy_sizes");
    doc_rows(d, section_result(s, "copy_sizes"), &(struct rows){.top = 2 * s->top});
}

const struct section section_copies = {"copies", "Copies", "Copies", IN(REPORT_ANALYSIS),
                                       has,      build};
