/*
 * What the user's own ranges cost: their time, and the GPU work launched inside them.
 *
 * Ranges of a thread form a tree by nesting; ranges of equal path are one node. A range that
 * overlaps another without nesting (odd data) is put into the latest one that holds all of it. Each
 * thread's tree is made on its own, then the trees are merged in order of threads.
 */
#include <math.h>
#include <string.h>

#include "analyze/analysis.h"
#include "analyze/marker_tree.h"
#include "base/parallel.h"
#include "base/sort.h"

enum { MAX_ROWS = 200, FEW_TIES = 16 };

/* Kernels or copies, by row. */
struct table_view {
    const uint32_t *call;
    const int64_t *start, *end;
    size_t n;
    int64_t *launch_time; /* start of the launching call */
};

/* GPU work that one thread launched, by start of the launching call. */
struct launches {
    const struct table_view *table;
    uint32_t *rows;
    int64_t *sum; /* GPU time of the first i, where ranges of a process ask for it; else NULL */
    size_t n;
};

static int64_t launched(const struct launches *l, size_t i)
{
    return l->table->launch_time[l->rows[i]];
}

static int64_t gpu_time(const struct launches *l, size_t i, const struct view *v)
{
    uint32_t row = l->rows[i];
    return marker_length(view_clip(v, l->table->start[row], l->table->end[row]));
}

/* One thread. */
struct part {
    struct arena *arena; /* only used where there are markers */
    uint32_t *rows;      /* its markers by start, longer ones first */
    size_t n;
    struct launches work[WORKS];
    struct marker_tree tree;
    uint64_t covered_kernels; /* launched inside any range */
    int64_t covered_ns;
};

struct marker_work {
    const struct analysis *a;
    const struct markers *m;
    struct arena *arena, **rooms; /* rooms: by worker */
    struct part *parts;           /* by thread, the last one for markers without */
    size_t n_parts;
    uint32_t *rows; /* markers of the view by start */
    size_t n;
    int64_t *end, *last_first; /* by marker: end, no earlier than the start; and its complement */
    struct table_view work[WORKS];
};

/* ---- one thread ---- */

/* So much work, and its GPU time. */
struct amount {
    size_t n[WORKS];
    int64_t ns[WORKS];
};

/* A range that is open, and what was launched before it began. */
struct open_range {
    int64_t end;
    uint32_t node;
    struct amount before;
};

/* Invariant: ends do not rise from first to last, so the last one is the innermost. */
struct sweep {
    struct part *part;
    const struct view *view;
    struct open_range *v;
    size_t n, cap;
    struct amount done; /* launched before the present */
};

static void move_to(struct sweep *s, int64_t time)
{
    for (size_t w = 0; w < WORKS; w++) {
        const struct launches *l = &s->part->work[w];
        for (; s->done.n[w] < l->n && launched(l, s->done.n[w]) < time; s->done.n[w]++)
            s->done.ns[w] = add_ns(s->done.ns[w], gpu_time(l, s->done.n[w], s->view));
    }
}

static void credit(struct part *p, uint32_t node, size_t w, size_t launched, int64_t gpu_ns)
{
    struct marker_node *n = &p->tree.nodes.v[node];
    n->launched[w] += launched;
    n->gpu_ns[w] = add_ns(n->gpu_ns[w], gpu_ns);
}

static void leave(struct sweep *s)
{
    struct open_range *top = &s->v[--s->n];
    for (size_t w = 0; w < WORKS; w++)
        credit(s->part, top->node, w, s->done.n[w] - top->before.n[w],
               s->done.ns[w] - top->before.ns[w]);
}

static void leave_until(struct sweep *s, int64_t time)
{
    while (s->n && s->v[s->n - 1].end <= time) {
        move_to(s, s->v[s->n - 1].end);
        leave(s);
    }
}

/* First launch not before `time`, at or after `from`. */
static size_t position(const struct launches *l, size_t from, int64_t time)
{
    BISECT(from, l->n, i, launched(l, i) < time);
    return from;
}

/* Process ranges overlap freely: each name gets all work of the thread that starts inside. */
static void add_process_range(struct sweep *s, uint32_t name, int64_t start, int64_t end)
{
    uint32_t node = marker_child(&s->part->tree, PROCESS_ROOT, name);
    int64_t until = s->part->tree.nodes.v[node].until;
    int64_t from = start > until ? start : until;
    for (size_t w = 0; w < WORKS && end > from; w++) {
        const struct launches *l = &s->part->work[w];
        size_t first = position(l, s->done.n[w], from), last = position(l, first, end);
        credit(s->part, node, w, last - first, l->sum[last] - l->sum[first]);
    }
    marker_add_range(&s->part->tree.nodes.v[node], s->view, start, end);
}

