#include "unit.h"

#include <math.h>
#include <string.h>

#include "analyze/concurrency.h"
#include "made_trace.h"

/* ---- by hand ---- */

static void breakdown_adds_up_the_ledger(void **state)
{
    (void)state;
    struct made m;
    struct analysis a;
    made_init(&m);
    uint32_t s = made_stream(&m, made_gpu(&m), 1), s2 = made_stream(&m, made_gpu(&m), 1);
    uint32_t other = made_thread(&m.t, 0, 2);
    /*
     * us. GPU 0: kernels 10..40 and 30..50 (sum 50, union 40), H2D 45..60. GPU 1: 70..90. Window
     * 0..100, so 200 to distribute: busy 50 + 20, idle 130, exposed copy 10. Waits: 20..50 on one
     * thread, 40..60 on another and hipMemcpy 95..120 cut at 100: union 40 + 5.
     */
    made_kernel(&m, "a", s, US(10), US(40), NO_INDEX);
    made_kernel(&m, "a", s, US(30), US(50), NO_INDEX);
    made_copy(&m, COPY_H2D, s, US(45), US(60), NO_INDEX);
    made_kernel(&m, "a", s2, US(70), US(90), NO_INDEX);
    made_call(&m, "hipDeviceSynchronize", US(20), US(50));
    made_call_on(&m, 0, REGION_HSA, "hsa_signal_wait_scacquire", US(21), US(49)); /* inside */
    made_call_on(&m, other, REGION_HIP, "hipStreamSynchronize", US(40), US(60));
    made_call(&m, "hipMemcpy", US(95), US(120));
    made_call(&m, "hipMemcpyAsync", US(60), US(80)); /* does not wait */
    struct analysis_opts o = made_options(0, US(100));
    made_analyze(&m, &a, &o);
    const struct breakdown *b = &a.breakdown;
    assert_int_equal(b->window_ns, US(100));
    assert_int_equal(b->gpu_count, 2);
    assert_int_equal(b->gpu_time_ns, US(200));
    assert_int_equal(b->gpu_span_ns, US(80));
    assert_int_equal(b->busy_ns, US(70));
    assert_int_equal(b->kernel_ns, US(60));
    assert_int_equal(b->kernel_sum_ns, US(70));
    assert_int_equal(b->copy_ns, US(15));
    assert_int_equal(b->exposed_copy_ns, US(10));
    assert_int_equal(b->exposed_comm_ns, 0);
    assert_int_equal(b->idle_ns, US(130));
    assert_near(b->busy_pct, 35);
    assert_near(b->kernel_pct, 30);
    assert_near(b->idle_pct, 65);
    assert_near(b->concurrency, 70.0 / 60.0);
    assert_int_equal(b->sync_blocked_ns, US(45));
    assert_near(b->sync_blocked_pct, 45);
    made_release(&m);
}

