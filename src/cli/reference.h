/*
 * What we would write about a trace ourselves, for comparison with what someone has written.
 */
#ifndef GS_CLI_REFERENCE_H
#define GS_CLI_REFERENCE_H

#include "cli/command.h"
#include "run/run.h"
#include "verify/verify.h"

struct workload_report;

/* Adds our reports of this run (analyze, summary, info), in the form of the text. */
void reference_add_run(struct facts *f, struct cli *cli, const struct run *run,
                       enum verify_kind kind, const char *text, size_t n, size_t top);

/* Two traces may also be the runs of a comparison: 'gpusight compare A B'. */
void reference_add_comparison(struct facts *f, struct cli *cli, const char *a, const char *b,
                              enum verify_kind kind, const char *text, size_t n);

/* The same for a workload of rocprof-compute. */
void reference_add_workload(struct facts *f, struct cli *cli, struct workload_report *w,
                            enum verify_kind kind, const char *text, size_t n);

#endif
