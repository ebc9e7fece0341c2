#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/quality_count.h"
#include "analyze/quantile.h"
#include "made_trace.h"

/* The analyses of kernels against plain counting and sorting, over many small traces. */

/* ---- order statistics ---- */

static int ascending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* Nearest rank: the smallest value with at least p % of all at or below it. */
static int64_t percentile_by_sorting(const int64_t *v, size_t n, unsigned p)
{
    int64_t *sorted = malloc((n + 1) * sizeof(*v));
    memcpy(sorted, v, n * sizeof(*v));
    qsort(sorted, n, sizeof(*sorted), ascending);
    size_t i = 0;
    while (i + 1 < n && (i + 1) * 100 < n * p)
        i++;
    int64_t found = n ? sorted[i] : 0;
    free(sorted);
    return found;
}

static void percentiles_are_by_nearest_rank(void **state)
{
    (void)state;
    int64_t few[] = {50, 15, 40, 20,
                     35}; /* the textbook's: p5 15, p30 20, p40 20, p50 35, p100 50 */
    assert_int_equal(percentile(few, 5, 5), 15);
    assert_int_equal(percentile(few, 5, 30), 20);
    assert_int_equal(percentile(few, 5, 40), 20);
    assert_int_equal(percentile(few, 5, 50), 35);
    assert_int_equal(percentile(few, 5, 100), 50);
    assert_int_equal(percentile(few, 0, 50), 0);
}

static void percentiles_agree_with_sorting(void **state)
{
    (void)state;
    static const int64_t widths[] = {1, 2, 10, 1000, 1000000, INT64_MAX};
    static int64_t v[10000];
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct made_random r = {seed * 0x9e3779b97f4a7c15u};
        size_t n = 1 + (size_t)made_random(&r, seed % 10 ? 200 : 10000);
        int64_t width = widths[seed % 6];
        for (size_t i = 0; i < n; i++)
            v[i] = made_random(&r, width) - (seed % 2 ? width / 2 : 0);
        if (seed % 7 == 0)
            v[0] = INT64_MAX, v[n - 1] = INT64_MIN;
        for (unsigned p = 5; p <= 100; p += 45) {
            int64_t want = percentile_by_sorting(v, n, p);
            assert_true(percentile(v, n, p) == want);
        }
    }
}

/* ---- against plain counting and sorting, many times ---- */

enum { MAX_ROWS = 400 };

static const char *const names[] = {"gemm_a",  "softmax",  "conv2d",
                                    "mystery", "zz::kern", "ncclDevKernel_AllReduce"};

static void make_random(struct made *m, struct made_random *r)
{
    made_init(m);
    uint32_t other = made_thread(&m->t, 0, 2);
    vec_push(&m->t.processes, &m->t.arena, ((struct process){.pid = 200, .rank = -1}));
    int64_t gpus = 1 + made_random(r, 3), streams = 1 + made_random(r, 6);
    for (int64_t g = 0; g < gpus; g++)
        made_gpu(m);
    for (int64_t s = 0; s < streams; s++)
        trace_stream(&m->t, (uint32_t)made_random(r, 2), (uint32_t)made_random(r, gpus), s, 0);
    for (int i = 0; i < 9; i++) /* some names have two symbols */
        made_symbol(m, names[i % 6]);
    for (uint32_t i = 0; i < 4; i++)
        vec_push(
            &m->t.launches, &m->t.arena,
            ((struct launch){.grid = {256 * (i % 3 + 1), 1, 1}, .group = {64, 1, 1}, .graph = i}));
    static const char *const calls[] = {"hipLaunchKernel", "hipDeviceSynchronize", "hipMemcpy",
                                        "hipMalloc", "__hipPushCallConfiguration"};
    int64_t at[2] = {0, 0}, n = made_random(r, 80);
    for (int64_t i = 0; i < n; i++) {
        int64_t thread = made_random(r, 2), kind = made_random(r, 9);
        int64_t start = at[thread] + made_random(r, 4000);
        at[thread] = start + made_random(r, 9000);
        made_call_on(m, thread ? other : 0, REGION_HIP, calls[kind < 4 ? 0 : kind - 4], start,
                     at[thread]);
    }
    int64_t kernels = made_random(r, 4) ? made_random(r, MAX_ROWS) : made_random(r, 8);
    for (int64_t i = 0; i < kernels; i++) {
        int64_t start = made_random(r, 300000) / 100 * 100, length = made_random(r, 4);
        length = !length ? -made_random(r, 50) : made_random(r, length == 1 ? 60000 : 5000);
        uint32_t call = n && made_random(r, 4) ? (uint32_t)made_random(r, n) : NO_INDEX;
        uint32_t stream = (uint32_t)made_random(r, streams);
        if (made_random(r, 5)) {
            uint32_t row =
                made_kernel_of(m, (uint32_t)made_random(r, 9), stream, start, start + length, call);
            m->t.kernels.launch[row] = (uint32_t)made_random(r, 4);
        } else {
            made_copy(m, (enum copy_kind)made_random(r, COPY_KINDS), stream, start, start + length,
                      call);
        }
    }
}

