#include <math.h>
#include <string.h>

#include "analyze/analysis.h"
#include "analyze/quantile.h"
#include "base/parallel.h"
#include "base/str.h"

/* A waiting time of all linked kernels: its values, and what they amount to. */
struct delays {
    int64_t *v;
    __int128 sum;
    int64_t median, p95, most;
};

struct gpu_part {
    size_t first, linked; /* its values in delays */
    __int128 call_ns;
};

struct thread_part {
    uint64_t launches, after_sync;
};

struct launch_job {
    const struct analysis *a;
    struct arena *arena;
    int64_t *stream_until; /* by stream: latest end of its work so far */
    struct gpu_part *gpus;
    struct thread_part *threads;
    bool *starts_work; /* by name: calls of this name that launch do so themselves */
    struct delays latency, queue;
    size_t n;
};

/* ---- from the call to the kernel ---- */

static void add_work(struct launch_job *job, uint32_t stream, int64_t start, int64_t end)
{
    if (end < start)
        end = start;
    if (end > job->stream_until[stream])
        job->stream_until[stream] = end;
}

static int64_t positive(int64_t ns)
{
    return ns > 0 ? ns : 0;
}

/* Streams belong to one GPU, so GPUs can be walked at once. */
static void walk_gpu(void *ctx, size_t slot, int worker)
{
    (void)worker;
    struct launch_job *job = ctx;
    const struct trace *t = job->a->trace;
    const struct view_gpu *g = &job->a->view.gpus[slot];
    struct gpu_part *part = &job->gpus[slot];
    size_t copy = 0;
    for (size_t i = 0; i < g->n_kernels; i++) {
        uint32_t row = g->kernels[i], stream = t->kernels.stream[row], call = t->kernels.call[row];
        int64_t start = t->kernels.start_ns[row];
        for (; copy < g->n_copies && t->copies.start_ns[g->copies[copy]] < start; copy++) {
            uint32_t c = g->copies[copy];
            add_work(job, t->copies.stream[c], t->copies.start_ns[c], t->copies.end_ns[c]);
        }
        int64_t until = job->stream_until[stream];
        add_work(job, stream, start, t->kernels.end_ns[row]);
        if (call >= t->regions.n)
            continue;
        int64_t called = t->regions.start_ns[call];
        size_t at = part->first + part->linked++;
        job->latency.v[at] = positive(sub_ns(start, called > until ? called : until));
        job->queue.v[at] = positive(sub_ns(until < start ? until : start, called));
        part->call_ns += /* in range: 128 bits */
            positive(sub_ns(t->regions.end_ns[call], called));
    }
}

static void summarize(void *ctx, size_t i, int worker)
{
    (void)worker;
    struct launch_job *job = ctx;
    struct delays *d = i ? &job->queue : &job->latency;
    for (size_t k = 0; k < job->n; k++) {
        d->sum += d->v[k];
        d->most = d->v[k] > d->most ? d->v[k] : d->most;
    }
    d->median = percentile(d->v, job->n, 50);
    d->p95 = percentile(d->v, job->n, 95);
}

/* ---- launches behind a synchronisation ---- */

/* Calls that only prepare a launch, or are one half of it, are none of their own. */
static void find_launching_names(struct launch_job *job)
{
    const struct view *v = &job->a->view;
    job->starts_work = arena_array(job->arena, bool, v->n_names);
    for (size_t kind = 0; kind < REGION_KINDS; kind++) {
        for (size_t i = 0; i < v->n_names; i++) {
            if (v->call_class[kind * v->n_names + i] != API_LAUNCH)
                continue;
            const char *name = view_name_text(v, i);
            job->starts_work[i] =
                !str_has(name, "CallConfiguration") && !str_has(name, "write_index");
        }
    }
}

static void walk_thread(void *ctx, size_t thread, int worker)
{
    (void)worker;
    struct launch_job *job = ctx;
    const struct view *v = &job->a->view;
    const struct view_thread *th = &v->threads[thread];
    struct thread_part *part = &job->threads[thread];
    uint64_t since = 2; /* launches since the last wait; nothing counts before the first one */
    for (size_t i = 0; i < th->n_outer; i++) {
        enum api_class class = view_call_class(v, th->outer[i]);
        if (class == API_SYNC || class == API_COPY)
            since = 0;
        if (class != API_LAUNCH || !job->starts_work[view_call_name(v, th->outer[i])])
            continue;
        part->launches++;
        part->after_sync += since++ <= 1;
    }
}

/* ---- all of it ---- */

static size_t linked_kernels(const struct view *v, const struct view_gpu *g)
{
    const uint32_t *call = v->trace->kernels.call;
    size_t n = 0;
    for (size_t i = 0; i < g->n_kernels; i++)
        n += call[g->kernels[i]] < v->trace->regions.n;
    return n;
}

