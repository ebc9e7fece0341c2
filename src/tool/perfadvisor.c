/* PerfAdvisor's tools: its names, arguments and keys over our numbers. */
#include "analyze/summary.h"
#include "base/str.h"
#include "report/summary_json_in.h"
#include "tool/ask.h"

#define P_WINDOW                                                                                   \
    IF_ANY(struct tool_args, start_ns, FIELD_I64, "start_ns", "only from this moment on",          \
           .flag = FLAG(struct tool_args, has_start)),                                             \
        IF_ANY(struct tool_args, end_ns, FIELD_I64, "end_ns", "only up to this moment",            \
               .flag = FLAG(struct tool_args, has_end))
static const struct field window_list[] = {P_TRACE, P_WINDOW, P_PAGE};
static const struct fields window_params = FIELDS("", "", struct tool_args, window_list);

#define KINDS(...)                                                                                 \
    (const struct analysis_kind *const[])                                                          \
    {                                                                                              \
        &analysis_breakdown, __VA_ARGS__, NULL                                                     \
    }
#define COMMON .group = TOOL_PERFADVISOR, .needs_run = true

/* One list, and how many rows it has in all. */
struct rows_doc {
    struct tool_head head;
    VEC(const void *) rows;
    bool present;
    double idle_s;
};
#define T struct rows_doc
PART(rows_head, struct tool_head,
     OR_NULL(struct tool_head, next_cursor, FIELD_TEXT, "next_cursor",
             "cursor of the next page; null: no more"));
#define NEXT SPREAD(T, head, FIELD_OBJECT, &rows_head)
PART(kernels_result, T,
     ALWAYS(T, rows, FIELD_LIST, "kernels", "most time first", .of = &summary_kernel_fields), NEXT);
PART(gaps_result, T, ALWAYS(T, idle_s, FIELD_NUM, "total_idle_s", "sum of gaps between work"),
     ALWAYS(T, rows, FIELD_LIST, "buckets", "gaps by length", .of = &summary_gap_fields), NEXT);
PART(copies_result, T,
     ALWAYS(T, rows, FIELD_LIST, "transfers", "by direction", .of = &summary_copy_fields), NEXT);
PART(mpi_result, T, ALWAYS(T, present, FIELD_BOOL, "mpi_present", "MPI was recorded"),
     ALWAYS(T, rows, FIELD_LIST, "ops", "calls of MPI, most time first", .of = &summary_mpi_rows),
     NEXT);
PART(markers_result, T, ALWAYS(T, present, FIELD_BOOL, "markers_present", "ranges were recorded"),
     ALWAYS(T, rows, FIELD_LIST, "ranges", "most time first", .of = &summary_marker_rows), NEXT);
PART(streams_result, T,
     ALWAYS(T, rows, FIELD_LIST, "streams", "busiest first", .of = &summary_stream_fields), NEXT);
#undef T

static struct rows_doc *rows_doc(struct tool_ask *ask)
{
    struct rows_doc *d = arena_new(ask->arena, struct rows_doc);
    tool_head_set(ask, &d->head);
    return d;
}

static void set_rows(struct tool_ask *ask, struct rows_doc *d, void *rows, size_t n,
                     size_t row_size)
{
    tool_rows_(ask, &d->rows, row_size, rows, n);
}

/* ---- profile_summary ---- */

struct profile_doc {
    const struct analysis *a;
    const char *format, *trace;
    bool mpi, markers;
    VEC(const char *) tables;
};

static const void *call_profile(struct tool_ask *ask, struct gs_error *err)
{
    static const char *const names[] = {
#define NAME_(name) #name,
        TRACE_TABLES(NAME_)
#undef NAME_
    };
    struct profile_doc *d = arena_new(ask->arena, struct profile_doc);
    const struct trace *t = ask->a->trace;
    const size_t counts[] = {
#define COUNT_(name) t->name.n,
        TRACE_TABLES(COUNT_)
#undef COUNT_
    };
    (void)err;
    d->a = ask->a;
    d->trace = ask->id;
    d->format = trace_format_names[t->files.v[0].format];
    d->mpi = capability_has(&ask->a->capabilities, CAPABLE_MPI);
    d->markers = capability_has(&ask->a->capabilities, CAPABLE_MARKERS);
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (counts[i])
            vec_push(&d->tables, ask->arena, names[i]);
    return d;
}