/* Is a row in the window, and what part of it? */
static bool seen(const struct analysis *a, int64_t start, int64_t end, struct span *part)
{
    int64_t from = a->view.start_ns, to = a->view.end_ns;
    end = end < start ? start : end;
    *part = (struct span){start > from ? start : from, end < to ? end : to};
    if (start == end)
        return start >= from && start <= to;
    return part->start < part->end;
}

static bool kernel_seen(const struct analysis *a, size_t row, struct span *part)
{
    return seen(a, a->trace->kernels.start_ns[row], a->trace->kernels.end_ns[row], part);
}

static const char *name_of(const struct trace *t, size_t kernel)
{
    return trace_str(t, t->symbols.v[t->kernels.symbol[kernel]].name);
}

static uint32_t gpu_of(const struct trace *t, uint32_t stream)
{
    return t->streams.v[stream].gpu;
}

/* Rows that belong to a hotspot, as its columns describe them. */
static size_t rows_of_hotspot(const struct analysis *a, const struct hotspot *h, int64_t *v)
{
    const struct trace *t = a->trace;
    size_t n = 0;
    for (size_t i = 0; i < t->kernels.n; i++) {
        struct span p;
        const struct stream *s = &t->streams.v[t->kernels.stream[i]];
        if (!kernel_seen(a, i, &p) || strcmp(name_of(t, i), h->name) ||
            p.end - p.start < a->opts.min_duration_ns)
            continue;
        if ((h->gpu >= 0 && h->gpu != 10 + (int32_t)s->gpu) ||
            (h->stream >= 0 && h->stream != s->id) ||
            (h->pid >= 0 && h->pid != t->processes.v[s->process].pid))
            continue;
        v[n++] = p.end - p.start;
    }
    return n;
}

static void check_hotspots(const struct analysis *a)
{
    int64_t v[MAX_ROWS];
    uint64_t calls = 0, want = 0;
    int64_t all = 0;
    struct span p;
    for (size_t i = 0; i < a->trace->kernels.n; i++) {
        if (!kernel_seen(a, i, &p))
            continue;
        all += p.end - p.start;
        want += p.end - p.start >= a->opts.min_duration_ns;
    }
    for (size_t i = 0; i < a->hotspots.n; i++) {
        const struct hotspot *h = &a->hotspots.v[i];
        size_t n = rows_of_hotspot(a, h, v);
        int64_t total = 0;
        long double squares = 0;
        for (size_t k = 0; k < n; k++)
            total += v[k];
        for (size_t k = 0; k < n; k++)
            squares += ((long double)v[k] - (long double)total / (long double)n) *
                       ((long double)v[k] - (long double)total / (long double)n);
        assert_int_equal(h->calls, n);
        assert_int_equal(h->total_duration_ns, total);
        assert_int_equal(h->median_ns, percentile_by_sorting(v, n, 50));
        assert_int_equal(h->p95_ns, percentile_by_sorting(v, n, 95));
        assert_int_equal(h->max_duration_ns, percentile_by_sorting(v, n, 100));
        assert_int_equal(h->min_duration_ns, percentile_by_sorting(v, n, 0));
        assert_near(h->std_dev_ns, (double)sqrtl(squares / (long double)n));
        assert_near(h->pct_of_total, all ? 100.0 * (double)total / (double)all : 0);
        assert_true(kernel_seen(a, h->slowest, &p) && p.end - p.start == h->max_duration_ns);
        calls += n;
        if (!i)
            continue;
        assert_true(h[-1].total_duration_ns >= total);
        assert_true(h[-1].total_duration_ns > total || strcmp(h[-1].name, h->name) <= 0);
    }
    assert_int_equal(calls, want);
}

