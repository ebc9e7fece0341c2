/* Two runs compared: pairs, noise, verdicts, gates, documents. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/inputs.h"
#include "base/str.h"
#include "compare/compare_in.h"
#include "compare/gate.h"
#include "compare/history.h"
#include "compare/profile_write.h"
#include "compare_runs.h"
#include "made_trace.h"
#include "render/compare_json.h"

/* ---- verdicts ---- */

static void a_run_is_the_same_as_itself(void **state)
{
    (void)state;
    struct runs r;
    start(&r);
    kernel(&r, &r.a, "axpy", 100, 10000, 50);
    compare(&r.c, &r.a, &r.a, &r.arena);
    assert_int_equal(r.c.verdict, COMPARE_SAME);
    assert_int_equal(r.c.change_ns, 0);
    assert_true(r.c.comparable);
    assert_float_equal(r.c.score, 1, 0);
    assert_int_equal(r.c.causes.n, 0);
    arena_release(&r.arena);
}

static void a_change_beyond_noise_is_found_with_its_sign(void **state)
{
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2) {
        struct runs r;
        start(&r);
        kernel(&r, &r.a, "axpy", 100, 10000, 20);
        kernel(&r, &r.a, "dot", 100, 9000, 20);
        kernel(&r, &r.b, "axpy", 100, 10000 + sign * 300, 20);
        kernel(&r, &r.b, "dot", 100, 9010, 20);
        run(&r);
        assert_int_equal(r.c.verdict, sign < 0 ? COMPARE_FASTER : COMPARE_SLOWER);
        assert_int_equal(r.c.change_ns, sign * 30000);
        assert_non_null(strstr(r.c.causes.v[0].what, "axpy"));
        assert_true(r.c.kernels.v[0].significant);
        assert_false(r.c.kernels.v[1].significant);
        arena_release(&r.arena);
    }
}

static void a_change_within_noise_is_none(void **state)
{
    (void)state;
    struct runs r;
    start(&r);
    kernel(&r, &r.a, "axpy", 100, 10000, 300);
    kernel(&r, &r.b, "axpy", 100, 10500, 300);
    run(&r);
    assert_int_equal(r.c.verdict, COMPARE_SAME);
    assert_int_equal(r.c.change_ns, 0);
    assert_true(r.c.noise_pct > 5);
    arena_release(&r.arena);
}

static void another_grid_is_refused(void **state)
{
    (void)state;
    struct runs r;
    start(&r);
    kernel(&r, &r.a, "gemm", 100, 10000, 10);
    struct profile_kernel *k = kernel(&r, &r.b, "gemm", 100, 3000, 10);
    k->work_items = 256;
    k->grid = "256x1x1";
    run(&r);
    assert_int_equal(r.c.verdict, COMPARE_NOT_COMPARABLE);
    assert_false(r.c.comparable);
    assert_string_equal(r.c.reasons.v[0], "kernel gemm ran 256x1x1 work-items instead of 1024x1x1: "
                                          "B did a quarter of the work");
    arena_release(&r.arena);
}

static void more_steps_are_divided_out(void **state)
{
    (void)state;
    struct runs r;
    start(&r);
    kernel(&r, &r.a, "gemm", 100, 10000, 10);
    kernel(&r, &r.a, "add", 200, 1000, 2);
    kernel(&r, &r.a, "init", 1, 500, 2);
    kernel(&r, &r.b, "gemm", 250, 10000, 10);
    kernel(&r, &r.b, "add", 500, 1000, 2);
    kernel(&r, &r.b, "init", 1, 500, 2);
    run(&r);
    assert_float_equal(r.c.steps, 2.5, 1e-9);
    assert_int_equal(r.c.verdict, COMPARE_SAME);
    assert_non_null(strstr(r.c.reasons.v[0], "2.5 times as many steps"));
    arena_release(&r.arena);
}

