/* What a reader sees first: the verdict, and the numbers it rests on. */
#include <string.h>

#include "render/html_in.h"

static const char *verdict_tone(enum verdict_status s)
{
    static const char *const tones[] = {[VERDICT_HEALTHY] = "good",
                                        [VERDICT_IMPROVABLE] = "warn",
                                        [VERDICT_PROBLEM] = "bad",
                                        [VERDICT_NO_GPU_WORK] = "warn"};
    return tones[s];
}

static const char *verdict_word(enum verdict_status s)
{
    static const char *const words[] = {[VERDICT_HEALTHY] = "Healthy",
                                        [VERDICT_IMPROVABLE] = "Can be improved",
                                        [VERDICT_PROBLEM] = "Problem found",
                                        [VERDICT_NO_GPU_WORK] = "No GPU work"};
    return words[s];
}

static void verdict(struct html *h)
{
    const struct verdict *v = &h->advice->verdict;
    html(h, "<div class=\"verdict %s\"><p class=\"status\">%s</p>", verdict_tone(v->status),
         verdict_word(v->status));
    html(h, "<p class=\"headline\">%s</p>\n", v->headline);
    if (v->recoverable_ns)
        html(h, "<p>Up to <strong>%s</strong> can be won back, %s of the GPU time.</p>\n",
             html_ns(h, v->recoverable_ns), html_pct(h, v->recoverable_pct));
    html_raw(h, "</div>\n");
}

static void key_findings(struct html *h)
{
    if (!h->overview.key_findings.n)
        return;
    html_raw(h, "<ul class=\"key\">\n");
    for (size_t i = 0; i < h->overview.key_findings.n; i++)
        html(h, "<li>%s</li>\n", h->overview.key_findings.v[i]);
    html_raw(h, "</ul>\n");
}

static const char *tone_of(double pct, double good, double fair)
{
    return pct >= good ? "good" : pct >= fair ? "warn" : "bad";
}

static const char *doc_of(const struct html *h, const char *table, const char *key)
{
    const struct result *r = html_result(h, table);
    for (size_t i = 0; r && i < r->fields->n; i++)
        if (!strcmp(r->fields->v[i].key, key))
            return r->fields->v[i].doc;
    return "";
}

static void gauges(struct html *h)
{
    const struct breakdown *b = &h->a->breakdown;
    const struct verdict *v = &h->advice->verdict;
    double compute = percent_of((double)h->a->ledger.ns[CAUSE_COMPUTE], (double)b->gpu_time_ns);
    html_gauge(
        h, "GPU busy", doc_of(h, "breakdown", "busy_pct"), b->busy_pct,
        arena_printf(h->arena, "%s of %s", html_ns(h, b->busy_ns), html_ns(h, b->gpu_time_ns)),
        tone_of(b->busy_pct, 80, 50));
    html_gauge(h, "Computing", cause_info(CAUSE_COMPUTE)->doc, compute,
               html_ns(h, h->a->ledger.ns[CAUSE_COMPUTE]), tone_of(compute, 60, 30));
    html_gauge(h, "Can be won back",
               "time of the ledger that findings above INFO claim, kernels to be tuned aside, as a "
               "share of window x GPUs",
               v->recoverable_pct, html_ns(h, v->recoverable_ns),
               tone_of(100 - v->recoverable_pct, 90, 70));
}

static void card(struct html *h, const char *label, const char *doc, const char *value,
                 const char *note)
{
    html(h, "<div class=\"card\"><h3>%s ", label);
    html_tip(h, label, doc);
    html(h, "</h3><p class=\"figure\">%s</p><p class=\"note\">%s</p></div>\n", value, note);
}

/* "memory_transfer" is for programs. */
static const char *spaced(struct html *h, const char *word)
{
    char *copy = arena_strdup(h->arena, word ? word : "–");
    for (char *p = copy; *p; p++)
        if (*p == '_')
            *p = ' ';
    return copy;
}

static void cards(struct html *h)
{
    const struct analysis *a = h->a;
    const struct breakdown *b = &a->breakdown;
    card(h, "Window", doc_of(h, "breakdown", "window_ns"), html_ns(h, b->window_ns),
         arena_printf(h->arena, "%u GPU%s, %zu process%s", b->gpu_count,
                      b->gpu_count == 1 ? "" : "s", a->trace->processes.n,
                      a->trace->processes.n == 1 ? "" : "es"));
    card(h, "Kernels", doc_of(h, "breakdown", "kernel_ns"), html_count(h, a->view.n_kernels),
         arena_printf(h->arena, "%s busy, %zu names", html_ns(h, b->kernel_ns), a->hotspots.n));
    card(h, "Copies", doc_of(h, "breakdown", "copy_ns"), html_count(h, a->view.n_copies),
         arena_printf(h->arena, "%s, %s exposed", html_ns(h, b->copy_ns),
                      html_ns(h, b->exposed_copy_ns)));
    card(h, "Idle", doc_of(h, "breakdown", "idle_ns"), html_pct(h, b->idle_pct),
         arena_printf(h->arena, "%s of GPU time", html_ns(h, b->idle_ns)));
    card(h, "Host waits for the GPU", doc_of(h, "breakdown", "sync_blocked_ns"),
         html_pct(h, b->sync_blocked_pct),
         arena_printf(h->arena, "%s of the window", html_ns(h, b->sync_blocked_ns)));
    card(h, "Bottleneck", "the kind of time that costs most, from the ledger and the findings",
         spaced(h, h->overview.bottleneck),
         arena_printf(h->arena, "%.0f %% sure", 100 * h->overview.confidence));
    const char grade[2] = {a->quality.grade, 0};
    card(
        h, "Data quality",
        "a grade from A to F: every check that fails takes points off 100; see the end of the page",
        grade, arena_printf(h->arena, "%d of 100 points", a->quality.points));
}

void html_overview(struct html *h)
{
    html_chapter(h, "overview", "Verdict", "Verdict");
    verdict(h);
    key_findings(h);
    html_raw(h, "<div class=\"cards\">\n");
    if (h->a->breakdown.gpu_count)
        gauges(h);
    cards(h);
    html_raw(h, "</div>\n");
}
