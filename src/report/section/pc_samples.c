#include "report/section.h"

static bool has(const struct subject *s)
{
    const struct pc_stats *p = &s->a->pc_sampling.stats;
    return p->samples || p->invalid || p->outside;
}

static void table(const struct subject *s, struct doc *d, const char *title, const char *key,
                  const char *shown)
{
    const struct result *r = section_result(s, key);
    if (r && r->n)
        doc_heading(d, 3, "%s", title);
    doc_rows(d, r, &(struct rows){.shown = shown, .top = s->top});
}

static void build(const struct subject *s, struct doc *d)
{
    doc_facts(d, section_result(s, "pc_sampling"), NULL);
    if (!s->a->pc_sampling.stats.enough)
        doc_callout(d, TONE_WARN, "too few samples to say anything");
    table(s, d, "By kernel", "pc_kernels",
          "kernel samples pct low_pct high_pct issued_pct mean_lanes total_ns");
    table(s, d, "What waves were doing", "pc_reasons",
          "state what meaning samples pct low_pct high_pct");
    table(s, d, "Hot instructions", "pc_instructions",
          "kernel offset instruction source samples pct low_pct high_pct issued_pct top_stall");
    table(s, d, "Source lines", "pc_lines",
          "source instruction samples pct low_pct high_pct issued_pct");
    table(s, d, "Pipelines", "pc_pipes", NULL);
}

const struct section section_pc_samples = {"pc-samples",        "PC samples", "PC samples",
                                           IN(REPORT_ANALYSIS), has,          build};
