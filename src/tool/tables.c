/* Tools whose answer is some tables of the analysis, of the run or of a part of it. */
#include "base/str.h"
#include "tool/ask.h"

#define KEYS(...)                                                                                  \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }
#define KINDS(...)                                                                                 \
    (const struct analysis_kind *const[])                                                          \
    {                                                                                              \
        &analysis_breakdown, __VA_ARGS__, NULL                                                     \
    }
#define OF_PART .params = &tool_params_part, .result = &tool_tables_fields, .needs_run = true
#define OF_RUN .params = &tool_params_whole, .result = &tool_tables_fields, .needs_run = true

const struct tool tool_summary = {
    .name = "summary",
    .title = "Key figures",
    .description = "Window, busy and idle time, launches, allocations, communication, overlap and "
                   "balance as single numbers. The first question after 'analyze', and for a part "
                   "of the run",
    .tables = KEYS("gpus", "breakdown", "launch_latency", "short_kernels", "allocations",
                   "collectives", "stream_stats", "balance"),
    .kinds = KINDS(&analysis_short_kernels, &analysis_launches, &analysis_allocations,
                   &analysis_streams, &analysis_collectives, &analysis_balance),
    OF_PART,
};

const struct tool tool_hotspots = {
    .name = "hotspots",
    .title = "Kernels that take longest",
    .description = "Kernels grouped by name, most time first, with calls, durations and shares; "
                   "also of a part of the run. 'kernel' tells more of one of them",
    .tables = KEYS("hotspots", "kernel_categories"),
    .kinds = KINDS(&analysis_hotspots, &analysis_categories),
    OF_PART,
};

const struct tool tool_gaps = {
    .name = "gaps",
    .title = "Idle time of the GPUs",
    .description = "The longest gaps between pieces of work with their moments and causes, and all "
                   "of them by length. 'window' tells what happened around one",
    .tables = KEYS("long_gaps", "idle_gaps"),
    .kinds = KINDS(&analysis_gaps),
    OF_PART,
};

const struct tool tool_copies = {
    .name = "copies",
    .title = "Copies of memory",
    .description =
        "Copies by direction and size: bytes, bandwidth against the link they used, time "
        "that no kernel hides",
    .tables = KEYS("copies", "copy_sizes"),
    .kinds = KINDS(&analysis_copies),
    OF_PART,
};

const struct tool tool_allocations = {
    .name = "allocations",
    .title = "Allocation of device memory",
    .description = "Calls that allocate and free, their host time, those inside the loop, most "
                   "bytes held at once",
    .tables = KEYS("allocations"),
    .kinds = KINDS(&analysis_allocations),
    OF_PART,
};

const struct tool tool_calls = {
    .name = "calls",
    .title = "Calls of the host",
    .description = "Runtime, MPI and system calls by name with calls and time, and by class "
                   "(launch, sync, copy, allocation, ...)",
    .tables = KEYS("api_calls", "api_classes"),
    .kinds = KINDS(&analysis_api),
    OF_PART,
};

const struct tool tool_mpi = {
    .name = "mpi",
    .title = "MPI",
    .description = "MPI operations of each rank of a job, and buffers that go through the host. Of "
                   "a single process see 'calls'",
    .tables = KEYS("mpi_operations", "staging"),
    OF_RUN,
};

const struct tool tool_markers = {
    .name = "markers",
    .title = "Ranges the program marked",
    .description = "roctx and NVTX ranges by path, with the GPU work launched inside them. "
                   "'window' with 'marker:NAME' looks into one",
    .tables = KEYS("markers", "marker_stats"),
    .kinds = KINDS(&analysis_markers),
    OF_PART,
};

const struct tool tool_streams = {
    .name = "streams",
    .title = "Streams and queues",
    .description = "Work of each stream, and how far streams overlap",
    .tables = KEYS("streams", "stream_stats"),
    .kinds = KINDS(&analysis_streams),
    OF_PART,
};

const struct tool tool_phases = {
    .name = "phases",
    .title = "Phases and iterations",
    .description = "Stretches in which the GPUs do the same kind of work, in order of time, with "
                   "what each loses time to; and the steps that repeat",
    .tables = KEYS("phases", "phase_stats", "iterations"),
    OF_RUN,
};

const struct tool tool_ranks = {
    .name = "ranks",
    .title = "Ranks of a job",
    .description = "Each rank's compute, copies, communication, waiting and idle time, and its "
                   "phases. Empty for a single process",
    .tables = KEYS("ranks", "rank_phases"),
    OF_RUN,
};

const struct tool tool_counters = {
    .name = "counters",
    .title = "Hardware counters",
    .description = "Metrics made of hardware counters for each kernel, its place on the roofline, "
                   "and what is missing for more. Empty when none were recorded",
    .tables = KEYS("counter_kernels", "counter_metrics", "roofline", "roofs", "counter_passes",
                   "counter_missing", "counter_summary"),
    OF_RUN,
};

const struct tool tool_critical_path = {
    .name = "critical_path",
    .title = "What the end waited for",
    .description =
        "The chain of kernels, copies and host work that decides how long the run takes, "
        "by kind and by name",
    .tables = KEYS("critical_path_members", "critical_path_parts", "critical_path"),
    OF_RUN,
};

/* ---- any table ---- */

struct table_doc {
    struct tool_tables t;
    VEC(const char *) names;
};

static const void *call_table(struct tool_ask *ask, struct gs_error *err)
{
    struct table_doc *d = arena_new(ask->arena, struct table_doc);
    struct results all = {0};
    tool_head_set(ask, &d->t.head);
    analysis_results(ask->a, &all, ask->arena);
    const struct result *r = ask->args.table ? results_find(&all, ask->args.table) : NULL;
    if (ask->args.table && !r) {
        fail(err, GS_E_USAGE, "no table '%.80s'; without 'table' all names are listed",
             ask->args.table);
        return NULL;
    }
    VEC(const char *) names = {0};
    for (size_t i = 0; !r && i < all.n; i++)
        vec_push(&names, ask->arena, all.v[i].fields->key);
    if (r)
        vec_push(&d->t.tables, ask->arena, *r);
    else
        tool_rows(ask, &d->names, names.v, names.n);
    if (r && !r->is_object)
        tool_table_rows(ask, &d->t.tables.v[0]);
    return d;
}

#define T struct table_doc
PART(table_result, T, SPREAD(T, t, FIELD_OBJECT, &tool_tables_fields),
     ALWAYS(T, names, FIELD_LIST, "names", "of all tables, when none was asked for",
            .of = &field_texts));
#undef T

static const struct field table_params_list[] = {
    P_TRACE, P(table, FIELD_TEXT, "name of a table; without it the names are listed"), P_PAGE};
static const struct fields table_params = FIELDS("", "", struct tool_args, table_params_list);

const struct tool tool_table = {
    .name = "table",
    .title = "Any table of the analysis",
    .description = "A table of 'gpusight analyze' by name, page by page: those that no other tool "
                   "shows, such as telemetry, warmup, kernel_resources, pc_instructions",
    .params = &table_params,
    .result = &table_result,
    .needs_run = true,
    .call = call_table,
};