static void hotspots_group_by_name_and_describe_durations(void **state)
{
    (void)state;
    struct made m;
    struct analysis a;
    made_init(&m);
    uint32_t s = made_stream(&m, made_gpu(&m), 1), s2 = made_stream(&m, made_gpu(&m), 2);
    /*
     * "gemm" under two symbols: 2, 4, 4, 4, 5, 5, 7, 9 us: mean 5, population deviation 2, median
     * (place 4) 4, p95 (place 8) 9. "add": 6 us, cut to 5 at the window's end. "zap": 5, so that it
     * draws with "add" and stands behind it by name. "nop" takes no time.
     */
    static const int durations[] = {9, 4, 4, 7, 5, 2, 5, 4};
    uint32_t one = made_symbol(&m, "gemm"), two = made_symbol(&m, "gemm");
    for (int i = 0; i < 8; i++)
        made_kernel_of(&m, i % 2 ? one : two, i % 3 ? s : s2, US(10 * i), US(10 * i + durations[i]),
                       NO_INDEX);
    made_kernel(&m, "zap", s, US(80), US(85), NO_INDEX);
    made_kernel(&m, "add", s, US(95), US(101), NO_INDEX);
    made_kernel(&m, "nop", s, US(90), US(90), NO_INDEX);
    struct analysis_opts o = made_options(0, US(100));
    made_analyze(&m, &a, &o);
    assert_int_equal(a.hotspots.n, 4);
    const struct hotspot *h = a.hotspots.v;
    assert_string_equal(h[0].name, "gemm");
    assert_int_equal(h[0].category, ROLE_GEMM);
    assert_int_equal(h[0].rank, 1);
    assert_int_equal(h[0].calls, 8);
    assert_int_equal(h[0].total_duration_ns, US(40));
    assert_near(h[0].avg_duration_ns, 5000);
    assert_int_equal(h[0].median_ns, US(4));
    assert_int_equal(h[0].p95_ns, US(9));
    assert_int_equal(h[0].min_duration_ns, US(2));
    assert_int_equal(h[0].max_duration_ns, US(9));
    assert_near(h[0].std_dev_ns, 2000);
    assert_near(h[0].cv, 0.4);
    assert_near(h[0].pct_of_total, 80);
    assert_near(h[0].pct_of_wall, 20);
    assert_int_equal(h[0].slowest, 0);
    assert_true(h[0].gpu == -1 && h[0].pid == -1 && h[0].stream == -1);
    assert_string_equal(h[1].name, "add");
    assert_int_equal(h[1].total_duration_ns, US(5));
    assert_string_equal(h[2].name, "zap");
    assert_near(h[2].std_dev_ns, 0);
    assert_string_equal(h[3].name, "nop");
    assert_int_equal(h[3].rank, 4);
    assert_true(isnan(h[3].cv));

    o.min_duration_ns = US(5); /* leaves 9, 7, 5, 5 of gemm; shares stay of everything */
    made_analyze(&m, &a, &o);
    assert_int_equal(a.hotspots.n, 3);
    assert_int_equal(a.hotspots.v[0].calls, 4);
    assert_near(a.hotspots.v[0].pct_of_total, 52);
    assert_int_equal(a.short_kernels.total_kernels, 11);
    made_release(&m);
}

static void hotspots_are_split_on_demand(void **state)
{
    (void)state;
    struct made m;
    struct analysis a;
    made_init(&m);
    vec_push(&m.t.processes, &m.t.arena, ((struct process){.pid = 200, .rank = -1}));
    uint32_t g = made_gpu(&m), g2 = made_gpu(&m);
    uint32_t s1 = made_stream(&m, g, 7), s2 = made_stream(&m, g, 8), s3 = made_stream(&m, g2, 7);
    uint32_t s4 = trace_stream(&m.t, 1, g2, 7, 0);
    made_kernel(&m, "a", s1, 0, 1, NO_INDEX);
    made_kernel(&m, "a", s2, 10, 13, NO_INDEX);
    made_kernel(&m, "a", s3, 20, 30, NO_INDEX);
    made_kernel(&m, "a", s4, 40, 60, NO_INDEX);
    struct analysis_opts o = made_options(0, 100);
    o.by_gpu = true;
    made_analyze(&m, &a, &o);
    assert_int_equal(a.hotspots.n, 2);
    assert_int_equal(a.hotspots.v[0].gpu, 11);
    assert_int_equal(a.hotspots.v[0].total_duration_ns, 30);
    assert_int_equal(a.hotspots.v[1].gpu, 10);
    assert_int_equal(a.hotspots.v[1].total_duration_ns, 4);
    assert_true(a.hotspots.v[1].pid == -1 && a.hotspots.v[1].stream == -1);
    o.by_process = true;
    made_analyze(&m, &a, &o);
    assert_int_equal(a.hotspots.n, 3);
    assert_true(a.hotspots.v[0].pid == 200 && a.hotspots.v[0].total_duration_ns == 20);
    assert_true(a.hotspots.v[1].pid == 100 && a.hotspots.v[1].total_duration_ns == 10);
    o.by_gpu = false;
    made_analyze(&m, &a, &o);
    assert_int_equal(a.hotspots.n, 2);
    assert_true(a.hotspots.v[1].pid == 100 && a.hotspots.v[1].total_duration_ns == 14);
    assert_int_equal(a.hotspots.v[1].gpu, -1);
    o.by_process = false;
    o.by_stream = true;
    made_analyze(&m, &a, &o);
    assert_int_equal(a.hotspots.n, 4);
    assert_true(a.hotspots.v[2].stream == 8 && a.hotspots.v[2].pid == 100 &&
                a.hotspots.v[2].gpu == 10);
    assert_int_equal(a.resources.n, 0); /* no launch configuration is known */
    made_release(&m);
}