static void check_categories(const struct analysis *a)
{
    uint64_t count = 0;
    for (size_t i = 0; i < a->categories.n; i++) {
        const struct category_row *c = &a->categories.v[i];
        int64_t total = 0;
        uint64_t n = 0;
        for (size_t k = 0; k < a->trace->kernels.n; k++) {
            struct span p;
            if (!kernel_seen(a, k, &p) || kernel_role_of(name_of(a->trace, k)) != c->category)
                continue;
            n++;
            total += p.end - p.start;
        }
        assert_int_equal(c->count, n);
        assert_int_equal(c->total_ns, total);
        count += n;
    }
    assert_int_equal(count, a->view.n_kernels);
}

/* Latest end of work that started before this kernel, on its stream or its GPU; at one start
 * kernels come before copies and in order of rows. */
static bool work_before(const struct analysis *a, size_t kernel, bool same_stream, bool clipped,
                        int64_t *until)
{
    const struct trace *t = a->trace;
    int64_t start = t->kernels.start_ns[kernel];
    uint32_t stream = t->kernels.stream[kernel];
    bool any = false;
    for (size_t i = 0; i < t->kernels.n + t->copies.n; i++) {
        bool copy = i >= t->kernels.n;
        size_t row = copy ? i - t->kernels.n : i;
        int64_t from = copy ? t->copies.start_ns[row] : t->kernels.start_ns[row];
        int64_t to = copy ? t->copies.end_ns[row] : t->kernels.end_ns[row];
        uint32_t on = copy ? t->copies.stream[row] : t->kernels.stream[row];
        struct span p;
        if (!seen(a, from, to, &p) ||
            (same_stream ? on != stream : gpu_of(t, on) != gpu_of(t, stream)))
            continue;
        if (from > start || (from == start && (copy || row >= kernel)))
            continue;
        int64_t end = clipped ? p.end : to > from ? to : from;
        if (!any || end > *until)
            *until = end;
        any = true;
    }
    return any;
}

static void check_short(const struct analysis *a)
{
    uint64_t count = 0;
    int64_t total = 0, gaps = 0, before;
    for (size_t i = 0; i < a->trace->kernels.n; i++) {
        struct span p;
        if (!kernel_seen(a, i, &p) || p.end - p.start >= a->opts.short_threshold_ns)
            continue;
        count++;
        total += p.end - p.start;
        if (work_before(a, i, false, true, &before) && p.start > before &&
            p.start - before < US(50))
            gaps += p.start - before;
    }
    assert_int_equal(a->short_kernels.short_kernel_count, count);
    assert_int_equal(a->short_kernels.short_ns, total);
    assert_int_equal(a->short_kernels.gap_ns, gaps);
    uint64_t all = 0;
    for (size_t b = 0; b < a->short_histogram.n; b++)
        all += a->short_histogram.v[b].count;
    assert_int_equal(all, a->view.n_kernels);
}

