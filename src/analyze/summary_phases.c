/* Phases of the summary: each is a summary of its own part of the run. */
#include "analyze/summary.h"

/* What the summary of a phase shows: the rest of the analyses is left out. */
static const struct analysis_kind *const kinds[] = {&analysis_breakdown, &analysis_hotspots,
                                                    &analysis_api, &analysis_gaps};

static void analyze_phase(struct analysis *part, const struct analysis *a,
                          const struct phase_row *p, struct arena *arena)
{
    *part = (struct analysis){.trace = a->trace,
                              .arena = arena,
                              .opts = a->opts,
                              .capabilities = a->capabilities,
                              .hardware = a->hardware,
                              .ledger = p->ledger};
    view_slice(&part->view, &a->view, p->start_ns, p->end_ns, arena);
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        kinds[i]->run(part);
}

void summary_phases(struct summary *s, struct arena *arena)
{
    for (size_t i = 0; i < s->a->phases.n; i++) {
        struct analysis *part = arena_new(arena, struct analysis);
        struct summary *of = arena_new(arena, struct summary);
        analyze_phase(part, s->a, &s->a->phases.v[i], arena);
        summary_make(of, part, arena);
        vec_push(&s->phases, arena, ((struct phase_summary){&s->a->phases.v[i], of}));
    }
}