static void kernels_of_centuries_have_a_deviation(void **state)
{
    (void)state;
    struct made m;
    struct analysis a;
    made_init(&m);
    uint32_t s = made_stream(&m, made_gpu(&m), 1);
    int64_t long_time = INT64_C(1) << 61;
    for (int i = 0; i < 8; i++) /* sums to 2^64 - 16000: more than 64 bits hold */
        made_kernel(&m, "a", s, i % 2 ? 4000 : 0, long_time, NO_INDEX);
    struct analysis_opts o = made_options(0, long_time);
    made_analyze(&m, &a, &o);
    const struct hotspot *h = a.hotspots.v;
    assert_true(h->total_duration_ns == QUANTITY_MOST);
    assert_near(h->avg_duration_ns, 0x1p61 - 2000);
    assert_near(h->std_dev_ns / 2000, 1);
    assert_true(h->median_ns == long_time - 4000 && h->p95_ns == long_time);
    made_release(&m);
}

static void categories_sum_kernels_by_role(void **state)
{
    (void)state;
    struct made m;
    struct analysis a;
    made_init(&m);
    uint32_t s = made_stream(&m, made_gpu(&m), 1), s2 = made_stream(&m, made_gpu(&m), 1);
    made_kernel(&m, "gemm", s, 0, 30, NO_INDEX);
    made_kernel(&m, "Cijk_Ailk_Bljk_SB", s2, 0, 25, NO_INDEX);
    made_kernel(&m, "softmax_forward", s, 40, 80, NO_INDEX);
    made_kernel(&m, "mystery", s2, 50, 55, NO_INDEX);
    struct analysis_opts o = made_options(0, 100);
    made_analyze(&m, &a, &o);
    assert_int_equal(a.categories.n, 3);
    const struct category_row *c = a.categories.v;
    assert_int_equal(c[0].category, ROLE_GEMM);
    assert_int_equal(c[0].count, 2);
    assert_int_equal(c[0].total_ns, 55);
    assert_int_equal(c[0].avg_duration_ns, 27); /* 27.5 rounded down */
    assert_near(c[0].pct_of_kernel_time, 55);
    assert_near(c[0].pct_of_total_time, 34.375);
    assert_int_equal(c[1].category, ROLE_SOFTMAX);
    assert_string_equal(c[1].group, "Reduction");
    assert_int_equal(c[2].category, ROLE_OTHER);
    made_release(&m);
}