#define T struct profile_doc
PART(profile_result, T, ALWAYS(T, trace, FIELD_TEXT, "trace", "id of the trace"),
     ALWAYS(T, format, FIELD_TEXT, "format", "found by content"),
     SPREAD(T, a, FIELD_REF, &summary_run_times), SPREAD(T, a, FIELD_REF, &summary_run_use),
     ALWAYS(T, mpi, FIELD_BOOL, "mpi_present", "MPI was recorded"),
     ALWAYS(T, markers, FIELD_BOOL, "markers_present", "ranges were recorded"),
     ALWAYS(T, tables, FIELD_LIST, "tables", "that have rows", .of = &field_texts));
#undef T

const struct tool tool_profile_summary = {
    .name = "profile_summary",
    .title = "Profile summary",
    .description = "Span, kernel and busy seconds, concurrency, utilization, and what the profile "
                   "holds",
    .params = &tool_params_trace,
    .result = &profile_result,
    .call = call_profile,
    COMMON,
};

/* ---- phase_summary ---- */

struct phases_doc {
    struct tool_head head;
    struct summary_parts phases;
};

static const void *call_phases(struct tool_ask *ask, struct gs_error *err)
{
    struct phases_doc *d = arena_new(ask->arena, struct phases_doc);
    struct summary *s = NULL;
    struct summary_parts rows = {0};
    const struct analysis *a = ask->a;
    (void)err;
    tool_head_set(ask, &d->head);
    if (ask->args.has_phases && ask->args.max_phases < a->phases.n) {
        struct analysis *fewer = arena_new(ask->arena, struct analysis);
        *fewer = *a;
        fewer->arena = ask->arena;
        fewer->opts.max_phases = (uint32_t)(ask->args.max_phases ? ask->args.max_phases : 1);
        memset(&fewer->phases, 0, sizeof(fewer->phases));
        analysis_phases.run(fewer, fewer->arena);
        s = arena_new(ask->arena, struct summary);
        summary_make(s, fewer, ask->arena);
        summary_phases(s, ask->arena);
    }
    if (!s)
        s = tool_run_summary(ask->box, ask->run);
    summary_parts_make(&rows, s, ask->arena);
    tool_rows(ask, &d->phases, rows.v, rows.n);
    return d;
}

#define T struct phases_doc
PART(phases_result, T,
     ALWAYS(T, phases, FIELD_LIST, "phases", "in order of time", .of = &summary_phase_fields),
     NEXT);
#undef T
static const struct field phases_params_list[] = {
    P_TRACE,
    P_NUMBER(max_phases, has_phases, "at most so many phases; 12 when not given"),
    P_PAGE,
};
static const struct fields phases_params = FIELDS("", "", struct tool_args, phases_params_list);

const struct tool tool_phase_summary = {
    .name = "phase_summary",
    .title = "Phase summary",
    .description = "Phases of the run with utilization, kernel and idle seconds, top kernels, gaps "
                   "and MPI operations of each",
    .params = &phases_params,
    .result = &phases_result,
    .call = call_phases,
    COMMON,
};

/* ---- the others ---- */

static const void *call_kernels(struct tool_ask *ask, struct gs_error *err)
{
    struct rows_doc *d = rows_doc(ask);
    struct summary *s = arena_new(ask->arena, struct summary);
    (void)err;
    summary_make(s, ask->a, ask->arena);
    struct summary_part_json p = summary_part_make(s, 0, ask->arena);
    set_rows(ask, d, p.kernels.v, p.kernels.n, sizeof(*p.kernels.v));
    return d;
}

