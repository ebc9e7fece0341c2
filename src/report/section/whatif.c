/* The run again with changes: the time it would take, and what would limit it then. */
#include "depend/whatif.h"
#include "report/section.h"

static bool has(const struct subject *s)
{
    return s->whatif != NULL;
}

static void prediction(const struct subject *s, struct doc *d)
{
    const struct whatif_result *r = &s->whatif->result;
    struct arena *a = d->arena;
    for (size_t i = 0; i < s->whatif->changes.n; i++)
        doc_item(d, "%s", s->whatif->changes.v[i]);
    if (!s->whatif->changes.n)
        doc_text(d, "nothing is changed: a replay of what was recorded");
    doc_callout(d, r->speedup > 1.02 ? TONE_GOOD : TONE_PLAIN,
                "%s instead of %s: %.2f times as fast", value_ns(a, r->predicted_ns),
                value_ns(a, r->recorded_ns), r->speedup);
    if (r->low_ns != r->high_ns)
        doc_fact(d, "between", "%s and %s (%.2f to %.2f times as fast)", value_ns(a, r->low_ns),
                 value_ns(a, r->high_ns), r->speedup_low, r->speedup_high);
    if (*r->reasons && r->low_ns != r->high_ns)
        doc_fact(d, "because", "%s", r->reasons);
    doc_fact(d, "limit before", "%s", r->limit_before);
    doc_fact(d, "limit after", "%s", r->limit_after);
    doc_fact(d, "replay error", "%.2f %% without a change", r->replay_error_pct);
    for (size_t i = 0; i < s->whatif->notes.n; i++)
        doc_callout(d, TONE_WARN, "%s", s->whatif->notes.v[i]);
}

static void path(const struct subject *s, struct doc *d)
{
    doc_rows(d, RESULT(whatif_path_fields, s->whatif->path),
             &(struct rows){.caption = "what the end waits for, step by step", .never = "kind"});
}

static void ledger(const struct subject *s, struct doc *d)
{
    doc_rows(d, RESULT(whatif_ledger_fields, s->whatif->ledger),
             &(struct rows){.caption = "over all GPUs with work, from the first launch to the end",
                            .never = "kind"});
}

const struct section section_whatif_prediction = {"prediction",      "Prediction", "Prediction",
                                                  IN(REPORT_WHATIF), has,          prediction};
const struct section section_whatif_path = {
    "critical-path", "Critical path", "Critical path", IN(REPORT_WHATIF), has, path};
const struct section section_whatif_ledger = {"ledger",          "GPU time", "GPU time",
                                              IN(REPORT_WHATIF), has,        ledger};

struct doc *whatif_report(struct subject *s, const char *sections, struct arena *arena,
                          struct gs_error *err)
{
    return sections_doc(s, REPORT_WHATIF, "What if", sections, arena, err);
}
