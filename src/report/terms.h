/*
 * Terms: every word of the program that has a documentation, by kind. `gpusight explain` shows
 * them; they come from the tables that the program itself works with.
 */
#ifndef GS_REPORT_TERMS_H
#define GS_REPORT_TERMS_H

#include "advise/rule.h"
#include "report/doc.h"

enum term_kind {
    TERM_METRIC,
    TERM_TABLE,
    TERM_CAUSE,
    TERM_PATH,
    TERM_RULE,
    TERM_CATEGORY,
    TERM_ROLE,
    TERM_API,
    TERM_CAPABILITY,
    TERM_QUALITY,
    TERM_COUNTER,
    TERM_STALL,
    TERM_KINDS
};

struct term {
    enum term_kind kind;
    const char *name;
    const char *alias; /* another name for it, or NULL: the id of a rule, table.field of a metric */
    const char *where; /* of a metric: its table */
    const char *unit;  /* of a metric; "" otherwise */
    const char *doc;
    const struct rule *rule; /* of a rule */
};

struct terms {
    struct term *v;
    size_t n, cap;
};

void terms_list(struct terms *out, struct arena *a);

/* All terms, by kind. */
struct doc *terms_doc(const struct terms *t, struct arena *a);

/* The terms of this name, whatever the case; NULL: there is none. */
struct doc *term_doc(const struct terms *t, const char *name, struct arena *a);

/* For programs: the terms of this name, or all where it is NULL. */
void terms_json(const struct terms *t, const char *name, struct jwrite *w);
void terms_json_schema(struct str *out);

/* The nearest name, or NULL. */
const char *term_nearest(const struct terms *t, const char *name, struct arena *a);

struct quality_check_doc {
    const char *code;
    int weight;
    const char *doc;
};
extern const struct quality_check_doc quality_check_docs[]; /* code NULL at the end */

extern const char *const rule_need_names[]; /* by bit of rule.needs, NULL at the end */
/* "kernels, API calls", or "nothing". */
const char *rule_needs_text(unsigned needs, struct arena *a);

#endif