static void start_job(struct launch_job *job)
{
    const struct view *v = &job->a->view;
    job->gpus = arena_array(job->arena, struct gpu_part, v->n_gpus);
    for (size_t g = 0; g < v->n_gpus; g++) {
        job->gpus[g].first = job->n;
        job->n += linked_kernels(v, &v->gpus[g]);
    }
    job->latency.v = arena_array(job->arena, int64_t, job->n);
    job->queue.v = arena_array(job->arena, int64_t, job->n);
    job->stream_until = arena_array(job->arena, int64_t, v->trace->streams.n);
    for (size_t i = 0; i < v->trace->streams.n; i++)
        job->stream_until[i] = INT64_MIN;
    job->threads = arena_array(job->arena, struct thread_part, v->n_threads);
    find_launching_names(job);
}

static void fill(struct launch_stats *s, const struct launch_job *job)
{
    const struct view *v = &job->a->view;
    __int128 call_ns = 0;
    uint64_t launches = 0;
    for (size_t g = 0; g < v->n_gpus; g++)
        call_ns += job->gpus[g].call_ns; /* in range: 128 bits */
    for (size_t i = 0; i < v->n_threads; i++) {
        launches += job->threads[i].launches;
        s->after_sync += job->threads[i].after_sync;
    }
    s->linked = job->n;
    s->kernels = v->n_kernels;
    s->mean_latency_ns = job->n ? (double)job->latency.sum / (double)job->n : NAN;
    s->median_latency_ns = job->latency.median;
    s->p95_latency_ns = job->latency.p95;
    s->max_latency_ns = job->latency.most;
    s->mean_queue_ns = job->n ? (double)job->queue.sum / (double)job->n : NAN;
    s->median_queue_ns = job->queue.median;
    s->p95_queue_ns = job->queue.p95;
    s->max_queue_ns = job->queue.most;
    s->mean_call_ns = job->n ? (double)call_ns / (double)job->n : NAN;
    double window = (double)view_window(v);
    s->launches_per_s = window > 0 ? (double)v->n_kernels * 1e9 / window : 0;
    s->after_sync_pct = percent_of((double)s->after_sync, (double)launches);
}

static void run(struct analysis *a, struct arena *arena)
{
    (void)arena;
    struct launch_job job = {.a = a};
    job.arena = arena_scratch();
    start_job(&job);
    parallel_for(a->view.workers, a->view.n_gpus, walk_gpu, &job);
    parallel_for(a->view.workers, 2, summarize, &job);
    parallel_for(a->view.workers, a->view.n_threads, walk_thread, &job);
    a->launches = (struct launch_stats){0};
    fill(&a->launches, &job);
    arena_release(job.arena);
}

#define F(member, type, label, unit, doc) FIELD(struct launch_stats, member, type, label, unit, doc)
static const struct field fields[] = {
    F(linked, FIELD_U64, "linked kernels", NO_UNIT,
      "kernels in the view with a link to the call that launched them"),
    F(kernels, FIELD_U64, "kernels", NO_UNIT, "kernels in the view"),
    F(mean_latency_ns, FIELD_NUM, "mean latency", IN_NS,
      "mean over linked kernels of the launch latency: max(0, kernel start - max(start of the "
      "launching call, latest end of the work that started earlier on the same stream))"),
    F(median_latency_ns, FIELD_I64, "median latency", IN_NS,
      "launch latency at place ceil(0.50 x linked), ascending"),
    F(p95_latency_ns, FIELD_I64, "p95 latency", IN_NS,
      "launch latency at place ceil(0.95 x linked), ascending"),
    F(max_latency_ns, FIELD_I64, "max latency", IN_NS, "longest launch latency"),
    F(mean_queue_ns, FIELD_NUM, "mean queue delay", IN_NS,
      "mean over linked kernels of the queue delay: max(0, min(kernel start, latest end of the "
      "work "
      "that started earlier on the same stream) - start of the launching call)"),
    F(median_queue_ns, FIELD_I64, "median queue delay", IN_NS,
      "queue delay at place ceil(0.50 x linked), ascending"),
    F(p95_queue_ns, FIELD_I64, "p95 queue delay", IN_NS,
      "queue delay at place ceil(0.95 x linked), ascending"),
    F(max_queue_ns, FIELD_I64, "max queue delay", IN_NS, "longest queue delay"),
    F(mean_call_ns, FIELD_NUM, "mean call", IN_NS,
      "mean over linked kernels of the duration of the call that launched them"),
    F(launches_per_s, FIELD_NUM, "launches", IN_PER_SECOND, "kernels x 10^9 / window"),
    F(after_sync, FIELD_U64, "after sync", NO_UNIT,
      "outermost launch calls with at most one other launch between them and the last waiting call "
      "(synchronisation or blocking copy) of the same thread: the GPU had nothing queued"),
    F(after_sync_pct, FIELD_NUM, "after sync share", IN_PERCENT,
      "100 x after_sync / outermost launch calls"),
};
#undef F

const struct fields launch_fields =
    FIELDS("launch_latency", "From the launching call to the kernel, by correlation.",
           struct launch_stats, fields);

const struct analysis_kind analysis_launches = {
    .name = "launches",
    .doc = "How long kernels take from the call to their start, how much of that is waiting behind "
           "earlier work, and how often the host launches into an empty queue.",
    .run = run,
    .takes_long = true,
    .tables = ANALYSIS_TABLES(ANALYSIS_ONE(launch_fields, launches)),
};
