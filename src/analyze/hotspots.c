#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/analysis.h"
#include "analyze/name_groups.h"
#include "analyze/quantile.h"
#include "base/parallel.h"

/* A batch of this many kernels or names is worth handing to a thread. */
enum { BATCH_KERNELS = 16384, BATCH_NAMES = 64 };

/* Names may be many: what the durations tell again is not kept. */
struct group {
    unsigned __int128 total;
    int64_t most;
    const char *name;
    uint32_t symbol, slowest;
    uint32_t stream;       /* the first of those it stands for, in the trace; 0 when not split */
    uint32_t first, calls; /* in durations */
};

struct grouping {
    const struct analysis *a;
    struct arena *arena, *rows_arena; /* the second only until kernels are placed */
    struct name_groups names;
    uint32_t *class_of_stream; /* NULL: kernels are not split by stream, process or GPU */
    struct idmap of_key;       /* name and class to group */
    const char **library;      /* by name */
    VEC(struct group) groups;
    VEC(const struct group *) order; /* as they are shown */
    const uint32_t *rows;
    int64_t *durations;  /* group after group */
    VEC(size_t) batches; /* first of the order in each, and the end */
    struct hotspot *out;
    struct histogram *histograms; /* of the first ones */
};

/* Streams that are not told apart share the number of the first of them. */
static void classify_streams(struct grouping *s)
{
    const struct analysis_opts *o = &s->a->opts;
    const struct trace *t = s->a->trace;
    if (!o->by_gpu && !o->by_process && !o->by_stream)
        return;
    s->class_of_stream = arena_array(s->arena, uint32_t, t->streams.n);
    struct idmap seen;
    idmap_init(&seen, s->arena);
    for (size_t i = 0; i < t->streams.n; i++) {
        const struct stream *st = &t->streams.v[i];
        uint64_t key =
            (uint64_t)(o->by_gpu ? st->gpu : 0) << 32 | (o->by_process ? st->process : 0);
        uint32_t class = o->by_stream ? NO_INDEX : idmap_get(&seen, key);
        s->class_of_stream[i] = class == NO_INDEX ? (uint32_t)i : class;
        if (class == NO_INDEX && !o->by_stream)
            idmap_put(&seen, key, (uint32_t)i);
    }
}

static uint32_t add_group(struct grouping *s, uint32_t symbol, uint32_t stream)
{
    struct group g = {.most = -1, .symbol = symbol, .stream = stream};
    g.name = trace_str(s->a->trace, s->a->trace->symbols.v[symbol].name);
    vec_push(&s->groups, s->arena, g);
    return (uint32_t)s->groups.n - 1;
}

/* The first groups are the names themselves; where kernels are split, groups come as met. */
static uint32_t group_of(struct grouping *s, uint32_t row)
{
    const struct kernels *k = &s->a->trace->kernels;
    uint32_t name = s->names.of_symbol[k->symbol[row]];
    if (!s->class_of_stream)
        return name;
    uint32_t class = s->class_of_stream[k->stream[row]];
    uint64_t key = (uint64_t)name << 32 | class;
    uint32_t group = idmap_get(&s->of_key, key);
    if (group == NO_INDEX) {
        group = add_group(s, s->names.symbol[name], class);
        idmap_put(&s->of_key, key, group);
    }
    return group;
}

static void count_kernels(struct grouping *s)
{
    const struct analysis *a = s->a;
    for (size_t i = 0; i < a->view.n_kernels; i++) {
        uint32_t row = s->rows[i];
        int64_t ns = kernel_ns(a, row);
        if (ns < a->opts.min_duration_ns)
            continue;
        uint32_t of = group_of(s, row); /* which may be a new one */
        struct group *group = &s->groups.v[of];
        group->calls++;
        group->total += (uint64_t)ns;
        if (ns > group->most || (ns == group->most && row < group->slowest)) {
            group->most = ns;
            group->slowest = row;
        }
    }
}

/* Puts the durations of each group side by side. */
static void place_kernels(struct grouping *s)
{
    const struct analysis *a = s->a;
    uint32_t sum = 0;
    uint32_t *at = arena_array(s->rows_arena, uint32_t, s->groups.n);
    for (size_t i = 0; i < s->groups.n; i++) {
        s->groups.v[i].first = at[i] = sum;
        sum += s->groups.v[i].calls;
    }
    s->durations = arena_array(s->arena, int64_t, sum);
    for (size_t i = 0; i < a->view.n_kernels; i++) {
        int64_t ns = kernel_ns(a, s->rows[i]);
        if (ns < a->opts.min_duration_ns)
            continue;
        uint32_t of = group_of(s, s->rows[i]);
        s->durations[at[of]++] = ns;
    }
}

/*
 * Around the rounded mean, whose distance to each value is exact in integers; the second sum takes
 * the rounding out again.
 */
