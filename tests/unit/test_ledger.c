#include "unit.h"

#include <string.h>

#include "analyze/ledger.h"
#include "base/mem.h"
#include "made_trace.h"

/* ---- intervals ---- */

static struct spans spans_of(struct arena *a, const int64_t *v, size_t n)
{
    struct spans s = {0};
    for (size_t i = 0; i + 1 < n; i += 2)
        spans_append(&s, a, v[i], v[i + 1]);
    return s;
}

#define SPANS(a, ...)                                                                              \
    spans_of(a, (const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__}) / 8)

static void assert_spans(const struct spans *s, const int64_t *v, size_t n)
{
    assert_int_equal(s->n, n / 2);
    for (size_t i = 0; i < s->n; i++) {
        assert_int_equal(s->v[i].start, v[2 * i]);
        assert_int_equal(s->v[i].end, v[2 * i + 1]);
    }
}

#define ASSERT_SPANS(s, ...)                                                                       \
    assert_spans(s, (const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__}) / 8)

static void appended_spans_are_joined(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a);
    /* Overlapping, nested and touching spans become one; empty and negative ones vanish. */
    struct spans s = SPANS(&a, 0, 10, 2, 5, 5, 12, 12, 14, 20, 20, 21, 19, 30, 40);
    ASSERT_SPANS(&s, 0, 14, 30, 40);
    assert_int_equal(spans_total(&s), 24);
    arena_release(&a);
}

static void spans_are_subtracted_joined_and_compared(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a);
    struct spans x = SPANS(&a, 0, 10, 20, 30, 40, 50);
    struct spans y = SPANS(&a, 5, 22, 24, 26, 50, 60);
    struct spans out = {0}, both = {0}, none = {0}, rest = {0};
    spans_subtract(&out, &x, &y, &a);
    ASSERT_SPANS(&out, 0, 5, 22, 24, 26, 30, 40, 50);
    spans_union(&both, &x, &y, &a);
    ASSERT_SPANS(&both, 0, 30, 40, 60);
    assert_int_equal(spans_common(&x, &y), 5 + 2 + 2);
    assert_int_equal(spans_common(&x, &none), 0);
    struct spans all = {0}, sets[] = {x, none, y, SPANS(&a, 11, 12), SPANS(&a, 70, 80)};
    spans_union_all(&all, sets, ARRAY_LEN(sets), &a);
    ASSERT_SPANS(&all, 0, 30, 40, 60, 70, 80);
    spans_union_all(&all, sets, 0, &a);
    assert_int_equal(all.n, 0);
    spans_subtract(&rest, &x, &none, &a);
    assert_int_equal(spans_total(&rest), 30);
    arena_release(&a);
}

static void times_beyond_64_bits_stay_at_the_limit(void **state)
{
    (void)state;
    assert_true(add_ns(INT64_MAX, 1) == QUANTITY_MOST);
    assert_true(add_ns(INT64_MIN, -1) == -QUANTITY_MOST);
    assert_true(sub_ns(INT64_MIN, 1) == -QUANTITY_MOST);
    assert_true(sub_ns(1, INT64_MIN) == QUANTITY_MOST);
    assert_true(add_ns(-5, 7) == 2 && sub_ns(5, 7) == -2);
}

static void fill_marks(struct made_random *r, struct spans *s, struct arena *a, bool *mark)
{
    int64_t at = 0;
    for (int i = 0; i < 6; i++) {
        at += made_random(r, 8);
        int64_t end = at + made_random(r, 12) - 2;
        spans_append(s, a, at, end);
        for (int64_t t = at; t < end; t++)
            mark[t] = true;
    }
}

static void interval_functions_agree_with_counting(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        struct arena a;
        arena_init(&a);
        struct made_random r = {seed * 0x9e3779b97f4a7c15u};
        bool x[128] = {0}, y[128] = {0};
        struct spans s = {0}, t = {0}, without = {0}, both = {0};
        fill_marks(&r, &s, &a, x);
        fill_marks(&r, &t, &a, y);
        spans_subtract(&without, &s, &t, &a);
        spans_union(&both, &s, &t, &a);
        int64_t only = 0, any = 0, common = 0;
        for (int i = 0; i < 128; i++) {
            only += x[i] && !y[i];
            any += x[i] || y[i];
            common += x[i] && y[i];
        }
        assert_int_equal(spans_total(&without), only);
        assert_int_equal(spans_total(&both), any);
        assert_int_equal(spans_common(&s, &t), common);
        for (size_t i = 1; i < both.n; i++)
            assert_true(both.v[i - 1].end < both.v[i].start);
        arena_release(&a);
    }
}

