#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/jread.h"
#include "compat/rocinsight.h"
#include "made_trace.h"
#include "report/summary_json.h"
#include "report/terms.h"

/* ---- documents ---- */

struct document {
    struct made m;
    struct analysis a;
    struct advice advice;
    struct str text;
};

typedef void write_document(struct jwrite *w, const struct analysis *a, const struct advice *advice,
                            const struct analysis_json_opts *o);

static void write_all(struct document *d, write_document *write, const struct analysis_opts *o)
{
    struct jwrite w;
    made_analyze(&d->m, &d->a, o);
    advise(&d->advice, &d->a, NULL, &d->m.arena);
    str_init(&d->text, &d->m.arena);
    jw_init(&w, &d->text, 2);
    write(&w, &d->a, &d->advice, &(struct analysis_json_opts){.top_kernels = 10});
}

/* Walks to a place like "ledger/causes/0/ns"; true: it is there and next to be read. */
static bool walk(struct jread *j, const char *path)
{
    while (*path) {
        size_t n = strcspn(path, "/");
        char part[64];
        assert_true(n < sizeof(part));
        memcpy(part, path, n);
        part[n] = 0;
        path += n + (path[n] == '/');
        bool found = false;
        if (jr_type(j) == J_ARRAY) {
            long skip = atol(part);
            for (jr_array(j); !found && jr_item(j); skip--) {
                if (skip)
                    jr_skip(j);
                else
                    found = true;
            }
        } else if (jr_object(j)) {
            while (!found && jr_key(j)) {
                if (jr_is(j, part))
                    found = true;
                else
                    jr_skip(j);
            }
        }
        if (!found)
            return false;
    }
    return true;
}

static enum jtype type_at(const struct document *d, const char *path)
{
    struct jread j;
    jr_memory(&j, d->text.buf, d->text.len);
    enum jtype type = walk(&j, path) ? jr_type(&j) : J_NONE;
    jr_release(&j);
    return type;
}

static double number_at(const struct document *d, const char *path)
{
    struct jread j;
    jr_memory(&j, d->text.buf, d->text.len);
    double v = walk(&j, path) && jr_type(&j) == J_NUMBER ? jr_num(&j, NAN) : NAN;
    jr_release(&j);
    return v;
}

static const char *text_at(struct document *d, const char *path)
{
    struct jread j;
    jr_memory(&j, d->text.buf, d->text.len);
    const char *s = walk(&j, path) ? jr_str(&j, NULL) : NULL;
    s = s ? arena_strdup(&d->m.arena, s) : NULL;
    jr_release(&j);
    return s;
}

static void assert_valid(const struct document *d)
{
    struct jread j;
    struct gs_error err = {0};
    jr_memory(&j, d->text.buf, d->text.len);
    assert_int_equal(jr_type(&j), J_OBJECT);
    jr_skip(&j);
    bool good = jr_end(&j, &err);
    jr_release(&j);
    assert_true(good);
}

/*
 * us. GPU 0: kernels 10..40 and 30..50, H2D 45..60. GPU 1: kernel 70..90. Span 10..90 on two GPUs
 * is 160: kernels 40 + 20, copies 15, of them 10 exposed, idle 160 - 70.
 */
static void make_two_gpus(struct document *d)
{
    struct made *m = &d->m;
    made_init(m);
    uint32_t s = made_stream(m, made_gpu(m), 1), s2 = made_stream(m, made_gpu(m), 1);
    made_kernel(m, "a", s, US(10), US(40), made_launch(m, US(5), US(8)));
    made_kernel(m, "a", s, US(30), US(50), made_launch(m, US(8), US(9)));
    made_copy(m, COPY_H2D, s, US(45), US(60), NO_INDEX);
    made_kernel(m, "b", s2, US(70), US(90), made_launch(m, US(66), US(68)));
}

