/* The language of .trace files, the simulator behind it and the truth it reports. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/utf8.h"
#include "synth/out_path.h"
#include "synth/synth.h"
#include "synth/truth.h"

/* --- a sink that keeps everything -------------------------------------------------------- */

struct keep {
    struct sink sink;
    unsigned mask;
    struct arena arena;
    struct names *names;
    VEC(struct rec_region) regions;
    VEC(struct rec_kernel) kernels;
    VEC(struct rec_copy) copies;
    VEC(struct rec_alloc) allocs;
    VEC(struct rec_counter) counters;
    VEC(struct rec_sample) samples;
};

static unsigned keep_begin(struct sink *s, int pass, struct names *names)
{
    (void)pass;
    ((struct keep *)s)->names = names;
    return ((struct keep *)s)->mask;
}

#define KEEP(list, type)                                                                           \
    static void keep_##list(struct sink *s, const struct type *r)                                  \
    {                                                                                              \
        struct keep *k = (struct keep *)s;                                                         \
        vec_push(&k->list, &k->arena, *r);                                                         \
    }
KEEP(regions, rec_region)
KEEP(kernels, rec_kernel)
KEEP(copies, rec_copy)
KEEP(allocs, rec_alloc)
KEEP(counters, rec_counter)
KEEP(samples, rec_sample)

/* Runs a description; the error's text is "" when all went well. */
static void run(struct keep *k, const char *text, uint64_t seed, struct gs_error *err)
{
    struct program *p;
    unsigned mask = k->mask ? k->mask : WANT_ALL;
    *k = (struct keep){.mask = mask};
    arena_init(&k->arena);
    k->sink = (struct sink){.passes = 1,
                            .begin = keep_begin,
                            .region = keep_regions,
                            .kernel = keep_kernels,
                            .copy = keep_copies,
                            .alloc = keep_allocs,
                            .counter = keep_counters,
                            .sample = keep_samples};
    *err = (struct gs_error){0};
    struct synth_options o = {.seed = seed, .max_events = 100000};
    if (synth_parse(&p, text, strlen(text), &k->arena, err))
        synth_run(p, &o, &k->sink, err);
}

static void run_ok(struct keep *k, const char *text)
{
    struct gs_error err;
    k->mask = 0;
    run(k, text, 1, &err);
    assert_string_equal(err.text, "");
}

#define SPAN(r, a, b)                                                                              \
    do {                                                                                           \
        assert_int_equal((r).start_ns, a);                                                         \
        assert_int_equal((r).end_ns, b);                                                           \
    } while (0)

/* --- the language ------------------------------------------------------------------------ */