static void other_calls_of_one_kernel_are_a_cause(void **state)
{
    (void)state;
    struct runs r;
    start(&r);
    kernel(&r, &r.a, "gemm", 100, 10000, 10);
    kernel(&r, &r.a, "cast", 400, 1000, 2);
    kernel(&r, &r.b, "gemm", 100, 10000, 10);
    kernel(&r, &r.b, "cast", 100, 1000, 2);
    run(&r);
    assert_int_equal(r.c.verdict, COMPARE_FASTER);
    assert_int_equal(r.c.change_ns, -300000);
    assert_string_equal(r.c.causes.v[0].kind, "calls");
    arena_release(&r.arena);
}

static void little_common_work_is_refused(void **state)
{
    (void)state;
    struct runs r;
    start(&r);
    kernel(&r, &r.a, "hydro_step", 100, 10000, 10);
    kernel(&r, &r.b, "matrix_product", 33, 20000, 10);
    run(&r);
    assert_int_equal(r.c.verdict, COMPARE_NOT_COMPARABLE);
    arena_release(&r.arena);
}

static void vendors_are_compared_by_role(void **state)
{
    (void)state;
    struct runs r;
    start(&r);
    r.b.gpus.v[0].vendor = VENDOR_NVIDIA;
    r.b.gpus.v[0].name = "H100";
    kernel(&r, &r.a, "Cijk_Ailk", 100, 10000, 0)->category = ROLE_GEMM;
    kernel(&r, &r.b, "sm90_gemm", 90, 8000, 0)->category = ROLE_GEMM;
    run(&r);
    assert_true(r.c.comparable);
    assert_int_equal(r.c.kernels.n, 1);
    assert_string_equal(r.c.kernels.v[0].match, "role");
    assert_int_equal(r.c.verdict, COMPARE_FASTER);
    arena_release(&r.arena);
}

/* ---- pairs ---- */

static void renamed_kernels_are_found_by_their_words(void **state)
{
    (void)state;
    struct runs r;
    start(&r);
    kernel(&r, &r.a, "void bmm_matrix_core_64x64x4<64u>(int)", 150, 60000, 10);
    kernel(&r, &r.a, "fill_buffer", 151, 6000, 10);
    kernel(&r, &r.b, "void bmm_matrix_core_128x128x16_IGLP<128u>(int)", 150, 20000, 10);
    kernel(&r, &r.b, "fill_buffer", 151, 6000, 10);
    r.b.kernels.v[0].work_items = 99; /* other tiles: another grid says nothing */
    run(&r);
    assert_int_equal(r.c.kernels.v[0].how, MATCH_SIMILAR);
    assert_int_equal(r.c.verdict, COMPARE_FASTER);
    struct words x, y;
    split_words(&x, "abc_def");
    split_words(&y, "xyz");
    assert_float_equal(words_alike(&x, &x), 1, 0);
    assert_float_equal(words_alike(&x, &y), 0, 0);
    assert_true(same_numbers("a_64x4<2>(int8)", "b64_4_2(int)"));
    assert_false(same_numbers("a_64x4", "a_64x5"));
    assert_false(same_numbers("a_6", "a_64"));
    arena_release(&r.arena);
}

static void new_and_gone_kernels_are_causes(void **state)
{
    (void)state;
    struct runs r;
    start(&r);
    kernel(&r, &r.a, "gemm", 100, 10000, 0);
    kernel(&r, &r.a, "transposition", 100, 5000, 0);
    kernel(&r, &r.b, "gemm", 100, 10000, 0);
    kernel(&r, &r.b, "checksum", 10, 3000, 0);
    run(&r);
    assert_string_equal(r.c.causes.v[0].kind, "gone_kernel");
    assert_int_equal(r.c.causes.v[0].change_ns, -500000);
    assert_string_equal(r.c.causes.v[1].kind, "new_kernel");
    assert_int_equal(r.c.verdict, COMPARE_FASTER);
    arena_release(&r.arena);
}