static void totals_are_unions_per_gpu(void **state)
{
    (void)state;
    struct document d = {0};
    make_two_gpus(&d);
    struct analysis_opts o = made_options(0, US(100));
    write_all(&d, analysis_json, &o);
    assert_valid(&d);
    assert_near(number_at(&d, "execution_breakdown/total_runtime_ns"), US(80));
    assert_near(number_at(&d, "execution_breakdown/kernel_time_ns"), US(60));
    assert_near(number_at(&d, "execution_breakdown/kernel_time_pct"), 37.5);
    assert_near(number_at(&d, "execution_breakdown/memcpy_time_ns"), US(10));
    assert_near(number_at(&d, "execution_breakdown/api_overhead_ns") +
                    number_at(&d, "execution_breakdown/idle_time_ns"),
                US(90));
    assert_near(number_at(&d, "interval_timeline/total_wall_ns"), US(80));
    assert_near(number_at(&d, "interval_timeline/true_compute_ns"), US(60));
    assert_near(number_at(&d, "interval_timeline/exposed_memcpy_ns"), US(10));
    assert_near(number_at(&d, "interval_timeline/idle_ns"), US(90));
    assert_near(number_at(&d, "analyses/breakdown/busy_ns"), US(70));
    assert_string_equal(text_at(&d, "hotspots/0/name"), "a");
    assert_near(number_at(&d, "profiling_info/gpus/1/index"), 11);
    made_release(&d.m);
}

static void the_ledger_adds_up(void **state)
{
    (void)state;
    struct document d = {0};
    make_two_gpus(&d);
    struct analysis_opts o = made_options(0, US(100));
    write_all(&d, analysis_json, &o);
    double all = 0, first = 0, pct = 0;
    for (int c = 0; c < CAUSES; c++) {
        char path[64];
        snprintf(path, sizeof(path), "ledger/causes/%d/ns", c);
        all += number_at(&d, path);
        snprintf(path, sizeof(path), "ledger/causes/%d/pct", c);
        pct += number_at(&d, path);
        snprintf(path, sizeof(path), "ledger/gpus/0/causes/%d/ns", c);
        first += number_at(&d, path);
    }
    assert_near(all, 2 * US(100));
    assert_near(first, US(100));
    assert_near(pct, 100);
    assert_near(number_at(&d, "ledger/gpus/0/gpu"), 10);
    made_release(&d.m);
}

static void what_cannot_be_said_is_null(void **state)
{
    (void)state;
    struct document d = {0};
    make_two_gpus(&d);
    struct analysis_opts o = made_options(0, US(100));
    write_all(&d, analysis_json, &o);
    assert_int_equal(type_at(&d, "memory_analysis/Host-to-Device/avg_bytes"), J_NULL);
    assert_int_equal(type_at(&d, "memory_analysis/Host-to-Device/bandwidth_gbps"), J_NULL);
    assert_int_equal(type_at(&d, "metadata/analysis_timestamp"), J_NULL);
    assert_int_equal(type_at(&d, "hardware_counters/metrics"), J_NULL);
    assert_int_equal(type_at(&d, "roctx_regions"), J_NULL);
    assert_null(strstr(d.text.buf, ": nan"));
    assert_null(strstr(d.text.buf, ": inf"));
    made_release(&d.m);
}

static void an_empty_trace_gives_a_document(void **state)
{
    (void)state;
    static write_document *const writers[] = {analysis_json, rocinsight_json};
    for (size_t i = 0; i < 2; i++) {
        struct document d = {0};
        made_init(&d.m);
        struct analysis_opts o = made_options(0, 0);
        write_all(&d, writers[i], &o);
        assert_valid(&d);
        assert_string_equal(text_at(&d, "summary/primary_bottleneck"), "unknown");
        assert_near(number_at(&d, "execution_breakdown/kernel_time_pct"), 0);
        made_release(&d.m);
    }
}

static void names_cannot_break_out(void **state)
{
    (void)state;
    struct document d = {0};
    made_init(&d.m);
    uint32_t s = made_stream(&d.m, made_gpu(&d.m), 1);
    made_kernel(&d.m, "a\"}],\n\x01\xff%s%n", s, US(1), US(2), NO_INDEX);
    struct analysis_opts o = made_options(0, US(10));
    write_all(&d, analysis_json, &o);
    assert_valid(&d);
    assert_string_equal(text_at(&d, "hotspots/0/name"), "a\"}],\n\x01\xef\xbf\xbd%s%n");
    made_release(&d.m);
}

