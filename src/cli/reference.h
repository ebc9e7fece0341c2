/*
 * What we would write about a trace ourselves, for comparison with what someone has written.
 */
#ifndef GS_CLI_REFERENCE_H
#define GS_CLI_REFERENCE_H

#include "cli/command.h"
#include "run/run.h"
#include "verify/verify.h"

struct report;
struct workload_report;

/* The text that is verified, and where what we would write goes. */
struct verified_text {
    struct cli *cli;
    struct facts *facts;
    enum verify_kind kind;
    const char *text;
    size_t n;
};

/* Our reports of this run (analyze, summary, info), in the form of the text. */
void reference_add_run(const struct verified_text *t, const struct run *run, size_t top);

/* The report of analyze alone, with tables of so many rows. */
void reference_add_longer(const struct verified_text *t, const struct run *run, size_t top);

/* Two traces may also be the runs of a comparison: 'gpusight compare A B'. */
void reference_add_comparison(const struct verified_text *t, const char *a, const char *b);

/* The same for a workload of rocprof-compute. */
void reference_add_workload(const struct verified_text *t, struct workload_report *w);

/* What the text says that it was asked, asked again: what-ifs, plans, answers, sums by domain. */
void reference_add_asked(const struct verified_text *t, const struct run *run);

/* Only plans; NULL: nothing is captured yet. */
void reference_add_plan(const struct verified_text *t, const struct analysis *a);

/* A trace without events has no analysis: what 'info' and 'plan' say of it is all there is. */
void reference_add_empty(const struct verified_text *t, const struct trace *trace);

/* Writes a report in the form of the text, and takes it as a reference. */
void reference_render(const struct verified_text *t, struct report *r);
/* The numbers of its JSON document, each a fact. */
void reference_facts(const struct verified_text *t, const struct report *r);

#endif