static void a_mixture_of_grids_is_no_noise(void **state)
{
    (void)state;
    struct runs r;
    start(&r);
    for (int i = 0; i < 2; i++) {
        double f = i ? 1.03 : 1;
        struct run_profile *p = i ? &r.b : &r.a;
        struct profile_kernel *k = kernel(&r, p, "gemm", 100, 15000 * f, 700);
        struct profile_config small = {0, 256,       1, 1, 64, 1, 1, 50, (int64_t)(500000 * f),
                                       0, 10000 * f, 5};
        struct profile_config large = {0, 512,       1, 1, 64, 1, 1, 50, (int64_t)(1000000 * f),
                                       0, 20000 * f, 5};
        vec_push(&k->configs, &r.arena, large);
        vec_push(&k->configs, &r.arena, small);
    }
    run(&r);
    assert_true(r.c.kernels.v[0].significant);
    assert_float_equal(r.c.kernels.v[0].change_pct, 3, 0.01);
    assert_int_equal(r.c.verdict, COMPARE_SAME); /* clocks do that from run to run */
    arena_release(&r.arena);
}

/* ---- what is no kernel ---- */

static void copies_say_how_much_less(void **state)
{
    (void)state;
    struct runs r;
    start(&r);
    kernel(&r, &r.a, "gemm", 100, 10000, 0);
    kernel(&r, &r.b, "gemm", 100, 10000, 0);
    r.a.cause_ns[CAUSE_COPY_D2H] = 5000000;
    r.b.cause_ns[CAUSE_COPY_D2H] = 50000;
    struct copy_row a = {
        .kind = COPY_D2H, .count = 100, .total_bytes = 51000000000, .total_duration_ns = 5000000};
    struct copy_row b = {
        .kind = COPY_D2H, .count = 1, .total_bytes = 510000000, .total_duration_ns = 50000};
    vec_push(&r.a.copies, &r.arena, a);
    vec_push(&r.b.copies, &r.arena, b);
    run(&r);
    assert_int_equal(r.c.verdict, COMPARE_FASTER);
    assert_string_equal(r.c.causes.v[0].what, "device to host copies: 47.0 GiB less");
    arena_release(&r.arena);
}

static void removed_syncs_count_although_idle_is_irregular(void **state)
{
    (void)state;
    struct runs r;
    start(&r);
    kernel(&r, &r.a, "gemm", 100, 10000, 0);
    kernel(&r, &r.b, "gemm", 100, 10000, 0);
    set_idle(&r.a, 100, 10000, 12000);
    set_idle(&r.b, 0, 0, 0);
    vec_push(&r.a.api_classes, &r.arena, ((struct api_class_row){.class = API_SYNC, .calls = 100}));
    vec_push(&r.b.api_classes, &r.arena, ((struct api_class_row){.class = API_SYNC, .calls = 1}));
    run(&r);
    assert_int_equal(r.c.verdict, COMPARE_FASTER);
    assert_string_equal(r.c.causes.v[0].kind, "idle");
    arena_release(&r.arena);
}

/* ---- statistics ---- */

static void outliers_do_not_move_the_middle(void **state)
{
    (void)state;
    int64_t v[100];
    double typical, error, with, worse;
    for (int i = 0; i < 100; i++)
        v[i] = 1000 + (i * 37) % 100;
    typical_of(v, 100, &typical, &error);
    assert_float_equal(typical, 1049.5, 1e-9);
    assert_true(error > 1 && error < 6);
    for (int i = 0; i < 20; i++)
        v[99 - i] = 1000000;
    typical_of(v, 100, &with, &worse);
    assert_float_equal(with, typical, 1e-9);
    v[0] = 42;
    typical_of(v, 1, &typical, &error);
    assert_float_equal(typical, 42, 0);
    assert_float_equal(error, 2.1, 1e-9);
}

static void a_profile_of_a_trace_holds_its_kernels(void **state)
{
    (void)state;
    struct made m;
    made_init(&m);
    uint32_t stream = made_stream(&m, made_gpu(&m), 1);
    for (int i = 0; i < 8; i++)
        made_kernel(&m, "axpy", stream, US(20 * i), US(20 * i + 10), NO_INDEX);
    struct analysis a;
    struct analysis_opts o = {.view = {.gpu = -1, .process = -1, .threads = 1}};
    struct run_profile p;
    analysis_run(&a, &m.t, &o, &m.arena);
    profile_make(&p, &a, "run", &m.arena);
    assert_int_equal(p.kernels.n, 1);
    assert_int_equal(p.kernels.v[0].calls, 8);
    assert_int_equal(p.kernels.v[0].median_ns, 10000);
    assert_float_equal(p.kernels.v[0].error_ns, 0, 0);
    assert_int_equal(p.gap_count[CAUSE_UNKNOWN], 7);
    assert_float_equal(p.gap_sq[CAUSE_UNKNOWN], 7e8, 1);
    made_release(&m);
}

