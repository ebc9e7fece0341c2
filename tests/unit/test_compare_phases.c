/* Phases and durations of two runs: pairs, changes, and what a saved profile keeps of them. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/inputs.h"
#include "base/str.h"
#include "compare/compare_in.h"
#include "compare/profile_write.h"
#include "made_trace.h"

struct runs {
    struct arena arena;
    struct run_profile a, b;
    struct comparison c;
};

static void start(struct runs *r)
{
    *r = (struct runs){0};
    arena_init(&r->arena);
    r->a.label = "a";
    r->b.label = "b";
    r->a.has_gaps = r->b.has_gaps = true;
}

static void kernel(struct runs *r, struct run_profile *p, const char *name, uint64_t calls,
                   double ns)
{
    struct profile_kernel k = {.name = name,
                               .short_name = name,
                               .category = ROLE_OTHER,
                               .calls = calls,
                               .total_duration_ns = (int64_t)((double)calls * ns),
                               .avg_duration_ns = ns,
                               .std_dev_ns = 1,
                               .median_ns = (int64_t)ns,
                               .typical_ns = ns,
                               .error_ns = 1,
                               .work_items = 1024,
                               .occupancy_pct = NAN};
    vec_push(&p->kernels, &r->arena, k);
    p->cause_ns[CAUSE_COMPUTE] += k.total_duration_ns;
    p->breakdown.kernel_sum_ns += k.total_duration_ns;
    p->breakdown.window_ns += k.total_duration_ns;
}

static struct profile_phase *phase(struct runs *r, struct run_profile *p, const char *name,
                                   const char *filled_by, int64_t ns, uint64_t kernels)
{
    struct profile_phase row = {.name = name,
                                .named_by = NAMED_BY_KERNEL,
                                .duration_ns = ns,
                                .compute_ns = ns,
                                .kernels = kernels,
                                .has_causes = true};
    row.cause_ns[CAUSE_COMPUTE] = ns;
    if (filled_by)
        vec_push(&row.shares, &r->arena, ((struct profile_share){filled_by, ns}));
    vec_push(&p->phases, &r->arena, row);
    return &p->phases.v[p->phases.n - 1];
}

static void run(struct runs *r)
{
    compare(&r->c, &r->a, &r->b, &r->arena);
}

static void phases_are_paired_by_name_and_kernels_in_order(void **state)
{
    (void)state;
    struct runs r;
    start(&r);
    kernel(&r, &r.a, "init", 10, 1000);
    kernel(&r, &r.a, "void gemm_tile<128, float>(int)", 100, 1000);
    kernel(&r, &r.b, "init", 10, 1000);
    kernel(&r, &r.b, "void gemm_tile<256, float>(int)", 100, 1200);
    phase(&r, &r.a, "init", "init", 10000, 10);
    phase(&r, &r.a, "gemm_tile<128>", r.a.kernels.v[1].name, 100000, 100);
    phase(&r, &r.b, "init", "init", 10000, 10);
    phase(&r, &r.b, "copies", NULL, 5000, 0);
    phase(&r, &r.b, "gemm_tile<256>", r.b.kernels.v[1].name, 120000, 100);
    run(&r);
    assert_int_equal(r.c.phases.n, 3);
    const struct compare_phase *p = r.c.phases.v;
    assert_string_equal(p[0].match, "name");
    assert_int_equal(p[0].change_ns, 0);
    assert_string_equal(p[1].match, "new");
    assert_int_equal(p[1].phase_a, -1);
    assert_int_equal(p[1].phase_b, 2);
    assert_true(isnan(p[1].duration_a_ns));
    assert_int_equal(p[1].change_ns, 5000);
    assert_string_equal(p[2].match, "kernels"); /* renamed, and so is the phase */
    assert_int_equal(p[2].change_ns, 20000);
    assert_float_equal(p[2].change_pct, 20, 1e-9);
    assert_string_equal(p[2].cause, "compute");
    assert_int_equal(p[2].cause_change_ns, 20000);
    /* The kernel is only in that phase, so its change is said to be there. */
    assert_string_equal(r.c.causes.v[0].phase, "gemm_tile<128>");
    arena_release(&r.arena);
}

