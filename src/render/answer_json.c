#include "render/answer_json.h"

#include "render/analysis_json_in.h"

struct answer_document {
    const struct answer *a;
    VEC(struct finding_json) findings;
    VEC(struct hotspot) kernels;
};

#define T struct answer_cause
PART(cause_part, T, ALWAYS(T, cause, FIELD_TEXT, "cause", "of the ledger"),
     ALWAYS(T, ns, FIELD_I64, "ns", "of GPU time"),
     ALWAYS(T, pct, FIELD_NUM, "pct", "of window x GPUs"),
     ALWAYS(T, doc, FIELD_TEXT, "meaning", "what it is"));
#undef T
#define T struct answer_figure
PART(figure_part, T, ALWAYS(T, label, FIELD_TEXT, "figure", "what it is of"),
     ALWAYS(T, value, FIELD_TEXT, "value", "for people"));
#undef T
#define T struct answer_term
PART(term_part, T, ALWAYS(T, term, FIELD_TEXT, "term", "a word of the output"),
     ALWAYS(T, doc, FIELD_TEXT, "meaning", "what it means"));
#undef T

#define T struct answer
PART(head, T, ALWAYS(T, question, FIELD_TEXT, "question", "as it was asked"),
     ALWAYS(T, answered_by, FIELD_TEXT, "answered_by", "'analysis' or 'language model'",
            .words = WORDS("analysis", "language model")),
     ALWAYS(T, verdict, FIELD_TEXT, "verdict", "of the analysis, in one sentence"),
     ALWAYS(T, nothing, FIELD_BOOL, "nothing_found", "no word of the question is in the analysis"),
     ALWAYS(T, figures, FIELD_LIST, "figures", "that the question names", .of = &figure_part),
     ALWAYS(T, causes, FIELD_LIST, "causes", "of the ledger that it names", .of = &cause_part));
PART(tail, T,
     ALWAYS(T, sections, FIELD_LIST, "sections", "of the report that it names", .of = &field_texts),
     ALWAYS(T, terms, FIELD_LIST, "terms", "that it names", .of = &term_part),
     IF_ANY(T, explanation, FIELD_REF, "explanation", "what a language model said, of --llm",
            .of = &explanation_fields));
#undef T

#define T struct answer_document
PART(document, T, FIXED("schema_version", ANSWER_SCHEMA_VERSION, "version of this document"),
     SPREAD(T, a, FIELD_REF, &head),
     ALWAYS(T, kernels, FIELD_LIST, "kernels", "whose names it holds", .of = &hotspot_fields),
     ALWAYS(T, findings, FIELD_LIST, "findings", "that fit, best first",
            .of = &finding_json_fields),
     SPREAD(T, a, FIELD_REF, &tail));

void answer_json(struct jwrite *w, const struct answer *a)
{
    struct arena *arena = w->out->arena;
    T d = {.a = a};
    for (size_t i = 0; i < a->findings.n; i++)
        finding_json_make(vec_add(&d.findings, arena), a->findings.v[i], arena);
    for (size_t i = 0; i < a->kernels.n; i++)
        vec_push(&d.kernels, arena, *a->kernels.v[i]);
    fields_write(w, NULL, &document, &d);
}

void answer_json_schema(struct str *out)
{
    fields_schema_document(out, "urn:gpusight:answer:" ANSWER_SCHEMA_VERSION, "gpusight answer",
                           "What 'gpusight ask --format json' writes. Made by 'gpusight --generate "
                           "answer-schema'.",
                           &document);
}
