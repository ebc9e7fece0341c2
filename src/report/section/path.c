/* The critical path: what the end of the run waits for, step by step. */
#include "report/section.h"

enum { ROWS = 8 };

static bool has(const struct subject *s)
{
    return s->a->depend && s->a->path.n;
}

static void build(const struct subject *s, struct doc *d)
{
    const struct analysis *a = s->a;
    doc_text(d, "What the end waited for, step by step. Only what stands here shortens the run "
                "when it gets faster.");
    struct block *b = doc_bars(d,
                               arena_printf(d->arena,
                                            "of %s from the first launch to the end; a replay of "
                                            "the graph is off by %.2f %%",
                                            value_ns(d->arena, a->path_stats.length_ns),
                                            a->path_stats.replay_error_pct),
                               NULL);
    for (size_t i = 0; i < a->path.n && i < ROWS; i++)
        doc_bar(b, TONE_PLAIN, a->path.v[i].pct / 100, a->path.v[i].label, "%7s  %s",
                value_pct(d->arena, a->path.v[i].pct), value_ns(d->arena, a->path.v[i].ns));
    if (a->path_members.n)
        doc_part(d, "path-members", "Kernels, copies and calls on it");
    doc_rows(d, section_result(s, "critical_path_members"),
             &(struct rows){.caption = "slack: how much longer the first one that is not on the "
                                       "path could take before it is",
                            .top = s->top < ROWS ? s->top : ROWS,
                            .most = 2000});
    if (a->path_phases.n > 1) {
        doc_part(d, "path-phases", "By phase");
        doc_rows(d, section_result(s, "critical_path_phases"),
                 &(struct rows){.caption = "what limits each phase", .top = s->top});
    }
    doc_facts(
        d, section_result(s, "critical_path"),
        "ops ops_on_path unlinked waits_recorded waits_default waits_inferred meetings handovers host_waits");
    if (a->path_stats.rough)
        doc_callout(d, TONE_WARN, "the replay is off by more than 2 %%: predicted times are rough");
    if (a->path_stats.unlinked == a->path_stats.ops)
        doc_text(d,
                 "No kernel has a recorded call: what they waited for on the host is not known.");
}

const struct section section_path = {
    "critical-path", "Critical path", "Critical path", IN(REPORT_ANALYSIS), has, build};
