/* The ledger: a bar for each GPU, and behind every cause what it means and who claims it. */
#include "render/html_in.h"
#include "report/chart/parts.h"

enum { MOST_GPUS = 64 };

static const char *gpu_label(struct html *h, size_t slot)
{
    uint32_t gpu = h->a->view.gpus[slot].gpu;
    if (gpu == NO_INDEX)
        return "GPU not listed";
    const struct gpu *g = &h->a->trace->gpus.v[gpu];
    return arena_printf(h->arena, "GPU %d %s", g->index, trace_str(h->a->trace, g->name));
}

static void per_gpu(struct html *h, enum cause c)
{
    const struct ledger *l = &h->a->ledger;
    if (l->n_gpus < 2)
        return;
    html_raw(h, "<ul class=\"plain\">\n");
    for (size_t g = 0; g < l->n_gpus && g < MOST_GPUS; g++)
        if (l->gpus[g].ns[c])
            html(h, "<li>%s: %s</li>\n", gpu_label(h, g), html_ns(h, l->gpus[g].ns[c]));
    html_raw(h, "</ul>\n");
}

static void claims(struct html *h, enum cause c)
{
    bool any = false;
    for (size_t i = 0; i < h->advice->findings.n; i++) {
        const struct finding *f = h->advice->findings.v[i];
        if (!f->granted[c])
            continue;
        html_raw(h, any ? "" : "<p>Claimed by:</p>\n<ul class=\"plain\">\n");
        html(h, "<li><a href=\"#finding-%zu\">%s</a>: %s</li>\n", i, f->title,
             html_ns(h, f->granted[c]));
        any = true;
    }
    html_raw(h, any ? "</ul>\n" : "<p>No finding claims it.</p>\n");
}

static void cause(struct html *h, enum cause c)
{
    const struct cause_info *info = cause_info(c);
    int64_t ns = h->a->ledger.ns[c];
    double pct = percent_of((double)ns, (double)h->a->breakdown.gpu_time_ns);
    html(h,
         "<details id=\"cause-%s\" class=\"cause\"><summary><svg class=\"swatch\" width=\"12\" "
         "height=\"12\" aria-hidden=\"true\"><rect fill=\"var(--gs-%s)\" width=\"12\" "
         "height=\"12\"/></svg>",
         info->key, ink_name(cause_ink(c)));
    html(h,
         "<span class=\"label\">%s</span><span class=\"value\">%s</span>"
         "<span class=\"value\">%s</span></summary>\n",
         info->label, html_pct(h, pct), html_ns(h, ns));
    html(h, "<p>%s.</p>\n<p class=\"exact\">%lld ns</p>\n", info->doc, (long long)ns);
    per_gpu(h, c);
    claims(h, c);
    html_raw(h, "</details>\n");
}

void html_ledger(struct html *h)
{
    const struct ledger *l = &h->a->ledger;
    if (!l->n_gpus)
        return;
    html_chapter(h, "ledger", "Ledger", "Where the GPU time went");
    html_raw(h,
             "<p class=\"lead\">Every nanosecond of every GPU has exactly one cause. Open a cause "
             "for what it means and which findings claim it.</p>\n");
    html_chart(h, "ledger");
    html_raw(h, "<div class=\"causes\">\n");
    for (enum cause c = 0; c < CAUSES; c++)
        if (l->ns[c])
            cause(h, c);
    html_raw(h, "</div>\n");
}
