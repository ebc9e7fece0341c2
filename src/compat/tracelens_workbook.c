/* TraceLens' sheets: their names, columns and order are an interface that scripts rely on. */
#include "compat/tracelens.h"

#include <string.h>

#include "base/sat.h"

struct timeline_row {
    const char *type;
    double time_ms, pct;
};

#define F(T, member, type, label, unit, doc) FIELD(T, member, type, label, unit, doc)
static const struct field timeline_v[] = {
    F(struct timeline_row, type, FIELD_TEXT, "type", NO_UNIT, "what the GPUs did"),
    F(struct timeline_row, time_ms, FIELD_NUM, "time ms", IN_MS,
      "union of intervals per GPU, summed over GPUs; total_time: life of the process x GPUs, or "
      "the "
      "window where the trace does not tell"),
    F(struct timeline_row, pct, FIELD_NUM, "percent", IN_PERCENT, "of total_time"),
};
static const struct fields gpu_timeline_fields =
    FIELDS("gpu_timeline", "How long GPUs ran kernels, copies, anything, nothing.",
           struct timeline_row, timeline_v);

#define K struct tl_kernel
static const struct field kernel_v[] = {
    F(K, name, FIELD_TEXT, "name", NO_UNIT,
      "rocprofv3's truncated name, or the full one if asked for"),
    F(K, count, FIELD_U64, "Count", NO_UNIT, "dispatches"),
    F(K, mean_us, FIELD_NUM, "Mean Kernel Time (µs)", IN_US, "of their durations"),
    F(K, median_us, FIELD_NUM, "Median Kernel Time (µs)", IN_US, "mean of the middle two"),
    F(K, std_us, FIELD_NUM, "Std Kernel Time (µs)", IN_US, "of a sample: n - 1; empty for one"),
    F(K, min_us, FIELD_NUM, "Min Kernel Time (µs)", IN_US, "shortest"),
    F(K, max_us, FIELD_NUM, "Max Kernel Time (µs)", IN_US, "longest"),
    F(K, pct, FIELD_NUM, "Percentage (%)", IN_PERCENT, "of the summed kernel time"),
    F(K, cumulative_pct, FIELD_NUM, "Cumulative Percentage (%)", IN_PERCENT,
      "of this and all rows above"),
    F(K, total_ms, FIELD_NUM, "Total Kernel Time (ms)", IN_MS, "sum of durations"),
    F(K, category, FIELD_TEXT, "Category", NO_UNIT, "TraceLens' category, by parts of the name"),
};
#undef K
static const struct fields kernel_fields =
    FIELDS("kernel_summary", "Kernels by name, most time first.", struct tl_kernel, kernel_v);

#define C struct tl_category
static const struct field category_v[] = {
    F(C, category, FIELD_TEXT, "op category", NO_UNIT, "TraceLens' category, by parts of the name"),
    F(C, count, FIELD_U64, "Count", NO_UNIT, "dispatches"),
    F(C, total_ms, FIELD_NUM, "total_direct_kernel_time_ms", IN_MS, "sum of durations"),
    F(C, pct, FIELD_NUM, "Percentage (%)", IN_PERCENT, "of the summed kernel time"),
    F(C, cumulative_pct, FIELD_NUM, "Cumulative Percentage (%)", IN_PERCENT,
      "of this and all rows above"),
};
#undef C
static const struct fields tl_category_fields =
    FIELDS("kernel_summary_by_category", "Kernels by TraceLens' category.", struct tl_category,
           category_v);

#define S struct tl_short
static const struct field short_v[] = {
    F(S, name, FIELD_TEXT, "name", NO_UNIT, "as in kernel_summary"),
    F(S, count, FIELD_U64, "Short Kernel count", NO_UNIT, "dispatches below the threshold"),
    F(S, sum_us, FIELD_NUM, "Short Kernel duration (µs) sum", IN_US, "of their durations"),
    F(S, mean_us, FIELD_NUM, "Short Kernel duration (µs) mean", IN_US, "of their durations"),
    F(S, pct, FIELD_NUM, "Short Kernel duration (µs) percent of total time", IN_PERCENT,
      "of the summed time of all kernels"),
};
#undef S
static const struct fields short_fields = FIELDS(
    "short_kernels_summary", "Dispatches below the threshold, by name.", struct tl_short, short_v);

