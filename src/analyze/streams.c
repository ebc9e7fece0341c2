/* How the work is spread over streams, and how much the streams of a GPU overlap. */
#include <math.h>
#include <stdlib.h>

#include "analyze/analysis.h"
#include "base/parallel.h"

/* A stream takes part in a GPU's work with this share of the time and this many kernels. */
enum { SHARE_PCT = 10, SHARE_WORK = 4 };

/* What a stream does. It belongs to one GPU, so one worker writes it. */
struct use {
    uint64_t kernels, copies;
    int64_t busy_ns;
    int64_t until; /* end of its work so far */
    bool active;   /* in the heap */
    uint32_t slot; /* of the view's GPUs */
};

struct active {
    int64_t end; /* when the entry was made: the stream may have got more work since */
    uint32_t stream;
};

/* Walks the work of a GPU in order of start. The heap holds the streams at work, first end on top.
 */
struct sweep {
    const struct view *v;
    struct use *uses; /* by stream */
    struct active *heap;
    size_t n;
    int64_t at, overlap_ns;
};

static void sift_down(struct sweep *s)
{
    size_t i = 0;
    for (size_t child = 1; child < s->n; child = 2 * i + 1) {
        child += child + 1 < s->n && s->heap[child + 1].end < s->heap[child].end;
        if (s->heap[i].end <= s->heap[child].end)
            return;
        struct active swap = s->heap[i];
        s->heap[i] = s->heap[child];
        s->heap[child] = swap;
        i = child;
    }
}

static void push(struct sweep *s, struct active item)
{
    size_t i = s->n++;
    for (; i && s->heap[(i - 1) / 2].end > item.end; i = (i - 1) / 2)
        s->heap[i] = s->heap[(i - 1) / 2];
    s->heap[i] = item;
}

static void step(struct sweep *s, int64_t to)
{
    if (s->n >= 2)
        s->overlap_ns = add_ns(s->overlap_ns, sub_ns(to, s->at));
    s->at = to;
}

/* Moves on to `to`; streams that end by then leave the heap. */
static void settle(struct sweep *s, int64_t to)
{
    while (s->n && s->heap[0].end <= to) {
        struct use *u = &s->uses[s->heap[0].stream];
        if (u->until > s->heap[0].end) {
            s->heap[0].end = u->until;
        } else {
            step(s, u->until);
            u->active = false;
            s->heap[0] = s->heap[--s->n];
        }
        sift_down(s);
    }
    step(s, to);
}

static void add_work(struct sweep *s, uint32_t stream, int64_t start, int64_t end)
{
    struct use *u = &s->uses[stream];
    struct span span = view_clip(s->v, start, end);
    if (span.end <= span.start)
        return;
    settle(s, span.start);
    if (span.end <= u->until)
        return;
    int64_t from = u->until > span.start ? u->until : span.start;
    u->busy_ns = add_ns(u->busy_ns, sub_ns(span.end, from));
    u->until = span.end;
    if (!u->active)
        push(s, (struct active){span.end, stream});
    u->active = true;
}

struct stream_work {
    const struct view *v;
    struct use *uses;
    int64_t *overlap_ns; /* by GPU */
};

static void sweep_gpu(void *ctx, size_t slot, int worker)
{
    (void)worker;
    const struct stream_work *job = ctx;
    const struct view_gpu *g = &job->v->gpus[slot];
    const struct kernels *k = &job->v->trace->kernels;
    const struct copies *c = &job->v->trace->copies;
    struct arena *temporary = arena_scratch();
    struct sweep s = {.v = job->v, .uses = job->uses};
    s.heap = arena_array(temporary, struct active, job->v->trace->streams.n);
    for (size_t i = 0, j = 0; i < g->n_kernels || j < g->n_copies;) {
        if (j == g->n_copies ||
            (i < g->n_kernels && k->start_ns[g->kernels[i]] <= c->start_ns[g->copies[j]])) {
            uint32_t row = g->kernels[i++];
            s.uses[k->stream[row]].kernels++;
            s.uses[k->stream[row]].slot = (uint32_t)slot;
            add_work(&s, k->stream[row], k->start_ns[row], k->end_ns[row]);
        } else {
            uint32_t row = g->copies[j++];
            s.uses[c->stream[row]].copies++;
            s.uses[c->stream[row]].slot = (uint32_t)slot;
            add_work(&s, c->stream[row], c->start_ns[row], c->end_ns[row]);
        }
    }
    settle(&s, INT64_MAX);
    job->overlap_ns[slot] = s.overlap_ns;
    arena_release(temporary);
}

