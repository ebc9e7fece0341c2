#include "render/html.h"

#include "base/fs.h"
#include "render/html_in.h"
#include "report/job_doc.h"

/* ---- the top of the page ---- */

static void badges(struct html *h)
{
    static const char *const words[] = {"high", "medium", "low", "info"};
    size_t counts[4] = {0};
    for (size_t i = 0; i < h->advice->findings.n; i++)
        counts[h->advice->findings.v[i]->priority]++;
    for (size_t p = 0; p < 4; p++)
        if (counts[p])
            html(h, "<a href=\"#findings\" class=\"badge p-%s\">%zu %s</a>\n", words[p], counts[p],
                 words[p]);
}

static void pills(struct html *h)
{
    const struct trace *t = h->a->trace;
    const struct trace_file *f = t->files.n ? &t->files.v[0] : NULL;
    html_raw(h, "<ul class=\"pills\" aria-label=\"About this trace\">\n");
    html_pill(h, "window", html_ns(h, h->a->breakdown.window_ns));
    html_pill(h, "GPUs", arena_printf(h->arena, "%u", h->a->breakdown.gpu_count));
    html_pill(h, "kernels", html_count(h, h->a->view.n_kernels));
    html_pill(h, "files", t->files.n > 1 ? arena_printf(h->arena, "%zu", t->files.n) : "");
    html_pill(h, "format", f ? f->format : "");
    html_pill(h, "recorded by", f ? f->tool_version : "");
    html_pill(h, "tier", arena_printf(h->arena, "%d", h->overview.tier));
    html_pill(h, "quality", arena_printf(h->arena, "%c", h->a->quality.grade));
    html_pill(h, "path", f ? f->path : "");
    html_raw(h, "</ul>\n");
}

static void chapters(struct html *h)
{
    void (*const all[])(struct html *) = {
        html_overview, html_job,     html_ledger,   html_findings,  html_path, html_phases,
        html_timeline, html_kernels, html_counters, html_transfers, html_gaps, html_host,
        html_markers,  html_devices, html_source,   html_att,       html_pc,   html_trust,
    };
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        all[i](h);
}

void render_html(struct str *out, const struct analysis *a, const struct advice *advice,
                 const struct html_opts *o)
{
    struct html h = {.arena = out->arena, .a = a, .advice = advice, .o = o};
    struct html_frame f = {.kind = "analysis",
                           .badges = badges,
                           .pills = pills,
                           .chapters = chapters,
                           .data = html_data,
                           .timeline = true};
    f.title = a->job              ? job_title(a->job, h.arena)
              : a->trace->files.n ? fs_basename(a->trace->files.v[0].path)
                                  : "trace";
    analysis_results(a, &h.results, h.arena);
    overview_make(&h.overview, a, advice, h.arena);
    histograms_make(&h.histograms, a, HTML_DETAILED, h.arena);
    html_page(out, &h, &f);
}