static void pieces_of_one_name_are_taken_together_where_the_other_run_has_one(void **state)
{
    (void)state;
    struct runs r;
    start(&r);
    kernel(&r, &r.a, "x", 10, 1000);
    kernel(&r, &r.b, "x", 10, 1000);
    phase(&r, &r.a, "step (1)", "x", 1000, 5);
    phase(&r, &r.a, "step (2)", "x", 8000, 5);
    phase(&r, &r.b, "step", "x", 9100, 10);
    run(&r);
    assert_int_equal(r.c.phases.n, 1);
    assert_string_equal(r.c.phases.v[0].title, "step (2 of A)");
    assert_int_equal(r.c.phases.v[0].joined_a, 2);
    assert_int_equal(r.c.phases.v[0].change_ns, 100);
    /* Where both have them, they stay apart. */
    r.b.phases.n = 0;
    phase(&r, &r.b, "step (1)", "x", 1000, 5);
    phase(&r, &r.b, "step (2)", "x", 9000, 5);
    run(&r);
    assert_int_equal(r.c.phases.n, 2);
    assert_int_equal(r.c.phases.v[0].change_ns, 0);
    assert_int_equal(r.c.phases.v[1].change_ns, 1000);
    arena_release(&r.arena);
}

static void boundaries_that_moved_join_phases_on_both_sides(void **state)
{
    (void)state;
    struct runs r;
    start(&r);
    kernel(&r, &r.a, "x", 10, 1000);
    kernel(&r, &r.a, "y", 10, 1000);
    kernel(&r, &r.a, "z", 10, 1000);
    r.b = r.a;
    /* A: x | y z, B: x y | z, and nothing changed. */
    phase(&r, &r.a, "x", "x", 10000, 10);
    phase(&r, &r.a, "y", "y", 20000, 20);
    phase(&r, &r.b, "x", "x", 20000, 20);
    phase(&r, &r.b, "z", "z", 10000, 10);
    vec_push(&r.a.phases.v[1].shares, &r.arena, ((struct profile_share){"z", 10000}));
    r.a.phases.v[1].shares.v[0].ns = 10000;
    vec_push(&r.b.phases.v[0].shares, &r.arena, ((struct profile_share){"y", 10000}));
    r.b.phases.v[0].shares.v[0].ns = 10000;
    run(&r);
    assert_int_equal(r.c.phases.n, 1);
    assert_int_equal(r.c.phases.v[0].joined_a, 2);
    assert_int_equal(r.c.phases.v[0].joined_b, 2);
    assert_int_equal(r.c.phases.v[0].change_ns, 0);
    arena_release(&r.arena);
}

static void what_went_away_is_gone(void **state)
{
    (void)state;
    struct runs r;
    start(&r);
    kernel(&r, &r.a, "x", 10, 1000);
    kernel(&r, &r.a, "y", 10, 1000);
    r.b = r.a;
    phase(&r, &r.a, "x", "x", 54000, 60);
    phase(&r, &r.a, "idle: host", NULL, 12000, 0)->named_by = NAMED_BY_HOST;
    phase(&r, &r.a, "y", "y", 30000, 60);
    phase(&r, &r.b, "x", "x", 54000, 60);
    phase(&r, &r.b, "y", "y", 30000, 60);
    run(&r);
    assert_int_equal(r.c.phases.n, 3);
    assert_string_equal(r.c.phases.v[1].match, "gone");
    assert_int_equal(r.c.phases.v[1].change_ns, -12000);
    arena_release(&r.arena);
}

static void a_phase_that_follows_the_steps_is_divided_by_them(void **state)
{
    (void)state;
    struct runs r;
    start(&r);
    kernel(&r, &r.a, "init", 10, 1000);
    kernel(&r, &r.a, "step", 100, 1000);
    kernel(&r, &r.b, "init", 10, 1000);
    kernel(&r, &r.b, "step", 200, 1000);
    phase(&r, &r.a, "init", "init", 10000, 10);
    phase(&r, &r.a, "step", "step", 100000, 100);
    phase(&r, &r.b, "init", "init", 10000, 10);
    phase(&r, &r.b, "step", "step", 220000, 200);
    run(&r);
    assert_float_equal(r.c.steps, 2, 0.01);
    assert_int_equal(r.c.phases.v[0].change_ns, 0);
    assert_int_equal(r.c.phases.v[1].change_ns, 10000); /* 220000 / 2 - 100000 */
    arena_release(&r.arena);
}

static void an_idle_cause_names_the_phase_it_is_in(void **state)
{
    (void)state;
    struct runs r;
    start(&r);
    struct run_profile *both[] = {&r.a, &r.b};
    for (int i = 0; i < 2; i++) {
        kernel(&r, both[i], "x", 100, 10000);
        both[i]->cause_ns[CAUSE_COPY_H2D] = 1000000 + i * 500000;
        struct copy_row copies = {.kind = COPY_H2D, .count = 1000};
        copies.total_bytes = 1000 + (uint64_t)i * 500;
        vec_push(&both[i]->copies, &r.arena, copies);
        phase(&r, both[i], "load", NULL, 2000000, 0)->cause_ns[CAUSE_COPY_H2D] =
            900000 + i * 500000;
        phase(&r, both[i], "work", "x", 1000000, 100)->cause_ns[CAUSE_COPY_H2D] = 100000;
    }
    run(&r);
    assert_int_equal(r.c.causes.v[0].change_ns, 500000);
    assert_string_equal(r.c.causes.v[0].phase, "load");
    arena_release(&r.arena);
}

