/*
 * The tables of a comparison, for the page and the workbook: the same rows and columns in both.
 */
#ifndef GS_REPORT_COMPARE_TABLES_H
#define GS_REPORT_COMPARE_TABLES_H

#include "compare/gate.h"
#include "report/workbook.h"

struct compare_fact {
    const char *what, *value, *meaning;
};

struct compare_durations {
    const char *kernel; /* its title */
    int64_t from_ns, to_ns;
    uint64_t calls_a, calls_b;
};

struct compare_tables {
    VEC(struct compare_fact) facts;          /* the verdict in words */
    VEC(struct compare_durations) durations; /* of the kernels that changed most */
};

/* Times and counts on both sides, with their units: of comparison.ledger, copies, api. */
extern const struct fields compare_ledger_fields, compare_copy_fields, compare_api_fields;
extern const struct fields compare_fact_fields, compare_duration_fields;

/* All tables of a comparison for reference, "compare_kernels" and so on; the first is one object.
 */
enum { COMPARE_TABLES = 6 };
void compare_term_list(struct fields *out); /* COMPARE_TABLES of them */

struct explanation;

/* `e`: what a language model said; NULL: nothing. */
void workbook_compare(struct workbook *w, const struct comparison *c, const struct gate *gate,
                      const struct explanation *e, struct arena *arena);

#endif
