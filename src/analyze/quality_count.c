#include "analyze/quality_count.h"

#include "base/mem.h"
#include "base/parallel.h"
#include "base/sort.h"

/* Longer than any record is: a sign of a broken clock or an unfinished record. */
#define ABSURD_NS (7LL * 24 * 3600 * 1000000000)
/* A kernel that starts this long before the call that launched it shows unaligned clocks. */
#define CLOCK_SLACK_NS 100000

/* ---- overlaps on a queue ---- */

/* Kernels of each queue come by start. */
struct overlap_count {
    const struct trace *t;
    int64_t *last_start, *last_end; /* by queue */
    uint64_t overlaps;
    bool unsorted; /* they did not come so: nothing was counted */
};

static void overlaps_begin(struct overlap_count *c)
{
    for (size_t i = 0; i < c->t->queues.n; i++)
        c->last_end[i] = c->last_start[i] = INT64_MIN;
    c->overlaps = 0;
    c->unsorted = false;
}

/* `rows` NULL: those from 0 to n. */
static void overlaps_add(struct overlap_count *c, const uint32_t *rows, size_t n)
{
    const struct trace *t = c->t;
    for (size_t i = 0; i < n && !c->unsorted; i++) {
        size_t k = rows ? rows[i] : i, q = kernels_queue_at(t, k);
        int64_t start = t->kernels.start_ns[k], end = t->kernels.end_ns[k];
        if (q >= t->queues.n)
            continue;
        c->unsorted = start < c->last_start[q];
        c->overlaps += start < c->last_end[q] && end > start;
        c->last_start[q] = start;
        if (end > c->last_end[q])
            c->last_end[q] = end;
    }
}

/* A queue is of one GPU, and the view has the kernels of each GPU in order. */
static void overlaps_by_gpu(struct overlap_count *c, const struct view *v)
{
    overlaps_begin(c);
    for (size_t g = 0; g < v->n_gpus; g++)
        overlaps_add(c, v->gpus[g].kernels, v->gpus[g].n_kernels);
}

static void overlaps_sorted(struct overlap_count *c, struct arena *temporary)
{
    size_t n = c->t->kernels.n;
    uint32_t *rows = arena_array(temporary, uint32_t, n);
    for (size_t i = 0; i < n; i++)
        rows[i] = (uint32_t)i;
    sort_rows(rows, n, c->t->kernels.start_ns, temporary);
    overlaps_begin(c);
    overlaps_add(c, rows, n);
}

static uint64_t overlaps_of(const struct trace *t, const struct view *v)
{
    struct arena *temporary = arena_scratch();
    struct overlap_count c = {.t = t,
                              .last_start = arena_array(temporary, int64_t, t->queues.n + 1),
                              .last_end = arena_array(temporary, int64_t, t->queues.n + 1)};
    overlaps_begin(&c);
    overlaps_add(&c, NULL, t->kernels.n);
    if (c.unsorted && v && v->n_kernels == t->kernels.n)
        overlaps_by_gpu(&c, v);
    if (c.unsorted)
        overlaps_sorted(&c, temporary);
    arena_release(temporary);
    return c.overlaps;
}

/* True when `start` lies before `call` by more than clocks may differ. */
static bool is_early(int64_t start, int64_t call)
{
    return start < call && (uint64_t)call - (uint64_t)start > CLOCK_SLACK_NS;
}

enum { ROWS_PER_ITEM = 1 << 16 };

struct count_job {
    const struct trace *trace;
    const struct view *view;
    size_t kernel_items, copy_items, region_items;
    struct {
        struct quality_counts counts;
        char padding[64]; /* workers do not share cache lines */
    } workers[PARALLEL_MAX];
};

static void add_durations(struct durations *d, const int64_t *start, const int64_t *end,
                          size_t from, size_t to)
{
    struct durations sum = *d;
    for (size_t i = from; i < to; i++) {
        sum.negative += end[i] < start[i];
        sum.zero += end[i] == start[i];
        sum.absurd += end[i] > start[i] && (uint64_t)end[i] - (uint64_t)start[i] > ABSURD_NS;
    }
    *d = sum;
}

static void add_links(struct quality_counts *c, const struct trace *t, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        uint32_t call = t->kernels.call[i];
        c->unlinked += call == NO_INDEX;
        c->early += call != NO_INDEX && is_early(t->kernels.start_ns[i], t->regions.start_ns[call]);
    }
}

static size_t end_of(size_t item, size_t n)
{
    return (item + 1) * ROWS_PER_ITEM < n ? (item + 1) * ROWS_PER_ITEM : n;
}

/* The overlaps first, since they cannot be divided; then kernels, copies and regions in parts. */
static void count_item(void *ctx, size_t item, int worker)
{
    struct count_job *job = ctx;
    const struct trace *t = job->trace;
    struct quality_counts *c = &job->workers[worker].counts;
    if (item-- == 0) {
        c->overlaps = overlaps_of(t, job->view);
    } else if (item < job->kernel_items) {
        size_t from = item * ROWS_PER_ITEM, to = end_of(item, t->kernels.n);
        add_durations(&c->kernels, t->kernels.start_ns, t->kernels.end_ns, from, to);
        add_links(c, t, from, to);
    } else if ((item -= job->kernel_items) < job->copy_items) {
        add_durations(&c->copies, t->copies.start_ns, t->copies.end_ns, item * ROWS_PER_ITEM,
                      end_of(item, t->copies.n));
    } else {
        item -= job->copy_items;
        add_durations(&c->regions, t->regions.start_ns, t->regions.end_ns, item * ROWS_PER_ITEM,
                      end_of(item, t->regions.n));
    }
}

static void sum_durations(struct durations *to, const struct durations *from)
{
    to->negative += from->negative;
    to->zero += from->zero;
    to->absurd += from->absurd;
}

static size_t items(size_t rows)
{
    return (rows + ROWS_PER_ITEM - 1) / ROWS_PER_ITEM;
}

void quality_count(struct quality_counts *out, const struct trace *t, const struct view *v,
                   int workers)
{
    struct count_job job = {.trace = t,
                            .view = v,
                            .kernel_items = items(t->kernels.n),
                            .copy_items = items(t->copies.n),
                            .region_items = items(t->regions.n)};
    *out = (struct quality_counts){0};
    parallel_for(workers, 1 + job.kernel_items + job.copy_items + job.region_items, count_item,
                 &job);
    for (int w = 0; w < PARALLEL_MAX; w++) {
        const struct quality_counts *c = &job.workers[w].counts;
        sum_durations(&out->kernels, &c->kernels);
        sum_durations(&out->copies, &c->copies);
        sum_durations(&out->regions, &c->regions);
        out->unlinked += c->unlinked;
        out->early += c->early;
        out->overlaps += c->overlaps;
    }
}
