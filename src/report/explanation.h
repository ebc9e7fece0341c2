/*
 * What a language model said about a report, and what is known about that: who said it, which of
 * its numbers the analysis confirms, what it cost. It is never mixed with what we measured: reports
 * show it in a section of its own, and say whose words they are.
 *
 * Made by llm/explain.c; everything lives in the arena of the command.
 */
#ifndef GS_REPORT_EXPLANATION_H
#define GS_REPORT_EXPLANATION_H

#include "field/field.h"
#include "report/doc.h"

/* PerfAdvisor's schema; the bounds are ours (llm/hypothesis.h). */
struct hypothesis {
    const char *bottleneck_type, *phase, *description, *evidence, *suggestion;
    const char *expected_impact, *action_category, *confidence; /* action_category may be NULL */
    double runtime_fraction_pct;                                /* NaN: none given */
    double speedup_lower_pct, speedup_upper_pct;                /* NaN: none, no bound */
    VEC(const char *) coercion_notes;                           /* what had to be put right */
};

/* PerfAdvisor's, of comparisons; the magnitude is computed by us where both are numbers. */
struct key_difference {
    const char *metric, *phase, *profile_a, *profile_b, *note;
    double magnitude_pct; /* NaN: cannot be said */
};

struct explanation {
    const char *provider, *model;
    const char *text;    /* NULL: there is none */
    const char *problem; /* why there is none, or why it ends early; NULL: it is whole */
    VEC(struct hypothesis) hypotheses;
    VEC(struct key_difference) differences;
    uint64_t numbers;          /* and names in the text that were looked for */
    VEC(const char *) unfound; /* those that neither the analysis nor a tool has said */
    uint64_t requests, tool_calls;
    int64_t input_tokens, output_tokens, cache_read_tokens, cache_write_tokens;
    double cost_usd; /* NaN: not known */
};

extern const struct fields difference_fields, hypothesis_fields, explanation_fields;

/* A sheet with its lines, below one that says whose words they are. */
struct workbook;
void workbook_explanation(struct workbook *w, const struct explanation *e);

/* Which of its numbers were found. */
void doc_checked(struct doc *d, const struct explanation *e);

/* A text in Markdown, as models write it, as blocks. */
void doc_markdown(struct doc *d, const char *text);

#endif
