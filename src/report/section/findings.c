/* Findings: what each costs, how sure we are, where to look, what to do. */
#include <math.h>

#include "advise/rule.h"
#include "base/sat.h"
#include "base/str.h"
#include "report/section.h"

static const char *speedup(const struct finding *f, struct arena *a)
{
    if (isnan(f->speedup_upper_pct))
        return arena_printf(a, "%.0f %% or more", f->speedup_lower_pct);
    return arena_printf(a, "%.0f to %.0f %%", f->speedup_lower_pct, f->speedup_upper_pct);
}

/* " (12 ms to 15 ms)" */
static const char *interval(const struct finding *f, struct arena *a)
{
    if (f->predicted_low_ns == f->predicted_high_ns)
        return "";
    return arena_printf(a, " (%s to %s)", value_ns(a, f->predicted_low_ns),
                        value_ns(a, f->predicted_high_ns));
}

static const char *threshold(const struct evidence *e, struct arena *a)
{
    if (isnan(e->threshold))
        return "";
    if (e->unit == IN_NS && fabs(e->threshold) < 1e18)
        return arena_printf(a, " (threshold %s)", value_ns(a, ns_from(e->threshold)));
    return arena_printf(a, " (threshold %.4g%s%s)", e->threshold, e->unit ? " " : "",
                        unit_word(e->unit));
}

static void claims(const struct finding *f, struct doc *d)
{
    struct arena *a = d->arena;
    bool replayed = f->predicted_by == PREDICTED_REPLAY;
    if (f->claimed_ns) {
        doc_fact(d, "costs", "%s, %s of the GPU time", value_ns(a, f->claimed_ns),
                 value_pct(a, f->runtime_fraction_pct));
        if (!replayed)
            doc_fact(d, "faster by", "%s when half or all of it goes", speedup(f, a));
    }
    if (replayed)
        doc_fact(d, "then", "%s instead of %s, %.2f times as fast%s; next limit: %s",
                 value_ns(a, f->predicted_ns), value_ns(a, f->recorded_ns), f->predicted_speedup,
                 interval(f, a), f->next_limit);
    if (f->scope)
        doc_fact(d, "where", "%s", f->scope);
    doc_fact(d, "sure", "%.0f %%: %s", 100 * f->confidence,
             f->confidence_reason ? f->confidence_reason : "");
    doc_explained(d, "rule", f->rule->doc, "%s", f->id);
}

static void evidence(const struct finding *f, struct doc *d)
{
    if (f->evidence.n)
        doc_heading(d, 4, "Evidence");
    for (size_t i = 0; i < f->evidence.n; i++) {
        const struct evidence *e = &f->evidence.v[i];
        doc_item(d, "%s%s", e->text, threshold(e, d->arena));
        if (e->has_range)
            doc_jump(d, e->start_ns, e->end_ns, e->id >= 0 ? e->id_kind : NULL, e->id);
    }
}

static void what_to_do(const struct finding *f, struct doc *d)
{
    if (f->suggestion || f->actions.n || f->commands.n)
        doc_heading(d, 4, "What to do");
    if (f->suggestion)
        doc_text(d, "%s.", f->suggestion);
    for (size_t i = 0; i < f->actions.n; i++)
        doc_item(d, "%s", f->actions.v[i]);
    for (size_t i = 0; i < f->commands.n; i++) {
        doc_item(d, "%s:", f->commands.v[i].description);
        doc_code(d, "%s", f->commands.v[i].full_command);
    }
}

static void finding(const struct finding *f, size_t i, struct doc *d)
{
    static const enum tone tones[] = {[PRIORITY_HIGH] = TONE_BAD,
                                      [PRIORITY_MEDIUM] = TONE_WARN,
                                      [PRIORITY_LOW] = TONE_INFO,
                                      [PRIORITY_INFO] = TONE_PLAIN};
    struct arena *a = d->arena;
    const char *pct = value_pct(a, f->runtime_fraction_pct);
    const char *issue = f->issue ? f->issue : f->title;
    struct disclosure o = {.id = arena_printf(a, "finding-%zu", i),
                           .number = i + 1,
                           .badge = priority_name(f->priority),
                           .tone = tones[f->priority],
                           .title = f->title,
                           .open = f->priority == PRIORITY_HIGH};
    if (f->claimed_ns)
        o.cost = arena_printf(a, "%s · %s", pct, value_ns(a, f->claimed_ns));
    if (f->priority == PRIORITY_INFO)
        o.brief = f->claimed_ns ? arena_printf(a, "%s (%s)", issue, pct) : issue;
    doc_open(d, &o);
    doc_text(d, "%s.", issue);
    claims(f, d);
    evidence(f, d);
    what_to_do(f, d);
    doc_close(d);
}

static bool has(const struct subject *s)
{
    return s->advice != NULL;
}

static void build(const struct subject *s, struct doc *d)
{
    const struct advice *v = s->advice;
    bool others = false;
    doc_text(d, v->findings.n ? "Ranked by what they can win. No nanosecond is claimed twice."
                              : "Nothing to report: no rule found time worth winning back.");
    for (size_t i = 0; i < v->findings.n; i++) {
        bool info = v->findings.v[i]->priority == PRIORITY_INFO;
        if (info && !others)
            doc_part(d, "also-noticed", "Also noticed");
        others |= info;
        finding(v->findings.v[i], i, d);
    }
}

const struct section section_findings = {"findings",          "Findings", "Findings",
                                         IN(REPORT_ANALYSIS), has,        build};