const struct tool tool_top_kernels = {
    .name = "top_kernels",
    .title = "Top kernels",
    .description = "The 15 kernels with most time, with registers, shared memory and launch "
                   "overhead; 'hotspots' lists all",
    .params = &window_params,
    .result = &kernels_result,
    .kinds = KINDS(&analysis_hotspots, &analysis_api, &analysis_gaps),
    .call = call_kernels,
    COMMON,
};

static const void *call_gaps(struct tool_ask *ask, struct gs_error *err)
{
    struct rows_doc *d = rows_doc(ask);
    int64_t ns = 0;
    (void)err;
    for (size_t i = 0; i < ask->a->gaps.n; i++)
        ns = add_ns(ns, ask->a->gaps.v[i].total_ns);
    d->idle_s = (double)ns / 1e9;
    set_rows(ask, d, ask->a->gaps.v, ask->a->gaps.n, sizeof(*ask->a->gaps.v));
    return d;
}

const struct tool tool_gap_histogram = {
    .name = "gap_histogram",
    .title = "Gap histogram",
    .description = "Gaps between pieces of GPU work by length; 'gaps' has the longest with causes",
    .params = &window_params,
    .result = &gaps_result,
    .kinds = KINDS(&analysis_gaps),
    .call = call_gaps,
    COMMON,
};

static const void *call_copies(struct tool_ask *ask, struct gs_error *err)
{
    struct rows_doc *d = rows_doc(ask);
    (void)err;
    set_rows(ask, d, ask->a->copies.v, ask->a->copies.n, sizeof(*ask->a->copies.v));
    return d;
}

const struct tool tool_memcpy_summary = {
    .name = "memcpy_summary",
    .title = "Copy summary",
    .description = "Copies by direction with bytes, seconds and bandwidth",
    .params = &window_params,
    .result = &copies_result,
    .kinds = KINDS(&analysis_copies),
    .call = call_copies,
    COMMON,
};

static const void *call_mpi(struct tool_ask *ask, struct gs_error *err)
{
    struct rows_doc *d = rows_doc(ask);
    VEC(const struct api_row *) rows = {0};
    (void)err;
    d->present = capability_has(&ask->a->capabilities, CAPABLE_MPI);
    for (size_t i = 0; i < ask->a->api.n; i++)
        if (ask->a->api.v[i].class == API_COMM)
            vec_push(&rows, ask->arena, &ask->a->api.v[i]);
    set_rows(ask, d, rows.v, rows.n, sizeof(*rows.v));
    return d;
}

const struct tool tool_mpi_summary = {
    .name = "mpi_summary",
    .title = "MPI summary",
    .description = "Calls of MPI with counts and seconds; 'ranks' compares the ranks of a job",
    .params = &window_params,
    .result = &mpi_result,
    .kinds = KINDS(&analysis_api),
    .call = call_mpi,
    COMMON,
};

static const void *call_markers(struct tool_ask *ask, struct gs_error *err)
{
    struct rows_doc *d = rows_doc(ask);
    struct summary *s = arena_new(ask->arena, struct summary);
    (void)err;
    summary_markers(s, ask->a, ask->arena);
    d->present = capability_has(&ask->a->capabilities, CAPABLE_MARKERS);
    set_rows(ask, d, s->markers.v, s->markers.n, sizeof(*s->markers.v));
    return d;
}

const struct tool tool_marker_ranges = {
    .name = "marker_ranges",
    .title = "Marker ranges",
    .description = "Ranges the program marked, most time first, 20 at most; 'markers' lists all",
    .params = &window_params,
    .result = &markers_result,
    .kinds = KINDS(&analysis_markers),
    .call = call_markers,
    COMMON,
};

static const void *call_streams(struct tool_ask *ask, struct gs_error *err)
{
    struct rows_doc *d = rows_doc(ask);
    (void)err;
    set_rows(ask, d, ask->a->streams.v, ask->a->streams.n, sizeof(*ask->a->streams.v));
    return d;
}

const struct tool tool_stream_summary = {
    .name = "stream_summary",
    .title = "Stream summary",
    .description = "Work of each stream, busiest first",
    .params = &window_params,
    .result = &streams_result,
    .kinds = KINDS(&analysis_streams),
    .call = call_streams,
    COMMON,
};