/* ---- the ledger, by hand ---- */

/* Compares all causes with (cause, us) pairs; those not named must be 0. */
static void assert_causes(const int64_t *ns, const int64_t *pairs, size_t n)
{
    int64_t want[CAUSES] = {0};
    for (size_t i = 0; i + 1 < n; i += 2)
        want[pairs[i]] = US(pairs[i + 1]);
    for (enum cause c = 0; c < CAUSES; c++) {
        if (ns[c] != want[c])
            print_error("%s: %lld ns, not %lld\n", cause_info(c)->key, (long long)ns[c],
                        (long long)want[c]);
        assert_true(ns[c] == want[c]);
    }
}

#define ASSERT_CAUSES(ns, ...)                                                                     \
    assert_causes(ns, (const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__}) / 8)

static struct ledger ledger_of(struct made *m, struct view *v, int64_t start, int64_t end)
{
    struct ledger l;
    struct view_opts o = made_window(start, end);
    view_make(v, &m->t, &o, &m->arena);
    ledger_make(&l, v, false, &m->arena);
    return l;
}

/*
 * The stage of most tests, in us: window 0..300, kernel A 10..100 launched by a call 0..5, kernel
 * B 130..200 whose launch and what stands before it the test decides. Always: start-up 10, compute
 * 160, tail 100, and a gap of 30 from 100 to 130 to explain.
 */
static uint32_t stage(struct made *m)
{
    made_init(m);
    uint32_t stream = made_stream(m, made_gpu(m), 1);
    made_kernel(m, "a", stream, US(10), US(100), made_launch(m, 0, US(5)));
    return stream;
}

#define STAGE CAUSE_STARTUP, 10, CAUSE_COMPUTE, 160, CAUSE_TAIL, 100

static struct ledger play(struct made *m, uint32_t stream, uint32_t call)
{
    struct view v;
    made_kernel(m, "b", stream, US(130), US(200), call);
    return ledger_of(m, &v, 0, US(300));
}

static void a_gap_between_launches_is_launch_bound(void **state)
{
    (void)state;
    struct made m;
    uint32_t s = stage(&m);
    /* 100..105 between calls (5 < 50 us), 105..125 inside the launch, 125..130 on its way. */
    struct ledger l = play(&m, s, made_launch(&m, US(105), US(125)));
    ASSERT_CAUSES(l.ns, STAGE, CAUSE_LAUNCH, 30);
    assert_int_equal(l.gpus[0].n_gaps, 1);
    assert_int_equal(l.gpus[0].busy_ns, US(160));
    assert_int_equal(l.gpus[0].first_ns, US(10));
    assert_int_equal(l.gpus[0].last_ns, US(200));
    made_release(&m);
}

static void a_gap_that_a_sync_drained_belongs_to_it(void **state)
{
    (void)state;
    struct made m;
    uint32_t s = stage(&m);
    made_call(&m, "hipDeviceSynchronize", US(6), US(102));
    /* 100..102 the wait itself; 102..105 and all that follows: the queue is empty because of it. */
    struct ledger l = play(&m, s, made_launch(&m, US(105), US(125)));
    ASSERT_CAUSES(l.ns, STAGE, CAUSE_SYNC, 30);
    made_release(&m);

    s = stage(&m);
    made_call(&m, "hipDeviceSynchronize", US(6), US(102));
    /* 102..120 the host does something else for 18 us: A's 90 us could have hidden it. */
    l = play(&m, s, made_launch(&m, US(120), US(125)));
    ASSERT_CAUSES(l.ns, STAGE, CAUSE_SYNC, 30);
    made_release(&m);

    s = stage(&m);
    /* The wait begins after the GPU ran dry: 100..104 launching, the rest the wait's. */
    made_call(&m, "hipStreamSynchronize", US(104), US(110));
    l = play(&m, s, made_launch(&m, US(112), US(125)));
    ASSERT_CAUSES(l.ns, STAGE, CAUSE_LAUNCH, 4, CAUSE_SYNC, 26);
    made_release(&m);

    s = stage(&m);
    /* A blocking copy waits, too. */
    made_call(&m, "hipMemcpy", US(6), US(101));
    l = play(&m, s, made_launch(&m, US(105), US(125)));
    ASSERT_CAUSES(l.ns, STAGE, CAUSE_SYNC, 30);
    made_release(&m);
}