static void errors_name_the_line_and_a_hint(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"\n\nlunch k", "line 3: unknown statement 'lunch'; did you mean 'launch'?"},
        {"kernel k\nlaunch k strem=a",
         "line 2: 'launch' does not take 'strem'; did you mean 'stream'?"},
        {"kernel gemm\nlaunch gem", "line 2: unknown kernel 'gem'; did you mean 'gemm'?"},
        {"kernel k\nlaunch k stream=s", "line 2: unknown stream 's'; declare it with 'stream'"},
        {"loop 2 {\nhost 1us\n", "line 1: the block is not closed; '}' is missing"},
        {"}", "line 1: '}' without '{'"},
        {"{ }", "line 1: '{' without a statement"},
        {"kernel k {\n}", "line 1: 'kernel' takes no block"},
        {"loop 3", "line 1: 'loop' needs a block in braces"},
        {"copy h2d", "line 1: 'copy' needs 'size'"},
        {"copy up size=1", "line 1: 'up' is not one of h2d|d2h|d2d|p2p|h2h"},
        {"host 5parsecs", "line 1: unknown unit at 'parsecs'"},
        {"host 1.5", "line 1: a number with a fraction needs a unit at the end"},
        {"host 1us dur=2us", "line 1: 'dur' is given twice"},
        {"host x", "line 1: unknown variable at 'x'"},
        {"host (1us", "line 1: ')' expected at the end"},
        {"host 99999999999999999999s", "line 1: number too large at '99999999999999999999s'"},
        {"host 9223372036s*2", "line 1: the number overflows or divides by zero"},
        {"host 1us/(2-2)", "line 1: the number overflows or divides by zero"},
        {"host -1us", "line 1: the number must lie between 0 and 4e18, not -1000"},
        {"mark \"open", "line 1: the text is not closed; '\"' is missing"},
        {"mark \"\\q\"", "line 1: unknown escape before '\"'"},
        {"mark \"{1\"", "line 1: '}' is missing in '1\"'"},
        {"marker pop", "line 1: no marker is open"},
        {"loop 2 { param n = 1 }", "line 1: 'param' must stand outside of blocks"},
        {"param n = 1\nparam n = 2", "line 2: 'n' exists already"},
        {"let rank = 2", "line 1: cannot be assigned: 'rank'"},
        {"device 7", "line 1: there is no GPU 7; this process has 1"},
        {"device 0\ngpu MI100", "line 2: a GPU must be declared before the first use of any"},
        {"stream s; stream s", "line 1: stream 's' exists already"},
        {"kernel k; kernel k", "line 1: kernel 'k' exists already"},
        {"kernel k wg=0\nlaunch k", "line 2: a size must lie between 1 and 4294967295, not 0"},
        {"free b", "line 1: unknown buffer 'b'; 'malloc name=' makes one"},
        {"loop 200000 { mark x }", "line 1: more than 100000 records; raise --max-events or make "
                                   "the description smaller"},
        {"loop 9000000000 { }", "line 1: the description runs without an end"},
        {"graph { graph { } }", "line 1: a graph inside a graph"},
        {"at 3000000000s; host 1000000000s", "line 1: time runs over"},
        /* the statement fails before it asks for a GPU, and none is declared */
        {"raw copy start=1 end=9223372036854775807", "line 1: time runs over"},
        {"raw kernel k start=1 end=9223372036854775807", "line 1: time runs over"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct keep k = {0};
        struct gs_error err;
        run(&k, cases[i].text, 1, &err);
        assert_string_equal(err.text, cases[i].message);
        assert_int_equal(err.code, GS_E_FORMAT);
        arena_release(&k.arena);
    }
}

static void nesting_is_bounded(void **state)
{
    (void)state;
    char text[8192];
    struct gs_error err;
    struct keep k = {0};
    memset(text, '(', 4000);
    strcpy(text + 4000, "1");
    memmove(text + 5, text, 4002);
    memcpy(text, "host ", 5);
    run(&k, text, 1, &err);
    assert_true(str_has(err.text, "expression too deep"));
    arena_release(&k.arena);
    text[0] = 0;
    for (int i = 0; i < 60; i++)
        strcat(text, "loop 1 { ");
    run(&k, text, 1, &err);
    assert_true(str_has(err.text, "blocks too deep"));
    arena_release(&k.arena);
}

static void numbers_have_units_and_operators(void **state)
{
    (void)state;
    /* Each `at=` is one number; the base is 0. */
    static const char text[] =
        "set base=0\nparam p = 3\nlet v = p * 2\n"
        "mark x at=1.5us\nmark x at=2KiB\nmark x at=1+2*3\nmark x at=(1+2)*3\n"
        "mark x at=7%4\nmark x at=-(2-10)\nmark x at=v*p\nmark x at=min(4,9)\n"
        "mark x at=max(4,9)\nmark x at=(2<3)+(3>=4)\nmark x at=0x1f\n"
        "mark x at=1_000\nmark x at=rand(5,5)\nmark x at 2 + 3\n";
    static const int64_t want[] = {1500, 2048, 7, 9, 3, 8, 18, 4, 9, 1, 31, 1000, 5, 5};
    struct keep k;
    run_ok(&k, text);
    assert_int_equal(k.regions.n, ARRAY_LEN(want));
    for (size_t i = 0; i < k.regions.n; i++)
        SPAN(k.regions.v[i], want[i], want[i]);
    arena_release(&k.arena);
}

static void texts_take_escapes_and_expressions(void **state)
{
    (void)state;
    struct keep k;
    run_ok(&k, "loop 2 as i { mark \"a{i+1}\\t\\x41\\{\" }; mark b{1}c # comment\nmark \"# none\"");
    static const char *const want[] = {"a1\tA{", "a2\tA{", "b1c", "# none"};
    assert_int_equal(k.regions.n, 4);
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(names_text(k.names, k.regions.v[i].message), want[i]);
    arena_release(&k.arena);
}

