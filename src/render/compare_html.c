#include "render/compare_html.h"

#include <math.h>

#include "base/sat.h"
#include "render/compare_json.h"
#include "render/html_in.h"
#include "report/compare_draw.h"
#include "report/compare_tables.h"

struct compare_page {
    const struct comparison *c;
    const struct gate *gate;
};

static const struct comparison *comparison_of(const struct html *h)
{
    return ((const struct compare_page *)h->context)->c;
}

static const char *signed_pct(struct html *h, double v)
{
    return isnan(v) ? "–" : arena_printf(h->arena, "%+.1f %%", v);
}

static const char *signed_ns(struct html *h, int64_t v)
{
    return arena_printf(h->arena, "%s%s", v < 0 ? "" : "+", html_ns(h, v));
}

/* ---- the top ---- */

static void badges(struct html *h)
{
    static const char *const classes[] = {[COMPARE_FASTER] = "low",
                                          [COMPARE_SLOWER] = "high",
                                          [COMPARE_SAME] = "info",
                                          [COMPARE_NOT_COMPARABLE] = "medium"};
    const struct compare_page *page = h->context;
    enum compare_verdict v = page->c->verdict;
    html(h, "<a href=\"#verdict\" class=\"badge p-%s\">%s</a>\n", classes[v],
         v == COMPARE_NOT_COMPARABLE ? "not comparable" : compare_verdict_name(v));
    if (page->gate->conditions.n)
        html(h, "<a href=\"#gate\" class=\"badge p-%s\">gate %s</a>\n",
             page->gate->failed ? "high" : "low", page->gate->failed ? "failed" : "passed");
}

static void pills(struct html *h)
{
    const struct comparison *c = comparison_of(h);
    html_raw(h, "<ul class=\"pills\" aria-label=\"About these runs\">\n");
    html_pill(h, "A", c->a->label);
    html_pill(h, "B", c->b->label);
    html_pill(h, "window A", html_ns(h, c->a->breakdown.window_ns));
    html_pill(h, "window B", html_ns(h, c->b->breakdown.window_ns));
    html_pill(h, "GPU A", c->a->gpus.n ? c->a->gpus.v[0].name : "");
    html_pill(h, "GPU B", c->b->gpus.n ? c->b->gpus.v[0].name : "");
    html_raw(h, "</ul>\n");
}

/* ---- chapters ---- */

static void card(struct html *h, const char *label, const char *doc, const char *value,
                 const char *note)
{
    html(h, "<div class=\"card\"><h3>%s ", label);
    html_tip(h, label, doc);
    html(h, "</h3><p class=\"figure\">%s</p><p class=\"note\">%s</p></div>\n", value, note);
}

static void cards(struct html *h, const struct comparison *c)
{
    html_raw(h, "<div class=\"cards\">\n");
    if (c->comparable) {
        card(
            h, "Change",
            "of the clock on the wall where it can tell, else of the work that can be "
            "compared; negative is a gain",
            signed_pct(h, c->wall_change_pct),
            arena_printf(h->arena, "%s of %s", signed_ns(h, c->change_ns), html_ns(h, c->base_ns)));
        card(h, "Noise", "a smaller change means nothing", html_pct(h, c->noise_pct),
             html_ns(h, c->noise_ns));
    }
    card(h, "Wall", "the clock on the wall for the same work, start-up and all idle time included",
         arena_printf(h->arena, "%s → %s", html_ns(h, c->wall_a_ns), html_ns(h, c->wall_b_ns)),
         arena_printf(h->arena, "noise %s", html_ns(h, c->wall_noise_ns)));
    card(h, "Window", "plain difference of the windows, the profiler's own start included",
         signed_pct(h, c->window_change_pct),
         arena_printf(h->arena, "%s → %s", html_ns(h, c->a->breakdown.window_ns),
                      html_ns(h, c->b->breakdown.window_ns)));
    card(h, "Kernels", "share of A's kernel time that has a partner in B",
         html_pct(h, c->matched_pct), "of A's time have a partner");
    if (fabs(c->steps - 1) > 0.01)
        card(h, "Steps", "B ran this many times as many; its figures are divided by it",
             arena_printf(h->arena, "× %.3g", c->steps), "all changes are per step of A");
    html_raw(h, "</div>\n");
}