static double deviation(const int64_t *v, size_t n, int64_t mean)
{
    double squares = 0, rest = 0;
    for (size_t i = 0; i < n; i++) {
        double d = (double)(v[i] - mean);
        squares += d * d;
        rest += d;
    }
    double variance = (squares - rest * rest / (double)n) / (double)n;
    return variance > 0 ? sqrt(variance) : 0;
}

static int64_t least_of(const int64_t *v, size_t n)
{
    int64_t least = v[0];
    for (size_t i = 1; i < n; i++)
        least = v[i] < least ? v[i] : least;
    return least;
}

static void describe(const struct grouping *s, const struct group *g, struct hotspot *h)
{
    const struct analysis *a = s->a;
    const struct trace *t = a->trace;
    const struct analysis_opts *o = &a->opts;
    const struct symbol *symbol = &t->symbols.v[g->symbol];
    h->name = trace_str(t, symbol->name);
    h->short_name = trace_str(t, symbol->short_name);
    h->category = (enum kernel_role)a->view.role[g->symbol];
    h->library = s->library[s->names.of_symbol[g->symbol]];
    h->symbol = g->symbol;
    h->slowest = g->slowest;
    h->name_id = symbol->name;
    h->gpu = -1;
    h->pid = h->stream = -1;
    if (!s->class_of_stream)
        return;
    const struct stream *stream = &t->streams.v[g->stream];
    if ((o->by_gpu || o->by_stream) && stream->gpu != NO_INDEX)
        h->gpu = t->gpus.v[stream->gpu].index;
    if (o->by_process || o->by_stream)
        h->pid = t->processes.v[stream->process].pid;
    if (o->by_stream)
        h->stream = stream->id;
}

static void measure(const struct grouping *s, const struct group *g, struct hotspot *h)
{
    const struct breakdown *all = &s->a->breakdown;
    int64_t *v = s->durations + g->first;
    describe(s, g, h);
    h->calls = g->calls;
    h->total_duration_ns = g->total > QUANTITY_MOST ? QUANTITY_MOST : (int64_t)g->total;
    h->avg_duration_ns = (double)g->total / (double)g->calls;
    h->min_duration_ns = least_of(v, g->calls);
    h->max_duration_ns = g->most;
    h->median_ns = percentile(v, g->calls, 50);
    h->p95_ns = percentile(v, g->calls, 95);
    h->std_dev_ns = deviation(v, g->calls, (int64_t)(g->total / g->calls));
    h->cv = h->avg_duration_ns > 0 ? h->std_dev_ns / h->avg_duration_ns : NAN;
    h->pct_of_total = percent_of((double)g->total, (double)all->kernel_sum_ns);
    h->pct_of_wall = percent_of((double)g->total, (double)all->gpu_time_ns);
}

/* ---- the order ---- */

static int by_total(const void *left, const void *right)
{
    const struct group *x = *(const struct group *const *)left;
    const struct group *y = *(const struct group *const *)right;
    if (x->total != y->total)
        return x->total > y->total ? -1 : 1;
    int names = x->name == y->name ? 0 : strcmp(x->name, y->name);
    if (names)
        return names;
    return x->stream < y->stream ? -1 : x->stream > y->stream;
}

/* Sorted and cut into batches; large groups come first, so the threads end at about one time. */
static void order_groups(struct grouping *s)
{
    vec_reserve(&s->order, s->arena, s->groups.n);
    for (size_t i = 0; i < s->groups.n; i++)
        if (s->groups.v[i].calls)
            vec_push(&s->order, s->arena, &s->groups.v[i]);
    if (s->order.n)
        qsort(s->order.v, s->order.n, sizeof(*s->order.v), by_total);
    vec_push(&s->batches, s->arena, 0);
    size_t kernels = 0;
    for (size_t i = 0; i < s->order.n; i++) {
        kernels += s->order.v[i]->calls + 16;
        if (kernels < BATCH_KERNELS && i + 1 < s->order.n)
            continue;
        vec_push(&s->batches, s->arena, i + 1);
        kernels = 0;
    }
}

static void name_batch(void *ctx, size_t batch, int worker)
{
    (void)worker;
    struct grouping *s = ctx;
    size_t end = (batch + 1) * BATCH_NAMES < s->names.n ? (batch + 1) * BATCH_NAMES : s->names.n;
    for (size_t i = batch * BATCH_NAMES; i < end; i++)
        s->library[i] = kernel_library_of(name_groups_name(&s->names, s->a->trace, i));
}