static void parameters_can_be_set(void **state)
{
    (void)state;
    static const char text[] = "# what it is\nparam n = 3  # how many\nparam m = n * 2\nkernel k\n"
                               "loop m { launch k }";
    struct arena a;
    arena_init(&a);
    struct program *p;
    struct gs_error err = {0};
    assert_true(synth_parse(&p, text, strlen(text), &a, &err));
    assert_string_equal(p->doc, "what it is");
    assert_string_equal(p->params.v[0].doc, "how many");
    assert_true(synth_set(p, "n=2+3", &err));
    struct truth *t = truth_new(&a);
    assert_true(synth_run(p, &(struct synth_options){.seed = 1}, truth_sink(t), &err));
    assert_int_equal(truth_total(t)->counts.kernels, 10);
    assert_false(synth_set(p, "nn=2", &err));
    assert_string_equal(err.text, "no parameter 'nn'; did you mean 'n'?");
    assert_int_equal(err.code, GS_E_USAGE);
    assert_false(synth_set(p, "n", &err));
    assert_false(synth_set(p, "n=2x", &err));
    assert_int_equal(err.code, GS_E_USAGE);
    arena_release(&a);
}

/* --- the simulator ----------------------------------------------------------------------- */

#define COSTS                                                                                      \
    "set base=0 launch_cost=4us launch_latency=3us sync_cost=2us copy_cost=6us copy_latency=4us\n"

static void a_kernel_follows_its_call_and_its_stream(void **state)
{
    (void)state;
    struct keep k;
    run_ok(&k,
           COSTS "kernel k dur=10us wg=64x2 blocks=3\nlaunch k\nlaunch k\nsync\nlaunch k grid=100");
    /* call 0..4, latency 3: kernel 7..17; call 4..8, ready at 11 but the stream is busy: 17..27 */
    SPAN(k.regions.v[0], 0, 4000);
    SPAN(k.kernels.v[0], 7000, 17000);
    SPAN(k.regions.v[1], 4000, 8000);
    SPAN(k.kernels.v[1], 17000, 27000);
    /* the wait begins at 8 and ends with the work */
    SPAN(k.regions.v[2], 8000, 27000);
    SPAN(k.kernels.v[2], 34000, 44000);
    assert_int_equal(k.kernels.v[0].corr, k.regions.v[0].corr);
    assert_int_equal(k.kernels.v[0].grid[0], 192);
    assert_int_equal(k.kernels.v[0].wg[1], 2);
    assert_int_equal(k.kernels.v[0].grid[1], 2);
    assert_int_equal(k.kernels.v[2].grid[0], 128); /* rounded up to whole workgroups */
    assert_int_equal(k.kernels.v[2].dispatch, 3);
    arena_release(&k.arena);
}

static void streams_overlap_and_events_order_them(void **state)
{
    (void)state;
    struct keep k;
    run_ok(&k, COSTS "stream a; stream b; kernel k dur=20us\n"
                     "launch k stream=a\nlaunch k stream=b\n"
                     "record e stream=a\nwait e stream=b\nlaunch k stream=b\nsync event=e\n");
    SPAN(k.kernels.v[0], 7000, 27000);  /* call 0..4 */
    SPAN(k.kernels.v[1], 11000, 31000); /* call 4..8: side by side */
    /* record 8..10 (reached at 27), wait 10..12, call 12..16: b is busy until 31 anyway */
    SPAN(k.kernels.v[2], 31000, 51000);
    SPAN(k.regions.v[5], 16000, 27000); /* the event, not the stream */
    assert_int_equal(k.kernels.v[0].stream, 1);
    assert_int_equal(k.kernels.v[1].stream, 2);
    arena_release(&k.arena);
}