static void add_thread_range(struct sweep *s, uint32_t name, int64_t start, int64_t end)
{
    /* What ends before this range does is over as the innermost range: see the invariant. */
    while (end > start && s->n && s->v[s->n - 1].end < end)
        leave(s);
    uint32_t parent = s->n ? s->v[s->n - 1].node : THREAD_ROOT;
    uint32_t node = marker_child(&s->part->tree, parent, name);
    marker_add_range(&s->part->tree.nodes.v[node], s->view, start, end);
    if (end > start)
        vec_push(s, s->part->arena, ((struct open_range){end, node, s->done}));
}

/* Kernels launched while any range of the thread is open. */
static void count_covered(const struct marker_work *job, struct part *p)
{
    const struct launches *l = &p->work[KERNELS];
    int64_t until = INT64_MIN;
    size_t next = 0;
    for (size_t i = 0; i < l->n; i++) {
        for (; next < p->n && job->m->start_ns[p->rows[next]] <= launched(l, i); next++)
            if (job->end[p->rows[next]] > until)
                until = job->end[p->rows[next]];
        if (launched(l, i) < until) {
            p->covered_kernels++;
            p->covered_ns = add_ns(p->covered_ns, gpu_time(l, i, &job->a->view));
        }
    }
}

/* Nested ranges begin together at times: the longer one is the outer one. */
static void fix_ties(const struct marker_work *job, struct part *p, struct arena *temporary)
{
    const int64_t *start = job->m->start_ns, *key = job->last_first;
    for (size_t i = 0, next; i < p->n; i = next) {
        for (next = i + 1; next < p->n && start[p->rows[next]] == start[p->rows[i]]; next++)
            ;
        if (next - i > FEW_TIES) {
            sort_rows(p->rows + i, next - i, key, temporary);
            continue;
        }
        for (size_t k = i + 1; k < next; k++) {
            uint32_t row = p->rows[k];
            size_t at = k;
            for (; at > i && key[p->rows[at - 1]] > key[row]; at--)
                p->rows[at] = p->rows[at - 1];
            p->rows[at] = row;
        }
    }
}

static bool has_process_ranges(const struct marker_work *job, const struct part *p)
{
    size_t i = 0;
    while (i < p->n && job->m->kind[p->rows[i]] != MARKER_PROCESS_RANGE)
        i++;
    return i < p->n;
}

/* Sorts what the thread launched and, where any of it may be asked for, adds up its GPU time. */
static void order_launches(const struct marker_work *job, struct part *p, struct arena *temporary)
{
    bool asked = has_process_ranges(job, p);
    for (size_t w = 0; w < WORKS; w++) {
        struct launches *l = &p->work[w];
        l->table = &job->work[w];
        sort_rows(l->rows, l->n, l->table->launch_time, temporary);
        if (!asked)
            continue;
        l->sum = arena_array(p->arena, int64_t, l->n + 1);
        for (size_t i = 0; i < l->n; i++)
            l->sum[i + 1] = add_ns(l->sum[i], gpu_time(l, i, &job->a->view));
    }
}

static void sweep_part(void *ctx, size_t i, int worker)
{
    const struct marker_work *job = ctx;
    struct part *p = &job->parts[i];
    if (!p->n)
        return;
    struct arena *temporary = arena_scratch();
    p->arena = job->rooms[worker]; /* one a worker: a trace may have very many threads */
    fix_ties(job, p, temporary);
    order_launches(job, p, temporary);
    arena_release(temporary);
    marker_tree_init(&p->tree, p->arena);
    struct sweep s = {.part = p, .view = &job->a->view};
    for (size_t k = 0; k < p->n; k++) {
        uint32_t row = p->rows[k];
        int64_t start = job->m->start_ns[row], end = job->end[row];
        leave_until(&s, start);
        move_to(&s, start);
        if (job->m->kind[row] == MARKER_PROCESS_RANGE)
            add_process_range(&s, job->m->name[row], start, end);
        else
            add_thread_range(&s, job->m->name[row], start, end);
    }
    leave_until(&s, INT64_MAX);
    count_covered(job, p);
}

/* ---- all threads ---- */

static size_t part_of(const struct marker_work *job, uint32_t thread)
{
    return thread < job->n_parts - 1 ? thread : job->n_parts - 1;
}