static void check_launches(const struct analysis *a)
{
    const struct trace *t = a->trace;
    int64_t latency[MAX_ROWS], queue[MAX_ROWS], sum = 0, waited = 0;
    size_t n = 0;
    for (size_t i = 0; i < t->kernels.n; i++) {
        struct span p;
        uint32_t call = t->kernels.call[i];
        if (!kernel_seen(a, i, &p) || call == NO_INDEX)
            continue;
        int64_t start = t->kernels.start_ns[i], called = t->regions.start_ns[call], before;
        bool any = work_before(a, i, true, false, &before);
        latency[n] = start - (any && before > called ? before : called);
        queue[n] = any ? (before < start ? before : start) - called : 0;
        latency[n] = latency[n] < 0 ? 0 : latency[n];
        queue[n] = queue[n] < 0 ? 0 : queue[n];
        sum += latency[n];
        waited += queue[n++];
    }
    assert_int_equal(a->launches.linked, n);
    if (!n)
        return;
    assert_near(a->launches.mean_latency_ns, (double)sum / (double)n);
    assert_near(a->launches.mean_queue_ns, (double)waited / (double)n);
    assert_int_equal(a->launches.median_latency_ns, percentile_by_sorting(latency, n, 50));
    assert_int_equal(a->launches.p95_latency_ns, percentile_by_sorting(latency, n, 95));
    assert_int_equal(a->launches.max_latency_ns, percentile_by_sorting(latency, n, 100));
    assert_int_equal(a->launches.median_queue_ns, percentile_by_sorting(queue, n, 50));
    assert_int_equal(a->launches.p95_queue_ns, percentile_by_sorting(queue, n, 95));
}

/* For each launch: walk back to the last wait of its thread and count launches on the way. */
static void check_after_sync(const struct analysis *a)
{
    const struct regions *r = &a->trace->regions;
    uint64_t count = 0;
    struct span p;
    for (size_t i = 0; i < r->n; i++) {
        if (strcmp(trace_str(a->trace, r->name[i]), "hipLaunchKernel") ||
            !seen(a, r->start_ns[i], r->end_ns[i], &p))
            continue;
        int launches = 0;
        bool waited = false;
        for (size_t k = i; k-- > 0 && !waited;) {
            const char *name = trace_str(a->trace, r->name[k]);
            if (r->thread[k] != r->thread[i] || !seen(a, r->start_ns[k], r->end_ns[k], &p))
                continue;
            waited = !strcmp(name, "hipDeviceSynchronize") || !strcmp(name, "hipMemcpy");
            launches += !strcmp(name, "hipLaunchKernel");
        }
        count += waited && launches <= 1;
    }
    assert_int_equal(a->launches.after_sync, count);
}

static void check_warmup(const struct analysis *a)
{
    const struct trace *t = a->trace;
    size_t found = 0;
    for (size_t name = 0; name < 6; name++) {
        int64_t v[MAX_ROWS];
        size_t n = 0, first = 0, first_at = 0;
        bool any = false;
        struct span p;
        for (size_t i = 0; i < t->kernels.n; i++) {
            if (!kernel_seen(a, i, &p) || strcmp(name_of(t, i), names[name]))
                continue;
            if (!any || t->kernels.start_ns[i] < t->kernels.start_ns[first])
                first = i;
            any = true;
        }
        for (size_t i = 0; any && i < t->kernels.n; i++) {
            if (!kernel_seen(a, i, &p) || strcmp(name_of(t, i), names[name]) ||
                t->launches.v[t->kernels.launch[i]].grid[0] !=
                    t->launches.v[t->kernels.launch[first]].grid[0])
                continue;
            if (i == first)
                first_at = n;
            v[n++] = p.end - p.start;
        }
        if (n < 3)
            continue;
        int64_t duration = v[first_at];
        v[first_at] = v[--n];
        int64_t median = percentile_by_sorting(v, n, 50);
        if (duration <= 2 * median || duration - median <= US(10))
            continue;
        found++;
        bool listed = false;
        for (size_t i = 0; i < a->warmup.n; i++)
            listed |= a->warmup.v[i].kernel == first && a->warmup.v[i].median_ns == median &&
                      a->warmup.v[i].excess_ns == duration - median;
        assert_true(listed);
    }
    assert_int_equal(a->warmup.n, found);
}