static void copies_block_or_queue_on_engines(void **state)
{
    (void)state;
    struct keep k;
    run_ok(&k, COSTS "stream a; stream b\n"
                     "copy h2d size=1MB bw=1GB/s\n"                     /* 0: blocks */
                     "copy h2d size=1MB bw=1GB/s stream=a\n"            /* 1: does not */
                     "copy h2d size=1MB bw=1GB/s stream=b\n"            /* 2: same engine */
                     "copy d2h size=1MB bw=1GB/s stream=b pageable\n"); /* 3: blocks again */
    SPAN(k.copies.v[0], 10000, 1010000); /* call cost 6, latency 4, then 1 ms */
    SPAN(k.regions.v[0], 0, 1010000);
    SPAN(k.regions.v[1], 1010000, 1016000);
    SPAN(k.copies.v[1], 1020000, 2020000);
    SPAN(k.copies.v[2], 2020000, 3020000); /* waits for the engine */
    SPAN(k.copies.v[3], 3020000, 4020000); /* waits for its stream */
    SPAN(k.regions.v[3], 1022000, 4020000);
    assert_int_equal(k.copies.v[3].dst_memory, MEM_PAGEABLE);
    assert_false(k.copies.v[0].async);
    assert_true(k.copies.v[3].async);
    arena_release(&k.arena);
}

static void a_free_waits_for_the_device(void **state)
{
    (void)state;
    struct keep k;
    run_ok(&k,
           COSTS "kernel k dur=100us\nmalloc size=1MiB name=b dur=40us\nlaunch k\nfree b dur=10us\n"
                 "memset size=1MiB dur=5us\nalloc reclaim size=7 level=scratch at=3us dur=2us");
    SPAN(k.regions.v[0], 0, 40000);
    SPAN(k.allocs.v[0], 10000, 30000); /* the middle half of the call */
    SPAN(k.kernels.v[0], 47000, 147000);
    SPAN(k.regions.v[2], 44000, 147000); /* a free waits for the device */
    assert_int_equal(k.allocs.v[1].type, ALLOC_FREE);
    assert_int_equal(k.allocs.v[1].address, k.allocs.v[0].address);
    SPAN(k.kernels.v[1], 154000, 159000);
    assert_int_equal(k.kernels.v[1].memset_bytes, 1 << 20);
    SPAN(k.allocs.v[2], 3000, 5000);
    assert_int_equal(k.allocs.v[2].level, LEVEL_SCRATCH);
    arena_release(&k.arena);
}

static void host_time_gaps_and_markers(void **state)
{
    (void)state;
    struct keep k;
    run_ok(&k, COSTS
           "kernel k dur=50us\nmarker range \"outer\" { host 10us; launch k; gap 5us; mark m }\n"
           "at 1ms; api hipGetDevice dur=1us; marker push p; host 3us");
    /* launch 10..14, kernel 17..67, the gap ends at 72 */
    SPAN(k.kernels.v[0], 17000, 67000);
    SPAN(k.regions.v[1], 72000, 72000);
    SPAN(k.regions.v[2], 0, 72000); /* a range comes when it ends */
    SPAN(k.regions.v[3], 1000000, 1001000);
    SPAN(k.regions.v[4], 1001000, 1004000); /* left open: ends with the thread */
    assert_int_equal(k.regions.n, 5);
    arena_release(&k.arena);
}

static void hsa_calls_lie_inside_hip_calls(void **state)
{
    (void)state;
    struct keep k;
    run_ok(&k, "set base=0 hsa=3\napi hipFoo dur=400ns");
    assert_int_equal(k.regions.n, 4);
    for (size_t i = 1; i < 4; i++) { /* slots of 100 ns, half of each used */
        SPAN(k.regions.v[i], (int64_t)i * 100 - 50, (int64_t)i * 100);
        assert_int_equal(k.regions.v[i].parent, k.regions.v[0].corr);
        assert_int_equal(k.regions.v[i].category, CAT_HSA);
    }
    arena_release(&k.arena);
}

