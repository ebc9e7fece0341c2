#include "report/analysis_doc.h"

#include <math.h>
#include <string.h>

#include "base/fs.h"
#include "base/human.h"
#include "base/sat.h"
#include "base/str.h"
#include "base/utf8.h"
#include "report/counters_doc.h"
#include "report/job_doc.h"
#include "report/path_doc.h"
#include "report/pc_doc.h"

/* Rows of the critical path. */
enum { PATH_ROWS = 8 };

struct ctx {
    const struct analysis *a;
    const struct advice *advice;
    struct doc *d;
    size_t top;
};

static const char *pct(struct ctx *c, double v)
{
    char text[HUMAN_MAX];
    return arena_strdup(c->d->arena, human_pct(text, v));
}

static const char *ns(struct ctx *c, int64_t v)
{
    char text[HUMAN_MAX];
    return arena_strdup(c->d->arena, human_time(text, v));
}

static const char *count(struct ctx *c, uint64_t v)
{
    char text[HUMAN_MAX];
    return arena_strdup(c->d->arena, human_count(text, v));
}

/* As wide as others in the same place; printf counts bytes, and a µ has two. */
static const char *padded(struct ctx *c, const char *text, size_t width)
{
    size_t w = utf8_width(text);
    return arena_printf(c->d->arena, "%*s%s", w < width ? (int)(width - w) : 0, "", text);
}

static void verdict(struct ctx *c)
{
    const struct verdict *v = &c->advice->verdict;
    const struct trace *t = c->a->trace;
    const struct breakdown *b = &c->a->breakdown;
    static const enum tone tones[] = {[VERDICT_HEALTHY] = TONE_GOOD,
                                      [VERDICT_IMPROVABLE] = TONE_WARN,
                                      [VERDICT_PROBLEM] = TONE_BAD,
                                      [VERDICT_NO_GPU_WORK] = TONE_WARN};
    if (c->a->job)
        doc_heading(c->d, 1, "%s", job_title(c->a->job, c->d->arena));
    else
        doc_heading(c->d, 1, "%s", t->files.n ? fs_basename(t->files.v[0].path) : "trace");
    doc_callout(c->d, tones[v->status], "%s", v->headline);
    doc_fact(c->d, "window", "%s on %u GPU%s", ns(c, b->window_ns), b->gpu_count,
             b->gpu_count == 1 ? "" : "s");
    if (v->together > 1)
        doc_fact(c->d, "together", "%s, %.2f times as fast, when the first %u are followed",
                 ns(c, v->together_ns), v->together_speedup, v->together);
    if (v->recoverable_ns)
        doc_fact(c->d, "can be won back", "up to %s (%s of the GPU time)", ns(c, v->recoverable_ns),
                 pct(c, v->recoverable_pct));
    doc_fact(c->d, "kernels", "%s, %s busy (%s)", count(c, c->a->view.n_kernels),
             ns(c, b->kernel_ns), pct(c, b->kernel_pct));
    doc_fact(c->d, "data quality", "%c%s", c->a->quality.grade,
             c->a->quality.reasons.n ? ", see the end" : "");
}

static void ledger(struct ctx *c)
{
    const struct ledger *l = &c->a->ledger;
    double all = (double)c->a->breakdown.gpu_time_ns;
    if (!l->n_gpus)
        return;
    doc_heading(c->d, 2, "Where the GPU time went");
    struct block *b = doc_bars(c->d, "every nanosecond of every GPU, once");
    doc_chart(c->d, "ledger");
    for (enum cause k = 0; k < CAUSES; k++) {
        if (!l->ns[k])
            continue;
        enum tone tone = cause_info(k)->kind == CAUSE_WORK      ? TONE_GOOD
                         : cause_info(k)->kind == CAUSE_EXPOSED ? TONE_WARN
                                                                : TONE_BAD;
        doc_bar(b, tone, (double)l->ns[k] / all, cause_info(k)->label, "%7s  %s",
                pct(c, percent_of((double)l->ns[k], all)), ns(c, l->ns[k]));
    }
}

