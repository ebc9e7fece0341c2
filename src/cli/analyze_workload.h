/*
 * The part of 'analyze', 'info', 'plot' and 'compare' that works on folders of rocprof-compute.
 */
#ifndef GS_CLI_ANALYZE_WORKLOAD_H
#define GS_CLI_ANALYZE_WORKLOAD_H

#include "cli/output.h"
#include "report/workload_report.h"

/* The options of analyze that choose what of a workload is shown. */
struct workload_args {
    const char *kernel, *dispatch, *per;
    struct opt_list panels;
};

/* clang-format off */
#define WORKLOAD_OPTS(T, member)                                                                   \
    OPT_GROUP("Workloads of rocprof-compute"),                                                     \
    OPT_TEXT(T, member.dispatch, 0, "dispatch", "N,N-M",                                           \
             "only these dispatches"),                                                             \
    OPT_LIST(T, member.panels, 0, "panel", "N",                                                    \
             "only this panel, such as 2 for the speed-of-light or 17 for the L2"), \
    OPT_CHOICE(T, member.per, 0, "per", WORKLOAD_PER_CHOICE,                                \
               "what counts are divided by (wave)")
/* clang-format on */

/* Whether these operands are one workload; its folder then. */
bool workload_operand(const struct opt_list *paths, struct arena *a, const char **dir);

/* Fails when options that only workloads have were given for something else. */
bool workload_args_unused(const struct workload_args *args, struct gs_error *err);

/* Read and evaluated, in the command's arena. */
bool workload_load(struct workload_report *r, struct cli *cli, const char *dir,
                   const struct workload_args *args, size_t top, struct gs_error *err);

/* The report, in the form asked for; output_named() comes before. */
bool workload_output(struct workload_report *r, struct output *out, struct gs_error *err);

/* 'gpusight info DIR'. */
bool workload_info(struct output *out, const char *dir, struct gs_error *err);

/* 'gpusight plot DIR --chart memory|roofline'; NULL with an error for other charts. */
struct draw *workload_plot(struct cli *cli, const char *dir, const char *chart, int width,
                           struct gs_error *err);

/* 'gpusight compare DIR DIR'. */
bool workload_compare_report(struct output *out, const char *dir_a, const char *dir_b, size_t top,
                             struct gs_error *err);

#endif