/* ---- gates ---- */

static bool parses(const char *text, struct gate *g, struct arena *a, struct gs_error *err)
{
    *g = (struct gate){0};
    return gate_parse(g, text, a, err);
}

static void conditions_are_read(void **state)
{
    (void)state;
    struct arena a;
    struct gate g;
    struct gs_error err;
    arena_init(&a);
    assert_true(parses("wall>5%, idle >= 10ms,kernel:foo<2, 3><1us", &g, &a, &err));
    assert_int_equal(g.conditions.n, 3);
    assert_true(g.conditions.v[0].relative);
    assert_float_equal(g.conditions.v[1].limit, 1e7, 0);
    assert_string_equal(g.conditions.v[1].op, ">=");
    assert_string_equal(g.conditions.v[2].kernel, "foo<2, 3>");
    assert_float_equal(g.conditions.v[2].limit, 1000, 0);
    static const char *const bad[] = {
        "",         "wall",      "wall>",      "wall>x",       "wal>5%",
        "wall>5kB", "kernel>5%", "kernel:>5%", "launches>3ms", "wall>5%,"};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        bool ok = parses(bad[i], &g, &a, &err);
        assert_true(!ok || i == 9); /* a comma at the end is harmless */
        if (!ok)
            assert_int_equal(err.code, GS_E_USAGE);
    }
    assert_false(parses("wal>5%", &g, &a, &err));
    assert_non_null(strstr(err.text, "did you mean 'wall'"));
    arena_release(&a);
}

static void a_gate_fails_beyond_limit_and_noise(void **state)
{
    (void)state;
    struct runs r;
    struct gate g = {0};
    struct gs_error err;
    start(&r);
    kernel(&r, &r.a, "gemm", 100, 10000, 10);
    kernel(&r, &r.b, "gemm", 100, 10600, 10);
    run(&r);
    assert_true(gate_parse(&g,
                           "wall>5%,wall>7%,kernel:gemm>5%,window>10ms,kernel:none>1%,launches>99",
                           &r.arena, &err));
    gate_run(&g, &r.c, &r.arena);
    static const bool failed[] = {true, false, true, false, true, true};
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(g.conditions.v[i].failed, failed[i]);
    assert_int_equal(g.failed, 4);
    struct str out;
    str_init(&out, &r.arena);
    gate_junit(&out, &g, &r.c);
    assert_non_null(strstr(out.buf, "tests=\"7\" failures=\"4\""));
    str_clear(&out);
    gate_github(&out, &g, &r.c);
    assert_non_null(strstr(out.buf, "::error title=gpusight gate::wall changed by +6.0 %25"));
    str_clear(&out);
    gate_gitlab(&out, &g, &r.c);
    assert_non_null(strstr(out.buf, "\"check_name\": \"wall>5%\""));
    arena_release(&r.arena);
}

static void a_gate_fails_when_runs_are_not_comparable(void **state)
{
    (void)state;
    struct runs r;
    struct gate g = {0};
    struct gs_error err;
    start(&r);
    kernel(&r, &r.a, "gemm", 100, 10000, 10);
    kernel(&r, &r.b, "gemm", 100, 3000, 10)->work_items = 256;
    run(&r);
    assert_true(gate_parse(&g, "wall>5%", &r.arena, &err));
    gate_run(&g, &r.c, &r.arena);
    assert_int_equal(g.failed, 1);
    arena_release(&r.arena);
}

/* ---- documents ---- */

