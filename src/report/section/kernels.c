/* Kernels: those that take longest, each in detail, what they do, and what stands out. */
#include <math.h>

#include "base/human.h"
#include "report/chart/histogram_draw.h"
#include "report/section.h"

enum { ROWS = 2000 };

static const struct resource_row *resources_of(const struct analysis *a, const struct hotspot *k)
{
    for (size_t i = 0; i < a->resources.n; i++)
        if (a->trace->symbols.v[a->resources.v[i].symbol].name == k->name_id)
            return &a->resources.v[i];
    return NULL;
}

static void durations(const struct histogram *h, struct doc *d)
{
    if (!h->bins)
        return;
    struct histogram_picture p = {.title = "Calls by duration, logarithmic",
                                  .limit = h->limit,
                                  .bins = h->bins,
                                  .side = {{.count = h->count, .calls = h->calls}},
                                  .sides = 1};
    doc_small_picture(d, p.title, histogram_draw(&p, 420, 120, d->arena));
}

/* Members of one row, as facts. */
static void facts(const struct subject *s, const char *key, const void *row, const char *members,
                  struct doc *d)
{
    const struct result *r = section_result(s, key);
    if (r && row)
        doc_facts(d, &(struct result){r->fields, row, 1, true}, members);
}

static void detail(const struct subject *s, const struct hotspot *k, size_t i, struct doc *d)
{
    const struct kernels *rows = &s->a->trace->kernels;
    struct arena *a = d->arena;
    doc_open(d, &(struct disclosure){
                    .id = arena_printf(a, "kernel-%zu", i),
                    .title = k->short_name,
                    .cost = arena_printf(a, "%s · %s · %s call%s", value_pct(a, k->pct_of_total),
                                         value_ns(a, k->total_duration_ns),
                                         value_count(a, k->calls), human_s(k->calls)),
                    .brief = ""});
    durations(&s->a->hotspot_durations[i], d);
    doc_text(d, "%s", k->name);
    doc_find(d, k->name);
    doc_item(d, "the slowest call");
    doc_jump(d, rows->start_ns[k->slowest], rows->end_ns[k->slowest], "dispatch",
             kernels_id_at(s->a->trace, k->slowest));
    facts(s, "hotspots", k, "category library median_ns p95_ns min_duration_ns max_duration_ns cv",
          d);
    facts(s, "kernel_resources", resources_of(s->a, k),
          "block grid workgroups vgpr accum_vgpr lds_bytes scratch_bytes configurations "
          "occupancy_pct limiter tail_efficiency_pct arithmetic",
          d);
    doc_close(d);
}

static void resources(const struct subject *s, struct doc *d)
{
    if (!s->a->resources.n)
        return;
    doc_part(d, "resources", "Resources and theoretical occupancy");
    doc_rows(d, section_result(s, "kernel_resources"),
             &(struct rows){.shown = "name vgpr lds_bytes scratch_bytes "
                                     "occupancy_pct limiter workgroups",
                            .names = "name",
                            .top = s->top});
}

static void categories(const struct subject *s, struct doc *d)
{
    if (s->a->categories.n < 2)
        return;
    doc_part(d, "categories", "By kind");
    doc_chart(d, "categories");
    doc_rows(d, section_result(s, "kernel_categories"),
             &(struct rows){.shown = "category count total_ns pct_of_kernel_time avg_duration_ns"});
}

static void short_kernels(const struct subject *s, struct doc *d)
{
    const struct analysis *a = s->a;
    uint64_t most = 1;
    if (!a->short_kernels.short_kernel_count)
        return;
    doc_part(d, "short-kernels", "Short kernels");
    doc_facts(d, section_result(s, "short_kernels"), NULL);
    for (size_t i = 0; i < a->short_histogram.n; i++)
        most = a->short_histogram.v[i].count > most ? a->short_histogram.v[i].count : most;
    struct block *b = doc_bars(d, "dispatches by duration", "short_kernels");
    for (size_t i = 0; i < a->short_histogram.n; i++) {
        const struct short_bucket *h = &a->short_histogram.v[i];
        doc_bar(b, TONE_PLAIN, (double)h->count / (double)most, h->bucket_label, "%9s  %s",
                value_count(d->arena, h->count), value_ns(d->arena, h->total_ns));
    }
    doc_rows(d, section_result(s, "short_kernel_offenders"),
             &(struct rows){.names = "name", .top = 5});
}

static bool has(const struct subject *s)
{
    return s->a->hotspots.n > 0;
}

static void build(const struct subject *s, struct doc *d)
{
    const struct analysis *a = s->a;
    doc_chart(d, "hotspots");
    doc_rows(d, section_result(s, "hotspots"),
             &(struct rows){.caption = a->hotspots.n > s->top ? "--top-kernels shows more" : NULL,
                            .shown = "rank short_name calls total_duration_ns avg_duration_ns "
                                     "p95_ns cv pct_of_total",
                            .link = "short_name",
                            .anchor = "kernel",
                            .anchors = HISTOGRAMS,
                            .top = s->top,
                            .most = ROWS});
    doc_part(d, "kernel-detail", "In detail");
    for (size_t i = 0; i < a->hotspots.n && i < HISTOGRAMS; i++)
        detail(s, &a->hotspots.v[i], i, d);
    resources(s, d);
    categories(s, d);
    short_kernels(s, d);
    if (a->warmup.n)
        doc_part(d, "warmup", "Slow first calls");
    doc_rows(d, section_result(s, "warmup"), &(struct rows){.names = "kernel_name", .top = s->top});
}

const struct section section_kernels = {"kernels",           "Kernels", "Kernels",
                                        IN(REPORT_ANALYSIS), has,       build};