static void check_resources(const struct analysis *a)
{
    const struct trace *t = a->trace;
    for (size_t i = 0; i < a->resources.n; i++) {
        const struct resource_row *r = &a->resources.v[i];
        int64_t total[5] = {0}; /* by grid */
        uint64_t calls[5] = {0};
        uint32_t different = 0;
        struct span p;
        for (size_t k = 0; k < t->kernels.n; k++) {
            if (!kernel_seen(a, k, &p) || strcmp(name_of(t, k), r->name))
                continue;
            uint32_t grid = t->launches.v[t->kernels.launch[k]].grid[0] / 256;
            total[grid] += p.end - p.start;
            different += !calls[grid]++;
        }
        uint32_t grid = t->launches.v[r->launch].grid[0] / 256;
        assert_int_equal(r->configurations, different);
        assert_int_equal(r->total_ns, total[grid]);
        assert_int_equal(r->calls, calls[grid]);
        for (int k = 0; k < 5; k++)
            assert_true(total[k] <= r->total_ns);
    }
}

static void check_breakdown(const struct analysis *a)
{
    const struct breakdown *b = &a->breakdown;
    const struct regions *r = &a->trace->regions;
    int64_t sum = 0, gaps = 0, idle = 0, blocked = 0;
    for (enum cause c = 0; c < CAUSES; c++)
        sum += a->ledger.ns[c];
    assert_int_equal(sum, b->gpu_time_ns);
    assert_int_equal(b->busy_ns + b->idle_ns, b->gpu_time_ns);
    for (size_t i = 0; i < a->gaps.n; i++)
        gaps += a->gaps.v[i].total_ns;
    for (size_t g = 0; g < a->ledger.n_gpus; g++)
        if (a->ledger.gpus[g].busy_ns)
            idle +=
                a->ledger.gpus[g].last_ns - a->ledger.gpus[g].first_ns - a->ledger.gpus[g].busy_ns;
    assert_int_equal(gaps, idle);
    for (int64_t t = a->view.start_ns; t < a->view.end_ns; t += 1) { /* union by looking */
        bool waiting = false;
        int64_t next = a->view.end_ns; /* nothing changes before */
        for (size_t i = 0; i < r->n; i++) {
            const char *name = trace_str(a->trace, r->name[i]);
            if (strcmp(name, "hipDeviceSynchronize") && strcmp(name, "hipMemcpy"))
                continue;
            waiting |= r->start_ns[i] <= t && r->end_ns[i] > t;
            if (r->start_ns[i] > t && r->start_ns[i] < next)
                next = r->start_ns[i];
            if (r->end_ns[i] > t && r->end_ns[i] < next)
                next = r->end_ns[i];
        }
        blocked += waiting ? next - t : 0;
        t = next - 1;
    }
    assert_int_equal(b->sync_blocked_ns, blocked);
}

static void all_agree_with_counting_and_sorting(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        struct made m;
        struct analysis a;
        struct made_random r = {seed * 0x9e3779b97f4a7c15u};
        make_random(&m, &r);
        int64_t from = made_random(&r, 3) ? 0 : made_random(&r, 200000);
        struct analysis_opts o = made_options(from, from + 1 + made_random(&r, 400000));
        o.view.has_window = made_random(&r, 4);
        o.by_gpu = made_random(&r, 3) == 0;
        o.by_process = made_random(&r, 3) == 0;
        o.by_stream = made_random(&r, 3) == 0;
        o.min_duration_ns = made_random(&r, 2) ? 0 : made_random(&r, 3000);
        made_analyze(&m, &a, &o);
        check_hotspots(&a);
        check_categories(&a);
        check_short(&a);
        check_launches(&a);
        check_after_sync(&a);
        check_warmup(&a);
        check_resources(&a);
        check_breakdown(&a);
        made_release(&m);
    }
}

static void assert_same_cell(const struct field *f, const char *x, const char *y)
{
    if (f->type == FIELD_TEXT) {
        const char *a, *b;
        memcpy(&a, x + f->offset, sizeof(a));
        memcpy(&b, y + f->offset, sizeof(b));
        assert_true(a && b ? !strcmp(a, b) : a == b);
        return;
    }
    assert_memory_equal(x + f->offset, y + f->offset, made_field_size(f->type));
}