static void long_host_work_behind_a_wait_is_the_hosts(void **state)
{
    (void)state;
    struct made m;
    struct view v;
    made_init(&m);
    uint32_t s = made_stream(&m, made_gpu(&m), 1);
    /*
     * us. A 85..100, waited for until 102; the launch of B comes at 172: of 70 us, 50 are short and
     * 20 the host's, as A's 15 could not hide more. B 180..480, waited for until 482; the launch of
     * C comes at 732: 250 us, which B could have hidden. One more (D, B's like, 1000..1300, then
     * 1302..1553) is host work whatever D hides.
     */
    made_kernel(&m, "a", s, US(85), US(100), made_launch(&m, 0, US(5)));
    made_call(&m, "hipDeviceSynchronize", US(6), US(102));
    made_kernel(&m, "b", s, US(180), US(480), made_launch(&m, US(172), US(175)));
    struct ledger l = ledger_of(&m, &v, US(85), US(480));
    ASSERT_CAUSES(l.ns, CAUSE_COMPUTE, 315, CAUSE_SYNC, 60, CAUSE_HOST, 20);
    made_call(&m, "hipDeviceSynchronize", US(176), US(482));
    made_kernel(&m, "c", s, US(740), US(800), made_launch(&m, US(732), US(735)));
    l = ledger_of(&m, &v, US(180), US(800));
    ASSERT_CAUSES(l.ns, CAUSE_COMPUTE, 360, CAUSE_SYNC, 260);
    made_kernel(&m, "d", s, US(1000), US(1300), made_launch(&m, US(990), US(992)));
    made_call(&m, "hipDeviceSynchronize", US(993), US(1302));
    made_kernel(&m, "e", s, US(1560), US(1600), made_launch(&m, US(1553), US(1555)));
    l = ledger_of(&m, &v, US(1000), US(1600));
    ASSERT_CAUSES(l.ns, CAUSE_COMPUTE, 340, CAUSE_SYNC, 9, CAUSE_HOST, 251);
    made_release(&m);
}

static void a_launch_that_takes_milliseconds_loads_code(void **state)
{
    (void)state;
    struct made m;
    struct view v;
    made_init(&m);
    uint32_t s = made_stream(&m, made_gpu(&m), 1);
    made_kernel(&m, "a", s, 0, US(100), NO_INDEX);
    made_kernel(&m, "b", s, US(1200), US(1300), made_launch(&m, US(110), US(1110)));
    made_kernel(&m, "c", s, US(2400), US(2500), made_launch(&m, US(1310), US(2309)));
    /* The same kernel again has been loaded. */
    made_kernel(&m, "b", s, US(4600), US(4700), made_launch(&m, US(2510), US(4590)));
    struct ledger l = ledger_of(&m, &v, 0, US(4700));
    ASSERT_CAUSES(l.ns, CAUSE_COMPUTE, 400, CAUSE_STARTUP, 1000, CAUSE_LAUNCH,
                  10 + 50 + 10 + 999 + 50 + 10 + 2080 + 10, CAUSE_UNKNOWN, 40 + 41);
    made_release(&m);
}

/* A launch is on its way for a short time only: then the work waits for something else. */
static void work_that_begins_late_waited_for_something(void **state)
{
    (void)state;
    struct made m;
    struct view v;
    made_init(&m);
    uint32_t s = made_stream(&m, made_gpu(&m), 1);
    made_kernel(&m, "a", s, 0, US(100), NO_INDEX);
    made_kernel(&m, "a", s, US(463115), US(463215), made_launch(&m, US(110), US(115)));
    struct ledger l = ledger_of(&m, &v, 0, US(463215));
    ASSERT_CAUSES(l.ns, CAUSE_COMPUTE, 200, CAUSE_LAUNCH, 10 + 5 + 50, CAUSE_UNKNOWN, 463000 - 50);
    made_release(&m);
}

static void calls_in_a_gap_tell_its_cause(void **state)
{
    (void)state;
    static const struct {
        enum region_kind kind;
        const char *name;
        enum cause cause;
    } cases[] = {
        {REGION_HIP, "hipMalloc", CAUSE_ALLOC},       {REGION_HIP, "hipFree", CAUSE_ALLOC},
        {REGION_MPI, "MPI_Wait", CAUSE_HOST_IO},      {REGION_OS, "read", CAUSE_HOST_IO},
        {REGION_HIP, "hipModuleLoad", CAUSE_STARTUP}, {REGION_HIP, "hipGetDevice", CAUSE_LAUNCH},
        {REGION_HSA, "cuMemHostAlloc", CAUSE_ALLOC},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct made m;
        uint32_t s = stage(&m);
        made_call_on(&m, 0, cases[i].kind, cases[i].name, US(101), US(120));
        /* 100..101 and 120..130 launching, 101..120 the call. */
        struct ledger l = play(&m, s, made_launch(&m, US(120), US(125)));
        int64_t want[CAUSES] = {
            [CAUSE_STARTUP] = 10, [CAUSE_COMPUTE] = 160, [CAUSE_TAIL] = 100, [CAUSE_LAUNCH] = 11};
        want[cases[i].cause] += 19;
        for (enum cause c = 0; c < CAUSES; c++)
            assert_int_equal(l.ns[c], US(want[c]));
        made_release(&m);
    }
}