static void per_gpu(struct ctx *c)
{
    const struct analysis *a = c->a;
    if (a->gpus.n < 2)
        return;
    doc_heading(c->d, 2, "GPUs");
    doc_chart(c->d, "balance");
    struct block *b =
        doc_table(c->d, arena_printf(c->d->arena, "imbalance of compute: %.0f %% of the mean",
                                     a->balance.imbalance_pct));
    doc_column(b, "GPU", COLUMN_NUMBER);
    doc_column(b, "host", COLUMN_TEXT);
    doc_column(b, "busy", COLUMN_NUMBER);
    doc_column(b, "compute", COLUMN_NUMBER);
    doc_column(b, "idle", COLUMN_NUMBER);
    doc_column(b, "kernels", COLUMN_NUMBER);
    doc_column(b, "copies", COLUMN_NUMBER);
    for (size_t i = 0; i < a->gpus.n; i++) {
        const struct gpu_row *g = &a->gpus.v[i];
        doc_cell(b, "%d", g->gpu);
        doc_cell(b, "%s", g->host ? g->host : "");
        doc_cell(b, "%s", pct(c, g->busy_pct));
        doc_cell(b, "%s", ns(c, g->compute_ns));
        doc_cell(b, "%s", ns(c, g->idle_ns));
        doc_cell(b, "%s", count(c, g->kernels));
        doc_cell(b, "%s", count(c, g->copies));
    }
}

static const char *speedup(struct ctx *c, const struct finding *f)
{
    if (isnan(f->speedup_upper_pct))
        return arena_printf(c->d->arena, "%.0f %% or more", f->speedup_lower_pct);
    return arena_printf(c->d->arena, "%.0f to %.0f %%", f->speedup_lower_pct, f->speedup_upper_pct);
}

/* " (12 ms to 15 ms)" */
static const char *interval(struct ctx *c, const struct finding *f)
{
    if (f->predicted_low_ns == f->predicted_high_ns)
        return "";
    return arena_printf(c->d->arena, " (%s to %s)", ns(c, f->predicted_low_ns),
                        ns(c, f->predicted_high_ns));
}

static void one_finding(struct ctx *c, const struct finding *f, size_t rank)
{
    doc_heading(c->d, 3, "%zu. [%s] %s", rank, priority_name(f->priority), f->title);
    doc_text(c->d, "%s.", f->issue);
    bool replayed = f->predicted_by && !strcmp(f->predicted_by, "replay");
    if (f->claimed_ns && replayed)
        doc_fact(c->d, "costs", "%s, %s of the GPU time", ns(c, f->claimed_ns),
                 pct(c, f->runtime_fraction_pct));
    else if (f->claimed_ns)
        doc_fact(c->d, "costs", "%s, %s of the GPU time; faster by %s when half or all of it goes",
                 ns(c, f->claimed_ns), pct(c, f->runtime_fraction_pct), speedup(c, f));
    if (replayed)
        doc_fact(c->d, "then", "%s instead of %s, %.2f times as fast%s; next limit: %s",
                 ns(c, f->predicted_ns), ns(c, f->recorded_ns), f->predicted_speedup,
                 interval(c, f), f->next_limit);
    doc_fact(c->d, "where", "%s", f->scope);
    doc_fact(c->d, "sure", "%.0f %%: %s", 100 * f->confidence, f->confidence_reason);
    for (size_t i = 0; i < f->evidence.n && i < 5; i++) {
        const struct evidence *e = &f->evidence.v[i];
        if (e->has_range && e->id >= 0)
            doc_fact(c->d, "evidence", "%s (%s %lld, at %s)", e->text, e->id_kind, (long long)e->id,
                     ns(c, e->start_ns - c->a->view.start_ns));
        else if (e->has_range)
            doc_fact(c->d, "evidence", "%s (at %s)", e->text,
                     ns(c, e->start_ns - c->a->view.start_ns));
        else
            doc_fact(c->d, "evidence", "%s", e->text);
    }
    doc_text(c->d, "What to do: %s.", f->suggestion);
    for (size_t i = 0; i < f->actions.n; i++)
        doc_item(c->d, "%s", f->actions.v[i]);
    for (size_t i = 0; i < f->commands.n; i++) {
        doc_item(c->d, "%s:", f->commands.v[i].description);
        doc_code(c->d, "%s", f->commands.v[i].full_command);
    }
}

static void job(struct ctx *c)
{
    if (c->a->job)
        job_section(c->d, c->a->job);
}