static void short_kernels_are_counted_with_the_gaps_before_them(void **state)
{
    (void)state;
    struct made m;
    struct analysis a;
    made_init(&m);
    uint32_t s = made_stream(&m, made_gpu(&m), 1), s2 = made_stream(&m, made_gpu(&m), 1);
    /*
     * us. GPU 0: 0..20 long; 25..30 short, gap 5; a copy 31..40; 42..44 short, gap 2; 43..50 short,
     * gap none; 99.5..99.6 short, gap 49.5; 160..161 short, but 60.4 is no launch gap. GPU
     * 1: 10..15 short, the first has no gap; 16..26 is not below 10 us, its gap is not counted.
     */
    made_kernel(&m, "long", s, 0, US(20), NO_INDEX);
    made_kernel(&m, "tiny", s, US(25), US(30), NO_INDEX);
    made_copy(&m, COPY_H2D, s, US(31), US(40), NO_INDEX);
    made_kernel(&m, "tiny", s, US(42), US(44), NO_INDEX);
    made_kernel(&m, "wee", s, US(43), US(50), NO_INDEX);
    made_kernel(&m, "tiny", s, 99500, 99600, NO_INDEX);
    made_kernel(&m, "tiny", s, US(160), US(161), NO_INDEX);
    made_kernel(&m, "wee", s2, US(10), US(15), NO_INDEX);
    made_kernel(&m, "long", s2, US(16), US(26), NO_INDEX);
    struct analysis_opts o = made_options(0, US(200));
    made_analyze(&m, &a, &o);
    const struct short_kernels *k = &a.short_kernels;
    assert_near(k->threshold_us, 10);
    assert_int_equal(k->total_kernels, 8);
    assert_int_equal(k->short_kernel_count, 6);
    assert_near(k->short_kernel_pct, 75);
    assert_int_equal(k->short_ns, 5000 + 2000 + 7000 + 100 + 1000 + 5000);
    assert_near(k->short_pct_of_kernel_time, 100.0 * 20100 / 50100);
    assert_int_equal(k->gap_ns, 5000 + 2000 + 49500);
    static const int counts[] = {1, 2, 3, 2, 0, 0, 0, 0};
    assert_int_equal(a.short_histogram.n, 8);
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(a.short_histogram.v[i].count, counts[i]);
    assert_string_equal(a.short_histogram.v[0].bucket_label, "0-1us");
    assert_string_equal(a.short_histogram.v[7].bucket_label, ">=10ms");
    assert_int_equal(a.short_offenders.n, 2);
    assert_string_equal(a.short_offenders.v[0].name, "wee");
    assert_int_equal(a.short_offenders.v[0].total_ns, US(12));
    assert_near(a.short_offenders.v[0].avg_us, 6);
    assert_int_equal(a.short_offenders.v[1].count, 4);
    made_release(&m);
}

static void launches_are_measured_from_call_to_kernel(void **state)
{
    (void)state;
    struct made m;
    struct analysis a;
    made_init(&m);
    uint32_t g = made_gpu(&m), s = made_stream(&m, g, 1), s2 = made_stream(&m, g, 2);
    /*
     * us. K1 20..50, call 10..14: nothing before, latency 10, queue 0. K2 52..60, call 15..17:
     * behind K1, which ends at 50: latency 2, queue 35. K3 on another stream 30..35, call 18..19:
     * latency 12, queue 0. A copy 61..70, then K4 75..80, call 72..76: latency 3, queue 0 (the copy
     * ended before the call). K5 78..90, call 77..79, overlaps K4: latency 0, queue 1. K6 has no
     * call. Sorted latencies 0 2 3 10 12: median 3, p95 12, mean 5.4. Queues 0 0 0 1 35.
     */
    made_kernel(&m, "a", s, US(20), US(50), made_launch(&m, US(10), US(14)));
    made_kernel(&m, "a", s, US(52), US(60), made_launch(&m, US(15), US(17)));
    made_kernel(&m, "a", s2, US(30), US(35), made_launch(&m, US(18), US(19)));
    made_copy(&m, COPY_H2D, s, US(61), US(70), NO_INDEX);
    made_kernel(&m, "a", s, US(75), US(80), made_launch(&m, US(72), US(76)));
    made_kernel(&m, "a", s, US(78), US(90), made_launch(&m, US(77), US(79)));
    made_kernel(&m, "a", s, US(95), US(99), NO_INDEX);
    struct analysis_opts o = made_options(0, US(100));
    made_analyze(&m, &a, &o);
    const struct launch_stats *l = &a.launches;
    assert_int_equal(l->linked, 5);
    assert_int_equal(l->kernels, 6);
    assert_near(l->mean_latency_ns, 5400);
    assert_int_equal(l->median_latency_ns, US(3));
    assert_int_equal(l->p95_latency_ns, US(12));
    assert_int_equal(l->max_latency_ns, US(12));
    assert_near(l->mean_queue_ns, 7200);
    assert_int_equal(l->median_queue_ns, 0);
    assert_int_equal(l->max_queue_ns, US(35));
    assert_near(l->mean_call_ns, (4 + 2 + 1 + 4 + 2) * 1000 / 5.0);
    assert_near(l->launches_per_s, 60000);
    assert_int_equal(l->after_sync, 0);
    made_release(&m);
}