static void a_gap_without_calls_is_the_hosts(void **state)
{
    (void)state;
    struct made m;
    struct view v;
    uint32_t s = stage(&m);
    /* Functions of the program say where, not why: 100..150 is the host's, 49 us are launching. */
    made_call_on(&m, 0, REGION_USER, "prepare", US(90), US(151));
    made_kernel(&m, "b", s, US(155), US(200), made_launch(&m, US(150), US(153)));
    made_kernel(&m, "c", s, US(254), US(300), made_launch(&m, US(249), US(252)));
    struct ledger l = ledger_of(&m, &v, 0, US(300));
    ASSERT_CAUSES(l.ns, CAUSE_STARTUP, 10, CAUSE_COMPUTE, 181, CAUSE_HOST, 50, CAUSE_LAUNCH, 59);
    made_release(&m);
}

static void work_that_was_queued_in_time_waits_in_the_queue(void **state)
{
    (void)state;
    struct made m;
    uint32_t s = stage(&m);
    made_call(&m, "hipMalloc", US(101), US(120)); /* on the thread, but nothing waits for it */
    struct ledger l = play(&m, s, made_launch(&m, US(6), US(8)));
    ASSERT_CAUSES(l.ns, STAGE, CAUSE_LAUNCH, 30);
    made_release(&m);

    /* 200..260: longer than 50 us is no way through a queue. */
    s = stage(&m);
    uint32_t b = made_launch(&m, US(6), US(8)), c = made_launch(&m, US(8), US(9));
    made_kernel(&m, "c", s, US(260), US(300), c);
    l = play(&m, s, b);
    ASSERT_CAUSES(l.ns, CAUSE_STARTUP, 10, CAUSE_COMPUTE, 200, CAUSE_LAUNCH, 30, CAUSE_UNKNOWN, 60);
    made_release(&m);
}

static void without_calls_or_links_the_cause_is_unknown(void **state)
{
    (void)state;
    struct made m;
    struct view v;
    made_init(&m);
    uint32_t s = made_stream(&m, made_gpu(&m), 1);
    made_kernel(&m, "a", s, US(10), US(100), NO_INDEX);
    struct ledger l = play(&m, s, NO_INDEX);
    ASSERT_CAUSES(l.ns, STAGE, CAUSE_UNKNOWN, 30);

    /* Calls, but none is linked to work: nobody knows which thread launches. */
    made_call(&m, "hipMalloc", US(100), US(130));
    l = ledger_of(&m, &v, 0, US(300));
    ASSERT_CAUSES(l.ns, STAGE, CAUSE_UNKNOWN, 30);
    made_release(&m);

    /* The gap 200..220 ends with work without a link: the thread of the gap before is taken. */
    s = stage(&m);
    made_kernel(&m, "c", s, US(220), US(300), NO_INDEX);
    uint32_t b = made_launch(&m, US(105), US(125));
    made_call(&m, "hipMalloc", US(202), US(212));
    l = play(&m, s, b);
    ASSERT_CAUSES(l.ns, CAUSE_STARTUP, 10, CAUSE_COMPUTE, 240, CAUSE_LAUNCH, 30 + 2 + 8,
                  CAUSE_ALLOC, 10);
    made_release(&m);
}

static void calls_that_end_before_they_start_take_no_time(void **state)
{
    (void)state;
    struct made m;
    uint32_t s = stage(&m);
    made_call(&m, "hipMalloc", US(104), US(101));
    struct ledger l = play(&m, s, made_launch(&m, US(105), US(125)));
    ASSERT_CAUSES(l.ns, STAGE, CAUSE_LAUNCH, 30);
    made_release(&m);
}