static void processes_meet(void **state)
{
    (void)state;
    struct keep k;
    run_ok(&k, COSTS "process count=3 {\nhost (1+rank)*10us\nbarrier dur=1us\n"
                     "mpi MPI_Isend dur=2us bytes=8 peer=1\n"
                     "mpi MPI_Allreduce dur=rank*1us\n"
                     "host rank*10us\ncollective AllReduce dur=20us\n}");
    /* barrier: all arrive by 30 and leave at 31; the send ends at 33 for all */
    for (int i = 0; i < 3; i++)
        SPAN(k.regions.v[i], (1 + i) * 10000, 31000);
    for (size_t i = 3; i < 9; i++) /* sends and the meeting at 33, which lasts 0, 1 or 2 us */
        if (k.regions.v[i].bytes)
            SPAN(k.regions.v[i], 31000, 33000);
    /* kernels start at 33 + own 0/1/2 + host 0/10/20 + two call costs 8 + latency 3; all end when
       the last has started, plus 20 */
    assert_int_equal(k.kernels.n, 3);
    SPAN(k.kernels.v[0], 44000, 86000);
    SPAN(k.kernels.v[1], 55000, 86000);
    SPAN(k.kernels.v[2], 66000, 86000);
    arena_release(&k.arena);
}

static void a_graph_is_one_call(void **state)
{
    (void)state;
    struct keep k;
    run_ok(&k, COSTS "set graph_latency=1us\nkernel k dur=5us\n"
                     "loop 2 { graph { launch k; launch k } }");
    assert_int_equal(k.regions.n, 2);
    SPAN(k.kernels.v[0], 7000, 12000);
    SPAN(k.kernels.v[1], 13000, 18000);
    SPAN(k.kernels.v[2], 18000, 23000); /* ready at 11, the stream is busy */
    assert_int_equal(k.kernels.v[1].corr, k.regions.v[0].corr);
    assert_int_equal(k.kernels.v[3].graph_exec, 2);
    assert_int_equal(k.kernels.v[3].graph_node, 2);
    arena_release(&k.arena);
}

static void threads_run_side_by_side(void **state)
{
    (void)state;
    struct keep k;
    run_ok(&k, "set base=0\nhost 5us\nthread \"w\" { host 10us; api b dur=1us }\n"
               "thread { api a dur=2us }\njoin\napi c dur=1us");
    assert_int_equal(k.regions.n, 3);
    SPAN(k.regions.v[0], 5000, 7000);   /* a: earliest clock first */
    SPAN(k.regions.v[1], 15000, 16000); /* b */
    SPAN(k.regions.v[2], 16000, 17000); /* c: after the last thread */
    assert_int_equal(k.regions.v[0].thread, 2);
    assert_int_equal(k.regions.v[1].thread, 1);
    arena_release(&k.arena);
}

static void exact_and_impossible_times(void **state)
{
    (void)state;
    struct keep k;
    run_ok(&k,
           "set base=1000\nkernel k\nlaunch k at=1000ns dur=500ns\n"
           "raw kernel k start=5 end=-7\nraw copy direction=d2h size=3 start=1 end=1\n"
           "raw region hipX start=9 end=8\ncopy h2d size=8 at=2us dur=1us\napi f at=10ns dur=5ns");
    SPAN(k.kernels.v[0], 2000, 2500);
    SPAN(k.kernels.v[1], 1005, 993);
    SPAN(k.copies.v[0], 1001, 1001);
    SPAN(k.copies.v[1], 3000, 4000);
    SPAN(k.regions.v[0], 1009, 1008);
    SPAN(k.regions.v[1], 1010, 1015);
    assert_int_equal(k.kernels.v[0].corr, 0); /* no call */
    arena_release(&k.arena);
}

static void counters_and_sensors(void **state)
{
    (void)state;
    struct keep k;
    run_ok(&k, "set base=0\ncounter A = 10 instances=2\ncounter B = 7\nkernel k\n"
               "telemetry busy every 10us\ntelemetry power every 10us idle=100 peak=200\n"
               "launch k at=5us dur=10us\ncounter A off\nlaunch k at=30us dur=10us");
    assert_int_equal(k.counters.n, 4);
    assert_true(k.counters.v[0].value == 10 && k.counters.v[2].value == 7);
    assert_int_equal(k.counters.v[3].dispatch, 2);
    /* ticks end at 10, 20, 30, 40 us; busy half, half, not, all of the time */
    static const int busy[] = {50, 50, 0, 100}, power[] = {150, 150, 100, 200};
    assert_int_equal(k.samples.n, 8);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(k.samples.v[2 * i].time_ns, ((int64_t)i + 1) * 10000);
        assert_true(k.samples.v[2 * i].value == busy[i]);
        assert_true(k.samples.v[2 * i + 1].value == power[i]);
    }
    arena_release(&k.arena);
}

