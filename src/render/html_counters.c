/* What hardware counters say about kernels: verdicts, roofline, metrics, and what is missing. */
#include "render/html_in.h"

static void part(struct html *h, const char *id, const char *title, const char *key,
                 const char *shown, const char *never)
{
    const struct result *r = html_result(h, key);
    if (!r || !r->n)
        return;
    html(h, "<h3 id=\"%s\">%s</h3>\n", id, title);
    html_table(h, &(struct html_table){.key = key, .shown = shown, .never = never});
}

void html_counters(struct html *h)
{
    const struct counter_results *c = &h->a->counters;
    if (!c->summary.values && !c->summary.without_kernel)
        return;
    html_chapter(h, "hardware-counters", "Counters", "What hardware counters say");
    html_table(h, &(struct html_table){.key = "counter_kernels",
                                       .shown = "short_name bound level occupancy_pct "
                                                "memory_pct compute_pct l2_hit_pct "
                                                "lds_conflict_pct cross_pass",
                                       .never = "rank"});
    html_raw(h, "<ul>\n");
    for (size_t i = 0; i < c->kernels.n; i++)
        html(h, "<li><span class=\"name\">%s</span>: %s</li>\n", c->kernels.v[i].short_name,
             c->kernels.v[i].why);
    html_raw(h, "</ul>\n");
    if (c->roofline.n)
        html_raw(h, "<h3 id=\"roofline\">Roofline</h3>\n");
    html_chart(h, "roofline");
    if (c->roofline.n)
        html_table(h, &(struct html_table){.key = "roofline"});
    part(h, "counter-metrics", "Metrics and speed of light", "counter_metrics",
         "rank kernel label value unit peak pct_of_peak cross_pass remark", NULL);
    part(h, "counter-missing", "What these counters leave open", "counter_missing",
         "question passes capture", NULL);
    part(h, "counter-passes", "Passes", "counter_passes", NULL, NULL);
    part(h, "counter-dispatches", "The longest measured dispatches", "counter_dispatches", NULL,
         NULL);
    part(h, "roofs", "Roofs", "roofs", NULL, NULL);
    html_raw(h, "<h3 id=\"counter-summary\">How much was counted</h3>\n");
    html_facts(h, "counter_summary", NULL);
}