static void kernels_at_once_are_counted(void **state)
{
    (void)state;
    struct made m;
    struct analysis a;
    made_init(&m);
    uint32_t g = made_gpu(&m), h = made_gpu(&m), s[3];
    for (int i = 0; i < 3; i++)
        s[i] = made_stream(&m, g, i + 1);
    /*
     * us. 10..40, 20..50 and 30..40 overlap: one 10..20, two 20..30, three 30..40, one 40..50. One
     * that begins as another ends is not beside it: 60..70, 70..80. 95..110 is cut by the window.
     * On the other GPU one runs alone, 0..5.
     */
    made_kernel(&m, "a", s[0], US(10), US(40), NO_INDEX);
    made_kernel(&m, "b", s[1], US(20), US(50), NO_INDEX);
    made_kernel(&m, "c", s[2], US(30), US(40), NO_INDEX);
    made_kernel(&m, "a", s[0], US(60), US(70), NO_INDEX);
    made_kernel(&m, "b", s[1], US(70), US(80), NO_INDEX);
    made_kernel(&m, "c", s[2], US(95), US(110), NO_INDEX);
    made_kernel(&m, "a", made_stream(&m, h, 9), US(0), US(5), NO_INDEX);
    struct analysis_opts o = made_options(0, US(100));
    made_analyze(&m, &a, &o);
    const struct concurrency *c = concurrency_of(&a);
    const int64_t ns[] = {US(45), US(10), US(10), US(5)};
    assert_int_equal(c->levels.n, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(c->levels.v[i].gpu, i < 3 ? 10 : 11);
        assert_int_equal(c->levels.v[i].at_once, i < 3 ? i + 1 : 1);
        assert_int_equal(c->levels.v[i].total_ns, ns[i]);
    }
    assert_near(c->levels.v[0].pct_of_kernel_union, 100 * 45 / 65.0);
    assert_int_equal(c->stats.most, 3);
    assert_int_equal(c->stats.start_ns, US(30));
    assert_int_equal(c->stats.alone_ns, US(50));
    assert_near(c->stats.alone_pct, 100 * 50 / 70.0);
    made_release(&m);
}

static void many_kernels_at_once_are_the_last_level(void **state)
{
    (void)state;
    struct made m;
    struct analysis a;
    made_init(&m);
    uint32_t g = made_gpu(&m);
    for (int i = 0; i < 20; i++) /* 20 begin one after the other, all end at 100 us */
        made_kernel(&m, "a", made_stream(&m, g, i), US(i), US(100), NO_INDEX);
    struct analysis_opts o = made_options(0, US(100));
    made_analyze(&m, &a, &o);
    const struct concurrency *c = concurrency_of(&a);
    assert_int_equal(c->levels.n, CONCURRENCY_LEVELS);
    assert_int_equal(c->levels.v[6].total_ns, US(1));
    assert_int_equal(c->levels.v[7].total_ns, US(93));
    assert_int_equal(c->stats.most, 20);
    assert_int_equal(c->stats.start_ns, US(19));
    made_release(&m);
}

static void launches_behind_a_wait_are_counted(void **state)
{
    (void)state;
    struct made m;
    struct analysis a;
    made_init(&m);
    uint32_t other = made_thread(&m.t, 0, 2);
    /* launch; wait; launch*, launch*, launch; copy; (malloc, push, pop) launch*; other: launch. */
    static const char *const calls[] = {"hipLaunchKernel",
                                        "hipDeviceSynchronize",
                                        "hipLaunchKernel",
                                        "hipLaunchKernel",
                                        "hipLaunchKernel",
                                        "hipMemcpy",
                                        "hipMalloc",
                                        "__hipPushCallConfiguration",
                                        "__hipPopCallConfiguration",
                                        "hipModuleLaunchKernel"};
    for (size_t i = 0; i < ARRAY_LEN(calls); i++)
        made_call(&m, calls[i], (int64_t)i * 10, (int64_t)i * 10 + 5);
    made_call_on(&m, other, REGION_HIP, "hipLaunchKernel", 60, 65);
    struct analysis_opts o = made_options(0, 200);
    made_analyze(&m, &a, &o);
    assert_int_equal(a.launches.after_sync, 3);
    assert_near(a.launches.after_sync_pct, 50); /* of 6 launches */
    assert_true(isnan(a.launches.mean_latency_ns));
    made_release(&m);
}

