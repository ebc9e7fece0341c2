/* Between the files that compute results. */
#ifndef GS_WORKLOAD_RESULTS_IN_H
#define GS_WORKLOAD_RESULTS_IN_H

#include "workload/results.h"

enum { FACTS_MAX = 8 };

/* Where the value of a name in a formula comes from. */
enum source_kind { FROM_NOWHERE, FROM_COUNTER, FROM_NUMBER, FROM_DISPATCH, FROM_FACT };

struct source {
    enum source_kind kind;
    const struct workload_counter *counter;
    double number;
    size_t at; /* FROM_DISPATCH: offset in struct workload_dispatch; FROM_FACT: which */
};

/* A formula whose names are found. */
struct ready {
    const struct formula *formula; /* NULL: there is none */
    const struct formula_name *names;
    size_t n;
    struct source *sources;
};

/* What a formula is computed for. */
struct place {
    const struct workload *w;
    const struct ready *ready;
    size_t row;
    int32_t channel;
    const double *facts;
    const double *means; /* by name: instead of the row's values; NULL: the row */
    bool ask;            /* what is missing, rather than a value */
    double *seen;        /* by name: the row's values are noted here; NULL: nowhere */
};

/* names.c */
void ready_make(struct ready *out, const struct workload_report *r, const char *text,
                const char *level);
double ready_eval(const struct ready *f, const struct place *p);
struct formula_parts ready_parts(const struct ready *f, const struct place *p);

/* roof.c */
void workload_device(struct workload_report *r);
void workload_roof(struct workload_report *r, struct workload_view *v);

/* select.c */
bool workload_select(struct workload_report *r, const struct workload_opts *o,
                     struct gs_error *err);

#endif
