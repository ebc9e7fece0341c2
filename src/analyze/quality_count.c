#include "analyze/quality_count.h"

#include "base/mem.h"
#include "base/parallel.h"
#include "base/sort.h"

/* Longer than any record is: a sign of a broken clock or an unfinished record. */
#define ABSURD_NS (7LL * 24 * 3600 * 1000000000)
/* A kernel that starts this long before the call that launched it shows unaligned clocks. */
#define CLOCK_SLACK_NS 100000

/* Order of kernels by start within each queue; queues are numbered, NO_INDEX is one of its own. */
static uint64_t count_overlaps(const struct trace *t, const uint32_t *rows, struct arena *a,
                               bool *unsorted)
{
    size_t n_queues = t->queues.n + 1;
    int64_t *last_end = arena_array(a, int64_t, n_queues);
    int64_t *last_start = arena_array(a, int64_t, n_queues);
    for (size_t i = 0; i < n_queues; i++)
        last_end[i] = last_start[i] = INT64_MIN;
    uint64_t overlaps = 0;
    *unsorted = false;
    for (size_t i = 0; i < t->kernels.n; i++) {
        size_t k = rows ? rows[i] : i;
        size_t q = kernels_queue_at(t, k) == NO_INDEX ? t->queues.n : kernels_queue_at(t, k);
        int64_t start = t->kernels.start_ns[k], end = t->kernels.end_ns[k];
        if (q < t->queues.n) {
            *unsorted |= start < last_start[q];
            overlaps += start < last_end[q] && end > start;
        }
        last_start[q] = start;
        if (end > last_end[q])
            last_end[q] = end;
    }
    return overlaps;
}

static uint64_t overlaps_of(const struct trace *t)
{
    struct arena *temporary = arena_scratch();
    bool unsorted;
    uint64_t overlaps = count_overlaps(t, NULL, temporary, &unsorted);
    if (unsorted) {
        uint32_t *rows = arena_array(temporary, uint32_t, t->kernels.n);
        for (size_t i = 0; i < t->kernels.n; i++)
            rows[i] = (uint32_t)i;
        sort_rows(rows, t->kernels.n, t->kernels.start_ns, temporary);
        overlaps = count_overlaps(t, rows, temporary, &unsorted);
    }
    arena_release(temporary);
    return overlaps;
}

/* True when `start` lies before `call` by more than clocks may differ. */
static bool is_early(int64_t start, int64_t call)
{
    return start < call && (uint64_t)call - (uint64_t)start > CLOCK_SLACK_NS;
}

enum { ROWS_PER_ITEM = 1 << 16 };

struct count_job {
    const struct trace *trace;
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
        c->overlaps = overlaps_of(t);
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

void quality_count(struct quality_counts *out, const struct trace *t, int workers)
{
    struct count_job job = {.trace = t,
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
