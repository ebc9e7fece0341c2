/*
 * Answers without a language model: what the analysis has about the words of a question. Findings,
 * causes of the ledger, kernels, figures, sections and terms are looked through for them; words that
 * ask for no thing in particular ("why is it slow") mean the verdict and the first findings.
 *
 *     struct answer *a = answer_find(&subject, "why is the GPU idle?", arena);
 *     struct doc *d = answer_doc(a, &subject, arena, err);
 *
 * Nothing is made up: what is shown is what reports show.
 */
#ifndef GS_REPORT_ANSWER_H
#define GS_REPORT_ANSWER_H

#include "report/explanation.h"
#include "report/section.h"
#include "report/terms.h"

enum { ANSWER_FINDINGS = 5, ANSWER_KERNELS = 5, ANSWER_TERMS = 3, ANSWER_SECTIONS = 2 };

struct answer_cause {
    const char *cause, *doc;
    int64_t ns;
    double pct;
};

struct answer_term {
    const char *term, *doc;
};

struct answer_figure {
    const char *label, *value;
};

struct answer {
    const char *question;
    const char *answered_by; /* "analysis" or "language model" */
    const char *verdict;     /* one sentence */
    bool general;            /* no thing in particular was asked for */
    bool nothing;            /* no word of it was found */
    VEC(const struct finding *) findings;
    VEC(struct answer_cause) causes;
    VEC(const struct hotspot *) kernels;
    VEC(struct answer_figure) figures;
    VEC(const char *) sections;
    VEC(struct answer_term) terms;
    const struct explanation *explanation; /* of a model; NULL: none was asked */
};

struct answer *answer_find(const struct subject *s, const char *question, struct arena *a);
struct doc *answer_doc(const struct answer *a, struct subject *s, struct arena *arena,
                       struct gs_error *err);

/* ---- words (answer_words.c) ---- */

struct question_words {
    const char **v;
    size_t n, cap;
    bool general;
};

/* The words of a question that name something, with what they stand for. */
void words_of(struct question_words *out, const char *text, struct arena *a);
/* How many of them are in a text. */
size_t words_in(const struct question_words *w, const char *text);

#endif