static void copies_and_collectives_count_where_nothing_computes(void **state)
{
    (void)state;
    struct made m;
    struct view v;
    made_init(&m);
    uint32_t s = made_stream(&m, made_gpu(&m), 1);
    /*
     * H2D 0..50 under compute 30..80: 30 exposed. Collective 70..100: 20 exposed, 10 hidden.
     * D2H 90..120: 20 exposed. A blit kernel 115..140 and a copy in the device 130..150: 30.
     * Memset 145..155: 5 after the copy; peer copy 150..160 comes before it: 10, memset 0.
     */
    made_copy(&m, COPY_H2D, s, US(0), US(50), NO_INDEX);
    made_kernel(&m, "a", s, US(30), US(80), NO_INDEX);
    made_kernel(&m, "ncclDevKernel_AllReduce_Sum_f32", s, US(70), US(100), NO_INDEX);
    made_copy(&m, COPY_D2H, s, US(90), US(120), NO_INDEX);
    made_kernel(&m, "__amd_rocclr_copyBuffer", s, US(115), US(140), NO_INDEX);
    made_copy(&m, COPY_D2D, s, US(130), US(150), NO_INDEX);
    made_copy(&m, COPY_SET, s, US(145), US(155), NO_INDEX);
    made_copy(&m, COPY_P2P, s, US(150), US(160), NO_INDEX);
    struct ledger l = ledger_of(&m, &v, 0, US(160));
    ASSERT_CAUSES(l.ns, CAUSE_COPY_H2D, 30, CAUSE_COMPUTE, 50, CAUSE_COMM, 20, CAUSE_COPY_D2H, 20,
                  CAUSE_COPY_D2D, 30, CAUSE_COPY_P2P, 10);
    assert_int_equal(l.gpus[0].comm_ns, US(30));
    assert_int_equal(l.gpus[0].comm_hidden_ns, US(10));
    assert_int_equal(l.gpus[0].kernel_ns, US(70 + 25));
    assert_int_equal(l.gpus[0].copy_ns, US(50 + 30 + 30));
    assert_int_equal(l.gpus[0].kernel_sum_ns, US(50 + 30 + 25));
    assert_int_equal(l.gpus[0].busy_ns, US(160));
    made_release(&m);
}

static void each_gpu_has_the_whole_window(void **state)
{
    (void)state;
    struct made m;
    struct view v;
    made_init(&m);
    uint32_t first = made_stream(&m, made_gpu(&m), 1), second = made_stream(&m, made_gpu(&m), 1);
    made_gpu(&m); /* used, but not in this window */
    made_kernel(&m, "a", first, US(0), US(100), made_launch(&m, 0, US(1)));
    made_kernel(&m, "a", second, US(20), US(30), made_launch(&m, US(2), US(3)));
    made_kernel(&m, "a", second, US(40), US(50), made_launch(&m, US(31), US(38)));
    struct ledger l = ledger_of(&m, &v, 0, US(100));
    assert_int_equal(l.n_gpus, 3);
    ASSERT_CAUSES(l.gpus[0].ns, CAUSE_COMPUTE, 100);
    ASSERT_CAUSES(l.gpus[1].ns, CAUSE_STARTUP, 20, CAUSE_COMPUTE, 20, CAUSE_LAUNCH, 10, CAUSE_TAIL,
                  50);
    ASSERT_CAUSES(l.gpus[2].ns, CAUSE_UNKNOWN, 100);
    ASSERT_CAUSES(l.ns, CAUSE_COMPUTE, 120, CAUSE_STARTUP, 20, CAUSE_LAUNCH, 10, CAUSE_TAIL, 50,
                  CAUSE_UNKNOWN, 100);
    made_release(&m);
}

static void work_is_cut_at_the_window(void **state)
{
    (void)state;
    struct made m;
    struct view v;
    made_init(&m);
    uint32_t s = made_stream(&m, made_gpu(&m), 1);
    made_kernel(&m, "a", s, US(-50), US(10), NO_INDEX);
    made_kernel(&m, "a", s, US(60), US(500), NO_INDEX);
    made_kernel(&m, "a", s, US(200), US(300), NO_INDEX); /* outside */
    made_kernel(&m, "a", s, US(70), US(65), NO_INDEX);   /* ends before it starts: no time */
    struct ledger l = ledger_of(&m, &v, 0, US(100));
    ASSERT_CAUSES(l.ns, CAUSE_COMPUTE, 50, CAUSE_UNKNOWN, 50);
    assert_int_equal(v.n_kernels, 3);
    assert_int_equal(l.gpus[0].kernel_sum_ns, US(50));
    l = ledger_of(&m, &v, US(100), US(0)); /* no window at all */
    assert_int_equal(l.window_ns, 0);
    made_release(&m);
}

