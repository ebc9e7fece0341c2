/* Phases of the summary: each is a summary of its own part of the run. */
#include "base/human.h"
#include "base/sat.h"
#include "report/summary.h"

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
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
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

void summary_phases_doc(const struct summary *s, struct doc *d)
{
    char text[HUMAN_MAX];
    if (s->phases.n < 2)
        return;
    doc_heading(d, 2, "Phases");
    struct block *b = doc_table(d, "");
    doc_column(b, "phase", COLUMN_TEXT);
    doc_column(b, "start", COLUMN_NUMBER);
    doc_column(b, "length", COLUMN_NUMBER);
    doc_column(b, "utilization", COLUMN_NUMBER);
    doc_column(b, "kernels", COLUMN_NUMBER);
    doc_column(b, "copies", COLUMN_NUMBER);
    doc_column(b, "idle", COLUMN_NUMBER);
    for (size_t i = 0; i < s->phases.n; i++) {
        const struct phase_row *p = s->phases.v[i].row;
        const struct breakdown *v = &s->phases.v[i].summary->a->breakdown;
        doc_cell(b, "%s", p->name);
        doc_cell(b, "%s", human_time(text, sub_ns(p->start_ns, s->a->phases.v[0].start_ns)));
        doc_cell(b, "%s", human_time(text, p->duration_ns));
        doc_cell(b, "%s", human_pct(text, v->kernel_pct));
        doc_cell(b, "%s", human_time(text, v->kernel_sum_ns));
        doc_cell(b, "%s", human_time(text, v->copy_ns));
        doc_cell(b, "%s", human_time(text, p->idle_ns));
    }
}
