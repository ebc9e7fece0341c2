/* What a reader sees first: the verdict, and the numbers it rests on. */
#include <math.h>

#include "base/human.h"
#include "report/section.h"

static void verdict(const struct verdict *v, struct doc *d)
{
    static const struct {
        enum tone tone;
        const char *word;
    } status[] = {[VERDICT_HEALTHY] = {TONE_GOOD, "Healthy"},
                  [VERDICT_IMPROVABLE] = {TONE_WARN, "Can be improved"},
                  [VERDICT_PROBLEM] = {TONE_BAD, "Problem found"},
                  [VERDICT_NO_GPU_WORK] = {TONE_WARN, "No GPU work"}};
    doc_callout(d, status[v->status].tone, "%s", v->headline);
    doc_label(d, status[v->status].word);
}

static enum tone tone_of(double pct, double good, double fair)
{
    return pct >= good ? TONE_GOOD : pct >= fair ? TONE_WARN : TONE_BAD;
}

static const char *doc_of(const struct subject *s, const char *key)
{
    const struct result *r = section_result(s, "breakdown");
    const struct field *f = r ? fields_find(r->fields, key) : NULL;
    return f ? f->doc : "";
}

static void gauge(struct doc *d, const char *label, const char *doc, double pct, const char *note,
                  enum tone tone)
{
    doc_card(d, &(struct card){label, doc, value_pct(d->arena, pct), note, pct, tone});
}

static void gauges(const struct subject *s, struct doc *d)
{
    const struct breakdown *b = &s->a->breakdown;
    const struct verdict *v = &s->advice->verdict;
    struct arena *a = d->arena;
    int64_t compute_ns = s->a->ledger.ns[CAUSE_COMPUTE];
    double compute = s->advice->overview.compute_pct;
    gauge(d, "GPU busy", doc_of(s, "busy_pct"), b->busy_pct,
          arena_printf(a, "%s of %s", value_ns(a, b->busy_ns), value_ns(a, b->gpu_time_ns)),
          tone_of(b->busy_pct, 80, 50));
    gauge(d, "computing", cause_info(CAUSE_COMPUTE)->doc, compute, value_ns(a, compute_ns),
          tone_of(compute, 60, 30));
    gauge(d, "can be won back",
          "time of the ledger that findings above INFO claim, kernels to be tuned aside, as a "
          "share of window x GPUs",
          v->recoverable_pct, value_ns(a, v->recoverable_ns),
          tone_of(100 - v->recoverable_pct, 90, 70));
}

static void card(struct doc *d, const char *label, const char *doc, const char *value,
                 const char *note)
{
    doc_card(d, &(struct card){label, doc, value, note, NAN, TONE_PLAIN});
}

/* "memory_transfer" is for programs. */
static const char *spaced(struct arena *a, const char *word)
{
    char *copy = arena_strdup(a, word ? word : "-");
    for (char *p = copy; *p; p++)
        if (*p == '_')
            *p = ' ';
    return copy;
}

static void cards(const struct subject *s, struct doc *d)
{
    const struct analysis *an = s->a;
    const struct breakdown *b = &an->breakdown;
    const struct overview *o = &s->advice->overview;
    struct arena *a = d->arena;
    size_t processes = an->trace->processes.n;
    card(d, "window", doc_of(s, "window_ns"), value_ns(a, b->window_ns),
         arena_printf(a, "%u GPU%s, %zu process%s%s%s", b->gpu_count, human_s(b->gpu_count),
                      processes, processes == 1 ? "" : "es",
                      b->not_recorded_ns ? "; not recorded: " : "",
                      b->not_recorded_ns ? value_ns(a, b->not_recorded_ns) : ""));
    card(d, "kernels", doc_of(s, "kernel_ns"), value_count(a, an->view.n_kernels),
         arena_printf(a, "%s busy, %zu name%s", value_ns(a, b->kernel_ns), an->hotspots.n,
                      human_s(an->hotspots.n)));
    card(d, "copies", doc_of(s, "copy_ns"), value_count(a, an->view.n_copies),
         arena_printf(a, "%s, %s exposed", value_ns(a, b->copy_ns),
                      value_ns(a, b->exposed_copy_ns)));
    card(d, "idle", doc_of(s, "idle_ns"), value_pct(a, b->idle_pct),
         arena_printf(a, "%s of GPU time", value_ns(a, b->idle_ns)));
    card(d, "host waits", doc_of(s, "sync_blocked_ns"), value_pct(a, b->sync_blocked_pct),
         arena_printf(a, "%s of the window", value_ns(a, b->sync_blocked_ns)));
    card(d, "bottleneck", "the kind of time that costs most, from the ledger and the findings",
         spaced(a, primary_names[o->bottleneck]),
         arena_printf(a, "%.0f %% sure", 100 * o->confidence));
    card(d, "data quality",
         "a grade from A to F: every check that fails takes points off 100; the end of the report "
         "has them",
         arena_printf(a, "%c", an->quality.grade),
         arena_printf(a, "%d of 100 points", an->quality.points));
}

static bool has(const struct subject *s)
{
    return s->a != NULL;
}

static void build(const struct subject *s, struct doc *d)
{
    const struct overview *o = &s->advice->overview;
    verdict(&s->advice->verdict, d);
    for (size_t i = 0; i < o->key_findings.n; i++)
        doc_item(d, "%s", o->key_findings.v[i]);
    if (s->advice->verdict.together > 1)
        doc_item(d, "%s, %.2f times as fast, when the first %u findings are followed",
                 value_ns(d->arena, s->advice->verdict.together_ns),
                 s->advice->verdict.together_speedup, s->advice->verdict.together);
    if (s->a->breakdown.gpu_count)
        gauges(s, d);
    cards(s, d);
}

const struct section section_overview = {"overview",          "Verdict", "Verdict",
                                         IN(REPORT_ANALYSIS), has,       build};