static void durations_are_counted_on_one_scale(void **state)
{
    (void)state;
    /* 32 steps an octave: 1024 = 2^10 begins bucket 321; the next begins at ceil(2^(321/32)). */
    assert_int_equal(profile_bucket_of(0), 0);
    assert_int_equal(profile_bucket_of(-5), 0);
    assert_int_equal(profile_bucket_of(1), 1);
    assert_int_equal(profile_bucket_of(1024), 321);
    assert_int_equal(profile_bucket_start(321), 1024);
    assert_int_equal(profile_bucket_start(322), 1047); /* 1024 x 1.0219 = 1046.4 */
    assert_int_equal(profile_bucket_of(1046), 321);
    assert_int_equal(profile_bucket_of(1047), 322);
    assert_true(profile_bucket_of(INT64_MAX) < PROFILE_BUCKETS);
    for (int64_t ns = 1; ns > 0 && ns < INT64_MAX / 3; ns = ns * 3 + 1) {
        uint32_t b = profile_bucket_of(ns);
        assert_true(profile_bucket_start(b) <= ns && ns < profile_bucket_start(b + 1));
    }
    struct arena arena;
    struct profile_buckets out = {0};
    const int64_t v[] = {1024, 1030, 1046, 1047, 5000};
    arena_init(&arena);
    profile_buckets_make(&out, v, 5, &arena);
    assert_int_equal(out.n, 3);
    assert_int_equal(out.v[0].count, 3);
    assert_int_equal(out.v[1].count, 1);
    arena_release(&arena);
}

static void a_profile_of_a_trace_holds_phases_and_durations(void **state)
{
    (void)state;
    struct made m;
    struct analysis a;
    struct run_profile p;
    made_init(&m);
    uint32_t stream = made_stream(&m, made_gpu(&m), 1);
    /* 50 x 100 us of one kernel, 20 ms nothing, 50 x 300 us of another. */
    for (int i = 0; i < 50; i++)
        made_kernel(&m, "fill", stream, US(100 * i), US(100 * i + 90), NO_INDEX);
    for (int i = 0; i < 50; i++)
        made_kernel(&m, "solve", stream, US(25000 + 300 * i), US(25000 + 300 * i + 290), NO_INDEX);
    struct analysis_opts o = {.view = {.gpu = -1, .process = -1, .threads = 1}, .max_phases = 12};
    analysis_run(&a, &m.t, &o, &m.arena);
    profile_make(&p, &a, "run", &m.arena);
    assert_true(p.phases.n >= 2);
    const struct profile_phase *first = &p.phases.v[0], *last = &p.phases.v[p.phases.n - 1];
    assert_string_equal(first->shares.v[0].name, "fill");
    assert_int_equal(first->shares.v[0].ns, US(50 * 90));
    assert_string_equal(last->shares.v[0].name, "solve");
    int64_t sum = 0;
    for (size_t i = 0; i < p.phases.n; i++)
        for (enum cause c = 0; c < CAUSES; c++)
            sum += p.phases.v[i].cause_ns[c];
    assert_int_equal(sum, p.breakdown.window_ns);
    assert_int_equal(p.kernels.v[0].durations.n, 1);
    assert_int_equal(p.kernels.v[0].durations.v[0].count, 50);
    made_release(&m);
}

