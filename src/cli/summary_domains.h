/* gpusight summary --by-domain: rocpd's tables of sums. */
#ifndef GS_CLI_SUMMARY_DOMAINS_H
#define GS_CLI_SUMMARY_DOMAINS_H

#include "cli/analyzed.h"
#include "cli/output.h"

struct domain_args {
    bool by_domain, totals, by_rank, mangled, truncated;
    const char *regions;
};

/* clang-format off */
#define DOMAIN_OPTS(T, m)                                                                          \
    OPT_GROUP("Sums by domain, as rocpd has them"),                                                \
    OPT_FLAG(T, m.by_domain, 0, "by-domain",                                                       \
             "kernels, copies, allocations, host calls and markers by name, instead"),             \
    OPT_FLAG(T, m.totals, 0, "domain-summary", "only the table of domains"),                       \
    OPT_FLAG(T, m.by_rank, 0, "summary-by-rank", "each process on its own as well"),               \
    OPT_TEXT(T, m.regions, 0, "region-categories", "LIST",                                         \
             "only these host calls: HIP, HSA, RCCL, MPI, MARKER ...; NONE"),                      \
    OPT_FLAG(T, m.mangled, 0, "mangled-kernels", "kernels by their mangled names"),                \
    OPT_FLAG(T, m.truncated, 0, "truncate-kernels", "kernels by their names without arguments")
/* clang-format on */

/* Whether any of them is given. */
bool domain_args_given(const struct domain_args *a);

/* Loads, sums and writes. */
bool summary_domains(struct cli *cli, const struct domain_args *a, const struct analyzed_opts *in,
                     struct output *out, struct gs_error *err);

/* What it writes of these rows, wide as for files; NULL: there is nothing to sum. */
struct report *domains_report(const struct domain_args *a, const struct trace *t,
                              struct arena *arena);

#endif