static bool selected(const struct marker_work *job, size_t row)
{
    const struct view *v = &job->a->view;
    int64_t start = job->m->start_ns[row], end = job->end[row];
    if (!view_has_thread(v->trace, job->m->thread[row], &job->a->opts.view))
        return false;
    return end > start ? start < v->end_ns && end > v->start_ns
                       : start >= v->start_ns && start <= v->end_ns;
}

/* Markers of the view by start, and of each thread. */
static void split_markers(struct marker_work *job)
{
    const struct markers *m = job->m;
    job->rows = arena_array(job->arena, uint32_t, m->n);
    job->end = arena_array(job->arena, int64_t, m->n);
    job->last_first = arena_array(job->arena, int64_t, m->n);
    for (size_t i = 0; i < m->n; i++) {
        bool ranges = m->kind[i] != MARKER_INSTANT && m->end_ns[i] > m->start_ns[i];
        job->end[i] = ranges ? m->end_ns[i] : m->start_ns[i];
        job->last_first[i] = ~job->end[i];
        if (!selected(job, i))
            continue;
        job->rows[job->n++] = (uint32_t)i;
        job->parts[part_of(job, m->thread[i])].n++;
    }
    sort_rows(job->rows, job->n, m->start_ns, job->arena);
    for (size_t p = 0; p < job->n_parts; p++) {
        if (job->parts[p].n)
            job->parts[p].rows = arena_array(job->arena, uint32_t, job->parts[p].n);
        job->parts[p].n = 0;
    }
    for (size_t i = 0; i < job->n; i++) {
        struct part *p = &job->parts[part_of(job, m->thread[job->rows[i]])];
        p->rows[p->n++] = job->rows[i];
    }
}

/* The thread that launched a row, if it has markers; else NO_INDEX. */
static uint32_t launching_part(const struct marker_work *job, const struct table_view *table,
                               uint32_t row)
{
    const struct regions *r = &job->a->trace->regions;
    uint32_t call = table->call[row];
    size_t part = call < r->n ? part_of(job, r->thread[call]) : SIZE_MAX;
    if (part == SIZE_MAX || !job->parts[part].n)
        return NO_INDEX; /* nothing to be inside of */
    table->launch_time[row] = r->start_ns[call];
    return (uint32_t)part;
}

/* Which thread launched what, in order of start on the GPU: often that of launching as well. */
static void split_launches(struct marker_work *job, size_t w)
{
    const struct view *v = &job->a->view;
    struct table_view *table = &job->work[w];
    struct arena *temporary = arena_child(job->arena);
    size_t *counts = arena_array(temporary, size_t, job->n_parts);
    uint32_t *part_of_row = arena_array(temporary, uint32_t, table->n);
    table->launch_time = arena_array(job->arena, int64_t, table->n);
    for (int pass = 0; pass < 2; pass++) {
        for (size_t g = 0; g < v->n_gpus; g++) {
            const uint32_t *rows = w == KERNELS ? v->gpus[g].kernels : v->gpus[g].copies;
            size_t n = w == KERNELS ? v->gpus[g].n_kernels : v->gpus[g].n_copies;
            for (size_t i = 0; i < n; i++) {
                uint32_t *part = &part_of_row[rows[i]];
                if (!pass) {
                    *part = launching_part(job, table, rows[i]);
                    if (*part != NO_INDEX)
                        counts[*part]++;
                } else if (*part != NO_INDEX) {
                    struct launches *l = &job->parts[*part].work[w];
                    l->rows[l->n++] = rows[i];
                }
            }
        }
        for (size_t p = 0; !pass && p < job->n_parts; p++)
            job->parts[p].work[w].rows = arena_array(job->arena, uint32_t, counts[p]);
    }
    arena_release(temporary);
}

static void make_stats(struct analysis *a, const struct marker_work *job)
{
    struct marker_stats *st = &a->marker_stats;
    int64_t until = INT64_MIN, sum_ns = 0;
    st->markers = job->n;
    for (size_t i = 0; i < job->n; i++) {
        uint32_t row = job->rows[i];
        if (job->end[row] <= until)
            continue;
        int64_t from = job->m->start_ns[row] > until ? job->m->start_ns[row] : until;
        st->covered_ns =
            add_ns(st->covered_ns, marker_length(view_clip(&a->view, from, job->end[row])));
        until = job->end[row];
    }
    double window = (double)view_window(&a->view);
    st->uncovered_pct = window > 0 ? 100 - percent_of((double)st->covered_ns, window) : NAN;
    st->unattributed_kernels = a->view.n_kernels;
    for (size_t g = 0; g < a->view.n_gpus; g++)
        sum_ns = add_ns(sum_ns, a->ledger.gpus[g].kernel_sum_ns);
    for (size_t p = 0; p < job->n_parts; p++) {
        st->unattributed_kernels -= job->parts[p].covered_kernels;
        sum_ns = sub_ns(sum_ns, job->parts[p].covered_ns);
    }
    st->unattributed_ns = sum_ns > 0 ? sum_ns : 0;
}