static bool has_work(const struct use *u)
{
    return u->kernels || u->copies;
}

/* The streams of one GPU together. */
struct gpu_sum {
    uint32_t streams, sharing;
    int64_t sum_ns, largest_ns;
};

static void sum_gpus(const struct stream_work *job, size_t n_streams, struct gpu_sum *sums)
{
    for (size_t i = 0; i < n_streams; i++) {
        const struct use *u = &job->uses[i];
        if (!has_work(u))
            continue;
        struct gpu_sum *g = &sums[u->slot];
        g->streams++;
        g->sum_ns = add_ns(g->sum_ns, u->busy_ns);
        if (u->busy_ns > g->largest_ns)
            g->largest_ns = u->busy_ns;
    }
    for (size_t i = 0; i < n_streams; i++) {
        const struct use *u = &job->uses[i];
        if (u->kernels >= SHARE_WORK && u->busy_ns > 0 &&
            percent_of((double)u->busy_ns, (double)sums[u->slot].sum_ns) >= SHARE_PCT)
            sums[u->slot].sharing++;
    }
}

static void make_stats(struct analysis *a, const struct stream_work *job,
                       const struct gpu_sum *sums)
{
    struct stream_stats *st = &a->stream_stats;
    int64_t could_ns = 0, kernel_ns_ = 0, kernel_sum_ns = 0;
    for (size_t g = 0; g < a->view.n_gpus; g++) {
        st->streams += sums[g].streams;
        if (sums[g].streams > st->busiest_gpu_streams)
            st->busiest_gpu_streams = sums[g].streams;
        st->overlap_ns = add_ns(st->overlap_ns, job->overlap_ns[g]);
        could_ns = add_ns(could_ns, sub_ns(sums[g].sum_ns, sums[g].largest_ns));
        kernel_ns_ = add_ns(kernel_ns_, a->ledger.gpus[g].kernel_ns);
        kernel_sum_ns = add_ns(kernel_sum_ns, a->ledger.gpus[g].kernel_sum_ns);
    }
    st->kernel_concurrency = kernel_ns_ > 0 ? (double)kernel_sum_ns / (double)kernel_ns_ : NAN;
    st->overlap_pct = could_ns > 0 ? percent_of((double)st->overlap_ns, (double)could_ns) : NAN;
    if (st->overlap_pct > 100)
        st->overlap_pct = 100;
    for (size_t g = 0; g < a->view.n_gpus; g++)
        st->serialised |= sums[g].sharing >= 2 && st->overlap_pct < 1;
}

static int by_busy(const void *x, const void *y)
{
    const struct stream_row *a = x, *b = y;
    if (a->busy_ns != b->busy_ns)
        return a->busy_ns < b->busy_ns ? 1 : -1;
    if (a->gpu != b->gpu)
        return a->gpu < b->gpu ? -1 : 1;
    if (a->pid != b->pid)
        return a->pid < b->pid ? -1 : 1;
    return a->stream < b->stream ? -1 : a->stream > b->stream;
}

static void make_rows(struct analysis *a, const struct stream_work *job, struct arena *arena)
{
    const struct trace *t = a->trace;
    for (size_t i = 0; i < t->streams.n; i++) {
        const struct use *u = &job->uses[i];
        const struct stream *s = &t->streams.v[i];
        if (!has_work(u))
            continue;
        vec_push(&a->streams, arena,
                 ((struct stream_row){
                     .gpu = analysis_gpu_index(a, u->slot),
                     .pid = t->processes.v[s->process].pid,
                     .stream = s->id,
                     .name = trace_str(t, s->name),
                     .kernels = u->kernels,
                     .copies = u->copies,
                     .busy_ns = u->busy_ns,
                     .pct_of_gpu_busy =
                         percent_of((double)u->busy_ns, (double)a->ledger.gpus[u->slot].busy_ns),
                 }));
    }
    if (a->streams.n)
        qsort(a->streams.v, a->streams.n, sizeof(*a->streams.v), by_busy);
}