/* ---- counters ---- */

static void add_value(struct made *m, uint32_t kernel, uint32_t counter, double value)
{
    trace_room(&m->t, counters, 1);
    struct counters *c = &m->t.counters;
    size_t i = c->n++;
    c->value[i] = value;
    c->kernel[i] = kernel;
    c->counter[i] = counter;
    c->instance[i] = 0;
}

static uint32_t add_counter(struct made *m, const char *name, uint32_t gpu)
{
    struct counter_info info = {.name = strings_add(&m->t.strings, name), .gpu = gpu};
    vec_push(&m->t.counter_infos, &m->t.arena, info);
    return (uint32_t)m->t.counter_infos.n - 1;
}

static void counters_are_reduced_per_dispatch(void **state)
{
    (void)state;
    struct document d = {0};
    struct made *m = &d.m;
    made_init(m);
    uint32_t gpu = made_gpu(m), gpu2 = made_gpu(m);
    uint32_t k = made_kernel(m, "a", made_stream(m, gpu, 1), US(10), US(20), NO_INDEX);
    uint32_t k2 = made_kernel(m, "a", made_stream(m, gpu2, 1), US(20), US(30), NO_INDEX);
    uint32_t late = made_kernel(m, "a", made_stream(m, gpu, 1), US(200), US(210), NO_INDEX);
    uint32_t waves = add_counter(m, "SQ_WAVES", gpu), waves2 = add_counter(m, "SQ_WAVES", gpu2);
    uint32_t active = add_counter(m, "GRBM_GUI_ACTIVE", gpu),
             count = add_counter(m, "GRBM_COUNT", gpu);
    add_value(m, k, waves, 3); /* two instances: 3 + 4 */
    add_value(m, k2, waves2, 10);
    add_value(m, k, waves, 4);
    add_value(m, late, waves, 1000); /* not in the window */
    add_value(m, NO_INDEX, waves, 1000);
    add_value(m, k, active, 30);
    add_value(m, k, count, 40);
    struct analysis_opts o = made_options(0, US(100));
    write_all(&d, analysis_json, &o);
    assert_valid(&d);
    assert_near(number_at(&d, "hardware_counters/counters/SQ_WAVES/sample_count"), 2);
    assert_near(number_at(&d, "hardware_counters/counters/SQ_WAVES/instances"), 2);
    assert_near(number_at(&d, "hardware_counters/counters/SQ_WAVES/avg_value"), 8.5);
    assert_near(number_at(&d, "hardware_counters/counters/SQ_WAVES/min_value"), 7);
    assert_near(number_at(&d, "hardware_counters/counters/SQ_WAVES/max_value"), 10);
    assert_near(number_at(&d, "hardware_counters/counters/SQ_WAVES/total_value"), 17);
    assert_near(number_at(&d, "hardware_counters/metrics/gpu_utilization_pct"), 75);
    assert_string_equal(text_at(&d, "profiling_info/profiling_mode"), "sys_trace_with_counters");
    made_release(m);
}

/* ---- rocinsight's document ---- */

static void rocinsight_gets_only_what_it_knows(void **state)
{
    (void)state;
    struct document d = {0};
    make_two_gpus(&d);
    uint32_t s = made_stream(&d.m, 0, 1);
    made_copy(&d.m, COPY_SET, s, US(61), US(62), NO_INDEX);
    made_copy(&d.m, COPY_P2P, s, US(63), US(64), NO_INDEX);
    struct analysis_opts o = made_options(0, US(100));
    write_all(&d, rocinsight_json, &o);
    assert_valid(&d);
    assert_string_equal(text_at(&d, "schema_version"), "0.3.0");
    assert_int_equal(type_at(&d, "memory_analysis/Memset"), J_NONE);
    assert_int_equal(type_at(&d, "memory_analysis/Peer-to-Peer"), J_OBJECT);
    assert_near(number_at(&d, "memory_analysis/Host-to-Device/bandwidth_gbps"), 0);
    assert_non_null(strstr(d.text.buf, "not in memory_analysis: Memset"));
    assert_int_equal(type_at(&d, "ledger"), J_NONE);
    assert_int_equal(type_at(&d, "analyses"), J_NONE);
    made_release(&d.m);
}