/* ---- rows ---- */

static struct marker_row make_row(const struct analysis *a, const struct marker_node *n)
{
    bool known = n->wall_ns > 0 && n->parent != PROCESS_ROOT;
    return (struct marker_row){
        .name = trace_str(a->trace, n->name),
        .calls = n->calls,
        .wall_ns = n->wall_ns,
        .avg_ns = (double)n->sum_ns / (double)n->calls,
        .max_ns = marker_length(n->longest),
        .kernels = n->launched[KERNELS],
        .kernel_ns = n->gpu_ns[KERNELS],
        .copy_ns = n->gpu_ns[COPIES],
        .gpu_pct = known ? percent_of((double)n->gpu_ns[KERNELS], (double)n->wall_ns) : NAN,
        .pct_of_window = percent_of((double)n->wall_ns, (double)view_window(&a->view)),
        .parent = -1,
        .first_start_ns = n->first_ns,
        .longest_start_ns = n->longest.start,
        .longest_end_ns = n->longest.end,
    };
}

/* Pushes the children of a node, each with all below it; `chosen` is by wall time already. */
static void push_children(struct analysis *a, const struct marker_tree *t, const uint32_t *chosen,
                          size_t n, uint32_t node, int32_t row, uint32_t depth, struct arena *arena)
{
    for (size_t i = 0; i < n; i++) {
        const struct marker_node *child = &t->nodes.v[chosen[i]];
        bool here = depth ? child->parent == node : child->parent < ROOTS;
        if (!here)
            continue;
        struct marker_row r = make_row(a, child);
        r.depth = depth;
        r.parent = row;
        vec_push(&a->markers, arena, r);
        push_children(a, t, chosen, n, chosen[i], (int32_t)a->markers.n - 1, depth + 1, arena);
    }
}

/*
 * The nodes with most time. A child takes no longer than its parent and stands behind it, so
 * the chosen ones are a tree.
 */
static void make_rows(struct analysis *a, const struct marker_tree *t, struct arena *arena,
                      struct arena *temporary)
{
    size_t n = t->nodes.n - ROOTS;
    uint32_t *chosen = arena_array(temporary, uint32_t, n);
    int64_t *key = arena_array(temporary, int64_t, t->nodes.n);
    for (size_t i = 0; i < n; i++) {
        chosen[i] = (uint32_t)(i + ROOTS);
        key[i + ROOTS] = ~t->nodes.v[i + ROOTS].wall_ns;
    }
    sort_rows(chosen, n, key, temporary);
    push_children(a, t, chosen, n < MAX_ROWS ? n : MAX_ROWS, 0, -1, 0, arena);
}

static struct marker_tree *merge_parts(struct marker_work *job)
{
    struct marker_tree *all = NULL;
    for (size_t p = 0; p < job->n_parts; p++) {
        if (!job->parts[p].n)
            continue;
        if (all)
            marker_tree_merge(all, &job->parts[p].tree);
        else
            all = &job->parts[p].tree;
    }
    return all;
}

static void run(struct analysis *a, struct arena *arena)
{
    struct arena *temporary = arena_scratch();
    struct marker_work job = {.a = a, .m = &a->trace->markers, .arena = temporary};
    const struct kernels *k = &a->trace->kernels;
    const struct copies *c = &a->trace->copies;
    job.work[KERNELS] = (struct table_view){k->call, k->start_ns, k->end_ns, k->n, NULL};
    job.work[COPIES] = (struct table_view){c->call, c->start_ns, c->end_ns, c->n, NULL};
    job.n_parts = a->trace->threads.n + 1;
    job.parts = arena_array(temporary, struct part, job.n_parts);
    split_markers(&job);
    if (job.n) {
        for (size_t w = 0; w < WORKS; w++)
            split_launches(&job, w);
        int workers = a->view.workers > 1 ? a->view.workers : 1;
        job.rooms = arena_array(temporary, struct arena *, (size_t)workers);
        for (int w = 0; w < workers; w++)
            job.rooms[w] = arena_child(temporary);
        parallel_for(workers, job.n_parts, sweep_part, &job);
    }
    make_stats(a, &job);
    struct marker_tree *all = merge_parts(&job);
    if (all)
        make_rows(a, all, arena, temporary);
    arena_release(temporary);
}