static void absurd_times_do_not_overflow(void **state)
{
    (void)state;
    struct made m;
    struct view v;
    made_init(&m);
    uint32_t s = made_stream(&m, made_gpu(&m), 1), s2 = made_stream(&m, made_gpu(&m), 1);
    made_kernel(&m, "a", s, INT64_MIN + 1, INT64_MAX, NO_INDEX);
    made_kernel(&m, "a", s, INT64_MIN + 1, INT64_MAX, NO_INDEX);
    made_kernel(&m, "a", s2, -5, 7, NO_INDEX);
    struct view_opts o = made_window(0, 0);
    o.has_window = false;
    struct ledger l;
    view_make(&v, &m.t, &o, &m.arena);
    ledger_make(&l, &v, false, &m.arena);
    assert_true(l.window_ns == QUANTITY_MOST);
    assert_true(l.gpus[0].ns[CAUSE_COMPUTE] == QUANTITY_MOST);
    assert_true(l.gpus[0].kernel_sum_ns == QUANTITY_MOST);
    made_release(&m);
}

static void gaps_are_put_into_buckets_and_the_longest_kept(void **state)
{
    (void)state;
    struct made m;
    struct view v;
    made_init(&m);
    uint32_t s = made_stream(&m, made_gpu(&m), 1);
    int64_t at = 0;
    for (int i = 1; i <= 20; i++) { /* gaps of 1, 2, … 20 us behind kernels of 1 us */
        made_kernel(&m, "a", s, at, at + US(1), NO_INDEX);
        at += US(1 + i);
    }
    uint32_t last = made_kernel(&m, "z", s, at, at + US(1), NO_INDEX);
    struct ledger l = ledger_of(&m, &v, 0, at + US(1));
    const struct ledger_gpu *g = &l.gpus[0];
    assert_int_equal(g->n_gaps, 20);
    assert_int_equal(g->buckets[0].count, 9); /* 1..9 us; 10 us is in the next one */
    assert_int_equal(g->buckets[0].total_ns, US(45));
    assert_int_equal(g->buckets[1].count, 11);
    assert_int_equal(g->buckets[1].total_ns, US(165));
    assert_int_equal(g->buckets[1].ns[CAUSE_UNKNOWN], US(165));
    assert_int_equal(g->n_top, TOP_GAPS);
    for (size_t i = 0; i < TOP_GAPS; i++)
        assert_int_equal(g->top[i].end_ns - g->top[i].start_ns, US(20 - (int)i));
    assert_int_equal(g->top[0].next_kernel, last);
    made_release(&m);
}

static void equal_starts_put_the_longer_call_outside(void **state)
{
    (void)state;
    struct made m;
    struct view v;
    made_init(&m);
    for (int i = 0; i < 100; i++) /* all begin at 0, the last one is the longest */
        made_call(&m, "hipMalloc", 0, 100 + i % 50);
    made_call(&m, "hipFree", 200, 210);
    made_call(&m, "hipFree", 200, 220);
    struct view_opts o = made_window(0, 1000);
    view_make(&v, &m.t, &o, &m.arena);
    const struct view_thread *th = &v.threads[0];
    assert_int_equal(view_thread_calls(th), 102);
    const uint32_t *calls = view_calls_list(&v, 0, &m.arena);
    for (size_t i = 0; i < 100; i++) { /* 149: rows 49, 99; 148: rows 48, 98; … */
        assert_int_equal(m.t.regions.end_ns[calls[i]], 149 - (int)i / 2);
        assert_int_equal(calls[i], 49 - i / 2 + (i % 2) * 50);
    }
    assert_int_equal(th->n_outer, 2);
    assert_int_equal(th->outer[0], 49);
    assert_int_equal(th->outer[1], 101);
    made_release(&m);
}

/* ---- the ledger, by counting ---- */

enum { TICKS = 400 }; /* of 1 us */

/* What runs, tick by tick. */
struct tick {
    bool compute, comm, blit, copy[COPY_KINDS];
};

static void mark(struct tick *ticks, bool *(*member)(struct tick *), int64_t start, int64_t end)
{
    for (int64_t t = start < 0 ? 0 : start; t < end && t < TICKS; t++)
        *member(&ticks[t]) = true;
}

static bool *compute_of(struct tick *t)
{
    return &t->compute;
}

static bool *comm_of(struct tick *t)
{
    return &t->comm;
}

static bool *blit_of(struct tick *t)
{
    return &t->blit;
}