static void a_slow_first_dispatch_is_warm_up(void **state)
{
    (void)state;
    struct made m;
    struct analysis a;
    made_init(&m);
    uint32_t s = made_stream(&m, made_gpu(&m), 1), s2 = made_stream(&m, made_gpu(&m), 1);
    /*
     * us. "slow": first 100 (on the second GPU, and not the first row), others 20, 30, 21, 40:
     * median (place 2 of 4) 21, excess 79. "twice": 40 then 20, 20: ratio 2 is not above 2.
     * "little": 12 then 2, 2: excess 10 is not above 10. "two": 100, 1 has too few calls. "worse":
     * 300, 100, 100.
     */
    made_kernel(&m, "slow", s, US(200), US(220), NO_INDEX);
    made_kernel(&m, "slow", s, US(300), US(330), NO_INDEX);
    uint32_t first = made_kernel(&m, "slow", s2, US(10), US(110), NO_INDEX);
    made_kernel(&m, "slow", s, US(400), US(421), NO_INDEX);
    made_kernel(&m, "slow", s, US(500), US(540), NO_INDEX);
    static const struct {
        const char *name;
        int first, others, n;
    } rest[] = {
        {"twice", 40, 20, 2}, {"little", 12, 2, 2}, {"two", 100, 1, 1}, {"worse", 300, 100, 2}};
    for (size_t i = 0; i < 4; i++)
        for (int k = 0; k <= rest[i].n; k++)
            made_kernel(&m, rest[i].name, s, US(1000 * k),
                        US(1000 * k + (k ? rest[i].others : rest[i].first)), NO_INDEX);
    struct analysis_opts o = made_options(0, US(5000));
    made_analyze(&m, &a, &o);
    assert_int_equal(a.warmup.n, 2);
    assert_string_equal(a.warmup.v[0].kernel_name, "worse");
    assert_int_equal(a.warmup.v[0].excess_ns, US(200));
    assert_near(a.warmup.v[0].ratio, 3);
    assert_string_equal(a.warmup.v[1].kernel_name, "slow");
    assert_int_equal(a.warmup.v[1].first_duration_ns, US(100));
    assert_int_equal(a.warmup.v[1].median_ns, US(21));
    assert_int_equal(a.warmup.v[1].kernel, first);
    made_release(&m);
}

/* Two grids in turn: the large one comes first and is slower, as it always is. */
static void warmup_compares_calls_of_one_shape(void **state)
{
    (void)state;
    struct made m;
    struct analysis a;
    made_init(&m);
    uint32_t s = made_stream(&m, made_gpu(&m), 1);
    for (uint32_t i = 0; i < 2; i++)
        vec_push(&m.t.launches, &m.t.arena,
                 ((struct launch){.grid = {256u << (10 * !i), 1, 1}, .group = {256, 1, 1}}));
    for (int i = 0; i < 20; i++) {
        uint32_t k =
            made_kernel(&m, "both", s, US(500 * i), US(500 * i + (i % 2 ? 20 : 200)), NO_INDEX);
        m.t.kernels.launch[k] = (uint32_t)i % 2;
    }
    struct analysis_opts o = made_options(0, US(20000));
    made_analyze(&m, &a, &o);
    assert_int_equal(a.warmup.n, 0);
    m.t.kernels.end_ns[0] = US(480); /* and now against its like */
    made_analyze(&m, &a, &o);
    assert_int_equal(a.warmup.n, 1);
    assert_int_equal(a.warmup.v[0].median_ns, US(200));
    assert_int_equal(a.warmup.v[0].excess_ns, US(280));
    made_release(&m);
}

