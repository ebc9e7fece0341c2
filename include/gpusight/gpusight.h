/*
 * libgpusight: traces of GPU programs, analyzed.
 *
 *     struct gs_error err;
 *     const char *path = "results.db";
 *     gs_run *run = gs_open(&path, 1, NULL, NULL, &err);
 *     if (!run)
 *         return fprintf(stderr, "%s\n", err.text), err.code;
 *     const gs_table *t = gs_run_table(run, "hotspots", &err);
 *     for (size_t i = 0; i < t->rows; i++)
 *         printf("%s\n", gs_text(gs_column(t, "name"), i));
 *     gs_close(run);
 *
 * What is opened is read once, analyzed and never changed; no trace is ever written to. Nothing is
 * printed, nothing ends the process, nothing is sent anywhere.
 *
 * Errors: functions that can fail take a `struct gs_error *` last, which may be NULL, and return
 * NULL or false. The code is the exit code of the command line (docs/exit-codes.md).
 *
 * Lifetime: a run owns its tables and all texts in them. gs_retain() and gs_close() count: tables
 * that were handed on (Arrow) keep it alive until they are released.
 *
 * Threads: different runs are independent. One run may be used by several threads at once.
 * A gs_task belongs to one call at a time, only gs_task_cancel() may be called beside it.
 *
 * ABI: functions are only added. Structs that the caller makes are never enlarged; those that are
 * handed out may get members at the end.
 */
#ifndef GPUSIGHT_GPUSIGHT_H
#define GPUSIGHT_GPUSIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpusight/error.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define GS_API __attribute__((visibility("default")))
#else
#define GS_API
#endif

typedef struct gs_run gs_run;
typedef struct gs_comparison gs_comparison;
typedef struct gs_result gs_result;
typedef struct gs_task gs_task;

/* "0.2.0" */
GS_API const char *gs_version(void);

/* ---- tasks: progress, warnings, an early end ---- */

/* A few times a second, in the calling thread; `total` is 0 while it is not known. True: end it. */
typedef bool gs_progress_fn(void *ctx, const char *what, uint64_t done, uint64_t total);
/* One line of text, from any thread, one at a time. */
typedef void gs_warning_fn(void *ctx, const char *text);

/* Both functions may be NULL. NULL: no memory. */
GS_API gs_task *gs_task_new(gs_progress_fn *progress, gs_warning_fn *warning, void *ctx);
GS_API void gs_task_free(gs_task *task);
/* The call that has this task ends soon with GS_E_CANCELLED; from any thread or signal handler. */
GS_API void gs_task_cancel(gs_task *task);

/* ---- runs ---- */

/* As on the command line, without dashes: {"window", "10%..90%"}. A NULL name ends the list. */
struct gs_option {
    const char *name, *value;
};

/*
 * Reads and analyzes traces, or folders of them; several are the ranks of a job. A workload of
 * rocprof-compute and files of sums (docs/formats.md) are opened, too: they have tables, SQL over
 * them and reports, what else there is of a run needs a trace. So are thread traces and, with no path
 * at all, the folders of source-dir or att-dir alone: they have tables and reports. Options:
 * window, phase, iteration, gpu, process, rank, max-phases, short-kernel-threshold-us, min-duration
 * (us), reader, threads, cache (a folder, docs/cache.md), source-dir, att-dir, by (gpu, process or
 * stream), replay (yes or no), findings (yes or no), analyze (later: when a result is first asked for;
 * no: never, there are only the tables of events), and the filters of docs/filters.md: kernel, stream,
 * thread, category, marker, start, end, start-marker, end-marker, inclusive (true or false). Of a
 * workload: kernel, dispatch ("0,4,10-20"), panel (a number), per (wave, cycle, second or kernel).
 * `options` and `task` may be NULL.
 */
GS_API gs_run *gs_open(const char *const *paths, size_t n, const struct gs_option *options,
                       gs_task *task, struct gs_error *err);
/*
 * The analysis that was left for later, at once where it is there. Whatever needs it makes it, too;
 * this call has a task, and can be made again where it was ended. Before it gs_run_tables() counts
 * the tables of events only, which stay what and where they are.
 */
GS_API bool gs_analyze(gs_run *run, gs_task *task, struct gs_error *err);
GS_API gs_run *gs_retain(gs_run *run);
GS_API void gs_close(gs_run *run); /* NULL is fine */

/* ---- tables ---- */

enum gs_type {
    GS_INT64,
    GS_UINT64,
    GS_INT32,
    GS_UINT32,
    GS_UINT16,
    GS_UINT8,
    GS_DOUBLE, /* NaN: not known */
    GS_BOOL,   /* bool, one byte */
    GS_TEXT,   /* const char *, UTF-8 where the trace was; NULL: none */
    GS_CODE,   /* uint32_t: index into column->texts; GS_NONE: none */
};
#define GS_NONE UINT32_MAX

/*
 * The value of row i is at (const char *)data + i * stride. Numbers of events are where the reader
 * put them: nothing is copied.
 */
struct gs_column {
    const char *name, *label, *unit, *doc; /* unit: "ns", "bytes", "%", "" ... */
    enum gs_type type;
    const void *data;
    size_t stride;
    const uint8_t *valid;     /* a byte a row, 0: no value; NULL: all have one */
    const char *const *texts; /* of GS_CODE */
    size_t n_texts;
};

typedef struct gs_table {
    const char *name, *doc;
    size_t rows, columns;
    const struct gs_column *column;
    bool is_object; /* one row: the numbers of an analysis */
} gs_table;