static void verdict(struct html *h)
{
    static const char *const tones[] = {[COMPARE_FASTER] = "good",
                                        [COMPARE_SLOWER] = "bad",
                                        [COMPARE_SAME] = "same",
                                        [COMPARE_NOT_COMPARABLE] = "warn"};
    static const char *const words[] = {[COMPARE_FASTER] = "Faster",
                                        [COMPARE_SLOWER] = "Slower",
                                        [COMPARE_SAME] = "The same",
                                        [COMPARE_NOT_COMPARABLE] = "Not comparable"};
    const struct comparison *c = comparison_of(h);
    html_chapter(h, "verdict", "Verdict", "Verdict");
    html(h,
         "<div class=\"verdict %s\"><p class=\"status\">%s</p><p class=\"headline\">%s</p></div>\n",
         tones[c->verdict], words[c->verdict], c->headline);
    cards(h, c);
}

static void texts(struct html *h, const char *const *v, size_t n)
{
    html_raw(h, "<ul>\n");
    for (size_t i = 0; i < n; i++)
        html(h, "<li>%s</li>\n", v[i]);
    html_raw(h, "</ul>\n");
}

static void gate(struct html *h)
{
    const struct gate *g = ((const struct compare_page *)h->context)->gate;
    if (!g->conditions.n)
        return;
    html_chapter(h, "gate", "Gate", g->failed ? "Gate: failed" : "Gate: passed");
    html_raw(h, "<ul>\n");
    for (size_t i = 0; i < g->conditions.n; i++)
        html(h, "<li><strong>%s</strong>: %s</li>\n", g->conditions.v[i].failed ? "failed" : "held",
             g->conditions.v[i].message);
    html_raw(h, "</ul>\n");
}

static void comparability(struct html *h)
{
    const struct comparison *c = comparison_of(h);
    html_chapter(h, "comparability", "Comparable?", "Can they be compared?");
    html(h, "<div class=\"box quality grade-%s\"><p class=\"figure\">%s</p><div>\n",
         !c->comparable    ? "F"
         : c->score >= 0.8 ? "A"
                           : "C",
         c->comparable ? "Yes" : "No");
    html(h, "<p>%s, score %.2f of 1.</p>\n",
         c->comparable ? "Both did the same work" : "They did different work", c->score);
    if (c->reasons.n)
        texts(h, c->reasons.v, c->reasons.n);
    html_raw(h, "</div></div>\n");
}

static void table(struct html *h, const struct html_table *t, const struct fields *f,
                  const void *rows, size_t n)
{
    html_table_of(h, t, &(struct result){f, rows, n, false});
}

static void causes(struct html *h)
{
    const struct comparison *c = comparison_of(h);
    if (!c->causes.n)
        return;
    bool in_phases = false;
    for (size_t i = 0; i < c->causes.n; i++)
        in_phases |= c->causes.v[i].phase != NULL;
    html_chapter(h, "causes", "Causes", "What changed, largest first");
    table(h,
          &(struct html_table){
              .key = "causes",
              .caption = "GPU time; negative is a gain.",
              .shown = in_phases
                           ? "what kind change_ns change_pct noise_ns significant counted phase"
                           : "what kind change_ns change_pct noise_ns significant counted"},
          &compare_cause_fields, c->causes.v, c->causes.n);
}

static void in_three_sizes(struct html *h, const char *caption,
                           struct draw *(*draw)(const struct comparison *, int, struct arena *))
{
    const struct comparison *c = comparison_of(h);
    html(h, "<figure class=\"chart\"><figcaption>%s</figcaption>\n", caption);
    html_draw(h, draw(c, 960, h->arena), "draw wide");
    html_draw(h, draw(c, 640, h->arena), "draw middle");
    html_draw(h, draw(c, 340, h->arena), "draw narrow");
    html_raw(h, "</figure>\n");
}

