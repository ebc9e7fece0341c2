/*
 * What TraceLens computes from kernels, in correct units: groups by name, categories by name, the
 * study of short kernels. tracelens_workbook.c makes sheets of it.
 *
 * Groups are rocprofv3's truncated names, which lump different template instances together, unless
 * full names are asked for.
 */
#ifndef GS_COMPAT_TRACELENS_H
#define GS_COMPAT_TRACELENS_H

#include "report/workbook.h"

struct workbook_opts {
    bool kernel_details, short_kernel_study, disable_kernel_summary;
    bool full_names;         /* group by full names instead of rocprofv3's truncated ones */
    uint64_t topk_kernels;   /* dispatches in kernel_details, longest first; 0: all */
    uint64_t histogram_bins; /* of the short kernels */
};

/*
 * The workbook of a run. The first sheets are TraceLens' rocprof report, with its names, columns and
 * order and without its mistakes: times are in the units their titles say, and cumulative shares rise
 * to 100. Ours follow.
 */
void tracelens_workbook(struct workbook *w, const struct analysis *a, const struct advice *advice,
                        const struct workbook_opts *o, struct arena *arena);

/* Its category of a name. Ours, which knows more, is kernel_role_of(). */
const char *tracelens_category(const char *name);

/* What rocprofv3 calls the truncated name: without parameters, template arguments, namespaces. */
const char *kernel_truncated_name(struct arena *a, const char *full);

struct tl_kernel {
    const char *name;
    uint64_t count;
    double mean_us, median_us, std_us, min_us, max_us; /* std: n - 1; NaN for one */
    double pct, cumulative_pct, total_ms;
    const char *category;
    unsigned __int128 total_ns;
};

struct tl_category {
    const char *category;
    uint64_t count;
    double total_ms, pct, cumulative_pct;
    unsigned __int128 total_ns;
};

struct tl_short {
    const char *name;
    uint64_t count;
    double sum_us, mean_us, pct;
    int64_t sum_ns;
};

struct tl_bin {
    double start_us, end_us;
    uint64_t count;
};

struct tracelens {
    const struct analysis *a;
    struct arena *arena;
    uint32_t *rows; /* kernels of the view, longest first */
    size_t n_rows;
    uint32_t *group_of_symbol; /* place in names */
    VEC(const char *) names;
    VEC(struct tl_kernel) kernels;
    VEC(struct tl_category) categories;
    VEC(struct tl_short) short_kernels;
    VEC(struct tl_bin) bins;
};

void tracelens_make(struct tracelens *t, const struct analysis *a, const struct workbook_opts *o,
                    struct arena *arena);

#endif