/*
 * All tables: events as recorded ("kernels", "copies", "calls", "markers", "allocations",
 * "counters", "samples", "telemetry") and results ("ledger", "findings", "hotspots", "phases", ...).
 */
GS_API size_t gs_run_tables(gs_run *run);
GS_API const gs_table *gs_run_table_at(gs_run *run, size_t i, struct gs_error *err);
GS_API const char *gs_run_table_name(gs_run *run, size_t i);
GS_API const gs_table *gs_run_table(gs_run *run, const char *name, struct gs_error *err);

/* NULL: there is none of this name. */
GS_API const struct gs_column *gs_column(const gs_table *t, const char *name);
/* Values of any type. Integers of GS_DOUBLE are cut; no value is 0, NaN or NULL. */
GS_API int64_t gs_int(const struct gs_column *c, size_t row);
GS_API double gs_real(const struct gs_column *c, size_t row);
GS_API const char *gs_text(const struct gs_column *c, size_t row); /* of texts and codes only */

/* ---- Arrow's C data interface (the structs are those of its specification) ---- */

struct ArrowSchema;
struct ArrowArray;
struct ArrowArrayStream;

/*
 * Fills both, as a struct array with a child a column, to be released by the consumer. Columns of
 * events are not copied; the run lives until the array is released.
 */
GS_API bool gs_table_arrow(gs_run *run, const gs_table *t, struct ArrowSchema *schema,
                           struct ArrowArray *array, struct gs_error *err);

/* The same as a stream of one batch, as __arrow_c_stream__ of Python hands it on. */
GS_API bool gs_table_arrow_stream(gs_run *run, const gs_table *t, struct ArrowArrayStream *stream,
                                  struct gs_error *err);

/* ---- reports ---- */

/* Takes bytes as they come; false ends the call with GS_E_IO. */
typedef bool gs_sink_fn(void *ctx, const char *bytes, size_t n);

/* text, json, markdown, html, pdf: as `gpusight analyze --format`. Options: sections, table-columns
 * (its --columns), top-kernels, timeline-limit, columns (width of text), json-profile (rocinsight: its document, version 0.4.0). */
GS_API bool gs_render(gs_run *run, const char *format, const struct gs_option *options,
                      gs_sink_fn *sink, void *ctx, gs_task *task, struct gs_error *err);

/* The charts of `gpusight plot`; NULL after the last. */
GS_API const char *gs_chart_name(size_t i);
/* One chart. Options: format (svg or png), theme (light or dark), width, height (pixels), top (rows). */
GS_API bool gs_plot(gs_run *run, const char *chart, const struct gs_option *options,
                    gs_sink_fn *sink, void *ctx, gs_task *task, struct gs_error *err);

/* Source code without a trace: as gs_render(), of a folder. */
GS_API bool gs_scan_source(const char *dir, const char *format, const struct gs_option *options,
                           gs_sink_fn *sink, void *ctx, gs_task *task, struct gs_error *err);

/* ---- SQL ---- */

/*
 * One read-only statement over the tables of docs/query-tables.md, the same for every format.
 * Options: timeout (seconds, 60), limit (rows; 0: all). The table lives as long as the result.
 */
GS_API gs_result *gs_query(gs_run *run, const char *sql, const struct gs_option *options,
                           gs_task *task, struct gs_error *err);
GS_API const gs_table *gs_result_table(const gs_result *result);
GS_API void gs_result_close(gs_result *result); /* NULL is fine */

/* ---- other tools' files ---- */

/*
 * The trace as pftrace, chrome, csv, rocpd, otf2, speedscope or folded: `path` is the file, or what
 * the files begin with where there are several. It appears whole, and never over a trace that was read.
 * Options: group-by-queue, kernel-rename, annotate-args, annotate-pmc, compress, durations (yes or no).
 */
GS_API bool gs_convert(gs_run *run, const char *format, const char *path,
                       const struct gs_option *options, gs_task *task, struct gs_error *err);

/* ---- what if ---- */

/*
 * The run again, with changes, as JSON (schema/whatif.schema.json). Options are those of
 * `gpusight whatif`: {"remove", "sync"}, {"kernel", "gemm=0.5x"}, {"graph", "yes"} ...
 */
GS_API bool gs_whatif(gs_run *run, const struct gs_option *changes, gs_sink_fn *sink, void *ctx,
                      gs_task *task, struct gs_error *err);

/* ---- comparison ---- */

/* Runs of A and of B; several are repeats. They may be closed afterwards. */
GS_API gs_comparison *gs_compare(gs_run *const *a, size_t n_a, gs_run *const *b, size_t n_b,
                                 gs_task *task, struct gs_error *err);
GS_API void gs_comparison_close(gs_comparison *c); /* NULL is fine */
/* "faster", "slower", "same" or "not comparable" */
GS_API const char *gs_comparison_verdict(const gs_comparison *c);
GS_API const char *gs_comparison_headline(const gs_comparison *c);
/* B against A, for the same work: 5 is five percent slower. */
GS_API double gs_comparison_change_pct(const gs_comparison *c);
/* As `gpusight compare --format`. */
GS_API bool gs_comparison_render(gs_comparison *c, const char *format,
                                 const struct gs_option *options, gs_sink_fn *sink, void *ctx,
                                 gs_task *task, struct gs_error *err);

#ifdef __cplusplus
}
#endif

#endif
