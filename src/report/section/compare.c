/* A comparison: the verdict, whether it may be given, and what changed. */
#include <math.h>

#include "base/sat.h"
#include "base/str.h"
#include "compare/gate.h"
#include "report/compare_draw.h"
#include "report/compare_tables.h"
#include "report/section.h"

static bool always(const struct subject *s)
{
    return s->comparison != NULL;
}

/* ---- the verdict ---- */

static void card(struct doc *d, const char *label, const char *doc, const char *value,
                 const char *note)
{
    doc_card(d, &(struct card){label, doc, value, note, NAN, TONE_PLAIN});
}

static void cards(const struct comparison *c, struct doc *d)
{
    struct arena *a = d->arena;
    if (c->comparable) {
        card(
            d, "change",
            "of the clock on the wall where it can tell, else of the work that can be compared; "
            "negative is a gain",
            value_signed_pct(a, c->wall_change_pct),
            arena_printf(a, "%s of %s", value_signed_ns(a, c->change_ns), value_ns(a, c->base_ns)));
        card(d, "noise", "a smaller change means nothing", value_pct(a, c->noise_pct),
             value_ns(a, c->noise_ns));
    }
    card(d, "wall",
         "the clock on the wall for the same work, start-up and all idle time included; of several "
         "runs the middle one",
         arena_printf(a, "%s → %s", value_ns(a, c->wall_a_ns), value_ns(a, c->wall_b_ns)),
         arena_printf(a, "noise %s%s%s", value_ns(a, c->wall_noise_ns),
                      fabs(c->steps - 1) > 0.01 ? ", for the steps of A" : "",
                      c->repeated ? ", of repeated runs" : ""));
    card(d, "window", "plain difference of the windows, the profiler's own start included",
         value_signed_pct(a, c->window_change_pct),
         arena_printf(a, "%s → %s", value_ns(a, c->a->breakdown.window_ns),
                      value_ns(a, c->b->breakdown.window_ns)));
    card(d, "kernels", "share of A's kernel time that has a partner in B",
         value_pct(a, c->matched_pct), "of A's time have a partner");
    if (fabs(c->steps - 1) > 0.01)
        card(d, "steps", "B ran this many times as many; its figures are divided by it",
             arena_printf(a, "× %.3g", c->steps), "all changes are per step of A");
}

static const struct {
    enum tone tone;
    const char *word;
} verdicts[] = {[COMPARE_FASTER] = {TONE_GOOD, "Faster"},
                [COMPARE_SLOWER] = {TONE_BAD, "Slower"},
                [COMPARE_SAME] = {TONE_INFO, "The same"},
                [COMPARE_NOT_COMPARABLE] = {TONE_WARN, "Not comparable"}};

static void verdict(const struct subject *s, struct doc *d)
{
    const struct comparison *c = s->comparison;
    doc_callout(d, verdicts[c->verdict].tone, "%s", c->headline);
    doc_label(d, verdicts[c->verdict].word);
    cards(c, d);
}

const struct section section_compare_verdict = {
    "verdict", "Verdict", "Verdict", IN(REPORT_COMPARISON), always, verdict};

static bool has_gate(const struct subject *s)
{
    return s->gate->conditions.n > 0;
}

static void gate(const struct subject *s, struct doc *d)
{
    const struct gate *g = s->gate;
    doc_text(d, "The gate %s.", g->failed ? "failed" : "passed");
    for (size_t i = 0; i < g->conditions.n; i++) {
        bool failed = g->conditions.v[i].failed;
        doc_callout(d, failed ? TONE_BAD : TONE_GOOD, "%s", g->conditions.v[i].message);
        doc_label(d, failed ? "failed" : "held");
    }
}

const struct section section_compare_gate = {"gate",   "Gate", "Gate", IN(REPORT_COMPARISON),
                                             has_gate, gate};

static void comparability(const struct subject *s, struct doc *d)
{
    const struct comparison *c = s->comparison;
    doc_callout(d,
                !c->comparable    ? TONE_BAD
                : c->score >= 0.8 ? TONE_GOOD
                                  : TONE_WARN,
                "%s, score %.2f of 1",
                c->comparable ? "both did the same work" : "they did different work", c->score);
    doc_label(d, c->comparable ? "Yes" : "No");
    for (size_t i = 0; i < c->reasons.n; i++)
        doc_item(d, "%s", c->reasons.v[i]);
}

const struct section section_compare_comparability = {
    "comparability",       "Comparable?", "Can they be compared?",
    IN(REPORT_COMPARISON), always,        comparability};

/* ---- what changed ---- */

static bool has_causes(const struct subject *s)
{
    return s->comparison->causes.n > 0;
}

