/* PC samples, when there are any. */
#include "render/html_in.h"

void html_pc(struct html *h)
{
    const struct pc_sampling *p = &h->a->pc_sampling;
    if (!p->stats.samples && !p->stats.invalid && !p->stats.outside)
        return;
    html_chapter(h, "pc-samples", "PC samples", "PC samples");
    html_facts(h, "pc_sampling", NULL);
    if (!p->stats.enough)
        html_raw(h, "<p class=\"note\">Too few samples to say anything.</p>\n");
    html_table(h, &(struct html_table){.key = "pc_kernels"});
    html_table(h, &(struct html_table){.key = "pc_reasons"});
    html_table(h, &(struct html_table){.key = "pc_instructions",
                                       .shown = "rank kernel offset instruction source samples pct "
                                                "low_pct high_pct issued_pct top_stall enough"});
    html_table(h, &(struct html_table){.key = "pc_lines"});
    html_table(h, &(struct html_table){.key = "pc_pipes"});
}