static void findings(struct ctx *c)
{
    const struct advice *v = c->advice;
    size_t rank = 0, info = 0;
    for (size_t i = 0; i < v->findings.n; i++)
        info += v->findings.v[i]->priority == PRIORITY_INFO;
    if (info < v->findings.n)
        doc_heading(c->d, 2, "Findings, by what they can win");
    for (size_t i = 0; i < v->findings.n; i++)
        if (v->findings.v[i]->priority != PRIORITY_INFO)
            one_finding(c, v->findings.v[i], ++rank);
    if (!info)
        return;
    doc_heading(c->d, 2, "Also noticed");
    for (size_t i = 0; i < v->findings.n; i++) {
        const struct finding *f = v->findings.v[i];
        if (f->priority != PRIORITY_INFO)
            continue;
        if (f->claimed_ns)
            doc_item(c->d, "%s (%s)", f->issue, pct(c, f->runtime_fraction_pct));
        else
            doc_item(c->d, "%s", f->issue);
    }
}

static void path(struct ctx *c)
{
    path_section(c->d, c->a, c->top < PATH_ROWS ? c->top : PATH_ROWS);
}

static void hotspots(struct ctx *c)
{
    const struct analysis *a = c->a;
    if (!a->hotspots.n)
        return;
    size_t shown = a->hotspots.n < c->top ? a->hotspots.n : c->top;
    doc_heading(c->d, 2, "Kernels that take longest");
    doc_chart(c->d, "hotspots");
    struct block *b =
        doc_table(c->d, shown < a->hotspots.n
                            ? arena_printf(c->d->arena, "%zu of %zu; --top-kernels shows more",
                                           shown, a->hotspots.n)
                            : "");
    static const char *const titles[] = {"kernel", "calls", "total", "mean",
                                         "p95",    "max",   "CV",    "% kernels"};
    for (size_t i = 0; i < sizeof(titles) / sizeof(*titles); i++)
        doc_column(b, titles[i], i ? COLUMN_NUMBER : COLUMN_TEXT);
    for (size_t i = 0; i < shown; i++) {
        const struct hotspot *h = &a->hotspots.v[i];
        doc_cell(b, "%s", h->short_name);
        doc_cell(b, "%s", count(c, h->calls));
        doc_cell(b, "%s", ns(c, h->total_duration_ns));
        doc_cell(b, "%s", ns(c, ns_from(h->avg_duration_ns)));
        doc_cell(b, "%s", ns(c, h->p95_ns));
        doc_cell(b, "%s", ns(c, h->max_duration_ns));
        doc_cell(b, "%.2f", h->cv);
        doc_cell(b, "%s", pct(c, h->pct_of_total));
    }
}

static void resources(struct ctx *c)
{
    const struct analysis *a = c->a;
    bool any = false;
    for (size_t i = 0; i < a->resources.n; i++)
        any |= !isnan(a->resources.v[i].occupancy_pct);
    if (!any)
        return;
    doc_heading(c->d, 2, "Resources and theoretical occupancy");
    struct block *b = doc_table(c->d, "");
    static const char *const titles[] = {"kernel",  "group", "regs",  "LDS",
                                         "scratch", "occ.",  "limit", "groups"};
    for (size_t i = 0; i < sizeof(titles) / sizeof(*titles); i++)
        doc_column(b, titles[i], i == 0 || i == 6 ? COLUMN_TEXT : COLUMN_NUMBER);
    for (size_t i = 0; i < a->resources.n && i < c->top; i++) {
        const struct resource_row *r = &a->resources.v[i];
        doc_cell(b, "%s", trace_str(a->trace, a->trace->symbols.v[r->symbol].short_name));
        doc_cell(b, "%s", r->block);
        doc_cell(b, "%u", r->vgpr + r->accum_vgpr);
        char lds[HUMAN_MAX], scratch[HUMAN_MAX];
        doc_cell(b, "%s", human_bytes(lds, r->lds_bytes));
        doc_cell(b, "%s", human_bytes(scratch, r->scratch_bytes));
        doc_cell(b, "%s", isnan(r->occupancy_pct) ? "-" : pct(c, r->occupancy_pct));
        bool shared = r->limiter && str_starts(r->limiter, "LDS"); /* as the column is called */
        doc_cell(b, "%s", shared ? "LDS" : r->limiter ? r->limiter : "-");
        doc_cell(b, "%s", count(c, r->workgroups));
    }
}

static void counters(struct ctx *c)
{
    counters_doc(c->d, c->a, c->top);
}