static void causes(const struct subject *s, struct doc *d)
{
    const struct comparison *c = s->comparison;
    bool all_count = true;
    for (size_t i = 0; i < c->causes.n; i++)
        all_count &= c->causes.v[i].counted;
    doc_rows(
        d, RESULT(compare_cause_fields, c->causes),
        &(struct rows){.caption = all_count ? "of GPU time; + is slower, - is faster; what is not "
                                              "significant is within noise"
                                            : "of GPU time; + is slower, - is faster; what is not "
                                              "significant is within noise, what is not counted is "
                                              "no part of the verdict",
                       .shown = all_count ? "what change_ns change_pct noise_ns significant phase"
                                          : "what change_ns change_pct noise_ns significant "
                                            "counted phase",
                       .top = s->top});
}

const struct section section_compare_causes = {
    "causes", "Causes", "What changed, largest first", IN(REPORT_COMPARISON), has_causes, causes};

static bool has_ledger(const struct subject *s)
{
    return s->comparison->ledger.n > 0;
}

static struct draw *draw_ledger(const void *of, int width, struct arena *a)
{
    return compare_ledger_draw(of, width, a);
}

static void ledger(const struct subject *s, struct doc *d)
{
    const struct comparison *c = s->comparison;
    bool stepped = fabs(c->steps - 1) > 0.01;
    doc_drawing(d,
                stepped ? "Both runs, B per step of A; shares are of each run."
                        : "Both runs, by one cause each nanosecond; shares are of each run.",
                draw_ledger, c);
    doc_rows(d, RESULT(compare_ledger_fields, c->ledger),
             &(struct rows){.caption = stepped ? "changes are per step of A" : NULL});
}

const struct section section_compare_ledger = {
    "ledger", "Ledger", "Where the GPU time went", IN(REPORT_COMPARISON), has_ledger, ledger};

static bool has_phases(const struct subject *s)
{
    return s->comparison->a->phases.n > 1 || s->comparison->b->phases.n > 1;
}

static struct draw *draw_phases(const void *of, int width, struct arena *a)
{
    return compare_phases_draw(of, width, a);
}

static void phases(const struct subject *s, struct doc *d)
{
    const struct comparison *c = s->comparison;
    doc_drawing(d, "Duration of each phase, divided as its GPU time is.", draw_phases, c);
    doc_rows(
        d, RESULT(compare_phase_fields, c->phases),
        &(struct rows){.caption = "durations as recorded; mostly: what changed most in the "
                                  "GPU time of the phase",
                       .shown = "title duration_a_ns duration_b_ns change_ns change_pct cause"});
}

const struct section section_compare_phases = {
    "phases", "Phases", "Phase by phase", IN(REPORT_COMPARISON), has_phases, phases};

static bool has_ranks(const struct subject *s)
{
    return s->comparison->ranks.n > 0;
}

static void ranks(const struct subject *s, struct doc *d)
{
    enum { MOST = 32 };
    doc_rows(d, RESULT(compare_rank_fields, s->comparison->ranks),
             &(struct rows){.shown = "rank window_a_ns window_b_ns change_ns change_pct "
                                     "compute_change_ns mpi_change_ns wait_change_ns mostly",
                            .top = MOST});
}

const struct section section_compare_ranks = {
    "ranks", "Ranks", "Rank by rank", IN(REPORT_COMPARISON), has_ranks, ranks};

/* ---- kernels ---- */

static void both(struct doc *d, const char *label, const char *x, const char *y)
{
    doc_fact(d, label, "%s → %s", x, y);
}

static const char *time_of(struct arena *a, double ns)
{
    return isnan(ns) ? "-" : value_ns(a, ns_from(ns));
}

static void durations(const struct compare_kernel *k, struct doc *d)
{
    struct arena *a = d->arena;
    struct compare_histogram h;
    if (compare_histogram_make(&h, k))
        doc_small_picture(
            d, "Calls by duration, as shares of each run: A filled, B as a line. Logarithmic.",
            compare_histogram_draw(&h, "Calls by duration in both runs", 420, 150, a));
    else if (k->a && k->b)
        doc_text(d,
                 "No histogram: %s has no durations of single calls; a trace or a baseline has "
                 "them. 95th percentiles: %s → %s.",
                 k->a->durations.n ? "B" : "A", value_ns(a, k->a->p95_ns),
                 value_ns(a, k->b->p95_ns));
    else
        doc_text(d, "No histogram: it is not one kernel in both runs.");
}