static void ledger(struct html *h)
{
    const struct comparison *c = comparison_of(h);
    if (!c->ledger.n)
        return;
    html_chapter(h, "ledger", "Ledger", "Where the GPU time went");
    in_three_sizes(h,
                   fabs(c->steps - 1) > 0.01
                       ? "Both runs, B per step of A; shares are of each run."
                       : "Both runs, by one cause each nanosecond; shares are of each run.",
                   compare_ledger_draw);
    table(h, &(struct html_table){.key = "ledger"}, &compare_ledger_fields, c->ledger.v,
          c->ledger.n);
}

static void phases(struct html *h)
{
    const struct comparison *c = comparison_of(h);
    if (c->a->phases.n < 2 && c->b->phases.n < 2)
        return;
    html_chapter(h, "phases", "Phases", "Phase by phase");
    in_three_sizes(h, "Length of each phase, divided as its GPU time is.", compare_phases_draw);
    table(h,
          &(struct html_table){
              .key = "phases",
              .shown = "title duration_a_ns duration_b_ns change_ns change_pct compute_change_ns "
                       "exposed_change_ns idle_change_ns cause cause_change_ns"},
          &compare_phase_fields, c->phases.v, c->phases.n);
}

static void ranks(struct html *h)
{
    const struct comparison *c = comparison_of(h);
    if (!c->ranks.n)
        return;
    html_chapter(h, "ranks", "Ranks", "Rank by rank");
    table(h, &(struct html_table){.key = "ranks"}, &compare_rank_fields, c->ranks.v, c->ranks.n);
}

/* ---- kernels ---- */

static void fact(struct html *h, const char *label, const char *value)
{
    html(h, "<div><dt>%s</dt><dd>%s</dd></div>\n", label, value);
}

static const char *both(struct html *h, const char *a, const char *b)
{
    return arena_printf(h->arena, "%s → %s", a, b);
}

static const char *time_of(struct html *h, double ns)
{
    return isnan(ns) ? "–" : html_ns(h, ns_from(ns));
}

static void durations(struct html *h, const struct compare_kernel *k)
{
    struct compare_histogram d;
    if (compare_histogram_make(&d, k)) {
        html_raw(h, "<figure class=\"chart overlaid\"><figcaption>Calls by duration, as shares of "
                    "each run: A filled, B as a line. Logarithmic.</figcaption>\n");
        html_draw(h,
                  compare_histogram_draw(&d, "Calls by duration in both runs", 420, 150, h->arena),
                  "draw small");
        html_raw(h, "</figure>\n");
        return;
    }
    html_raw(h, "<p class=\"note\">No histogram: ");
    if (k->a && k->b)
        html(h,
             "%s has no durations of single calls; a trace or a baseline has them. Medians: %s, "
             "95th percentiles: %s.",
             k->a->durations.n ? "B" : "A",
             both(h, time_of(h, k->median_a_ns), time_of(h, k->median_b_ns)),
             both(h, html_ns(h, k->a->p95_ns), html_ns(h, k->b->p95_ns)));
    else
        html_raw(h, "it is not one kernel in both runs.");
    html_raw(h, "</p>\n");
}

static void resources(struct html *h, const struct compare_kernel *k)
{
    if (k->vgpr_a || k->vgpr_b)
        fact(h, "registers", arena_printf(h->arena, "%u → %u", k->vgpr_a, k->vgpr_b));
    if (k->lds_a_bytes || k->lds_b_bytes)
        fact(h, "LDS", both(h, html_bytes(h, k->lds_a_bytes), html_bytes(h, k->lds_b_bytes)));
    if (!isnan(k->occupancy_a_pct) && !isnan(k->occupancy_b_pct))
        fact(h, "occupancy",
             both(h, html_pct(h, k->occupancy_a_pct), html_pct(h, k->occupancy_b_pct)));
    if (k->grid_a && k->grid_b)
        fact(h, "grid", both(h, k->grid_a, k->grid_b));
}

