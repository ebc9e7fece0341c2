/* Findings as cards: what it costs, how sure we are, where to look, what to do. */
#include <math.h>
#include <string.h>

#include "advise/rule.h"
#include "base/sat.h"
#include "render/html_in.h"

static const char *const priority_words[] = {[PRIORITY_HIGH] = "high",
                                             [PRIORITY_MEDIUM] = "medium",
                                             [PRIORITY_LOW] = "low",
                                             [PRIORITY_INFO] = "info"};

static const char *speedup(struct html *h, const struct finding *f)
{
    if (isnan(f->speedup_upper_pct))
        return arena_printf(h->arena, "%.0f %% or more", f->speedup_lower_pct);
    return arena_printf(h->arena, "%.0f to %.0f %%", f->speedup_lower_pct, f->speedup_upper_pct);
}

static const char *threshold(struct html *h, const struct evidence *e)
{
    bool unit = e->unit && *e->unit;
    if (unit && !strcmp(e->unit, "ns") && fabs(e->threshold) < 1e18)
        return html_ns(h, ns_from(e->threshold));
    return arena_printf(h->arena, "%.4g%s%s", e->threshold, unit ? " " : "", unit ? e->unit : "");
}

static void evidence(struct html *h, const struct finding *f)
{
    if (!f->evidence.n)
        return;
    html_raw(h, "<h3>Evidence</h3>\n<ul>\n");
    for (size_t i = 0; i < f->evidence.n; i++) {
        const struct evidence *e = &f->evidence.v[i];
        html(h, "<li>%s", e->text);
        if (!isnan(e->threshold))
            html(h, " <span class=\"note\">(threshold %s)</span>", threshold(h, e));
        if (e->has_range) {
            const char *at = html_ns(h, sub_ns(e->start_ns, h->a->view.start_ns));
            const char *place = e->id_kind ? arena_printf(h->arena, "show %s %lld at %s",
                                                          e->id_kind, (long long)e->id, at)
                                           : arena_printf(h->arena, "show at %s", at);
            html_raw(h, " ");
            html_jump(h, e->start_ns, e->end_ns, e->id_kind, e->id, place);
        }
        html_raw(h, "</li>\n");
    }
    html_raw(h, "</ul>\n");
}

static void claims(struct html *h, const struct finding *f)
{
    html_raw(h, "<dl class=\"facts\">\n");
    if (f->predicted_by && !strcmp(f->predicted_by, "replay"))
        html(
            h,
            "<div><dt>Costs</dt><dd>%s, %s of the GPU time</dd></div>\n"
            "<div><dt>Then</dt><dd>%s instead of %s, %.2f times as fast <span class=\"note\">%s to "
            "%s; next limit: %s</span></dd></div>\n",
            html_ns(h, f->claimed_ns), html_pct(h, f->runtime_fraction_pct),
            html_ns(h, f->predicted_ns), html_ns(h, f->recorded_ns), f->predicted_speedup,
            html_ns(h, f->predicted_low_ns), html_ns(h, f->predicted_high_ns), f->next_limit);
    else if (f->claimed_ns)
        html(h,
             "<div><dt>Costs</dt><dd>%s, %s of the GPU time</dd></div>\n"
             "<div><dt>Faster by</dt><dd>%s <span class=\"note\">when half or all of it goes</span>"
             "</dd></div>\n",
             html_ns(h, f->claimed_ns), html_pct(h, f->runtime_fraction_pct), speedup(h, f));
    html(h, "<div><dt>Sure</dt><dd>%.0f %% <span class=\"note\">%s</span></dd></div>\n",
         100 * f->confidence, f->confidence_reason ? f->confidence_reason : "");
    if (f->scope)
        html(h, "<div><dt>Concerns</dt><dd>%s</dd></div>\n", f->scope);
    html(h, "<div><dt>Rule</dt><dd>%s ", f->id);
    html_tip(h, "this rule", f->rule->doc);
    html_raw(h, "</dd></div>\n</dl>\n");
}

static void what_to_do(struct html *h, const struct finding *f)
{
    if (f->suggestion)
        html(h, "<h3>What to do</h3>\n<p>%s.</p>\n", f->suggestion);
    if (f->actions.n) {
        html_raw(h, "<ol>\n");
        for (size_t i = 0; i < f->actions.n; i++)
            html(h, "<li>%s</li>\n", f->actions.v[i]);
        html_raw(h, "</ol>\n");
    }
    for (size_t i = 0; i < f->commands.n; i++) {
        html(h, "<p class=\"note\">%s:</p>\n", f->commands.v[i].description);
        html_command(h, f->commands.v[i].full_command);
    }
}

static void finding(struct html *h, size_t i)
{
    const struct finding *f = h->advice->findings.v[i];
    const char *word = priority_words[f->priority];
    html(h, "<details id=\"finding-%zu\" class=\"finding p-%s\"%s>\n<summary>", i, word,
         f->priority == PRIORITY_HIGH ? " open" : "");
    html(h, "<span class=\"badge p-%s\">%s</span> <span class=\"title\">%s</span>", word,
         priority_name(f->priority), f->title);
    if (f->claimed_ns)
        html(h, "<span class=\"cost\">%s · %s</span>", html_pct(h, f->runtime_fraction_pct),
             html_ns(h, f->claimed_ns));
    html_raw(h, "</summary>\n<div class=\"body\">\n");
    html(h, "<p class=\"issue\">%s.</p>\n", f->issue ? f->issue : f->title);
    claims(h, f);
    evidence(h, f);
    what_to_do(h, f);
    html_raw(h, "</div></details>\n");
}

void html_findings(struct html *h)
{
    html_chapter(h, "findings", "Findings", "Findings");
    if (!h->advice->findings.n) {
        html_raw(
            h, "<p class=\"lead\">Nothing to report: no rule found time worth winning back.</p>\n");
        return;
    }
    html_raw(
        h, "<p class=\"lead\">Ranked by what they can win. No nanosecond is claimed twice. "
           "<button type=\"button\" class=\"small\" data-open-all=\"findings\">Open all</button> "
           "<button type=\"button\" class=\"small\" data-close-all=\"findings\">Close all</button>"
           "</p>\n");
    for (size_t i = 0; i < h->advice->findings.n; i++)
        finding(h, i);
}