static void rocinsight_leaves_out_other_tools(void **state)
{
    (void)state;
    struct document d = {0};
    make_two_gpus(&d);
    for (size_t g = 0; g < d.m.t.gpus.n; g++)
        d.m.t.gpus.v[g].vendor = VENDOR_NVIDIA;
    struct analysis_opts o = made_options(0, US(100));
    write_all(&d, rocinsight_json, &o);
    assert_valid(&d);
    assert_null(strstr(d.text.buf, "\"tool\": \"nsys\""));
    assert_null(strstr(d.text.buf, "\"tool\": \"ncu\""));
    made_release(&d.m);
}

/* ---- summary ---- */

static void the_summary_keeps_gpus_apart(void **state)
{
    (void)state;
    struct document d = {0};
    struct jwrite w;
    struct summary s;
    make_two_gpus(&d);
    made_call(&d.m, "hipDeviceSynchronize", US(90), US(95));
    made_call(&d.m, "hipMemcpy", US(95), US(97));
    struct analysis_opts o = made_options(0, US(100));
    made_analyze(&d.m, &d.a, &o);
    summary_make(&s, &d.a, &d.m.arena);
    str_init(&d.text, &d.m.arena);
    jw_init(&w, &d.text, 2);
    summary_json(&s, &w);
    assert_valid(&d);
    assert_near(number_at(&d, "profile_span_s"), 100e-6);
    assert_near(number_at(&d, "gpu_kernel_s"), 70e-6);
    assert_near(number_at(&d, "gpu_busy_s"), 60e-6);
    assert_near(number_at(&d, "gpu_utilization_pct"), 30);
    assert_near(number_at(&d, "gpus/0/gpu_utilization_pct"), 40);
    assert_near(number_at(&d, "gpus/1/gpu_utilization_pct"), 20);
    assert_near(number_at(&d, "gpu_sync_s"), 5e-6);
    assert_near(number_at(&d, "cpu_sync_blocked_s"), 7e-6);
    /* a: called at 5 and started at 10; called at 8, the stream busy until 40, started at 30 */
    assert_near(number_at(&d, "top_kernels/0/avg_launch_overhead_us"), 2.5);
    assert_near(number_at(&d, "top_kernels/0/max_launch_overhead_us"), 5);
    assert_near(number_at(&d, "top_kernels/1/avg_launch_overhead_us"), 4);
    assert_int_equal(type_at(&d, "top_kernels/0/avg_registers_per_thread"), J_NULL);
    assert_string_equal(text_at(&d, "device_info/vendor"), "amd");
    assert_near(number_at(&d, "device_info/sm_count"), 304);
    made_release(&d.m);
}

/* ---- terms ---- */

static void every_term_is_found_by_its_names(void **state)
{
    (void)state;
    struct arena a;
    struct terms t;
    arena_init(&a);
    terms_list(&t, &a);
    assert_true(t.n > 200);
    for (size_t i = 0; i < t.n; i++) {
        assert_true(*t.v[i].name && *t.v[i].doc);
        assert_non_null(term_doc(&t, t.v[i].name, &a));
        if (t.v[i].alias)
            assert_non_null(term_doc(&t, t.v[i].alias, &a));
    }
    assert_non_null(term_doc(&t, "sq_waves", &a));
    assert_null(term_doc(&t, "no such thing", &a));
    assert_string_equal(term_nearest(&t, "hotspotz", &a), "hotspots");
    arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        unit_test(totals_are_unions_per_gpu),
        unit_test(the_ledger_adds_up),
        unit_test(what_cannot_be_said_is_null),
        unit_test(an_empty_trace_gives_a_document),
        unit_test(names_cannot_break_out),
        unit_test(counters_are_reduced_per_dispatch),
        unit_test(rocinsight_gets_only_what_it_knows),
        unit_test(rocinsight_leaves_out_other_tools),
        unit_test(the_summary_keeps_gpus_apart),
        unit_test(every_term_is_found_by_its_names),
    };
    return unit_run(tests);
}
