/*
 * Tally: files that profilers leave beside their traces, with sums and no times, as tables.
 *
 * - rocprof-sys writes a profile for each measure (wall_clock.txt, wall_clock.json and its tree);
 * - rocprof and rocprofv3 write statistics (results.stats.csv, out_kernel_stats.csv);
 * - rocprof-compute writes what it computed into a database (analyze --output-format db).
 *
 * Nothing of this can be analyzed as a trace: it has no moments. It can be shown, asked and saved.
 *
 *     struct tally t = {.arena = arena};
 *     const struct tally_kind *kind = tally_kind_of(path, NULL);
 *     if (kind && !tally_add(&t, path, kind, err)) ...
 *     const struct results *tables = tally_tables(&t, false);     by name
 *
 * What a file is shows in its content, compressed or not. Everything lives in the arena.
 */
#ifndef GS_TALLY_TALLY_H
#define GS_TALLY_TALLY_H

#include "base/err.h"
#include "base/opt.h"
#include "field/field.h"

/* A line of a profile of rocprof-sys. */
struct tally_line {
    const char *file, *metric, *unit, *label;
    int64_t rank, thread; /* -1: added up over all */
    int64_t depth;
    int64_t parent; /* line above it in the tree, counted from 1; -1: none */
    int64_t line;   /* its own number in the table, from 1 */
    int64_t count;  /* -1: not known */
    double sum, mean, least, most, variance, deviation, self_pct;
};

/* A line of statistics. */
struct tally_statistic {
    const char *file, *kind, *name;
    int64_t calls, total_ns; /* -1: not known */
    double mean_ns, pct, least_ns, most_ns, deviation_ns;
};

struct tally_workload {
    const char *file, *name, *gpu;
    int64_t id;
    const char *version, *schema; /* of the tool, of the database */
    const char *system;           /* JSON as it was stored */
};

struct tally_kernel {
    const char *file, *workload, *name;
    uint64_t dispatches;
    double total_ns, mean_ns, least_ns, most_ns;
};

/* A value of a metric, of a kernel or (kernel NULL) of a whole workload. */
struct tally_metric {
    const char *file, *workload, *kernel, *id, *panel, *table, *metric, *value_name, *unit;
    double value;
};

struct tally_dispatch {
    const char *file, *workload, *kernel;
    int64_t id, gpu, start_ns, end_ns, duration_ns;
};

/* Operations and bytes that a roofline is drawn of; kernel NULL: of the whole workload. */
struct tally_roof {
    const char *file, *workload, *kernel;
    double flops, l1_bytes, l2_bytes, hbm_bytes, lds_bytes;
};

struct tally_file {
    const char *path, *kind; /* "profile of rocprof-sys, text" */
    uint64_t rows;
};

struct tally {
    /* Of the file at hand: lines it may end with, and bytes that texts of further rows may take. */
    size_t most_lines;
    uint64_t text_left;
    bool too_large;
    struct arena *arena;
    VEC(struct tally_file) files;
    VEC(struct tally_line) lines;
    VEC(struct tally_statistic) statistics;
    VEC(struct tally_workload) workloads;
    VEC(struct tally_kernel) kernels;
    VEC(struct tally_metric) metrics;
    VEC(struct tally_dispatch) dispatches;
    VEC(struct tally_roof) roofs;
    struct results tables;
    VEC(int64_t) above; /* of the line added last: by depth, the lines it stands below; -1: none */
};

/* What the file is, or NULL: none of these. Reads its first bytes, and tells `seen` of them. */
struct sightings;
const struct tally_kind *tally_kind_of(const char *path, struct sightings *seen);

/* Appends what is in a file of that kind. Fails where it is cut or damaged. */
bool tally_add(struct tally *t, const char *path, const struct tally_kind *kind,
               struct gs_error *err);

/*
 * Takes such files out of a list of operands and reads them; *out is NULL where there is none. A folder
 * stands for those in it when it holds no trace. What is seen of others goes to `seen`.
 */
bool tally_take(struct opt_list *paths, struct tally **out, struct sightings *seen, struct arena *a,
                struct gs_error *err);

/* The same for those who show either traces or tables, not both. */
bool tally_only(struct opt_list *paths, struct tally **out, struct sightings *seen, struct arena *a,
                struct gs_error *err);

/* The tables, in their order. */
enum tally_table {
    TALLY_PROFILE,
    TALLY_STATISTICS,
    TALLY_WORKLOADS,
    TALLY_KERNELS,
    TALLY_METRICS,
    TALLY_DISPATCHES,
    TALLY_ROOFLINES,
    TALLY_TABLES
};

/* All tables that have rows; with `empty` all there are, by enum tally_table. */
const struct results *tally_tables(struct tally *t, bool empty);

/* The document of all of it: struct tally. */
extern const struct fields tally_fields;
void tally_json_schema(struct str *out);

#endif