static const char *written(struct runs *r, const char *text)
{
    static char path[64];
    struct gs_error err = {0};
    strcpy(path, "/tmp/test_compare_XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    inputs_forget(0); /* an earlier case has read what is written anew */
    assert_true(fs_write(path, text, strlen(text), &err));
    (void)r;
    return path;
}

static void a_saved_profile_keeps_phases_and_durations(void **state)
{
    (void)state;
    struct runs r;
    struct run_profile back;
    struct gs_error err = {0};
    struct str out;
    struct jwrite w;
    start(&r);
    kernel(&r, &r.a, "x", 10, 1000);
    struct profile_buckets *d = &r.a.kernels.v[0].durations;
    vec_push(d, &r.arena, ((struct profile_bucket){320, 4}));
    vec_push(d, &r.arena, ((struct profile_bucket){330, 6}));
    struct profile_phase *p = phase(&r, &r.a, "work", "x", 10000, 10);
    p->cause_ns[CAUSE_SYNC] = 77;
    p->iterations = 5;
    p->iteration_ns = 2000;
    str_init(&out, &r.arena);
    jw_init(&w, &out, 2);
    profile_json(&w, &r.a);
    const char *path = written(&r, out.buf);
    assert_true(profile_read(&back, path, &r.arena, &err));
    unlink(path);
    assert_int_equal(back.kernels.v[0].durations.n, 2);
    assert_int_equal(back.kernels.v[0].durations.v[1].count, 6);
    assert_int_equal(back.phases.n, 1);
    assert_string_equal(back.phases.v[0].name, "work");
    assert_string_equal(back.phases.v[0].shares.v[0].name, "x");
    assert_int_equal(back.phases.v[0].cause_ns[CAUSE_SYNC], 77);
    assert_int_equal(back.phases.v[0].iteration_ns, 2000);
    compare(&r.c, &r.a, &back, &r.arena);
    assert_int_equal(r.c.phases.v[0].change_ns, 0);
    arena_release(&r.arena);
}

static void hostile_phases_and_durations_are_left_out(void **state)
{
    (void)state;
    struct runs r;
    struct run_profile back;
    struct gs_error err = {0};
    start(&r);
    const char *path = written(
        &r, "{\"document\": \"gpusight-profile\", \"version\": 1,"
            "\"ledger\": {\"causes\": [{\"cause\": \"compute\", \"ns\": 5}]},"
            "\"kernels\": [{\"name\": \"k\", \"calls\": 5, \"total_duration_ns\": 5,"
            "  \"median_ns\": 1, \"durations\": [9, 1, 8, 1]},"
            " {\"name\": \"l\", \"calls\": 5, \"total_duration_ns\": 5, \"median_ns\": 1,"
            "  \"durations\": [4000000000, 1]},"
            " {\"name\": \"m\", \"calls\": 5, \"total_duration_ns\": 5, \"median_ns\": 1,"
            "  \"durations\": [5]}, {\"name\": \"n\", \"calls\": 5, \"total_duration_ns\": 5,"
            "  \"median_ns\": 1, \"durations\": [5, 18446744073709551615, 6, 5]}],"
            "\"phases\": [{\"name\": \"bad\", \"duration_ns\": -5}, 7, {\"duration_ns\": 3},"
            " {\"name\": \"huge\", \"duration_ns\": 9223372036854775807},"
            " {\"name\": \"good\", \"duration_ns\": 5, \"shares\": [{}, {\"name\": \"k\"}],"
            "  \"causes\": {\"compute\": 5, \"nonsense\": 1}}]}");
    assert_true(profile_read(&back, path, &r.arena, &err));
    unlink(path);
    for (size_t i = 0; i < back.kernels.n; i++)
        assert_int_equal(back.kernels.v[i].durations.n, 0);
    assert_int_equal(back.phases.n, 1);
    assert_string_equal(back.phases.v[0].name, "good");
    assert_int_equal(back.phases.v[0].shares.n, 0);
    assert_int_equal(back.phases.v[0].cause_ns[CAUSE_COMPUTE], 5);
    compare(&r.c, &back, &back, &r.arena);
    assert_int_equal(r.c.phases.n, 1);
    arena_release(&r.arena);
}

static void a_median_is_not_held_against_a_middle_half(void **state)
{
    (void)state;
    struct runs r;
    start(&r);
    /* Half of the calls 100, half 700: the median says 100, the middle half 400. */
    kernel(&r, &r.a, "x", 120, 400000);
    kernel(&r, &r.b, "x", 120, 400000);
    r.a.kernels.v[0].std_dev_ns = r.b.kernels.v[0].std_dev_ns = 300000;
    r.a.kernels.v[0].typical_ns = 100000;
    r.a.kernels.v[0].by_median = true;
    run(&r);
    assert_int_equal(r.c.verdict, COMPARE_SAME);
    assert_int_equal(r.c.change_ns, 0);
    arena_release(&r.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        unit_test(phases_are_paired_by_name_and_kernels_in_order),
        unit_test(pieces_of_one_name_are_taken_together_where_the_other_run_has_one),
        unit_test(boundaries_that_moved_join_phases_on_both_sides),
        unit_test(what_went_away_is_gone),
        unit_test(a_phase_that_follows_the_steps_is_divided_by_them),
        unit_test(an_idle_cause_names_the_phase_it_is_in),
        unit_test(durations_are_counted_on_one_scale),
        unit_test(a_profile_of_a_trace_holds_phases_and_durations),
        unit_test(a_saved_profile_keeps_phases_and_durations),
        unit_test(hostile_phases_and_durations_are_left_out),
        unit_test(a_median_is_not_held_against_a_middle_half),
    };
    return unit_run(tests);
}
