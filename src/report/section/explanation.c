/* What a language model said, with whose words they are and which of its numbers are ours. */
#include "report/explanation.h"

#include <math.h>

#include "report/section.h"

static bool has(const struct subject *s)
{
    return s->explanation && (s->explanation->text || s->explanation->hypotheses.n);
}

static void whose(const struct explanation *e, struct doc *d)
{
    doc_callout(d, e->unfound.n || e->problem ? TONE_WARN : TONE_INFO,
                "These are the words of a language model (%s, %s), not of the analysis.%s%s%s",
                e->provider, e->model, e->problem ? " They are not whole: " : "",
                e->problem ? e->problem : "", e->problem ? "." : "");
    doc_label(d, "Language model");
}

static const char *bound(struct arena *a, double pct)
{
    return isnan(pct) ? "no bound" : arena_printf(a, "%.1f %%", pct);
}

static void hypothesis(const struct hypothesis *h, size_t i, struct doc *d)
{
    struct arena *a = d->arena;
    doc_heading(d, 4, "%zu. %s (%s, %s)", i + 1, h->description, h->bottleneck_type, h->phase);
    doc_fact(d, "evidence", "%s", h->evidence);
    doc_fact(d, "suggestion", "%s", h->suggestion);
    doc_fact(d, "impact", "%s; sure: %s%s%s", h->expected_impact, h->confidence,
             h->action_category ? "; " : "", h->action_category ? h->action_category : "");
    if (!isnan(h->runtime_fraction_pct))
        doc_fact(d, "speed-up", "%s to %s, if it is %.1f %% of the time",
                 bound(a, h->speedup_lower_pct), bound(a, h->speedup_upper_pct),
                 h->runtime_fraction_pct);
    for (size_t n = 0; n < h->coercion_notes.n; n++)
        doc_fact(d, "note", "%s", h->coercion_notes.v[n]);
}

static void build(const struct subject *s, struct doc *d)
{
    const struct explanation *e = s->explanation;
    whose(e, d);
    doc_checked(d, e);
    if (e->text)
        doc_markdown(d, e->text);
    doc_rows(d, RESULT(difference_fields, e->differences),
             &(struct rows){.key = "differences", .caption = "differences that the model names"});
    for (size_t i = 0; i < e->hypotheses.n; i++)
        hypothesis(&e->hypotheses.v[i], i, d);
}

const struct section section_explanation = {"explanation",
                                            "Explanation",
                                            "What a language model says",
                                            IN(REPORT_ANALYSIS) | IN(REPORT_SOURCE),
                                            has,
                                            build};
const struct section section_compare_explanation = {
    "explanation", "Explanation", "What a language model says", IN(REPORT_COMPARISON), has, build};