/* --- the same every time ----------------------------------------------------------------- */

static const char random_text[] =
    "set launch_cost=4us~20% host_gap=1us~500ns\nkernel k\nprocess count=2 {\n"
    "loop 50 { launch k dur=10us~50%; host rand(1us, 9us); mpi MPI_Allreduce dur=3us~10% }\n}";

static void the_same_seed_gives_the_same_records(void **state)
{
    (void)state;
    struct keep a = {0}, b = {0}, c = {0}, d = {.mask = WANT_KERNELS};
    struct gs_error err;
    run(&a, random_text, 5, &err);
    run(&b, random_text, 5, &err);
    run(&c, random_text, 6, &err);
    run(&d, random_text, 5, &err); /* what is asked for does not change what happens */
    assert_int_equal(a.kernels.n, 100);
    bool differs = false;
    for (size_t i = 0; i < 100; i++) {
        const struct rec_kernel *k = &a.kernels.v[i];
        SPAN(b.kernels.v[i], k->start_ns, k->end_ns);
        SPAN(d.kernels.v[i], k->start_ns, k->end_ns);
        differs = differs || c.kernels.v[i].start_ns != k->start_ns;
        assert_in_range(k->end_ns - k->start_ns, 5000, 15000);
    }
    assert_true(differs);
    assert_int_equal(d.regions.n, 0);
    struct keep *all[] = {&a, &b, &c, &d};
    for (int i = 0; i < 4; i++)
        arena_release(&all[i]->arena);
}

/* --- the truth --------------------------------------------------------------------------- */

enum { CELLS = 3000 };

/* Marks every nanosecond that a span covers. */
static void cover(bool *cells, int64_t start, int64_t end)
{
    for (int64_t i = start; i < end; i++)
        cells[i] = true;
}

static int64_t count(const bool *a, const bool *without)
{
    int64_t n = 0;
    for (int i = 0; i < CELLS; i++)
        n += a[i] && !(without && without[i]);
    return n;
}

static void truth_equals_counting_every_nanosecond(void **state)
{
    (void)state;
    static const char text[] =
        "set base=0\ngpu MI300X count=2\nkernel k\nkernel j\nstream s gpu=1\n"
        "loop 60 {\nlaunch k at=rand(0,2000) dur=rand(0,60)\nlaunch j at=rand(0,2000) "
        "dur=rand(1,90) stream=s\n"
        "copy h2d at=rand(0,2000) dur=rand(0,40) size=rand(1,99)\n"
        "copy d2h at=rand(0,2000) dur=rand(0,40) size=5 stream=s\ncopy p2p at=rand(0,2000) dur=9 "
        "size=3\n}\n"
        "mark x at=2900\nmarker range y at=100 dur=5\nraw kernel k start=50 end=40";
    struct keep k = {0};
    struct gs_error err;
    run(&k, text, 3, &err);
    assert_string_equal(err.text, "");
    struct program *p;
    assert_true(synth_parse(&p, text, strlen(text), &k.arena, &err));
    struct truth *t = truth_new(&k.arena);
    assert_true(synth_run(p, &(struct synth_options){.seed = 3}, truth_sink(t), &err));
    const struct truth_process *r = truth_process(t, 0);
    int64_t lo = INT64_MAX, hi = 0;
    for (size_t i = 0; i < k.kernels.n + k.copies.n; i++) {
        bool copy = i >= k.kernels.n;
        int64_t a = copy ? k.copies.v[i - k.kernels.n].start_ns : k.kernels.v[i].start_ns;
        int64_t b = copy ? k.copies.v[i - k.kernels.n].end_ns : k.kernels.v[i].end_ns;
        lo = a < lo ? a : lo;
        hi = b > hi ? b : hi;
    }
    for (int g = 0; g < 2; g++) {
        bool kernel[CELLS] = {0}, copy[CELLS] = {0};
        int64_t sum = 0;
        for (size_t i = 0; i < k.kernels.n; i++)
            if (k.kernels.v[i].gpu == g && k.kernels.v[i].end_ns > k.kernels.v[i].start_ns) {
                cover(kernel, k.kernels.v[i].start_ns, k.kernels.v[i].end_ns);
                sum += k.kernels.v[i].end_ns - k.kernels.v[i].start_ns;
            }
        for (size_t i = 0; i < k.copies.n; i++)
            if (k.copies.v[i].src_gpu == g || k.copies.v[i].dst_gpu == g)
                cover(copy, k.copies.v[i].start_ns, k.copies.v[i].end_ns);
        const struct truth_times *x = &r->gpus.v[g].times;
        assert_int_equal(x->kernel_ns, sum);
        assert_int_equal(x->kernel_union_ns, count(kernel, NULL));
        assert_int_equal(x->copy_union_ns, count(copy, NULL));
        assert_int_equal(x->exposed_copy_ns, count(copy, kernel));
        assert_int_equal(x->idle_ns, hi - lo - count(kernel, NULL) - count(copy, kernel));
    }
    assert_int_equal(r->counts.kernels, 121);
    assert_int_equal(r->counts.negative_kernels, 1);
    assert_int_equal(r->counts.copies, 180);
    assert_int_equal(r->counts.markers, 2);
    assert_int_equal(r->counts.regions, 1);
    assert_int_equal(r->counts.samples, 1);
    assert_int_equal(r->times.bytes[COPY_D2H], 300);
    assert_int_equal(r->times.bytes[COPY_P2P], 180);
    assert_int_equal(r->all.end, 2900);
    arena_release(&k.arena);
}

