/*
 * One CSV file with a row a dispatch, while it is read: pmc_perf.csv, or that of a level.
 */
#ifndef GS_WORKLOAD_SHEET_H
#define GS_WORKLOAD_SHEET_H

#include "workload/workload_in.h"

enum role {
    ROLE_NONE,
    ROLE_ID,
    ROLE_KERNEL,
    ROLE_START,
    ROLE_END,
    ROLE_GPU,
    ROLE_GRID,
    ROLE_GROUP,
    ROLE_LDS,
    ROLE_SCRATCH,
    ROLE_VGPR,
    ROLE_AGPR,
    ROLE_SGPR,
    ROLE_COUNTER,
};

struct odd {
    uint64_t n;
    const char *column; /* of the first */
    uint64_t line;
};

struct sheet_reader {
    struct workload *w;
    struct workload_sheet *sheet;
    struct workload_csv file;
    VEC(enum role) roles;    /* by column */
    VEC(uint32_t) places;    /* by column, of counters */
    VEC(const char *) names; /* by column */
    VEC(struct workload_dispatch) rows;
    struct idmap kernels;     /* by hash of the name */
    const struct idmap *used; /* names of counters that formulas use */
    struct odd negative, overflowing, not_number;
    uint64_t cut, rounded;
    bool has_kernel, has_times;
};

/* The rows into r; what was wrong with the file is only a note once there is a row. */
bool sheet_read(struct sheet_reader *r, const char *path, struct gs_error *err);

#endif
