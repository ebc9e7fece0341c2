/*
 * Sums by domain, as rocpd's summary has them: kernels, copies, allocations, each kind of host call
 * and markers, by name.
 *
 * What differs from rocpd: a domain's mean and deviation are those of all its rows, not sums of
 * those of its names; scratch memory is a domain of its own and not among the allocations as well;
 * ranks are told apart by process, not by a pid that two hosts may share; markers without a text are
 * counted. Deviations are of a sample (n - 1).
 */
#ifndef GS_ANALYZE_DOMAINS_H
#define GS_ANALYZE_DOMAINS_H

#include "base/vec.h"
#include "field/field.h"
#include "model/trace.h"

enum kernel_naming { KERNELS_FULL, KERNELS_MANGLED, KERNELS_SHORT };

struct domain_opts {
    bool by_rank; /* each process on its own as well */
    enum kernel_naming names;
    bool medians;        /* of names: fill median_ns, which no table of ours shows */
    const char *regions; /* which host domains, "HIP,MPI", "NONE"; NULL: all there are */
};

/* A name of a domain, or (in domain_summary) a domain. */
struct domain_row {
    int64_t pid;          /* by rank; -1 otherwise */
    int32_t rank;         /* -1: not known */
    const char *hostname; /* NULL unless by rank */
    const char *name;
    uint64_t calls;
    int64_t duration_ns;
    double average_ns;
    double percent; /* of the durations in the same table, and for ranks of the same process */
    int64_t min_ns, max_ns;
    double std_dev_ns;  /* of a sample; NaN for one call */
    double median_ns;   /* the middle, or the mean of the two in the middle; 0: not asked for */
    int64_t covered_ns; /* of domains: in which at least one runs, per GPU or thread, summed */
};

struct domain_table {
    const char *key;   /* "kernels_summary", "hip_summary_by_rank" */
    const char *title; /* "Kernels" */
    bool by_rank, is_domains;
    VEC(struct domain_row) rows; /* longest first; by rank: of each process */
};

struct domain_tables {
    VEC(struct domain_table) v; /* those that have rows; domain_summary last */
};

/* False when `regions` has a word that is no domain. */
bool domains_make(struct domain_tables *out, const struct trace *t, const struct domain_opts *o,
                  struct arena *a, struct gs_error *err);

/* Of a table by name, by rank, and of domains; labels are rocpd's titles. */
extern const struct fields domain_name_fields, domain_rank_fields, domain_total_fields,
    domain_rank_total_fields;
const struct fields *domain_fields(const struct domain_table *t);

#endif