static void phases(struct ctx *c)
{
    const struct analysis *a = c->a;
    const struct iteration_stats *it = &a->iterations;
    if (a->phases.n < 2 && !it->count)
        return;
    doc_heading(c->d, 2, "Phases");
    if (it->count)
        doc_fact(c->d, "iterations", "%s of %s kernel%s, median %s, CV %.2f%s", count(c, it->count),
                 count(c, it->kernels), it->kernels == 1 ? "" : "s", ns(c, it->median_ns), it->cv,
                 it->warmup
                     ? arena_printf(c->d->arena, "; warm-up: the first %s", count(c, it->warmup))
                     : "");
    if (a->phases.n < 2)
        return;
    struct block *b = doc_table(c->d, arena_printf(c->d->arena,
                                                   "the phases explain %.0f %% of the variation; "
                                                   "--phase N looks at one of them",
                                                   100 * a->phase_stats.quality));
    doc_chart(c->d, "phases");
    static const char *const titles[] = {"#",    "phase",   "start",         "length",
                                         "busy", "kernels", "mostly lost to"};
    for (size_t i = 0; i < sizeof(titles) / sizeof(*titles); i++)
        doc_column(b, titles[i], i == 1 || i == 6 ? COLUMN_TEXT : COLUMN_NUMBER);
    for (size_t i = 0; i < a->phases.n; i++) {
        const struct phase_row *p = &a->phases.v[i];
        doc_cell(b, "%u", p->phase);
        doc_cell(b, "%s", p->name);
        doc_cell(b, "%s", ns(c, p->start_ns - a->view.start_ns));
        doc_cell(b, "%s", ns(c, p->duration_ns));
        doc_cell(b, "%s", pct(c, p->busy_pct));
        doc_cell(b, "%s", count(c, p->kernels));
        doc_cell(b, "%s", p->main_cause);
    }
}

static void categories(struct ctx *c)
{
    const struct analysis *a = c->a;
    if (a->categories.n < 2)
        return;
    doc_heading(c->d, 2, "Kernels by kind");
    struct block *b = doc_bars(c->d, "");
    doc_chart(c->d, "categories");
    for (size_t i = 0; i < a->categories.n; i++) {
        const struct category_row *r = &a->categories.v[i];
        doc_bar(b, TONE_PLAIN, r->pct_of_kernel_time / 100, r->category, "%7s  %s, %s call%s",
                pct(c, r->pct_of_kernel_time), ns(c, r->total_ns), count(c, r->count),
                r->count == 1 ? "" : "s");
    }
}

static void copies(struct ctx *c)
{
    const struct analysis *a = c->a;
    char text[HUMAN_MAX];
    if (!a->copies.n)
        return;
    doc_heading(c->d, 2, "Copies");
    doc_chart(c->d, "copies");
    struct block *b = doc_table(c->d, "");
    doc_chart(c->d, "copy_sizes");
    static const char *const titles[] = {"direction", "count", "bytes",  "time",
                                         "exposed",   "GB/s",  "of link"};
    for (size_t i = 0; i < sizeof(titles) / sizeof(*titles); i++)
        doc_column(b, titles[i], i ? COLUMN_NUMBER : COLUMN_KEEP);
    for (size_t i = 0; i < a->copies.n; i++) {
        const struct copy_row *r = &a->copies.v[i];
        doc_cell(b, "%s", r->direction);
        doc_cell(b, "%s", count(c, r->count));
        doc_cell(b, "%s", human_bytes(text, r->total_bytes));
        doc_cell(b, "%s", ns(c, r->total_duration_ns));
        doc_cell(b, "%s", ns(c, r->exposed_ns));
        if (isnan(r->bandwidth_gbps))
            doc_cell(b, "-");
        else
            doc_cell(b, "%.1f", r->bandwidth_gbps);
        doc_cell(b, "%s", isnan(r->efficiency_pct) ? "-" : pct(c, r->efficiency_pct));
    }
}