static void a_profile_is_read_back_as_written(void **state)
{
    (void)state;
    struct runs r;
    struct run_profile back;
    struct gs_error err = {0};
    struct str out;
    struct jwrite w;
    char path[] = "/tmp/test_compare_XXXXXX";
    start(&r);
    struct profile_kernel *k = kernel(&r, &r.a, "void gemm<128>(float*)", 100, 10000.25, 12.5);
    k->configs.n = 0;
    set_idle(&r.a, 100, 10000, 500);
    vec_push(&r.a.api_classes, &r.arena, ((struct api_class_row){.class = API_SYNC, .calls = 100}));
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    str_init(&out, &r.arena);
    jw_init(&w, &out, 2);
    profile_json(&w, &r.a);
    assert_true(profile_is_document(out.buf, out.len));
    assert_false(profile_is_document("{\"traceEvents\": []}", 19));
    assert_true(fs_write(path, out.buf, out.len, &err));
    assert_true(profile_read(&back, path, &r.arena, &err));
    assert_string_equal(back.label, "a");
    assert_int_equal(back.kernels.n, 1);
    assert_float_equal(back.kernels.v[0].typical_ns, 10000.25, 0);
    assert_int_equal(back.cause_ns[CAUSE_SYNC], r.a.cause_ns[CAUSE_SYNC]);
    assert_int_equal(back.missing.n, 0);
    compare(&r.c, &r.a, &back, &r.arena);
    assert_int_equal(r.c.verdict, COMPARE_SAME);
    assert_int_equal(r.c.change_ns, 0);
    inputs_forget(0); /* an earlier case has read what is written anew */
    assert_true(fs_write(path, "{\"document\": \"gpusight-profile\", \"version\": 99}", 48, &err));
    assert_false(profile_read(&back, path, &r.arena, &err));
    assert_int_equal(err.code, GS_E_FORMAT);
    unlink(path);
    arena_release(&r.arena);
}

static void history_finds_change_points_and_sets_other_work_apart(void **state)
{
    (void)state;
    struct runs r;
    struct history h;
    static const double ns[] = {10000, 10010, 8000, 8010, 2000};
    start(&r);
    struct run_profile runs[5];
    for (int i = 0; i < 5; i++) {
        runs[i] = r.a;
        runs[i].label = arena_printf(&r.arena, "run %d", i);
        memset(&runs[i].kernels, 0, sizeof(runs[i].kernels));
        struct profile_kernel *k = kernel(&r, &runs[i], "gemm", 100, ns[i], 5);
        if (i == 4)
            k->work_items = 256;
    }
    history_make(&h, runs, 5, &r.arena);
    assert_int_equal(h.groups, 2);
    assert_false(h.runs.v[1].change_point);
    assert_true(h.runs.v[2].change_point);
    assert_false(h.runs.v[3].change_point);
    assert_int_equal(h.runs.v[4].group, 2);
    assert_non_null(h.runs.v[4].apart);
    assert_int_equal(h.runs.v[2].place + h.runs.v[3].place, 3);
    arena_release(&r.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        unit_test(a_run_is_the_same_as_itself),
        unit_test(a_change_beyond_noise_is_found_with_its_sign),
        unit_test(a_change_within_noise_is_none),
        unit_test(another_grid_is_refused),
        unit_test(more_steps_are_divided_out),
        unit_test(other_calls_of_one_kernel_are_a_cause),
        unit_test(little_common_work_is_refused),
        unit_test(vendors_are_compared_by_role),
        unit_test(renamed_kernels_are_found_by_their_words),
        unit_test(new_and_gone_kernels_are_causes),
        unit_test(a_mixture_of_grids_is_no_noise),
        unit_test(copies_say_how_much_less),
        unit_test(removed_syncs_count_although_idle_is_irregular),
        unit_test(outliers_do_not_move_the_middle),
        unit_test(a_profile_of_a_trace_holds_its_kernels),
        unit_test(conditions_are_read),
        unit_test(a_gate_fails_beyond_limit_and_noise),
        unit_test(a_gate_fails_when_runs_are_not_comparable),
        unit_test(a_profile_is_read_back_as_written),
        unit_test(history_finds_change_points_and_sets_other_work_apart),
    };
    return unit_run(tests);
}