#define B struct tl_bin
static const struct field bin_v[] = {
    F(B, start_us, FIELD_NUM, "bin_start", IN_US, "µs, included"),
    F(B, end_us, FIELD_NUM, "bin_end", IN_US, "µs, left out but in the last bin"),
    F(B, count, FIELD_U64, "count", NO_UNIT, "dispatches"),
};
#undef B
static const struct fields bin_fields = FIELDS(
    "short_kernel_histogram", "Durations below the threshold in equal bins.", struct tl_bin, bin_v);

struct detail_row {
    const char *name;
    double duration_us;
    int64_t stream, dispatch_id;
    uint32_t grid[3], group[3];
    int64_t agent_id, thread_id;
};

#define D struct detail_row
static const struct field detail_v[] = {
    F(D, name, FIELD_TEXT, "name", NO_UNIT, "as in kernel_summary"),
    F(D, duration_us, FIELD_NUM, "Kernel duration (µs)", IN_US, "end - start"),
    F(D, stream, FIELD_I64, "stream", NO_UNIT, "the profiler's number; -1: not known"),
    F(D, dispatch_id, FIELD_I64, "dispatch_id", NO_UNIT, "the profiler's number"),
    F(D, grid[0], FIELD_U32, "grid_x", NO_UNIT, "in work-items"),
    F(D, grid[1], FIELD_U32, "grid_y", NO_UNIT, "in work-items"),
    F(D, grid[2], FIELD_U32, "grid_z", NO_UNIT, "in work-items"),
    F(D, group[0], FIELD_U32, "block_x", NO_UNIT, "work-items in a group"),
    F(D, group[1], FIELD_U32, "block_y", NO_UNIT, "work-items in a group"),
    F(D, group[2], FIELD_U32, "block_z", NO_UNIT, "work-items in a group"),
    F(D, agent_id, FIELD_I64, "agent_id", NO_UNIT,
      "the profiler's number of the GPU; -1: not known"),
    F(D, thread_id, FIELD_I64, "thread_id", NO_UNIT, "that launched it; -1: not known"),
};
#undef D
#undef F
static const struct fields detail_fields =
    FIELDS("kernel_details", "Every dispatch, longest first.", struct detail_row, detail_v);

struct details {
    const struct tracelens *t;
    int64_t *agent_of_stream; /* -1: not known */
};

static void fill_detail(const struct sheet *s, size_t i, void *row)
{
    const struct details *d = s->context;
    const struct trace *t = d->t->a->trace;
    const struct kernels *k = &t->kernels;
    uint32_t r = d->t->rows[i];
    struct detail_row *out = row;
    out->name = d->t->names.v[d->t->group_of_symbol[k->symbol[r]]];
    out->duration_us = (double)kernel_ns(d->t->a, r) / 1e3;
    out->stream = k->stream[r] == NO_INDEX ? -1 : t->streams.v[k->stream[r]].id;
    out->dispatch_id = kernels_id_at(t, r);
    uint32_t launch = kernels_launch_at(t, r);
    for (int x = 0; x < 3; x++) {
        out->grid[x] = launch == NO_INDEX ? 1 : t->launches.v[launch].grid[x];
        out->group[x] = launch == NO_INDEX ? 1 : t->launches.v[launch].group[x];
    }
    out->agent_id = k->stream[r] == NO_INDEX ? -1 : d->agent_of_stream[k->stream[r]];
    out->thread_id =
        kernels_thread_at(t, r) == NO_INDEX ? -1 : t->threads.v[kernels_thread_at(t, r)].tid;
}

static void find_agents(struct details *d, const struct trace *t, struct arena *arena)
{
    struct idmap agents;
    trace_map_agents(t, &agents, arena);
    d->agent_of_stream = arena_array(arena, int64_t, t->streams.n + 1);
    for (size_t i = 0; i < t->streams.n; i++) {
        uint32_t at = trace_agent_of(&agents, t->streams.v[i].process, t->streams.v[i].gpu);
        const struct agent *g = at == NO_INDEX ? NULL : &t->agents.v[at];
        d->agent_of_stream[i] = !g ? -1 : g->handle ? (int64_t)g->handle : g->id;
    }
}