static void detail(struct html *h, const struct compare_kernel *k, size_t i)
{
    html(h,
         "<details id=\"kernel-%zu\" class=\"kernel\"%s><summary><span class=\"name\">%s</span>"
         "<span class=\"cost\">%s · %s%s</span></summary>\n<div class=\"body\">\n",
         i, i ? "" : " open", k->title, signed_ns(h, k->change_ns), signed_pct(h, k->change_pct),
         k->significant ? "" : " · within noise");
    html(h, "<p class=\"full name\">%s</p>\n", k->name ? k->name : k->name_b);
    if (k->name && k->name_b && !str_eq(k->name, k->name_b))
        html(h, "<p class=\"full name\">in B: %s</p>\n", k->name_b);
    html_raw(h, "<div class=\"split\">\n<div>\n<dl class=\"facts\">\n");
    fact(h, "calls", both(h, html_count(h, k->calls_a), html_count(h, k->calls_b)));
    fact(h, "total", both(h, html_ns(h, k->total_a_ns), html_ns(h, k->total_b_ns)));
    fact(h, "typical", both(h, time_of(h, k->typical_a_ns), time_of(h, k->typical_b_ns)));
    fact(h, "median", both(h, time_of(h, k->median_a_ns), time_of(h, k->median_b_ns)));
    fact(h, "noise", isnan(k->noise_pct) ? "–" : html_pct(h, k->noise_pct));
    fact(h, "paired by", k->match);
    resources(h, k);
    html_raw(h, "</dl>\n</div>\n<div>\n");
    durations(h, k);
    html_raw(h, "</div></div></div></details>\n");
}

static void kernels(struct html *h)
{
    const struct comparison *c = comparison_of(h);
    if (!c->kernels.n)
        return;
    html_chapter(h, "kernels", "Kernels", "Kernels");
    table(h,
          &(struct html_table){
              .key = "kernels",
              .shown = "title calls_a calls_b total_a_ns total_b_ns typical_a_ns typical_b_ns "
                       "change_ns change_pct noise_pct significant",
              .link = "title",
              .anchor = "kernel",
              .anchors = COMPARE_DETAILED,
              .most = 2000},
          &compare_kernel_fields, c->kernels.v, c->kernels.n);
    html_raw(h, "<h3 id=\"kernel-detail\">Those that changed most</h3>\n");
    for (size_t i = 0; i < c->kernels.n && i < COMPARE_DETAILED; i++)
        detail(h, &c->kernels.v[i], i);
    if (c->notes.n) {
        html_raw(h, "<h3 id=\"notes\">Resources and assumptions</h3>\n");
        texts(h, c->notes.v, c->notes.n);
    }
}

static void counts(struct html *h)
{
    const struct comparison *c = comparison_of(h);
    if (c->copies.n) {
        html_chapter(h, "copies", "Copies", "Bytes copied");
        table(h, &(struct html_table){.key = "copies"}, &compare_copy_fields, c->copies.v,
              c->copies.n);
    }
    if (c->api.n) {
        html_chapter(h, "api", "Host calls", "Host calls");
        table(h, &(struct html_table){.key = "api"}, &compare_api_fields, c->api.v, c->api.n);
    }
}

static void chapters(struct html *h)
{
    verdict(h);
    gate(h);
    comparability(h);
    causes(h);
    ledger(h);
    phases(h);
    ranks(h);
    kernels(h);
    counts(h);
}

static void data(struct html *h)
{
    const struct compare_page *page = h->context;
    struct str json;
    struct jwrite w;
    str_init(&json, h->arena);
    jw_init(&w, &json, 0);
    compare_json(&w, page->c, page->gate);
    html_json(h, &json);
}

void render_compare_html(struct str *out, const struct comparison *c, const struct gate *g)
{
    struct compare_page page = {c, g};
    struct html h = {.arena = out->arena, .context = &page};
    struct html_frame f = {
        .kind = "comparison", .badges = badges, .pills = pills, .chapters = chapters, .data = data};
    f.title = arena_printf(h.arena, "%s → %s", c->a->label, c->b->label);
    html_page(out, &h, &f);
}