static void assert_same(const struct analysis *x, const struct analysis *y, struct arena *arena)
{
    struct results left = {0}, right = {0};
    analysis_results(x, &left, arena);
    analysis_results(y, &right, arena);
    assert_int_equal(left.n, right.n);
    for (size_t i = 0; i < left.n; i++) {
        const struct fields *f = left.v[i].fields;
        assert_int_equal(left.v[i].n, right.v[i].n);
        for (size_t row = 0; row < left.v[i].n; row++)
            for (size_t k = 0; k < f->n; k++)
                assert_same_cell(&f->v[k], (const char *)left.v[i].rows + row * f->row_size,
                                 (const char *)right.v[i].rows + row * f->row_size);
    }
}

static void threads_do_not_change_a_result(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct made m;
        struct analysis one, many;
        struct made_random r = {seed * 0x9e3779b97f4a7c15u};
        make_random(&m, &r);
        struct analysis_opts o = made_options(0, 0);
        o.view.has_window = false;
        o.by_stream = seed % 2;
        made_analyze(&m, &one, &o);
        o.view.threads = 5;
        made_analyze(&m, &many, &o);
        assert_same(&one, &many, &m.arena);
        made_release(&m);
    }
}

/* ---- slices ---- */

/* A list of a slice against one of the window: the same rows in the same order. */
static void assert_same_rows(const uint32_t *x, size_t n, const uint32_t *y, size_t m)
{
    assert_int_equal(n, m);
    assert_memory_equal(x, y, n * sizeof(*x));
}

static void assert_same_view(const struct view *slice, const struct view *window)
{
    assert_int_equal(slice->n_kernels, window->n_kernels);
    assert_int_equal(slice->n_copies, window->n_copies);
    for (size_t g = 0; g < window->n_gpus; g++) {
        const struct view_gpu *x = &slice->gpus[g], *y = &window->gpus[g];
        assert_same_rows(x->kernels, x->n_kernels, y->kernels, y->n_kernels);
        assert_same_rows(x->copies, x->n_copies, y->copies, y->n_copies);
    }
    for (size_t t = 0; t < window->n_threads; t++) {
        struct view_calls x = view_calls(slice, t), y = view_calls(window, t);
        uint32_t call, same;
        while (view_next_call(&y, &call)) {
            assert_true(view_next_call(&x, &same));
            assert_int_equal(call, same);
        }
        assert_false(view_next_call(&x, &same));
    }
}

/* Many rows, of which few last: what began thousands of rows before may still run. */
static void make_long_ones(struct made *m, struct made_random *r)
{
    made_init(m);
    uint32_t stream[2] = {made_stream(m, made_gpu(m), 1), made_stream(m, made_gpu(m), 2)};
    uint32_t main = made_symbol(m, "main"), k = made_symbol(m, "k");
    made_call_on(m, 0, REGION_HIP, "main", 1, US(10000));
    for (int i = 0; i < 9000; i++) {
        int64_t start = US(4 * i) + made_random(r, 3000);
        int64_t length = made_random(r, 500) ? made_random(r, 3000) + 1 : US(made_random(r, 30000));
        uint32_t on = stream[made_random(r, 2)];
        if (made_random(r, 4))
            made_kernel_of(m, length > US(3) ? main : k, on, start, start + length, NO_INDEX);
        else
            made_copy(m, COPY_H2D, on, start, start + length, NO_INDEX);
        int64_t call = US(4 * i);
        made_call_on(m, 0, REGION_HIP, "f", call, call + made_random(r, 4000) + 1);
    }
}