static void add_details(struct workbook *w, const struct tracelens *t, uint64_t most)
{
    const struct trace *tr = t->a->trace;
    struct details *d = arena_new(w->arena, struct details);
    d->t = t;
    find_agents(d, tr, w->arena);
    size_t n = most && most < t->n_rows ? (size_t)most : t->n_rows;
    struct sheet *s = workbook_add(w, "kernel_details", detail_fields.doc, &detail_fields, NULL, n);
    for (size_t i = 0; i < n; i++)
        w->detail_bytes =
            add_bytes(w->detail_bytes,
                      strlen(t->names.v[t->group_of_symbol[tr->kernels.symbol[t->rows[i]]]]));
    s->fill = fill_detail;
    s->context = d;
    s->exact_titles = true;
}

/* The life of the processes, as TraceLens counts; the window where it is not known or not all. */
static int64_t total_ns(const struct analysis *a)
{
    const struct trace *t = a->trace;
    int64_t start = INT64_MAX, end = INT64_MIN;
    bool known = t->processes.n && !a->opts.view.has_window && a->opts.view.process < 0 &&
                 !a->opts.view.only_process;
    for (size_t i = 0; i < t->processes.n; i++) {
        const struct process *p = &t->processes.v[i];
        known &= p->start_ns > 0 && p->end_ns > p->start_ns;
        start = p->start_ns < start ? p->start_ns : start;
        end = p->end_ns > end ? p->end_ns : end;
    }
    known = known && start <= a->view.start_ns && end >= a->view.end_ns;
    return known ? end - start : view_window(&a->view);
}

static void add_timeline(struct workbook *w, const struct analysis *a)
{
    const struct breakdown *b = &a->breakdown;
    double total = (double)total_ns(a) * (double)b->gpu_count;
    double idle = total - (double)b->busy_ns;
    const double ns[] = {total, (double)b->kernel_ns, (double)b->copy_ns, (double)b->busy_ns,
                         idle > 0 ? idle : 0};
    static const char *const types[] = {"total_time", "kernel", "memory", "busy_time", "idle"};
    size_t n = ARRAY_LEN(types);
    struct timeline_row *rows = arena_array(w->arena, struct timeline_row, n);
    for (size_t i = 0; i < n; i++)
        rows[i] = (struct timeline_row){types[i], ns[i] / 1e6, percent_of(ns[i], total)};
    struct sheet *s = workbook_add(w, "gpu_timeline", gpu_timeline_fields.doc, &gpu_timeline_fields,
                                   rows, b->gpu_count ? n : 0);
    s->exact_titles = true;
    s->chart = SHEET_BARS;
    s->chart_value = 1;
    s->chart_rows = n;
}

static void add_summary(struct workbook *w, const struct tracelens *t)
{
    struct sheet *s = workbook_add(w, "kernel_summary", kernel_fields.doc, &kernel_fields,
                                   t->kernels.v, t->kernels.n);
    s->exact_titles = true;
    s->chart = SHEET_BARS;
    s->chart_value = 9;
    s->chart_rows = 15;
    s = workbook_add(w, "kernel_summary_by_category", tl_category_fields.doc, &tl_category_fields,
                     t->categories.v, t->categories.n);
    s->exact_titles = true;
    s->chart = SHEET_BARS;
    s->chart_value = 2;
    s->chart_rows = 15;
}

static void add_sheets(struct workbook *w, const struct analysis *a, const struct workbook_opts *o)
{
    struct tracelens *t = arena_new(w->arena, struct tracelens);
    tracelens_make(t, a, o, w->arena);
    add_timeline(w, a);
    if (!o->disable_kernel_summary)
        add_summary(w, t);
    if (o->kernel_details)
        add_details(w, t, o->topk_kernels);
    if (!o->short_kernel_study)
        return;
    workbook_add(w, "short_kernels_summary", short_fields.doc, &short_fields, t->short_kernels.v,
                 t->short_kernels.n)
        ->exact_titles = true;
    struct sheet *s = workbook_add(w, "short_kernel_histogram", bin_fields.doc, &bin_fields,
                                   t->bins.v, t->bins.n);
    s->exact_titles = true;
    s->chart = SHEET_COLUMNS;
    s->chart_value = 2;
    s->chart_rows = 1000;
}

void tracelens_workbook(struct workbook *w, const struct analysis *a, const struct advice *advice,
                        const struct workbook_opts *o, struct arena *arena)
{
    *w = (struct workbook){.arena = arena};
    add_sheets(w, a, o);
    workbook_fill(w, a, advice);
}