static void all_scenarios_can_be_read(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a);
    size_t n = 0;
    for (const struct scenario *s = synth_scenarios; s->name; s++, n++) {
        struct program *p;
        struct gs_error err = {0};
        bool ok = synth_parse(&p, s->text, strlen(s->text), &a, &err);
        assert_string_equal(err.text, "");
        assert_true(ok && strlen(p->doc) > 10);
        assert_ptr_equal(scenario_find(s->name), s);
    }
    assert_true(n >= 30);
    assert_null(scenario_find("nothing"));
    arena_release(&a);
}

static void words_become_parts_of_names(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    assert_string_equal(utf8_file_word("node-1.example", &arena), "node-1.example");
    assert_string_equal(utf8_file_word("../../x", &arena), "_.._.._x");
    assert_string_equal(utf8_file_word("..", &arena), "_..");
    assert_string_equal(utf8_file_word("", &arena), "_");
    assert_string_equal(utf8_file_word("-o", &arena), "_-o");
    assert_string_equal(utf8_file_word("a\x1b\xff/b", &arena), "a___b");
    assert_true(strlen(utf8_file_word(arena_printf(&arena, "%5000d", 1), &arena)) < 200);
    arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_become_parts_of_names),
        cmocka_unit_test(errors_name_the_line_and_a_hint),
        cmocka_unit_test(nesting_is_bounded),
        cmocka_unit_test(numbers_have_units_and_operators),
        cmocka_unit_test(texts_take_escapes_and_expressions),
        cmocka_unit_test(parameters_can_be_set),
        cmocka_unit_test(a_kernel_follows_its_call_and_its_stream),
        cmocka_unit_test(streams_overlap_and_events_order_them),
        cmocka_unit_test(copies_block_or_queue_on_engines),
        cmocka_unit_test(a_free_waits_for_the_device),
        cmocka_unit_test(host_time_gaps_and_markers),
        cmocka_unit_test(hsa_calls_lie_inside_hip_calls),
        cmocka_unit_test(processes_meet),
        cmocka_unit_test(a_graph_is_one_call),
        cmocka_unit_test(threads_run_side_by_side),
        cmocka_unit_test(exact_and_impossible_times),
        cmocka_unit_test(counters_and_sensors),
        cmocka_unit_test(the_same_seed_gives_the_same_records),
        cmocka_unit_test(truth_equals_counting_every_nanosecond),
        cmocka_unit_test(all_scenarios_can_be_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