static void slices_hold_what_windows_hold(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        struct made m;
        struct made_random r = {seed * 0x9e3779b97f4a7c15u};
        struct view whole, prepared, window, slice;
        struct view_opts all = {.gpu = -1, .process = -1, .threads = 1};
        make_long_ones(&m, &r);
        view_make(&whole, &m.t, &all, &m.arena);
        view_to_slice(&prepared, &whole, &m.arena);
        for (int i = 0; i < 20; i++) {
            int64_t from = made_random(&r, whole.end_ns), to = from + 1 + made_random(&r, US(5000));
            to = i % 5 == 0 || to > whole.end_ns ? whole.end_ns : to;
            struct view_opts part = all;
            part.has_window = true;
            part.start_ns = from;
            part.end_ns = to;
            view_make(&window, &m.t, &part, &m.arena);
            view_slice(&slice, i % 2 ? &prepared : &whole, from, to, &m.arena);
            assert_same_view(&slice, &window);
        }
        made_release(&m);
    }
}

/* ---- data quality ---- */

/* Kernels in any order on queues of two GPUs, or of both; each begins at a moment of its own. */
static void make_queued(struct made *m, struct made_random *r, bool shared)
{
    enum { QUEUES = 4, KERNELS = 120 };
    uint32_t stream[2];
    int64_t start[KERNELS];
    made_init(m);
    for (size_t g = 0; g < 2; g++)
        stream[g] = made_stream(m, made_gpu(m), (int64_t)g);
    for (size_t q = 0; q < QUEUES; q++)
        vec_push(&m->t.queues, &m->t.arena, ((struct queue){.id = (int64_t)q}));
    for (int i = 0; i < KERNELS; i++)
        start[i] = US(i);
    for (size_t i = KERNELS; i-- > 1;) {
        size_t j = (size_t)made_random(r, (int64_t)i + 1);
        int64_t swap = start[i];
        start[i] = start[j];
        start[j] = swap;
    }
    for (int i = 0; i < KERNELS; i++) {
        uint32_t queue = (uint32_t)made_random(r, QUEUES + 1);
        size_t gpu = shared ? (size_t)made_random(r, 2) : queue % 2;
        int64_t length = i % 6 ? made_random(r, US(8)) : 0;
        uint32_t row = made_kernel(m, "k", stream[gpu], start[i], start[i] + length, NO_INDEX);
        m->t.kernels.queue[row] = queue < QUEUES ? queue : NO_INDEX;
    }
}

static uint64_t overlaps_by_looking_at_pairs(const struct kernels *k)
{
    uint64_t n = 0;
    for (size_t i = 0; i < k->n; i++) {
        bool overlaps = false;
        for (size_t j = 0; j < k->n && k->queue[i] != NO_INDEX; j++)
            overlaps |= k->queue[j] == k->queue[i] && k->start_ns[j] < k->start_ns[i] &&
                        k->end_ns[j] > k->start_ns[i];
        n += overlaps && k->end_ns[i] > k->start_ns[i];
    }
    return n;
}

static void overlaps_are_counted_in_any_order(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        struct made m;
        struct made_random r = {seed * 0x9e3779b97f4a7c15u};
        make_queued(&m, &r, seed % 3 == 0);
        struct view whole, part;
        struct view_opts o = {.gpu = -1, .process = -1, .threads = 1};
        view_make(&whole, &m.t, &o, &m.arena);
        o.gpu = 10;
        view_make(&part, &m.t, &o, &m.arena);
        assert_true(part.n_kernels < whole.n_kernels);
        const struct view *views[] = {NULL, &whole, &part};
        uint64_t expected = overlaps_by_looking_at_pairs(&m.t.kernels);
        assert_true(expected > 0);
        for (size_t i = 0; i < ARRAY_LEN(views); i++) {
            struct quality_counts c;
            quality_count(&c, &m.t, views[i], 1);
            assert_int_equal(c.overlaps, expected);
        }
        made_release(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        unit_test(slices_hold_what_windows_hold),  unit_test(percentiles_are_by_nearest_rank),
        unit_test(percentiles_agree_with_sorting), unit_test(all_agree_with_counting_and_sorting),
        unit_test(threads_do_not_change_a_result), unit_test(overlaps_are_counted_in_any_order),
    };
    return unit_run(tests);
}