static void run(struct analysis *a, struct arena *arena)
{
    size_t n_streams = a->trace->streams.n;
    struct arena *temporary = arena_scratch();
    struct stream_work job = {&a->view, arena_array(temporary, struct use, n_streams),
                              arena_array(temporary, int64_t, a->view.n_gpus)};
    for (size_t i = 0; i < n_streams; i++)
        job.uses[i].until = INT64_MIN;
    parallel_for(a->view.workers, a->view.n_gpus, sweep_gpu, &job);
    struct gpu_sum *sums = arena_array(temporary, struct gpu_sum, a->view.n_gpus);
    sum_gpus(&job, n_streams, sums);
    make_stats(a, &job, sums);
    make_rows(a, &job, arena);
    arena_release(temporary);
}

#define R struct stream_row
static const struct field row_fields[] = {
    FIELD(R, gpu, FIELD_I32, "GPU", NO_UNIT,
          "number of the GPU; -1 where the trace does not list it"),
    FIELD(R, pid, FIELD_I64, "pid", NO_UNIT, "process that owns the stream"),
    FIELD(R, stream, FIELD_I64, "stream", NO_UNIT,
          "number of the stream, as the profiler gives it"),
    FIELD(R, name, FIELD_TEXT, "name", NO_UNIT, "name of the stream; empty where it has none"),
    FIELD(R, kernels, FIELD_U64, "kernels", NO_UNIT,
          "number of kernels on the stream in the window"),
    FIELD(R, copies, FIELD_U64, "copies", NO_UNIT, "number of copies on the stream in the window"),
    FIELD(R, busy_ns, FIELD_I64, "busy time", IN_NS,
          "union of its kernels and copies in the window"),
    FIELD(R, pct_of_gpu_busy, FIELD_NUM, "of GPU", IN_PERCENT,
          "100 x busy_ns / union of all kernels and copies of its GPU"),
};
#undef R

#define R struct stream_stats
static const struct field stat_fields[] = {
    FIELD(R, streams, FIELD_U32, "streams", NO_UNIT, "number of streams with work in the window"),
    FIELD(R, busiest_gpu_streams, FIELD_U32, "streams of one GPU", NO_UNIT,
          "most streams with work on any one GPU"),
    FIELD(R, overlap_ns, FIELD_I64, "overlap", IN_NS,
          "sum over GPUs of the time in which two or more of its streams run something"),
    FIELD(
        R, overlap_pct, FIELD_NUM, "overlap share", IN_PERCENT,
        "100 x overlap_ns / sum over GPUs of (sum of its streams' busy_ns - the largest of them), "
        "at most 100; not known where no GPU has two busy streams"),
    FIELD(R, kernel_concurrency, FIELD_NUM, "concurrency", NO_UNIT,
          "plain sum of kernel durations / sum over GPUs of the union of kernels"),
    FIELD(R, serialised, FIELD_BOOL, "serialised", NO_UNIT,
          "some GPU has two or more streams with 10 % of its streams' busy_ns and 4 pieces of work "
          "each, and overlap_pct is below 1"),
};
#undef R

static const struct fields rows_table =
    FIELDS("streams", "streams with work, busiest first", struct stream_row, row_fields);
static const struct fields stats_table =
    FIELDS("stream_stats", "all streams together", struct stream_stats, stat_fields);

const struct analysis_kind analysis_streams = {
    .name = "streams",
    .doc =
        "How the work is spread over the streams of each GPU, and whether streams that could run "
        "side by side do.",
    .run = run,
    .takes_long = true,
    .tables = ANALYSIS_TABLES(ANALYSIS_ROWS(rows_table, streams),
                              ANALYSIS_ONE(stats_table, stream_stats)),
};
