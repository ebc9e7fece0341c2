/* Parts of the summary document, for tools that show one of them. */
#ifndef GS_REPORT_SUMMARY_JSON_IN_H
#define GS_REPORT_SUMMARY_JSON_IN_H

#include "analyze/summary.h"
#include "field/field.h"

struct summary_kernel_json {
    struct kernel_summary k;
    const char *short_name; /* NULL: it is the name */
};

/* A run, or a phase of one. */
struct summary_part_json {
    const struct analysis *a;
    const struct phase_row *row; /* NULL: the run */
    int64_t start_ns, end_ns;    /* of the phase, from the start of the first */
    int64_t sync_ns, gap_ns;
    VEC(struct gap_row) gaps;
    VEC(struct summary_kernel_json) kernels;
    VEC(const struct api_row *) mpi;
};

struct summary_parts {
    struct summary_part_json *v;
    size_t n, cap;
};

/* At most `most` kernels and calls; 0: all. */
struct summary_part_json summary_part_make(const struct summary *s, size_t most,
                                           struct arena *arena);
void summary_parts_make(struct summary_parts *out, const struct summary *s, struct arena *arena);

/* Rows of copies, streams and gaps are those of the analysis; markers and MPI pointers to them. */
extern const struct fields summary_gap_fields, summary_kernel_fields, summary_copy_fields,
    summary_stream_fields, summary_marker_rows, summary_mpi_rows, summary_phase_fields,
    summary_run_times, summary_run_use;

#endif