static void resources_show_the_costliest_configuration(void **state)
{
    (void)state;
    struct made m;
    struct analysis a;
    made_init(&m);
    uint32_t g = made_gpu(&m), s = made_stream(&m, g, 1);
    m.t.gpus.v[g].cu_count = 300; /* the trace knows better than the table's 304 */
    m.t.gpus.v[g].wave_size = 64;
    uint32_t symbol = made_symbol(&m, "k");
    m.t.symbols.v[symbol].vgprs = 128;
    m.t.symbols.v[symbol].sgprs = 32;
    /* 0: small; 1: large; 2: the same sizes as 1 in a graph, so the same configuration. */
    struct launch small = {.grid = {256, 1, 1}, .group = {256, 1, 1}};
    struct launch large = {.grid = {1000000, 2, 1}, .group = {256, 1, 1}, .lds_bytes = 1024};
    struct launch graph = large;
    graph.graph = 7;
    vec_push(&m.t.launches, &m.t.arena, small);
    vec_push(&m.t.launches, &m.t.arena, large);
    vec_push(&m.t.launches, &m.t.arena, graph);
    static const int durations[] = {50, 30, 30};
    for (uint32_t i = 0; i < 3; i++) {
        made_kernel_of(&m, symbol, s, US(100 * (int)i), US(100 * (int)i + durations[i]), NO_INDEX);
        m.t.kernels.launch[i] = i;
    }
    uint32_t bare = made_kernel(&m, "bare", s, US(400), US(410), NO_INDEX);
    m.t.kernels.launch[bare] = 0; /* its registers are not known: no occupancy */
    struct analysis_opts o = made_options(0, US(500));
    made_analyze(&m, &a, &o);
    assert_int_equal(a.resources.n, 2);
    const struct resource_row *r = a.resources.v;
    assert_string_equal(r->name, "k");
    assert_string_equal(r->block, "256x1x1");
    assert_string_equal(r->grid, "1000000x2x1");
    assert_int_equal(r->calls, 2);
    assert_int_equal(r->total_ns, US(60));
    assert_int_equal(r->configurations, 2);
    assert_int_equal(r->workgroups, 3907 * 2); /* 1000000 / 256 = 3906.25, twice */
    assert_int_equal(r->cu_count, 300);
    /* 128 VGPRs: 4 of 8 waves a SIMD, 16 of 32 a CU, 4 groups of 4 waves: 1200 on the device. */
    assert_near(r->occupancy_pct, 50);
    assert_int_equal(r->waves_per_cu, 16);
    assert_int_equal(r->max_waves_per_cu, 32);
    assert_string_equal(r->limiter, occupancy_limit_label(LIMIT_REGISTERS));
    assert_near(r->rounds, 7814.0 / 1200);
    assert_near(r->tail_efficiency_pct, 100.0 * 7814 / (7 * 1200));
    assert_string_equal(r[1].name, "bare");
    assert_true(isnan(r[1].occupancy_pct) && isnan(r[1].rounds) && !r[1].limiter);
    made_release(&m);
}

static void gaps_of_all_gpus_come_together(void **state)
{
    (void)state;
    struct made m;
    struct analysis a;
    made_init(&m);
    uint32_t s = made_stream(&m, made_gpu(&m), 1), s2 = made_stream(&m, made_gpu(&m), 1);
    /* us. GPU 0: gaps 5, and 25 before a copy. GPU 1: a gap of 150, the host's. */
    uint32_t call = made_launch(&m, US(200), US(205));
    made_kernel(&m, "a", s, 0, US(10), NO_INDEX);
    made_kernel(&m, "a", s, US(15), US(20), NO_INDEX);
    made_copy(&m, COPY_H2D, s, US(45), US(50), NO_INDEX);
    made_kernel(&m, "a", s2, US(10), US(60), NO_INDEX);
    made_kernel(&m, "b", s2, US(210), US(220), call);
    struct analysis_opts o = made_options(0, US(300));
    made_analyze(&m, &a, &o);
    assert_int_equal(a.gaps.n, GAP_BUCKETS);
    assert_int_equal(a.gaps.v[0].count, 1);
    assert_int_equal(a.gaps.v[0].total_ns, US(5));
    assert_string_equal(a.gaps.v[0].main_cause, cause_info(CAUSE_UNKNOWN)->label);
    assert_int_equal(a.gaps.v[1].count, 1);
    assert_int_equal(a.gaps.v[2].total_ns, US(150));
    assert_string_equal(a.gaps.v[2].main_cause, cause_info(CAUSE_HOST)->label);
    assert_int_equal(a.gaps.v[3].count, 0);
    assert_null(a.gaps.v[3].main_cause);
    assert_int_equal(a.long_gaps.n, 3);
    assert_int_equal(a.long_gaps.v[0].gpu, 11);
    assert_int_equal(a.long_gaps.v[0].duration_ns, US(150));
    assert_string_equal(a.long_gaps.v[0].next_kernel, "b");
    assert_string_equal(a.long_gaps.v[0].main_cause, cause_info(CAUSE_HOST)->label);
    assert_int_equal(a.long_gaps.v[1].start_ns, US(20));
    assert_null(a.long_gaps.v[1].next_kernel);
    made_release(&m);
}

