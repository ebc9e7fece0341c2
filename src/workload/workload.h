/*
 * Workload: what rocprof-compute leaves behind, read into memory.
 *
 * A workload is a folder with pmc_perf.csv (a row a dispatch, a column a counter, thousands of
 * them), sysinfo.csv (what the GPU is), a CSV for each accumulated level (SQ_LEVEL_WAVES.csv, ...)
 * and roofline.csv (peaks that were measured). Any of them may be missing.
 *
 *     struct workload w;
 *     if (workload_find(path, arena, &dir) && workload_read(&w, dir, arena, err))
 *         workload_value(&w, workload_counter(&w, "SQ_WAVES"), row, 0) ...
 *
 * Columns are found by their name. What is odd about the files (columns twice, cells that are no
 * numbers, times that cannot be) is left out and said in `notes`. Nothing that is missing is 0:
 * numbers are NaN.
 *
 * The program ran several times to measure all counters: each counter knows its pass.
 *
 * Everything lives in the arena. Thread-safety: reading a workload from many threads.
 */
#ifndef GS_WORKLOAD_WORKLOAD_H
#define GS_WORKLOAD_WORKLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"

enum { WORKLOAD_CHANNELS_MAX = 1024, BLOCK_ROWS = 64 };

/* One CSV file with a row a dispatch. */
struct workload_sheet {
    const char *file; /* "pmc_perf.csv", "SQ_LEVEL_WAVES.csv" */
    size_t rows, width;
    /* By BLOCK_ROWS rows, then by place, then by row: a counter is read along its rows. */
    VEC(double *) blocks;
    uint32_t *row_of; /* by dispatch; NO_INDEX: it has none. NULL: the same number */
};

/* A counter that a metric uses. Counters of channels (TCC_HIT[5]) have many columns. */
struct workload_counter {
    const char *name; /* "TCC_HIT", "TCC_HIT_sum", "SQ_LEVEL_WAVES_ACCUM" */
    const struct workload_sheet *sheet;
    uint32_t pass;
    bool by_channel;
    VEC(uint32_t) places; /* by channel; NO_INDEX where there is no such column */
};

struct workload_kernel {
    const char *name;
    uint32_t dispatches; /* of those, how many have a duration: */
    uint32_t timed;
    double total_ns; /* of the timed ones; NaN when there is none */
};

struct workload_dispatch {
    int64_t id;
    uint32_t kernel, occurrence; /* the how many-th of its kernel, from 0 */
    int64_t gpu;
    double grid, group, lds, scratch, vgpr, agpr, sgpr;
    double duration_ns; /* NaN: not known */
};

struct workload_peak {
    const char *name; /* as in the file: "HBMBw" */
    double value, low, high;
};

/* One device of roofline.csv: what micro-benchmarks reached. */
struct workload_peaks {
    int64_t device;
    VEC(struct workload_peak) v;
};

/* sysinfo.csv, and what follows from it; numbers are NaN, texts "" when not known. */
struct workload_system {
    const char *name, *program, *time, *tool, *distro, *rocm, *partition, *memory_partition;
    const char *model, *arch; /* "MI300X_A1", "gfx942" */
    double cu, simd_per_cu, se, wave_size, waves_per_cu, sclk_mhz, mclk_mhz;
    double l2_channels, lds_banks, sqc, xcd, hbm_channels, hbm_gbps;
    bool found; /* there is a sysinfo.csv */
};

struct workload {
    struct arena *arena;
    const char *dir;
    struct workload_system system;
    VEC(struct workload_dispatch) dispatches;
    VEC(struct workload_kernel) kernels; /* in order of appearance; some without a dispatch */
    VEC(struct workload_counter) counters;
    VEC(struct workload_sheet *) sheets; /* the first is pmc_perf.csv */
    VEC(struct workload_peaks) peaks;
    size_t columns, unused; /* of pmc_perf.csv; those no metric uses */
    uint32_t passes;
    VEC(const char *) notes; /* what was odd, one sentence each */
};

/*
 * Whether `path` is a workload, or a folder that holds exactly one (two levels down at most, as in
 * workloads/NAME/MI300X). Gives the folder itself. Looks at names and first lines only.
 */
bool workload_find(const char *path, struct arena *a, const char **dir);

/* How many workloads it is or holds. */
size_t workload_count(const char *path, struct arena *a);

/* `w` need not be initialized. A folder without pmc_perf.csv, or with an unreadable one, fails. */
bool workload_read(struct workload *w, const char *dir, struct arena *a, struct gs_error *err);

/*
 * A counter by name. `level` ("SQ_LEVEL_WAVES") prefers what was measured in the same pass as that
 * level; NULL: pmc_perf.csv. A sum that is not there is made of its channels. NULL: nowhere.
 */
const struct workload_counter *workload_counter(const struct workload *w, const char *name,
                                                const char *level);

enum { ALL_CHANNELS = -1 };

/* NaN where the cell is missing; with ALL_CHANNELS the sum, NaN when one is. */
double workload_value(const struct workload_counter *c, size_t dispatch, int32_t channel);

#endif