static void gaps(struct ctx *c)
{
    const struct analysis *a = c->a;
    uint64_t n = 0;
    int64_t most = 1;
    for (size_t i = 0; i < a->gaps.n; i++) {
        n += a->gaps.v[i].count;
        most = a->gaps.v[i].total_ns > most ? a->gaps.v[i].total_ns : most;
    }
    if (!n)
        return;
    doc_heading(c->d, 2, "Idle gaps between work");
    doc_chart(c->d, "timeline");
    struct block *b = doc_bars(c->d, "by length; the longest bar is the length that costs most");
    doc_chart(c->d, "gaps");
    for (size_t i = 0; i < a->gaps.n; i++) {
        const struct gap_row *g = &a->gaps.v[i];
        if (g->count)
            doc_bar(b, TONE_WARN, (double)g->total_ns / (double)most, g->label,
                    "%s in %s, mostly %s", padded(c, ns(c, g->total_ns), 7), count(c, g->count),
                    g->main_cause ? g->main_cause : "-");
    }
}

static void short_kernels(struct ctx *c)
{
    const struct analysis *a = c->a;
    const struct short_kernels *s = &a->short_kernels;
    uint64_t most = 1;
    if (!s->short_kernel_count)
        return;
    for (size_t i = 0; i < a->short_histogram.n; i++)
        most = a->short_histogram.v[i].count > most ? a->short_histogram.v[i].count : most;
    doc_heading(c->d, 2, "Short kernels");
    doc_text(c->d,
             "%s of %s kernels (%s) are shorter than %.3g µs; they run for %s, and the GPU was "
             "idle for %s just before them.",
             count(c, s->short_kernel_count), count(c, s->total_kernels),
             pct(c, s->short_kernel_pct), s->threshold_us, ns(c, s->short_ns), ns(c, s->gap_ns));
    struct block *b = doc_bars(c->d, "dispatches by duration");
    doc_chart(c->d, "short_kernels");
    for (size_t i = 0; i < a->short_histogram.n; i++) {
        const struct short_bucket *h = &a->short_histogram.v[i];
        doc_bar(b, TONE_PLAIN, (double)h->count / (double)most, h->bucket_label, "%9s  %s",
                count(c, h->count), ns(c, h->total_ns));
    }
}

static void host(struct ctx *c)
{
    const struct analysis *a = c->a;
    if (!a->api.n)
        return;
    doc_heading(c->d, 2, "Host calls");
    doc_chart(c->d, "api");
    if (a->launches.linked) {
        const struct launch_stats *l = &a->launches;
        doc_fact(c->d, "launch latency", "median %s, p95 %s", ns(c, l->median_latency_ns),
                 ns(c, l->p95_latency_ns));
        doc_fact(c->d, "queue delay", "median %s, p95 %s", ns(c, l->median_queue_ns),
                 ns(c, l->p95_queue_ns));
    }
    doc_fact(c->d, "host waits for the GPU", "%s (%s of the window)",
             ns(c, a->breakdown.sync_blocked_ns), pct(c, a->breakdown.sync_blocked_pct));
    struct block *b = doc_table(c->d, "");
    static const char *const titles[] = {"call", "kind", "calls", "own time", "mean", "max"};
    for (size_t i = 0; i < sizeof(titles) / sizeof(*titles); i++)
        doc_column(b, titles[i], i == 0 ? COLUMN_TEXT : i == 1 ? COLUMN_KEEP : COLUMN_NUMBER);
    for (size_t i = 0; i < a->api.n && i < c->top; i++) {
        const struct api_row *r = &a->api.v[i];
        doc_cell(b, "%s", r->name);
        doc_cell(b, "%s", r->class);
        doc_cell(b, "%s", count(c, r->calls));
        doc_cell(b, "%s", ns(c, r->exclusive_ns));
        doc_cell(b, "%s", ns(c, ns_from(r->avg_ns)));
        doc_cell(b, "%s", ns(c, r->max_ns));
    }
}

static void markers(struct ctx *c)
{
    enum { MOST = 20 };
    const struct analysis *a = c->a;
    if (!a->markers.n)
        return;
    doc_heading(c->d, 2, "Marker ranges");
    doc_chart(c->d, "markers");
    struct block *b = doc_table(
        c->d,
        a->markers.n > MOST ? arena_printf(c->d->arena, "%d of %zu", MOST, a->markers.n) : "");
    static const char *const titles[] = {"range",   "calls",       "wall",
                                         "kernels", "kernel time", "of range"};
    for (size_t i = 0; i < sizeof(titles) / sizeof(*titles); i++)
        doc_column(b, titles[i], i ? COLUMN_NUMBER : COLUMN_TEXT);
    for (size_t i = 0; i < a->markers.n && i < MOST; i++) {
        const struct marker_row *m = &a->markers.v[i];
        doc_cell(b, "%*s%s", (int)(m->depth < 10 ? 2 * m->depth : 20), "", m->name);
        doc_cell(b, "%s", count(c, m->calls));
        doc_cell(b, "%s", ns(c, m->wall_ns));
        doc_cell(b, "%s", count(c, m->kernels));
        doc_cell(b, "%s", ns(c, m->kernel_ns));
        doc_cell(b, "%s", m->gpu_pct > 100 ? ">100 %" : pct(c, m->gpu_pct));
    }
}

