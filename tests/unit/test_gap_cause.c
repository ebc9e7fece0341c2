/* Threads that feed many GPUs: sums over calls say what a walk over them does, and names are kept. */
#include "unit.h"

#include <string.h>

#include "analyze/call_sums.h"
#include "analyze/gap_cause.h"
#include "analyze/host_time.h"
#include "made_trace.h"

enum { GPUS = 20 };

/* Stretches of all sorts of lengths, calls of all sorts, some that end before they start. */
static void make_calls(struct made *m, struct made_random *r, int n, int waits_in)
{
    static const char *const names[] = {
        "hipLaunchKernel", "hipGetDevice",  "hipMemcpyAsync", "hipStreamCreate",
        "hipMalloc",       "hipModuleLoad", "hipDoWhatever",  "hipFree",
    };
    int64_t at = 0;
    for (int i = 0; i < n; i++) {
        int64_t lengths[] = {0, 100, 49999, 50000, 50001, 250000, 250001, made_random(r, 300000)};
        at += lengths[made_random(r, 8)];
        int64_t end = at + lengths[made_random(r, 8)];
        bool waits = waits_in && made_random(r, waits_in) == 0;
        made_call(m, waits ? "hipDeviceSynchronize" : names[made_random(r, 8)], at,
                  made_random(r, 20) ? end : at - 10);
        at = end;
    }
}

static void make_view(struct made *m, struct view *v, int64_t end)
{
    struct view_opts o = made_window(0, end);
    for (int g = 0; g < GPUS; g++)
        made_kernel(m, "a", made_stream(m, made_gpu(m), g), g, g + 1, NO_INDEX);
    view_make(v, &m->t, &o, &m->arena);
    assert_int_equal(v->n_gpus, GPUS);
}

static void same_causes_by_block_and_by_call(uint64_t seed, int waits_in)
{
    struct made m;
    struct view v;
    struct made_random r = {seed};
    enum { CALLS = 700 };
    made_init(&m);
    make_calls(&m, &r, CALLS, waits_in);
    int64_t last = m.t.regions.start_ns[CALLS - 1];
    make_view(&m, &v, 2 * last);
    struct gap_cursor *cursors = arena_array(&m.arena, struct gap_cursor, 2 * v.n_threads);
    struct gap_reader walk, sums;
    gap_reader_init(&walk, &v, 0, cursors);
    gap_reader_init(&sums, &v, 0, cursors + v.n_threads);
    sums.sums = call_sums_make(&v, &m.arena);
    assert_non_null(sums.sums);
    for (int64_t at = 0; at < last;) {
        int64_t length = 1 + made_random(&r, made_random(&r, 2) ? 1000000 : last);
        uint32_t call = made_random(&r, 2) ? (uint32_t)made_random(&r, CALLS) : NO_INDEX;
        walk.last_thread = sums.last_thread = 0;
        int64_t a[CAUSES] = {0}, b[CAUSES] = {0}, busy = made_random(&r, 300000), all = 0;
        gap_explain(&walk, at, at + length, call, busy, a);
        gap_explain(&sums, at, at + length, call, busy, b);
        assert_memory_equal(a, b, sizeof(a));
        for (enum cause c = 0; c < CAUSES; c++)
            all += b[c];
        assert_int_equal(all, length);
        at += made_random(&r, 3000000);
    }
    made_release(&m);
}

static void blocks_say_what_calls_say(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 40; seed++)
        same_causes_by_block_and_by_call(seed * 7919, (int)(seed % 4) * 40);
}

static void few_gpus_need_no_sums(void **state)
{
    (void)state;
    struct made m;
    struct view v;
    made_init(&m);
    struct view_opts o = made_window(0, US(100));
    made_kernel(&m, "a", made_stream(&m, made_gpu(&m), 1), US(10), US(20), made_launch(&m, 0, 5));
    view_make(&v, &m.t, &o, &m.arena);
    assert_null(call_sums_make(&v, &m.arena));
    made_release(&m);
}

/*
 * A thread launches on each GPU in turn every 60 us, for three rounds of all, inside of a marker.
 * Each GPU then starves between its kernels while the thread is elsewhere: 60 us before each of the
 * launches of one round, less the 5 us that a launch takes: 55 us. All of it is in the marker.
 */
static void every_starving_gpu_counts(void **state)
{
    (void)state;
    for (uint32_t gpus = 4; gpus <= 64; gpus *= 4) {
        struct made m;
        struct analysis a = {0};
        made_init(&m);
        int64_t at = 0;
        for (uint32_t g = 0; g < gpus; g++)
            made_stream(&m, made_gpu(&m), g);
        for (uint32_t i = 0; i < 3 * gpus; i++, at += US(60)) {
            uint32_t call = made_launch(&m, at, at + US(5));
            made_kernel(&m, "a", i % gpus, at + US(5), at + US(6), call);
        }
        trace_room(&m.t, markers, 1);
        struct markers *k = &m.t.markers;
        size_t n = k->n++;
        k->start_ns[n] = 0;
        k->end_ns[n] = at;
        k->name[n] = strings_add(&m.t.strings, "input");
        k->domain[n] = k->thread[n] = 0;
        k->kind[n] = MARKER_THREAD_RANGE;
        struct view_opts o = made_window(0, at);
        a = (struct analysis){.trace = &m.t, .arena = &m.arena, .opts.view = o};
        view_make(&a.view, &m.t, &o, &m.arena);
        ledger_make(&a.ledger, &a.view, true, &m.arena);
        struct host_time h;
        host_time_find(&h, &a, CAUSE_HOST, &m.arena);
        /* Of the first stretch in each gap the kernel has 1 us. */
        assert_int_equal(h.all_ns, 2 * (int64_t)gpus * (US(55) * gpus - US(1)));
        assert_int_equal(h.parts.n, 1);
        assert_string_equal(h.parts.v[0].name, "input");
        assert_int_equal(h.parts.v[0].ns, h.all_ns);
        assert_int_equal(h.named_ns, h.all_ns);
        made_release(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        unit_test(blocks_say_what_calls_say),
        unit_test(few_gpus_need_no_sums),
        unit_test(every_starving_gpu_counts),
    };
    return unit_run(tests);
}