static enum cause busy_cause(const struct tick *t)
{
    if (t->compute)
        return CAUSE_COMPUTE;
    if (t->comm)
        return CAUSE_COMM;
    if (t->copy[COPY_H2D])
        return CAUSE_COPY_H2D;
    if (t->copy[COPY_D2H])
        return CAUSE_COPY_D2H;
    if (t->copy[COPY_P2P])
        return CAUSE_COPY_P2P;
    if (t->copy[COPY_D2D] || t->copy[COPY_UNKNOWN] || t->copy[COPY_H2H] || t->blit)
        return CAUSE_COPY_D2D;
    return t->copy[COPY_SET] ? CAUSE_COPY_SET : CAUSES;
}

/* The calls of the one thread: disjoint, in order; what a tick of a gap is explained by. */
struct host {
    int n;
    int64_t start[64], end[64];
    enum cause cause[64]; /* CAUSES: none of its own */
    bool waits[64];
};

static enum cause host_cause(const struct host *h, int64_t t, int64_t from, int64_t to,
                             int64_t sent, int64_t busy)
{
    bool drained = false;
    int64_t before = from, after = to < sent ? to : sent;
    for (int i = 0; i < h->n; i++) {
        if (h->waits[i] && h->start[i] < from && h->end[i] >= from)
            drained = true;
        if (h->waits[i] && h->start[i] >= from && h->start[i] < t && h->start[i] < sent)
            drained = true;
    }
    if (t >= sent) /* on its way; what the host does now changes nothing */
        return drained ? CAUSE_SYNC : CAUSE_LAUNCH;
    for (int i = 0; i < h->n; i++) {
        if (h->start[i] <= t && h->end[i] > t)
            return h->cause[i] != CAUSES ? h->cause[i] : drained ? CAUSE_SYNC : CAUSE_LAUNCH;
        if (h->end[i] <= t && h->end[i] > before)
            before = h->end[i];
        if (h->start[i] > t && h->start[i] < after)
            after = h->start[i];
    }
    if (drained) /* the first part of it is the wait's fault */
        return after - before <= 250 && t - before < (busy > 50 ? busy : 50) ? CAUSE_SYNC
                                                                             : CAUSE_HOST;
    return after - before >= 50 ? CAUSE_HOST : CAUSE_LAUNCH;
}

static void make_host(struct made *m, struct made_random *r, struct host *h)
{
    static const struct {
        const char *name;
        enum cause cause;
        bool waits;
    } kinds[] = {
        {"hipLaunchKernel", CAUSES, false},
        {"hipDeviceSynchronize", CAUSE_SYNC, true},
        {"hipMalloc", CAUSE_ALLOC, false},
        {"hipModuleLoad", CAUSE_STARTUP, false},
    };
    int64_t at = 0;
    h->n = 0;
    while (h->n < 40) {
        at += made_random(r, 4) ? made_random(r, 6) : made_random(r, 90);
        int64_t kind = made_random(r, 8);
        kind = kind < 5 ? 0 : kind - 4;
        h->start[h->n] = at;
        at += 1 + made_random(r, 12);
        h->end[h->n] = at;
        h->cause[h->n] = kinds[kind].cause;
        h->waits[h->n] = kinds[kind].waits;
        made_call(m, kinds[kind].name, US(h->start[h->n]), US(at));
        h->n++;
    }
}

/* Work at random; starts differ, so that it is clear which work ends a gap. */
static void make_work(struct made *m, struct made_random *r, const struct host *h, uint32_t stream,
                      struct tick *ticks, int32_t *call_at)
{
    static const char *const names[] = {"gemm", "ncclDevKernel_AllReduce",
                                        "__amd_rocclr_copyBuffer"};
    static bool *(*const members[])(struct tick *) = {compute_of, comm_of, blit_of};
    for (int i = 0; i < 25; i++) {
        int64_t call = made_random(r, h->n), start = h->start[call] + made_random(r, 30);
        int64_t end = start + made_random(r, 20);
        if (start >= TICKS || call_at[start] >= 0)
            continue;
        call_at[start] = (int32_t)call;
        if (made_random(r, 3)) {
            int64_t name = made_random(r, 6);
            name = name < 4 ? 0 : name - 3;
            made_kernel(m, names[name], stream, US(start), US(end), (uint32_t)call);
            mark(ticks, members[name], start, end);
        } else {
            int64_t kind = made_random(r, COPY_KINDS);
            made_copy(m, (enum copy_kind)kind, stream, US(start), US(end), (uint32_t)call);
            for (int64_t t = start; t < end && t < TICKS; t++)
                ticks[t].copy[kind] = true;
        }
    }
}