#define R struct marker_row
static const struct field row_fields[] = {
    FIELD(R, name, FIELD_TEXT, "range", NO_UNIT,
          "text of the marker; ranges of equal text inside equal ranges are one row"),
    FIELD(R, depth, FIELD_U32, "depth", NO_UNIT,
          "number of ranges around it on its thread; 0 for ranges of the process"),
    FIELD(R, calls, FIELD_U64, "calls", NO_UNIT,
          "number of ranges, or of moments, that touch the window"),
    FIELD(R, wall_ns, FIELD_I64, "wall", IN_NS,
          "sum over threads of the union of its ranges in the window; 0 for moments"),
    FIELD(R, avg_ns, FIELD_NUM, "mean", IN_NS,
          "plain sum of the ranges' durations inside the window / calls"),
    FIELD(R, max_ns, FIELD_I64, "max", IN_NS, "duration inside the window of the longest range"),
    FIELD(R, kernels, FIELD_U64, "kernels", NO_UNIT,
          "number of kernels in the window whose launching call starts inside it on its thread, "
          "ranges inside it included"),
    FIELD(R, kernel_ns, FIELD_I64, "kernel time", IN_NS,
          "plain sum of these kernels' durations in the window, whenever they ran"),
    FIELD(R, copy_ns, FIELD_I64, "copy time", IN_NS,
          "plain sum of the durations in the window of copies whose call starts inside it, ranges "
          "inside it included"),
    FIELD(R, gpu_pct, FIELD_NUM, "of range", IN_PERCENT,
          "100 x kernel_ns / wall_ns; above 100 where kernels overlap or run on after the range; "
          "null for ranges of no thread, whose launches are not known"),
    FIELD(R, pct_of_window, FIELD_NUM, "of window", IN_PERCENT,
          "100 x wall_ns / window; above 100 where threads do it at the same time"),
    FIELD(R, parent, FIELD_I32, "parent", NO_UNIT, "row of the range around it; -1 for none"),
    FIELD(R, first_start_ns, FIELD_I64, "first at", IN_NS,
          "start of the first one, inside the window", AS_MOMENT),
    FIELD(R, longest_start_ns, FIELD_I64, "longest from", IN_NS,
          "start of the longest one, inside the window", AS_MOMENT),
    FIELD(R, longest_end_ns, FIELD_I64, "longest to", IN_NS,
          "end of the longest one, inside the window", AS_MOMENT),
};
#undef R

#define R struct marker_stats
static const struct field stat_fields[] = {
    FIELD(R, markers, FIELD_U64, "markers", NO_UNIT,
          "number of ranges and moments that touch the window"),
    FIELD(R, covered_ns, FIELD_I64, "covered", IN_NS,
          "union of all ranges of all threads in the window"),
    FIELD(R, uncovered_pct, FIELD_NUM, "not covered", IN_PERCENT,
          "100 - 100 x covered_ns / window"),
    FIELD(R, unattributed_kernels, FIELD_U64, "kernels outside", NO_UNIT,
          "number of kernels in the window whose launching call is not known or starts inside no "
          "range of its thread"),
    FIELD(R, unattributed_ns, FIELD_I64, "kernel time outside", IN_NS,
          "plain sum of these kernels' durations in the window"),
};
#undef R

static const struct fields rows_table = FIELDS(
    "markers",
    "ranges by path, depth first, most time first among those in one range; the 200 with most "
    "time",
    struct marker_row, row_fields);
static const struct fields stats_table =
    FIELDS("marker_stats", "all markers together", struct marker_stats, stat_fields);

const struct analysis_kind analysis_markers = {
    .name = "markers",
    .doc =
        "What the program's own ranges (roctx, NVTX, annotations) cost, and how much GPU work was "
        "launched inside each. Work belongs to the innermost range that is open on the launching "
        "thread when the launching call starts, and to all ranges around that; a range of the "
        "process stands alone and gets all work that its thread launches while it is open.",
    .run = run,
    .takes_long = true,
    .tables = ANALYSIS_TABLES(ANALYSIS_ROWS(rows_table, markers),
                              ANALYSIS_ONE(stats_table, marker_stats)),
};