static void streams(struct ctx *c)
{
    const struct analysis *a = c->a;
    if (a->streams.n < 2)
        return;
    doc_heading(c->d, 2, "Streams");
    double overlap = a->stream_stats.overlap_pct; /* not known where no GPU has two streams */
    struct block *b = doc_table(
        c->d, isnan(overlap)
                  ? ""
                  : arena_printf(c->d->arena, "%.0f %% of what could overlap does", overlap));
    static const char *const titles[] = {"GPU", "stream", "kernels", "copies", "busy", "of GPU"};
    for (size_t i = 0; i < sizeof(titles) / sizeof(*titles); i++)
        doc_column(b, titles[i], COLUMN_NUMBER);
    for (size_t i = 0; i < a->streams.n && i < c->top; i++) {
        const struct stream_row *s = &a->streams.v[i];
        doc_cell(b, "%d", s->gpu);
        doc_cell(b, "%lld", (long long)s->stream);
        doc_cell(b, "%s", count(c, s->kernels));
        doc_cell(b, "%s", count(c, s->copies));
        doc_cell(b, "%s", ns(c, s->busy_ns));
        doc_cell(b, "%s", pct(c, s->pct_of_gpu_busy));
    }
}

static void telemetry(struct ctx *c)
{
    const struct analysis *a = c->a;
    if (!a->telemetry.n)
        return;
    doc_heading(c->d, 2, "Telemetry");
    struct block *b = doc_table(c->d, "");
    static const char *const titles[] = {"series", "GPU", "points", "min", "mean", "max", "unit"};
    for (size_t i = 0; i < sizeof(titles) / sizeof(*titles); i++)
        doc_column(b, titles[i], i == 0 || i == 6 ? COLUMN_TEXT : COLUMN_NUMBER);
    for (size_t i = 0; i < a->telemetry.n; i++) {
        const struct telemetry_row *t = &a->telemetry.v[i];
        doc_cell(b, "%s", t->series);
        doc_cell(b, "%d", t->gpu);
        doc_cell(b, "%s", count(c, t->points));
        doc_cell(b, "%.4g", t->min);
        doc_cell(b, "%.4g", t->mean);
        doc_cell(b, "%.4g", t->max);
        doc_cell(b, "%s", t->units);
    }
}

static void pc_samples(struct ctx *c)
{
    pc_section(c->d, c->a, c->top);
}

static void missing(struct ctx *c)
{
    const struct analysis *a = c->a;
    struct str list;
    str_init(&list, c->d->arena);
    for (size_t i = 0; i < a->capabilities.n; i++)
        if (a->capabilities.v[i].wanted)
            str_printf(&list, "%s%s", list.len ? ", " : "", a->capabilities.v[i].key);
    if (list.len || a->quality.reasons.n)
        doc_heading(c->d, 2, "Limits of this trace");
    if (list.len)
        doc_text(c->d, "Not captured: %s. `gpusight info` has the commands.", list.buf);
    for (size_t i = 0; i < a->quality.reasons.n; i++)
        doc_item(c->d, "%s (affects %s)", a->quality.reasons.v[i].text,
                 a->quality.reasons.v[i].affects);
}

struct doc *analysis_doc(const struct analysis *a, const struct advice *advice, size_t top_kernels,
                         struct arena *arena)
{
    struct ctx c = {a, advice, doc_new(arena), top_kernels};
    void (*const sections[])(struct ctx *) = {
        verdict,  job,        ledger,    phases,    per_gpu,    findings, path,
        hotspots, categories, resources, counters,  copies,     gaps,     short_kernels,
        host,     markers,    streams,   telemetry, pc_samples, missing};
    for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++)
        sections[i](&c);
    return c.d;
}