static void count_causes(const struct host *h, const struct tick *ticks, const int32_t *call_at,
                         int64_t *ns)
{
    int64_t first = -1, last = -1;
    for (int64_t t = 0; t < TICKS; t++) {
        if (busy_cause(&ticks[t]) == CAUSES)
            continue;
        first = first < 0 ? t : first;
        last = t;
    }
    for (int64_t t = 0; t < TICKS; t++) {
        enum cause c = busy_cause(&ticks[t]);
        if (c == CAUSES && first < 0)
            c = CAUSE_UNKNOWN;
        else if (c == CAUSES && t < first)
            c = CAUSE_STARTUP;
        else if (c == CAUSES && t > last)
            c = CAUSE_TAIL;
        else if (c == CAUSES) {
            int64_t from = t, to = t, busy = 0;
            while (busy_cause(&ticks[from - 1]) == CAUSES)
                from--;
            while (busy_cause(&ticks[to]) == CAUSES)
                to++;
            while (from - busy > 0 && busy_cause(&ticks[from - busy - 1]) != CAUSES)
                busy++;
            int64_t sent = h->end[call_at[to]];
            if (sent <= from)
                c = to - from <= 50 ? CAUSE_LAUNCH : CAUSE_UNKNOWN;
            else
                c = host_cause(h, t, from, to, sent, busy);
        }
        ns[c] += US(1);
    }
}

static void the_ledger_agrees_with_counting(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 1500; seed++) {
        struct made m;
        struct view v;
        struct host h;
        made_init(&m);
        struct made_random r = {seed * 0x9e3779b97f4a7c15u};
        make_host(&m, &r, &h);
        int64_t want[3][CAUSES] = {0};
        size_t gpus = 1 + seed % 3;
        for (size_t g = 0; g < gpus; g++) {
            struct tick ticks[TICKS] = {0};
            int32_t call_at[TICKS];
            memset(call_at, 0xff, sizeof(call_at));
            make_work(&m, &r, &h, made_stream(&m, made_gpu(&m), 1), ticks, call_at);
            count_causes(&h, ticks, call_at, want[g]);
        }
        struct ledger l = ledger_of(&m, &v, 0, US(TICKS));
        for (size_t g = 0; g < gpus; g++) {
            int64_t sum = 0;
            for (enum cause c = 0; c < CAUSES; c++) {
                if (l.gpus[g].ns[c] != want[g][c])
                    print_error("seed %d gpu %zu %s: %lld, not %lld\n", (int)seed, g,
                                cause_info(c)->key, (long long)l.gpus[g].ns[c],
                                (long long)want[g][c]);
                assert_true(l.gpus[g].ns[c] == want[g][c]);
                sum += l.gpus[g].ns[c];
            }
            assert_int_equal(sum, US(TICKS));
        }
        made_release(&m);
    }
}

static void an_empty_trace_has_an_empty_ledger(void **state)
{
    (void)state;
    struct made m;
    struct view v;
    made_init(&m);
    struct ledger l = ledger_of(&m, &v, 0, US(100));
    assert_int_equal(l.n_gpus, 0);
    ASSERT_CAUSES(l.ns, CAUSE_COMPUTE, 0);
    made_release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        unit_test(appended_spans_are_joined),
        unit_test(spans_are_subtracted_joined_and_compared),
        unit_test(times_beyond_64_bits_stay_at_the_limit),
        unit_test(interval_functions_agree_with_counting),
        unit_test(a_gap_between_launches_is_launch_bound),
        unit_test(a_gap_that_a_sync_drained_belongs_to_it),
        unit_test(long_host_work_behind_a_wait_is_the_hosts),
        unit_test(a_launch_that_takes_milliseconds_loads_code),
        unit_test(work_that_begins_late_waited_for_something),
        unit_test(calls_in_a_gap_tell_its_cause),
        unit_test(a_gap_without_calls_is_the_hosts),
        unit_test(work_that_was_queued_in_time_waits_in_the_queue),
        unit_test(without_calls_or_links_the_cause_is_unknown),
        unit_test(calls_that_end_before_they_start_take_no_time),
        unit_test(copies_and_collectives_count_where_nothing_computes),
        unit_test(each_gpu_has_the_whole_window),
        unit_test(work_is_cut_at_the_window),
        unit_test(absurd_times_do_not_overflow),
        unit_test(gaps_are_put_into_buckets_and_the_longest_kept),
        unit_test(equal_starts_put_the_longer_call_outside),
        unit_test(the_ledger_agrees_with_counting),
        unit_test(an_empty_trace_has_an_empty_ledger),
    };
    return unit_run(tests);
}