/* ---- results ---- */

static void an_empty_view_gives_empty_results(void **state)
{
    (void)state;
    struct made m;
    struct analysis a;
    made_init(&m);
    struct analysis_opts o = made_options(0, 0);
    o.view.has_window = false;
    made_analyze(&m, &a, &o);
    assert_int_equal(a.hotspots.n + a.categories.n + a.warmup.n + a.resources.n + a.long_gaps.n, 0);
    assert_int_equal(a.breakdown.gpu_time_ns, 0);
    assert_true(isnan(a.breakdown.concurrency) && isnan(a.launches.mean_latency_ns));
    assert_true(a.breakdown.busy_pct == 0 && a.short_kernels.short_kernel_pct == 0);
    assert_int_equal(a.short_histogram.n, 8);

    /* A GPU and a window, but nothing inside. */
    uint32_t s = made_stream(&m, made_gpu(&m), 1);
    made_kernel(&m, "a", s, US(500), US(600), NO_INDEX);
    o = made_options(0, US(100));
    o.by_stream = true;
    made_analyze(&m, &a, &o);
    assert_int_equal(a.hotspots.n, 0);
    assert_int_equal(a.breakdown.idle_ns, US(100));
    assert_int_equal(a.breakdown.gpu_span_ns, 0);
    made_release(&m);
}

static void every_field_says_what_it_is(void **state)
{
    (void)state;
    struct made m;
    struct analysis a;
    made_init(&m);
    struct analysis_opts o = made_options(0, 0);
    made_analyze(&m, &a, &o);
    struct results all = {0};
    analysis_results(&a, &all, &m.arena);
    assert_true(all.n >= 11);
    for (size_t i = 0; i < all.n; i++) {
        const struct fields *f = all.v[i].fields;
        assert_true(f->key[0] && f->doc[0]);
        assert_true(!all.v[i].is_object || all.v[i].n == 1);
        for (size_t k = 0; k < f->n; k++) {
            assert_true(f->v[k].key[0] && f->v[k].label[0] && f->v[k].doc[0]);
            assert_true(f->v[k].offset + made_field_size(f->v[k].type) <= f->row_size);
            for (size_t j = 0; j < k; j++)
                assert_string_not_equal(f->v[j].key, f->v[k].key);
        }
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(all.v[j].fields->key, f->key);
    }
    made_release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        unit_test(breakdown_adds_up_the_ledger),
        unit_test(hotspots_group_by_name_and_describe_durations),
        unit_test(hotspots_are_split_on_demand),
        unit_test(kernels_of_centuries_have_a_deviation),
        unit_test(categories_sum_kernels_by_role),
        unit_test(short_kernels_are_counted_with_the_gaps_before_them),
        unit_test(launches_are_measured_from_call_to_kernel),
        unit_test(kernels_at_once_are_counted),
        unit_test(many_kernels_at_once_are_the_last_level),
        unit_test(launches_behind_a_wait_are_counted),
        unit_test(a_slow_first_dispatch_is_warm_up),
        unit_test(warmup_compares_calls_of_one_shape),
        unit_test(resources_show_the_costliest_configuration),
        unit_test(gaps_of_all_gpus_come_together),
        unit_test(an_empty_view_gives_empty_results),
        unit_test(every_field_says_what_it_is),
    };
    return unit_run(tests);
}