static void facts(const struct compare_kernel *k, struct doc *d)
{
    struct arena *a = d->arena;
    both(d, "calls", value_count(a, k->calls_a), value_count(a, k->calls_b));
    both(d, "total", value_ns(a, k->total_a_ns), value_ns(a, k->total_b_ns));
    both(d, "typical", time_of(a, k->typical_a_ns), time_of(a, k->typical_b_ns));
    both(d, "median", time_of(a, k->median_a_ns), time_of(a, k->median_b_ns));
    doc_fact(d, "noise", "%s", value_pct(a, k->noise_pct));
    doc_fact(d, "match", "%s", k->match);
    if (k->vgpr_a || k->vgpr_b)
        doc_fact(d, "registers", "%u → %u", k->vgpr_a, k->vgpr_b);
    if (k->lds_a_bytes || k->lds_b_bytes)
        both(d, "LDS", value_bytes(a, k->lds_a_bytes), value_bytes(a, k->lds_b_bytes));
    if (!isnan(k->occupancy_a_pct) && !isnan(k->occupancy_b_pct))
        both(d, "occupancy", value_pct(a, k->occupancy_a_pct), value_pct(a, k->occupancy_b_pct));
    if (k->grid_a && k->grid_b)
        both(d, "grid", k->grid_a, k->grid_b);
}

static void detail(const struct compare_kernel *k, size_t i, struct doc *d)
{
    struct arena *a = d->arena;
    doc_open(d, &(struct disclosure){.id = arena_printf(a, "kernel-%zu", i),
                                     .title = k->title,
                                     .cost = arena_printf(a, "%s · %s%s",
                                                          value_signed_ns(a, k->change_ns),
                                                          value_signed_pct(a, k->change_pct),
                                                          k->significant ? "" : " · within noise"),
                                     .open = i == 0,
                                     .brief = ""});
    durations(k, d);
    doc_text(d, "%s", k->name ? k->name : k->name_b);
    if (k->name && k->name_b && !str_eq(k->name, k->name_b))
        doc_text(d, "in B: %s", k->name_b);
    facts(k, d);
    doc_close(d);
}

static bool has_kernels(const struct subject *s)
{
    return s->comparison->kernels.n > 0;
}

static void kernels(const struct subject *s, struct doc *d)
{
    const struct comparison *c = s->comparison;
    doc_rows(d, RESULT(compare_kernel_fields, c->kernels),
             &(struct rows){.caption = "typical: mean of the middle half of all calls",
                            .shown = "title typical_a_ns typical_b_ns change_ns "
                                     "change_pct noise_pct significant",
                            .link = "title",
                            .anchor = "kernel",
                            .anchors = COMPARE_DETAILED,
                            .top = s->top,
                            .most = 2000});
    doc_part(d, "kernel-detail", "Those that changed most");
    for (size_t i = 0; i < c->kernels.n && i < COMPARE_DETAILED; i++)
        detail(&c->kernels.v[i], i, d);
    if (c->notes.n)
        doc_part(d, "notes", "Resources and assumptions");
    for (size_t i = 0; i < c->notes.n; i++)
        doc_item(d, "%s", c->notes.v[i]);
}

const struct section section_compare_kernels = {
    "kernels", "Kernels", "Kernels", IN(REPORT_COMPARISON), has_kernels, kernels};

/* ---- counts ---- */

static bool has_copies(const struct subject *s)
{
    return s->comparison->copies.n > 0;
}

static void copies(const struct subject *s, struct doc *d)
{
    doc_rows(d, RESULT(compare_copy_fields, s->comparison->copies), &(struct rows){0});
}

static bool has_api(const struct subject *s)
{
    return s->comparison->api.n > 0;
}

static void api(const struct subject *s, struct doc *d)
{
    doc_rows(d, RESULT(compare_api_fields, s->comparison->api), &(struct rows){0});
}

const struct section section_compare_copies = {
    "copies", "Copies", "Bytes copied", IN(REPORT_COMPARISON), has_copies, copies};
const struct section section_compare_api = {
    "api", "Host calls", "Host calls", IN(REPORT_COMPARISON), has_api, api};

struct doc *compare_report(struct subject *s, const char *sections, struct arena *arena,
                           struct gs_error *err)
{
    const struct comparison *c = s->comparison;
    struct doc *d = doc_new(arena);
    s->kind = REPORT_COMPARISON;
    doc_title(d, "%s → %s", c->a->label, c->b->label);
    doc_badge(d, verdicts[c->verdict].tone, "verdict", "%s",
              c->verdict == COMPARE_NOT_COMPARABLE ? "not comparable"
                                                   : compare_verdict_name(c->verdict));
    if (s->gate->conditions.n)
        doc_badge(d, s->gate->failed ? TONE_BAD : TONE_GOOD, "gate", "gate %s",
                  s->gate->failed ? "failed" : "passed");
    doc_about(d, "A", "%s", c->a->label);
    doc_about(d, "B", "%s", c->b->label);
    doc_about(d, "GPU A", "%s", c->a->gpus.n ? c->a->gpus.v[0].name : "");
    doc_about(d, "GPU B", "%s", c->b->gpus.n ? c->b->gpus.v[0].name : "");
    return sections_build(d, s, sections, err) ? d : NULL;
}
