/*
 * What the files of the library's interface share (include/gpusight/gpusight.h is the manual).
 *
 * Every call enters the caller's task and a mem_guard(), so that a shortage of memory or an early
 * end unwinds to here and nowhere further.
 */
#ifndef GS_API_API_H
#define GS_API_API_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/task.h"
#include "gpusight/gpusight.h"
#include "render/analysis_json.h"
#include "report/workbook.h"
#include "run/run_words.h"
#include "workload/results.h"

struct gs_task {
    struct task task;
};

/* A table that is made when it is first asked for. */
struct api_table {
    const char *name;
    void (*make)(struct gs_run *run, struct api_table *t); /* fills `table` */
    const void *source;                                    /* for make() */
    atomic_bool made;
    gs_table table;
};

/* What a run is made of where there is no trace. */
struct api_instead {
    const char *path, *kind; /* "a thread trace"; both NULL: there is a trace */
};

struct gs_run {
    atomic_size_t references;
    pthread_mutex_t lock; /* around whatever adds to the arena, and replays */
    struct arena arena;
    struct run *run;
    struct workbook workbook;
    VEC(struct api_table) events;  /* complete once it is open */
    VEC(struct api_table) results; /* complete, and to be looked at, once `analyzed` is set */
    atomic_bool analyzed;
    bool rows_only;            /* there will be no results */
    struct workload *workload; /* a folder of rocprof-compute; NULL: none */
    struct query_kept *kept;   /* what SQL found out about its rows; NULL: nothing yet */
    struct workload_opts part; /* what of it is looked at */
    struct tally *sums;        /* tables of sums, or of a workload; NULL: none */
    struct api_instead instead;
};

/* Zeroed, for a handle; NULL with the error where there is no memory. */
void *api_new(size_t size, struct gs_error *err);

/* Runs fn(ctx) as described above. */
bool api_call(gs_task *task, void (*fn)(void *ctx), void *ctx, struct gs_error *err);

/* The options as the table says; values of flags are yes and no. */
struct opt;
bool api_options(const struct opt *table, void *settings, const struct gs_option *options,
                 struct arena *a, struct gs_error *err);

/*
 * For what needs an analysis, in api_call() and with the lock: makes it where that was left for later,
 * fails for a run of rows only.
 */
bool api_analyzed(gs_run *run, struct gs_error *err);

/* Table i of those that there are now; NULL: there are fewer. */
struct api_table *api_table_at(gs_run *run, size_t i);

/* Lists the tables of a run. */
void api_list_events(struct gs_run *run);
void api_list_results(struct gs_run *run);
void api_list_tables(struct gs_run *run, const struct results *all);

/*
 * beside.c: thread traces and source code, as tables beside those of a trace, and where they are all
 * that there is.
 */
void api_list_beside(gs_run *run);
bool api_take_beside(gs_run *run, const struct gs_option *options, struct gs_error *err);

/*
 * untimed.c: what is no trace. api_is_untimed() opens it, true: it was such, whether or not that
 * worked. api_has_trace() fails for it.
 */
bool api_is_untimed(gs_run *run, const struct run_opts *o, const struct gs_option *options,
                    struct gs_error *err);
bool api_has_trace(const gs_run *run, struct gs_error *err);
/* Options that mean nothing without a trace, but `own`, are not passed over in silence. */
bool api_options_fit(const gs_run *run, const struct gs_option *o, const char *own,
                     struct gs_error *err);
/* The other way round: run->part was given, and this is no workload. */
bool api_part_unused(const gs_run *run, struct gs_error *err);
struct draw;
const struct draw *api_draw_untimed(const gs_run *run, const char *chart, int width,
                                    struct arena *a, struct gs_error *err);

/* For make(): appends a column, whose other members the caller fills. */
struct api_columns {
    VEC(struct gs_column) v;
    struct arena *arena;
};
struct gs_column *api_column(struct api_columns *c, const char *name, enum gs_type type,
                             const void *data, size_t stride);
size_t api_type_size(enum gs_type type);

/* A report to a sink; `report` gives everything but the form. */
struct report;
struct api_form {
    const char *sections, *shown; /* shown: columns of tables */
    enum json_profile json_profile;
    int64_t top, timeline_limit, columns;
};
bool api_render(struct report *r, const char *format, const struct api_form *form, gs_sink_fn *sink,
                void *ctx, struct gs_error *err);
bool api_render_untimed(const gs_run *run, const char *format, const struct api_form *form,
                        gs_sink_fn *sink, void *ctx, struct arena *a, struct gs_error *err);
bool api_render_beside(const struct run *run, const char *format, const struct api_form *form,
                       gs_sink_fn *sink, void *ctx, struct arena *a, struct gs_error *err);
bool api_form_options(struct api_form *form, const struct gs_option *options, struct arena *a,
                      struct gs_error *err);

#endif
