/* What the host did while a GPU starved: by functions, samples, markers and other threads. */
#include "unit.h"

#include "analyze/host_time.h"
#include "made_trace.h"

/* Two kernels of one thread, with a gap from 100 us to 1105 us: 1000 us between the calls. */
struct stage {
    struct made m;
    struct analysis a;
    uint32_t thread;
};

static void begin(struct stage *s)
{
    made_init(&s->m);
    uint32_t stream = made_stream(&s->m, made_gpu(&s->m), 1);
    uint32_t first = made_launch(&s->m, 0, US(100));
    made_kernel(&s->m, "a", stream, US(10), US(100), first);
    made_kernel(&s->m, "a", stream, US(1105), US(1200), made_launch(&s->m, US(1100), US(1104)));
    s->thread = s->m.t.regions.thread[first];
}

static uint32_t text(struct stage *s, const char *word)
{
    return strings_add(&s->m.t.strings, word);
}

static void add_sample(struct stage *s, const char *name, int64_t time)
{
    trace_room(&s->m.t, samples, 1);
    size_t n = s->m.t.samples.n++;
    s->m.t.samples.time_ns[n] = time;
    s->m.t.samples.name[n] = text(s, name);
    s->m.t.samples.thread[n] = s->thread;
}

static void add_marker(struct stage *s, const char *name, int64_t start, int64_t end)
{
    trace_room(&s->m.t, markers, 1);
    size_t n = s->m.t.markers.n++;
    s->m.t.markers.start_ns[n] = start;
    s->m.t.markers.end_ns[n] = end;
    s->m.t.markers.name[n] = text(s, name);
    s->m.t.markers.domain[n] = 0;
    s->m.t.markers.thread[n] = s->thread;
    s->m.t.markers.kind[n] = MARKER_THREAD_RANGE;
}

static struct host_time look(struct stage *s)
{
    struct host_time h;
    struct view_opts o = made_window(0, US(1200));
    s->a = (struct analysis){.trace = &s->m.t, .arena = &s->m.arena, .opts.view = o};
    view_make(&s->a.view, &s->m.t, &o, &s->m.arena);
    ledger_make(&s->a.ledger, &s->a.view, true, &s->m.arena);
    host_time_find(&h, &s->a, CAUSE_HOST, &s->m.arena);
    assert_int_equal(h.all_ns, US(1000));
    assert_int_equal(s->a.ledger.ns[CAUSE_HOST], US(1000));
    return h;
}

static void assert_part(const struct host_time *h, size_t i, const char *name,
                        enum host_source source, int64_t us)
{
    assert_true(i < h->parts.n);
    assert_string_equal(h->parts.v[i].name, name);
    assert_int_equal(h->parts.v[i].source, source);
    assert_int_equal(h->parts.v[i].ns, US(us));
}

static void nothing_recorded_names_nothing(void **state)
{
    (void)state;
    struct stage s;
    begin(&s);
    struct host_time h = look(&s);
    assert_int_equal(h.parts.n, 0);
    assert_int_equal(h.named_ns, 0);
    made_release(&s.m);
}

/* The innermost function counts; outside of it the samples do, then the marker. */
static void each_stretch_has_the_nearest_name(void **state)
{
    (void)state;
    struct stage s;
    begin(&s);
    made_call_on(&s.m, 0, REGION_PYTHON, "outer", US(100), US(500));
    made_call_on(&s.m, 0, REGION_PYTHON, "inner", US(200), US(300));
    add_marker(&s, "range", US(50), US(700));
    struct host_time h = look(&s);
    assert_int_equal(h.parts.n, 3);
    assert_part(&h, 0, "outer", HOST_FUNCTION, 300);
    assert_part(&h, 1, "range", HOST_MARKER, 200);
    assert_part(&h, 2, "inner", HOST_FUNCTION, 100);
    assert_int_equal(h.named_ns, US(600));
    made_release(&s.m);
}

static void samples_share_their_stretch(void **state)
{
    (void)state;
    struct stage s;
    begin(&s);
    for (int i = 0; i < 3; i++)
        add_sample(&s, "parse", US(200 + 100 * i));
    add_sample(&s, "read", US(600));
    add_sample(&s, "elsewhere", US(50)); /* not in the gap */
    struct host_time h = look(&s);
    assert_int_equal(h.parts.n, 2);
    assert_part(&h, 0, "parse", HOST_SAMPLE, 750);
    assert_part(&h, 1, "read", HOST_SAMPLE, 250);
    made_release(&s.m);
}

static void another_thread_that_allocates_is_named(void **state)
{
    (void)state;
    struct stage s;
    begin(&s);
    made_thread(&s.m.t, 0, 2);
    uint32_t other = made_call_on(&s.m, 1, REGION_HIP, "hipMalloc", US(150), US(1000));
    assert_true(s.m.t.regions.thread[other] != s.thread);
    struct host_time h = look(&s);
    assert_int_equal(h.parts.n, 1);
    assert_part(&h, 0, "hipMalloc", HOST_OTHER_THREAD, 1000);
    made_release(&s.m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        unit_test(nothing_recorded_names_nothing),
        unit_test(each_stretch_has_the_nearest_name),
        unit_test(samples_share_their_stretch),
        unit_test(another_thread_that_allocates_is_named),
    };
    return unit_run(tests);
}