static void measure_batch(void *ctx, size_t batch, int worker)
{
    (void)worker;
    const struct grouping *s = ctx;
    for (size_t i = s->batches.v[batch]; i < s->batches.v[batch + 1]; i++) {
        const struct group *g = s->order.v[i];
        measure(s, g, &s->out[i]);
        if (i < HISTOGRAMS)
            histogram_make(&s->histograms[i], s->durations + g->first, g->calls);
        s->out[i].rank = (uint32_t)i + 1;
    }
}

static void run(struct analysis *a, struct arena *arena)
{
    struct grouping s = {.a = a};
    s.arena = arena_scratch();
    s.names = a->view.names;
    classify_streams(&s);
    idmap_init(&s.of_key, s.arena);
    if (!s.class_of_stream)
        vec_reserve(&s.groups, s.arena, s.names.n);
    for (size_t i = 0; !s.class_of_stream && i < s.names.n; i++)
        add_group(&s, s.names.symbol[i], 0);
    s.rows_arena = arena_child(s.arena);
    s.rows = kernel_rows(&a->view, s.rows_arena);
    count_kernels(&s);
    place_kernels(&s);
    arena_release(s.rows_arena);
    order_groups(&s);
    s.library = arena_array(s.arena, const char *, s.names.n);
    parallel_for(a->view.workers, (s.names.n + BATCH_NAMES - 1) / BATCH_NAMES, name_batch, &s);
    vec_reserve(&a->hotspots, arena, s.order.n);
    a->hotspots.n = s.order.n;
    s.out = a->hotspots.v;
    s.histograms = a->hotspot_durations = arena_array(arena, struct histogram, HISTOGRAMS);
    parallel_for(a->view.workers, s.batches.n - 1, measure_batch, &s);
    arena_release(s.arena);
}

#define F(member, type, label, unit, doc, ...)                                                     \
    FIELD(struct hotspot, member, type, label, unit, doc, ##__VA_ARGS__)
static const struct field fields[] = {
    F(rank, FIELD_U32, "#", NO_UNIT, "place by total_duration_ns, then by name, from 1"),
    F(name, FIELD_TEXT, "full name", NO_UNIT, "full, demangled name: what kernels are grouped by"),
    F(short_name, FIELD_TEXT, "kernel", NO_UNIT,
      "the name without template arguments and parameters"),
    F(category, FIELD_ENUM, "category", NO_UNIT, "what the kernel does, judged by its name",
      .words = kernel_role_labels),
    F(library, FIELD_TEXT, "library", NO_UNIT, "where the kernel comes from, when its name tells"),
    F(calls, FIELD_U64, "calls", NO_UNIT,
      "dispatches in the window that are not shorter than the minimum duration asked for"),
    F(total_duration_ns, FIELD_I64, "total", IN_NS,
      "sum of their durations, each clipped to the window"),
    F(avg_duration_ns, FIELD_NUM, "mean", IN_NS, "total_duration_ns / calls"),
    F(median_ns, FIELD_I64, "median", IN_NS, "duration at place ceil(0.50 x calls), ascending"),
    F(p95_ns, FIELD_I64, "p95", IN_NS, "duration at place ceil(0.95 x calls), ascending"),
    F(min_duration_ns, FIELD_I64, "min", IN_NS, "shortest duration"),
    F(max_duration_ns, FIELD_I64, "max", IN_NS, "longest duration"),
    F(std_dev_ns, FIELD_NUM, "std dev", IN_NS,
      "population standard deviation: sqrt(sum of (duration - average)^2 / calls)"),
    F(cv, FIELD_NUM, "CV", NO_UNIT, "std_dev_ns / avg_duration_ns; unknown when the average is 0"),
    F(pct_of_total, FIELD_NUM, "of kernels", IN_PERCENT,
      "100 x total_duration_ns / sum of the durations of all kernels in the view"),
    F(pct_of_wall, FIELD_NUM, "of GPU time", IN_PERCENT,
      "100 x total_duration_ns / (window x GPUs)"),
    F(gpu, FIELD_I32, "GPU", NO_UNIT,
      "index of the GPU on its host where kernels are split by GPU or stream; otherwise -1"),
    F(pid, FIELD_I64, "pid", NO_UNIT,
      "process where kernels are split by process or stream; otherwise -1",
      .style = STYLE_FROM_ZERO),
    F(stream, FIELD_I64, "stream", NO_UNIT,
      "stream where kernels are split by stream; otherwise -1", .style = STYLE_FROM_ZERO),
};
#undef F

const struct fields hotspot_fields =
    FIELDS("hotspots", "Kernels grouped by full name, most time first.", struct hotspot, fields);

const struct analysis_kind analysis_hotspots = {
    .name = "hotspots",
    .doc = "Which kernels take the GPU's time, how often they run and how even their durations "
           "are; on "
           "demand apart for each GPU, process or stream.",
    .run = run,
    .early = true,
    .tables = ANALYSIS_TABLES(ANALYSIS_ROWS(hotspot_fields, hotspots)),
};
