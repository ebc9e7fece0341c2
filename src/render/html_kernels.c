/* Kernels: the table of hotspots, what they do, and each of the largest in detail. */
#include <math.h>

#include "render/html_in.h"
#include "report/chart/histogram_draw.h"

enum { TABLE_ROWS = 2000 };

static void categories(struct html *h)
{
    const struct analysis *a = h->a;
    if (a->categories.n < 2)
        return;
    html_raw(h, "<h3 id=\"categories\">By kind</h3>\n");
    html_chart(h, "categories");
    html_table(h, &(struct html_table){.key = "kernel_categories"});
}

static void short_kernels(struct html *h)
{
    html_raw(h, "<h3 id=\"short-kernels\">Short kernels</h3>\n");
    html_facts(h, "short_kernels", NULL);
    html_chart(h, "short_kernels");
    html_table(h, &(struct html_table){.key = "short_kernel_offenders"});
}

static void histogram(struct html *h, const struct histogram *d)
{
    if (!d || !d->bins)
        return;
    struct histogram_picture p = {.title = "Calls by duration, logarithmic",
                                  .limit = d->limit,
                                  .bins = d->bins,
                                  .side = {{.count = d->count, .calls = d->calls}},
                                  .sides = 1};
    html(h, "<figure class=\"chart\"><figcaption>%s</figcaption>\n", p.title);
    html_draw(h, histogram_draw(&p, 420, 120, h->arena), "draw small");
    html_raw(h, "</figure>\n");
}

static const struct resource_row *resources_of(const struct analysis *a, const struct hotspot *k)
{
    for (size_t i = 0; i < a->resources.n; i++)
        if (a->trace->symbols.v[a->resources.v[i].symbol].name == k->name_id)
            return &a->resources.v[i];
    return NULL;
}

static void fact(struct html *h, const char *label, const char *value)
{
    html(h, "<div><dt>%s</dt><dd>%s</dd></div>\n", label, value);
}

static void resources(struct html *h, const struct resource_row *r)
{
    if (!r)
        return;
    html_raw(h, "<dl class=\"facts\">\n");
    fact(h, "group", r->block);
    fact(h, "grid", r->grid);
    fact(h, "workgroups", html_count(h, r->workgroups));
    fact(h, "registers", arena_printf(h->arena, "%u + %u accumulation", r->vgpr, r->accum_vgpr));
    fact(h, "LDS", html_bytes(h, r->lds_bytes));
    fact(h, "scratch", html_bytes(h, r->scratch_bytes));
    fact(h, "configurations", html_count(h, r->configurations));
    if (!isnan(r->occupancy_pct)) {
        fact(h, "occupancy",
             arena_printf(h->arena, "%s, %u of %u waves", html_pct(h, r->occupancy_pct),
                          r->waves_per_cu, r->max_waves_per_cu));
        fact(h, "limited by", r->limiter ? r->limiter : "nothing");
    }
    if (!isnan(r->tail_efficiency_pct))
        fact(h, "last round filled", html_pct(h, r->tail_efficiency_pct));
    html_raw(h, "</dl>\n");
    if (r->arithmetic)
        html(h, "<p class=\"arithmetic\"><span class=\"note\">Occupancy:</span> %s</p>\n",
             r->arithmetic);
}

static void detail(struct html *h, const struct hotspot *k, size_t i)
{
    const struct kernels *rows = &h->a->trace->kernels;
    html(h,
         "<details id=\"kernel-%zu\" class=\"kernel\"><summary><span class=\"name\">%s</span>"
         "<span class=\"cost\">%s · %s · %s call%s</span></summary>\n<div class=\"body\">\n",
         i, k->short_name, html_pct(h, k->pct_of_total), html_ns(h, k->total_duration_ns),
         html_count(h, k->calls), k->calls == 1 ? "" : "s");
    html(h, "<p class=\"full name\">%s</p>\n<p>", k->name);
    html_jump(h, rows->start_ns[k->slowest], rows->end_ns[k->slowest], "dispatch",
              rows->id[k->slowest], "Show the slowest call in the timeline");
    html(h,
         " · <button type=\"button\" class=\"small\" data-find=\"%s\">Find it in the "
         "timeline</button>"
         "</p>\n<div class=\"split\">\n<div>\n",
         k->name);
    html_raw(h, "<dl class=\"facts\">\n");
    fact(h, "category", k->category);
    if (k->library)
        fact(h, "library", k->library);
    fact(h, "median", html_ns(h, k->median_ns));
    fact(h, "p95", html_ns(h, k->p95_ns));
    fact(h, "shortest", html_ns(h, k->min_duration_ns));
    fact(h, "longest", html_ns(h, k->max_duration_ns));
    fact(h, "spread (CV)", isnan(k->cv) ? "–" : arena_printf(h->arena, "%.2f", k->cv));
    html_raw(h, "</dl>\n");
    resources(h, resources_of(h->a, k));
    html_raw(h, "</div>\n");
    histogram(h, histogram_of(&h->histograms, k->name_id));
    html_raw(h, "</div></div></details>\n");
}

static void details(struct html *h)
{
    const struct analysis *a = h->a;
    html_raw(h, "<h3 id=\"kernel-detail\">In detail</h3>\n");
    for (size_t i = 0; i < a->hotspots.n && i < HTML_DETAILED; i++)
        detail(h, &a->hotspots.v[i], i);
    html_raw(h, "<h3 id=\"resources\">Resources and theoretical occupancy</h3>\n");
    html_table(
        h, &(struct html_table){.key = "kernel_resources",
                                .shown = "name vgpr accum_vgpr sgpr lds_bytes scratch_bytes block "
                                         "occupancy_pct limiter workgroups",
                                .never = "symbol launch"});
}

static void counters(struct html *h)
{
    const struct counter_stats *s = &h->overview.counters;
    if (!s->rows.n)
        return;
    html_raw(h, "<h3 id=\"counters\">Hardware counters</h3>\n");
    struct result r = {&counter_fields, s->rows.v, s->rows.n, false};
    html_table_of(h, &(struct html_table){.key = "counters"}, &r);
}

void html_kernels(struct html *h)
{
    if (!h->a->hotspots.n)
        return;
    html_chapter(h, "kernels", "Kernels", "Kernels");
    html_chart(h, "hotspots");
    html_table(h, &(struct html_table){.key = "hotspots",
                                       .shown =
                                           "rank short_name calls total_duration_ns "
                                           "avg_duration_ns p95_ns max_duration_ns cv pct_of_total",
                                       .never = "symbol slowest name_id",
                                       .link = "short_name",
                                       .anchor = "kernel",
                                       .anchors = HTML_DETAILED,
                                       .most = TABLE_ROWS});
    details(h);
    categories(h);
    short_kernels(h);
    if (h->a->warmup.n) {
        html_raw(h, "<h3 id=\"warmup\">Slow first calls</h3>\n");
        html_table(h, &(struct html_table){.key = "warmup", .never = "kernel"});
    }
    counters(h);
}
